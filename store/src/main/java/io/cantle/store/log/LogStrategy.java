package io.cantle.store.log;

import java.time.Duration;

/**
 * How records get from the threads that append them into the file. All strategies write the same
 * files, which are recovered and verified in the same way. They differ in which thread writes, how
 * many records share a sync, and how a caller waits. {@code docs/guide/log-library.md} says when to
 * take which; {@link GroupCommit} is right unless measurements say otherwise.
 *
 * <p>Where callers write ({@link Simple}, {@link Waiting}), the interrupt of a caller that writes
 * closes the file and so ends the log. Such a caller also waits as long as its own write takes,
 * whatever its timeout.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface LogStrategy {

  /** Each caller writes and syncs its own record, one caller at a time. */
  record Simple() implements LogStrategy {}

  /**
   * Callers wait for one another. A caller that has waited and whose record is still queued writes
   * all that is queued, with one sync. The best limit is the number of threads that append.
   *
   * @param limit with this many records queued, the caller of the last writes at once; 1 to
   *     1,000,000
   * @param delay how long a caller waits for others, up to 10 s
   */
  record Waiting(int limit, Duration delay) implements LogStrategy {
    private static final int MAX_LIMIT = 1_000_000;
    private static final long MAX_DELAY_MILLIS = 10_000;

    /** Checks both. */
    public Waiting {
      LogOptions.requireWithin("limit", limit, 1, MAX_LIMIT);
      if (delay.isNegative() || delay.compareTo(Duration.ofMillis(MAX_DELAY_MILLIS)) > 0) {
        throw new IllegalArgumentException(
            "delay " + delay + " is not within 0.." + MAX_DELAY_MILLIS + " ms");
      }
    }
  }

  /**
   * One thread writes whatever is queued, and begins again as soon as that is durable.
   *
   * @param completionWait how callers wait for their record, and the thread for records
   */
  record SingleWriter(CompletionWait completionWait) implements LogStrategy {}

  /** A single writer that waits for further records as long as that pays; the default. */
  record GroupCommit() implements LogStrategy {}

  /** How a caller waits until its record has been written. */
  enum CompletionWait {
    /** It looks again and again, and keeps its processor busy. */
    SPINNING,
    /** It gives its processor to other threads between two looks. */
    YIELDING,
    /** It sleeps until it is woken. */
    WAITING
  }
}
