package io.cantle.core.replica;

import io.cantle.core.container.Lifetime;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does to the entry it found.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param result what the command answers
 * @param bytes the key and the new value in one array, or null when nothing is written
 * @param removes whether a tombstone is written; {@code bytes} is then the key alone
 * @param resultIsPrevious whether the result is the value that is replaced
 * @param decided false when it is still to be found out what the command does
 * @param stamp of a write that was made elsewhere, when, marked with how it comes here; else 0
 * @param lifetime how long a value that is written may live
 */
public record Effect(
    Result result,
    byte @Nullable [] bytes,
    boolean removes,
    boolean resultIsPrevious,
    boolean decided,
    long stamp,
    Lifetime lifetime) {

  /** Nothing is written yet, and the command may come again. */
  public static Effect undecided() {
    return new Effect(Result.ABSENT, null, false, false, false, 0, Lifetime.UNLIMITED);
  }

  /** Nothing is written. */
  public static Effect none(Result result) {
    return new Effect(result, null, false, false, true, 0, Lifetime.UNLIMITED);
  }

  /** A value is written. */
  public static Effect put(byte[] keyAndValue, Result result, boolean resultIsPrevious) {
    return new Effect(result, keyAndValue, false, resultIsPrevious, true, 0, Lifetime.UNLIMITED);
  }

  /** The entry is removed. */
  public static Effect remove(byte[] key, Result result, boolean resultIsPrevious) {
    return new Effect(result, key, true, resultIsPrevious, true, 0, Lifetime.UNLIMITED);
  }

  /** The same of a write that was made elsewhere and keeps its time. */
  public Effect stamped(long when) {
    return new Effect(result, bytes, removes, resultIsPrevious, decided, when, lifetime);
  }

  /** The same of a value that lives no longer than this; of anything else it is no matter. */
  public Effect lasting(Lifetime its) {
    return new Effect(result, bytes, removes, resultIsPrevious, decided, stamp, its);
  }
}
