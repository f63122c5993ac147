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
   * Opens existing files and writes until it is stopped or fails; then tries once more.
   *
   * @param first the first number to be given to what is written
   */
  void runWriter(Disk disk, long first, WriterOutput output)
      throws IOException, InterruptedException;

  /** Creates the ledger of a workload of which nothing has begun yet. */
  WriterLedger ledger();

  /** What a writer has reported, and what must be there because of that. */
  interface WriterLedger {
    /** Handles a line of the writer. */
    void onLine(String line);

    /** Returns a number that was not given to anything yet. */
    long nextNumber();

    /** Opens the folder and compares it. What was found is from then on what must be there. */
    void check(Disk disk, CrashVerdict verdict) throws IOException;
  }
}
