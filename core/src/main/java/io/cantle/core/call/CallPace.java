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

  /** Requests of scans. An owner answers after a second at the latest. */
  SCAN(3_000, 3_000, 1_000);

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
  long pauseNanos() {
    return pauseNanos;
  }
}
