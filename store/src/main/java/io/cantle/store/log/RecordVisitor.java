package io.cantle.store.log;

import java.io.IOException;

/**
 * Visits records in the order of the log.
 *
 * <p><b>Threading:</b> the thread that scans.
 */
@FunctionalInterface
public interface RecordVisitor {

  /** Ignores all records. */
  RecordVisitor NONE = _ -> {};

  /**
   * Visits one record.
   *
   * @param record what is in the log; the same object, with other contents, for each visit
   * @throws IOException to end the scan
   */
  void visit(RecordView record) throws IOException;
}
