package io.cantle.crash;

import io.cantle.store.disk.Disk;
import java.io.IOException;

/**
 * What a writer does until it is stopped, and what must be there then.
 *
 * <p><b>Threading:</b> {@link #runWriter} any thread of the writer; the rest one thread.
 */
interface CrashWorkload {
  /** How many threads write. */
  int THREADS = 6;

  /**
   * Opens what is there and writes until it is stopped or fails; then tries once more.
   *
   * @param first the first number to be given to what is written
   */
  void runWriter(Disk disk, long first, WriterOutput output)
      throws IOException, InterruptedException;

  /** What is known of it; none of it was begun yet. */
  WriterLedger ledger();

  /** What was heard of a writer, and what must be there because of that. */
  interface WriterLedger {
    /** A line of the writer. */
    void onLine(String line);

    /** A number that was not given to anything yet. */
    long nextNumber();

    /** Opens what is there and compares; what was found is from then on what must be there. */
    void check(Disk disk, CrashVerdict verdict) throws IOException;
  }
}
