package io.cantle.bench.log;

import java.io.IOException;

/**
 * A log as the comparison needs it: records are appended, nothing is read back.
 *
 * <p><b>Threading:</b> any thread appends; one thread closes, after the writers have ended.
 */
public interface LogUnderTest extends AutoCloseable {

  /** The result of {@link #syncs} where the log does not tell it. */
  long UNKNOWN_SYNCS = -1;

  /**
   * Appends one record. When this returns the record is durable, unless the log was opened to write
   * without syncs.
   *
   * @param record neither kept nor changed; the caller may reuse it after the return
   * @throws IOException if the record may not be durable; the log is of no more use then
   * @throws InterruptedException if interrupted while it waited; the record may become durable
   */
  void append(byte[] record) throws IOException, InterruptedException;

  /** Returns how often the log has synced its file, or {@link #UNKNOWN_SYNCS}. */
  default long syncs() {
    return UNKNOWN_SYNCS;
  }

  /** Ends what it started and closes its files; what was appended is durable by then. */
  @Override
  void close() throws IOException;
}
