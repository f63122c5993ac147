package io.cantle.core.container;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * How long a value that is written may live, from then on, in milliseconds: at most {@code
 * lifespan} in all, and {@code idle} without being read. It travels with a command; the primary
 * makes a {@link ExpiryTime} of it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param lifespanMillis how long in all, 0 for ever
 * @param idleMillis how long at least without a read, 0 for ever
 */
public record Lifetime(long lifespanMillis, long idleMillis) {
  /** For ever. */
  public static final Lifetime UNLIMITED = new Lifetime(0, 0);

  /** The longest of either that is not for ever: a hundred years of 366 days. */
  public static final long MAX_MILLIS = 100L * 366 * 24 * 60 * 60 * 1_000;

  /** Checks both. */
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

  /** Whether it has no end. */
  public boolean isUnlimited() {
    return lifespanMillis == 0 && idleMillis == 0;
  }

  /** When it ends, counted from a moment of the segment's time. */
  public ExpiryTime startingAt(long nowMillis) {
    // What is called now may be the end of its millisecond: nothing may end early.
    long end = lifespanMillis == 0 ? ExpiryTime.NEVER : nowMillis + lifespanMillis + 1;
    return new ExpiryTime(end, idleMillis, nowMillis);
  }

  /** Writes both: two bytes where there is no end. */
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
      throw new MalformedException("a lifetime that cannot be: " + e.getMessage());
    }
  }
}
