package io.cantle.bench.log;

import java.io.IOException;
import java.util.List;

/**
 * The one file of a log, with appending writes and a sync.
 *
 * <p><b>Threading:</b> guarded by its log.
 */
interface LogFile extends AutoCloseable {

  /**
   * Writes records after those written before, in one write.
   *
   * @throws IOException if not all was written; every later call fails too
   */
  void write(List<byte[]> records) throws IOException;

  /**
   * Makes all that was written durable.
   *
   * @throws IOException if it may not be; every later call fails too, since a second sync may
   *     succeed without the data of the first
   */
  void sync() throws IOException;

  /** Returns how often it was synced. */
  long syncs();

  @Override
  void close() throws IOException;
}
