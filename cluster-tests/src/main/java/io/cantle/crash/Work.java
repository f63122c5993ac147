package io.cantle.crash;

import io.cantle.store.disk.Disk;
import java.io.IOException;

/**
 * What a writer does until it is stopped, and what must be there then.
 *
 * <p><b>Threading:</b> {@link #write} any thread of the writer; the rest one thread.
 */
interface Work {
  /** How many threads write. */
  int THREADS = 6;

  /**
   * Opens what is there and writes until it is stopped or fails; then tries once more.
   *
   * @param first the first number to be given to what is written
   */
  void write(Disk disk, long first, Say say) throws IOException, InterruptedException;

  /** What is known of it; none of it was begun yet. */
  Ledger ledger();

  /** What was heard of a writer, and what must be there because of that. */
  interface Ledger {
    /** A line of the writer. */
    void hear(String line);

    /** A number that was not given to anything yet. */
    long next();

    /** Opens what is there and compares; what was found is from then on what must be there. */
    void check(Disk disk, Verdict verdict) throws IOException;
  }
}
