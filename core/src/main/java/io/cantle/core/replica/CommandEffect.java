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
 * @param isRemoval whether a tombstone is written; {@code bytes} is then the key alone
 * @param isResultPrevious whether the result is the value that is replaced
 * @param isDecided false when it is still to be found out what the command does
 * @param stamp of a write that was made elsewhere, when, marked with how it comes here; else 0
 * @param lifetime how long a value that is written may live
 */
public record CommandEffect(
    OperationResult result,
    byte @Nullable [] bytes,
    boolean isRemoval,
    boolean isResultPrevious,
    boolean isDecided,
    long stamp,
    Lifetime lifetime) {

  /** Nothing is written yet, and the command may come again. */
  public static CommandEffect undecided() {
    return new CommandEffect(
        OperationResult.ABSENT, null, false, false, false, 0, Lifetime.UNLIMITED);
  }

  /** Nothing is written. */
  public static CommandEffect none(OperationResult result) {
    return new CommandEffect(result, null, false, false, true, 0, Lifetime.UNLIMITED);
  }

  /** A value is written. */
  public static CommandEffect put(
      byte[] keyAndValue, OperationResult result, boolean resultIsPrevious) {
    return new CommandEffect(
        result, keyAndValue, false, resultIsPrevious, true, 0, Lifetime.UNLIMITED);
  }

  /** The entry is removed. */
  public static CommandEffect remove(byte[] key, OperationResult result, boolean resultIsPrevious) {
    return new CommandEffect(result, key, true, resultIsPrevious, true, 0, Lifetime.UNLIMITED);
  }

  /** The same of a write that was made elsewhere and keeps its time. */
  public CommandEffect withStamp(long newStamp) {
    return new CommandEffect(
        result, bytes, isRemoval, isResultPrevious, isDecided, newStamp, lifetime);
  }

  /** The same of a value that lives no longer than this; of anything else it is no matter. */
  public CommandEffect withLifetime(Lifetime newLifetime) {
    return new CommandEffect(
        result, bytes, isRemoval, isResultPrevious, isDecided, stamp, newLifetime);
  }
}
