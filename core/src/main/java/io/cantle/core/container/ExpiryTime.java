package io.cantle.core.container;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.jspecify.annotations.Nullable;

/**
 * When an entry ends, in milliseconds of its segment's own time.
 *
 * <p>A read is noted only now and then, by a write: every eighth of the idle time at most. So the
 * end is an eighth later, and never earlier than the idle time after the last read.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param lifespanEndMillis when it has lived its lifespan, {@link #NEVER} if it has none
 * @param idleMillis how long it may go without being read, 0 for ever
 * @param lastTouchMillis when it was written, or noted to be read, last
 */
public record ExpiryTime(long lifespanEndMillis, long idleMillis, long lastTouchMillis) {
  /** No moment is as late. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The part of the idle time for which reads are not noted. */
  private static final int TOUCH_INTERVAL_DIVISOR = 8;

  /** The moment from which on it is due; {@link #NEVER} for none. */
  public long expiresAtMillis() {
    return idleMillis == 0
        ? lifespanEndMillis
        : Math.min(
            lifespanEndMillis,
            lastTouchMillis + idleMillis + idleMillis / TOUCH_INTERVAL_DIVISOR + 1);
  }

  /** Whether a read now has to be noted, or the entry might end too early after it. */
  public boolean needsTouch(long nowMillis) {
    return idleMillis > 0 && nowMillis - lastTouchMillis > idleMillis / TOUCH_INTERVAL_DIVISOR;
  }

  /** The same of an entry that is read now. */
  public ExpiryTime withTouch(long nowMillis) {
    return new ExpiryTime(
        lifespanEndMillis,
        idleMillis,
        Math.min(lifespanEndMillis, Math.max(lastTouchMillis, nowMillis)));
  }

  /** What is left of it, or null if nothing is. */
  public @Nullable Lifetime remainingLifetime(long nowMillis) {
    if (expiresAtMillis() <= nowMillis) {
      return null;
    }
    long lifespan = lifespanEndMillis == NEVER ? 0 : lifespanEndMillis - nowMillis;
    return new Lifetime(Math.min(lifespan, Lifetime.MAX_MILLIS), idleMillis);
  }

  /** Writes all of it. */
  public void write(Output out) {
    out.writeVarint(lastTouchMillis);
    out.writeVarint(idleMillis);
    out.writeVarint(lifespanEndMillis == NEVER ? 0 : lifespanEndMillis - lastTouchMillis + 1);
  }

  /** Reads what {@link #write} wrote. */
  public static ExpiryTime read(Input in) {
    long touched = in.readVarint();
    long idle = in.readVarint();
    long encodedLifespan = in.readVarint();
    boolean within = encodedLifespan >= 0 && encodedLifespan <= Lifetime.MAX_MILLIS + 2;
    if (touched < 0 || idle < 0 || idle > Lifetime.MAX_MILLIS || !within) {
      throw new MalformedException(
          "a deadline that cannot be: touched "
              + touched
              + ", idle "
              + idle
              + ", "
              + encodedLifespan);
    }
    return new ExpiryTime(
        encodedLifespan == 0 ? NEVER : touched + encodedLifespan - 1, idle, touched);
  }
}
