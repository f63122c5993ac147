package io.cantle.core.container;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * The lifetime of a written value in milliseconds, counted from the write: {@code lifespanMillis}
 * in all, and {@code idleMillis} without a read. It is sent with a command, and the primary turns
 * it into an {@link ExpiryTime}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param lifespanMillis how long in all, or 0 for no limit
 * @param idleMillis how long, at least, without a read, or 0 for no limit
 */
public record Lifetime(long lifespanMillis, long idleMillis) {
  /** No limit. */
  public static final Lifetime UNLIMITED = new Lifetime(0, 0);

  /** The longest limit of either kind: a hundred years of 366 days. */
  public static final long MAX_MILLIS = 100L * 366 * 24 * 60 * 60 * 1_000;

  /** Checks both values. */
  public Lifetime {
    if (lifespanMillis < 0 || lifespanMillis > MAX_MILLIS) {
      throw new IllegalArgumentException(
          "lifespan " + lifespanMillis + " ms is not within 0 to " + MAX_MILLIS + " ms");
    }
    if (idleMillis < 0 || idleMillis > MAX_MILLIS) {
      throw new IllegalArgumentException(
          "idle time " + idleMillis + " ms is not within 0 to " + MAX_MILLIS + " ms");
    }
  }

  /** Whether the value never expires. */
  public boolean isUnlimited() {
    return lifespanMillis == 0 && idleMillis == 0;
  }

  /** Returns the expiry time, counted from a time of the segment's clock. */
  public ExpiryTime startingAt(long nowMillis) {
    // The clock may be at the end of its millisecond, and nothing may expire too early.
    long end = lifespanMillis == 0 ? ExpiryTime.NEVER : nowMillis + lifespanMillis + 1;
    return new ExpiryTime(end, idleMillis, nowMillis);
  }

  /** Writes both values; they take two bytes if there is no limit. */
  public void write(Output out) {
    out.writeVarint(lifespanMillis);
    out.writeVarint(idleMillis);
  }

  /** Reads what {@link #write} wrote. */
  public static Lifetime read(Input in) {
    long lifespan = in.readVarint();
    long idle = in.readVarint();
    try {
      return new Lifetime(lifespan, idle);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("invalid lifetime: " + e.getMessage());
    }
  }
}
