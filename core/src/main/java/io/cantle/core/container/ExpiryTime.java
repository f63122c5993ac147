package io.cantle.core.container;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.jspecify.annotations.Nullable;

/**
 * The time at which an entry expires, in milliseconds of its segment's clock.
 *
 * <p>Recording a read takes a write, so a read is recorded only if an eighth of the idle time has
 * passed since the last record. Expiry is therefore an eighth of the idle time later, and never
 * earlier than the idle time after the last read.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param lifespanEndMillis when the lifespan ends, or {@link #NEVER} if there is none
 * @param idleMillis how long the entry may go without a read, or 0 for any time
 * @param lastTouchMillis when the entry was last written, or last recorded as read
 */
public record ExpiryTime(long lifespanEndMillis, long idleMillis, long lastTouchMillis) {
  /** Later than every time. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Reads are not recorded within this fraction of the idle time: one eighth. */
  private static final int TOUCH_INTERVAL_DIVISOR = 8;

  /** The time at which the entry expires; {@link #NEVER} for never. */
  long expiresAtMillis() {
    return idleMillis == 0
        ? lifespanEndMillis
        : Math.min(
            lifespanEndMillis,
            lastTouchMillis + idleMillis + idleMillis / TOUCH_INTERVAL_DIVISOR + 1);
  }

  /**
   * Whether a read now must be recorded, because otherwise the entry might expire too early after
   * it.
   */
  public boolean needsTouch(long nowMillis) {
    return idleMillis > 0 && nowMillis - lastTouchMillis > idleMillis / TOUCH_INTERVAL_DIVISOR;
  }

  /** Returns the expiry time of the entry after a read that is recorded now. */
  public ExpiryTime withTouch(long nowMillis) {
    return new ExpiryTime(
        lifespanEndMillis,
        idleMillis,
        Math.min(lifespanEndMillis, Math.max(lastTouchMillis, nowMillis)));
  }

  /** Returns the remaining lifetime, or null if the entry has expired. */
  public @Nullable Lifetime remainingLifetime(long nowMillis) {
    if (expiresAtMillis() <= nowMillis) {
      return null;
    }
    long lifespan = lifespanEndMillis == NEVER ? 0 : lifespanEndMillis - nowMillis;
    return new Lifetime(Math.min(lifespan, Lifetime.MAX_MILLIS), idleMillis);
  }

  /** Writes the expiry time. */
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
          "invalid expiry time: last touch "
              + touched
              + " ms, idle time "
              + idle
              + " ms, encoded lifespan "
              + encodedLifespan);
    }
    return new ExpiryTime(
        encodedLifespan == 0 ? NEVER : touched + encodedLifespan - 1, idle, touched);
  }
}
