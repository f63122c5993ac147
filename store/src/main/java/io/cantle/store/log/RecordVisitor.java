package io.cantle.store.log;

import java.io.IOException;

/**
 * Is shown records in the order of the log.
 *
 * <p><b>Threading:</b> the thread that scans.
 */
@FunctionalInterface
public interface RecordVisitor {

  /** Wants to see nothing. */
  RecordVisitor NONE = _ -> {};

  /**
   * One record.
   *
   * @param record what is in the log; the same object, with other contents, the next time
   * @throws IOException to end the scan
   */
  void visit(RecordView record) throws IOException;
}
