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
 * @param endMillis when it has lived its lifespan, {@link #NEVER} if it has none
 * @param idleMillis how long it may go without being read, 0 for ever
 * @param touchedMillis when it was written, or noted to be read, last
 */
public record Deadline(long endMillis, long idleMillis, long touchedMillis) {
  /** No moment is as late. */
  public static final long NEVER = Long.MAX_VALUE;

  /** The part of the idle time for which reads are not noted. */
  private static final int UNNOTED = 8;

  /** The moment from which on it is due; {@link #NEVER} for none. */
  public long atMillis() {
    return idleMillis == 0
        ? endMillis
        : Math.min(endMillis, touchedMillis + idleMillis + idleMillis / UNNOTED + 1);
  }

  /** Whether a read now has to be noted, or the entry might end too early after it. */
  public boolean wantsTouch(long nowMillis) {
    return idleMillis > 0 && nowMillis - touchedMillis > idleMillis / UNNOTED;
  }

  /** The same of an entry that is read now. */
  public Deadline touched(long nowMillis) {
    return new Deadline(
        endMillis, idleMillis, Math.min(endMillis, Math.max(touchedMillis, nowMillis)));
  }

  /** What is left of it, or null if nothing is. */
  public @Nullable Lifetime left(long nowMillis) {
    if (atMillis() <= nowMillis) {
      return null;
    }
    long lifespan = endMillis == NEVER ? 0 : endMillis - nowMillis;
    return new Lifetime(Math.min(lifespan, Lifetime.MAX_MILLIS), idleMillis);
  }

  /** Writes all of it. */
  public void write(Output out) {
    out.writeVarint(touchedMillis);
    out.writeVarint(idleMillis);
    out.writeVarint(endMillis == NEVER ? 0 : endMillis - touchedMillis + 1);
  }

  /** Reads what {@link #write} wrote. */
  public static Deadline read(Input in) {
    long touched = in.readVarint();
    long idle = in.readVarint();
    long more = in.readVarint();
    boolean within = more >= 0 && more <= Lifetime.MAX_MILLIS + 2;
    if (touched < 0 || idle < 0 || idle > Lifetime.MAX_MILLIS || !within) {
      throw new MalformedException(
          "a deadline that cannot be: touched " + touched + ", idle " + idle + ", " + more);
    }
    return new Deadline(more == 0 ? NEVER : touched + more - 1, idle, touched);
  }
}
