package io.cantle.core.call;

import java.util.concurrent.TimeUnit;

/**
 * How patient calls of one kind are.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum CallPace {
  /** Reads and writes, of one key or many. */
  COMMAND(500, 8_000, 500),

  /** Requests of scans. An owner works a second at most, but may wait for memory first. */
  SCAN(3_000, 3_000, 1_000),

  /** Pulls of a joiner, which waits on the clock and not in a {@link CallLoop}. */
  TRANSFER(2_000, 2_000, 2_000),

  /** What a losing replica asks other owners. After the pause it asks again, if it must. */
  MERGE(1_000, 1_000, 100_000),

  /** Requests to the voters, whose answer is a later topology: see {@link CallLoop#awaitEffect}. */
  VOTER(50, 50, 5_000);

  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);

  private final long answerNanos;
  private final long maxAnswerNanos;
  private final long pauseNanos;

  CallPace(long answerMillis, long maxAnswerMillis, long pauseMicros) {
    answerNanos = TimeUnit.MILLISECONDS.toNanos(answerMillis);
    maxAnswerNanos = TimeUnit.MILLISECONDS.toNanos(maxAnswerMillis);
    pauseNanos = TimeUnit.MICROSECONDS.toNanos(pauseMicros);
  }

  /** After this time without an answer a request is sent again, at first. */
  public long answerNanos() {
    return answerNanos;
  }

  /** The same after many attempts. */
  long maxAnswerNanos() {
    return maxAnswerNanos;
  }

  /** The first pause between two attempts. */
  public long pauseNanos() {
    return pauseNanos;
  }

  /** The pause that follows a pause, where they grow. */
  public static long longerPauseNanos(long pauseNanos) {
    return Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
  }
}
