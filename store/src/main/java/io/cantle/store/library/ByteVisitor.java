package io.cantle.store.library;

import java.io.IOException;

/**
 * Is shown records in the order of the log.
 *
 * <p><b>Threading:</b> the thread that opens or scans.
 */
@FunctionalInterface
public interface ByteVisitor {

  /** Ignores all records. */
  ByteVisitor NONE = (_, _) -> {};

  /**
   * Visits one record.
   *
   * @param lsn its log sequence number
   * @param record a copy of its bytes
   * @throws IOException to end the scan
   */
  void visit(long lsn, byte[] record) throws IOException;
}
