package io.cantle.core.replica;

import io.cantle.core.container.Lifetime;
import org.jspecify.annotations.Nullable;

/**
 * What a command does to the entry it found.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param result the answer to the caller
 * @param bytes the key and the new value in one array, or null when nothing is written
 * @param isRemoval whether a tombstone is written; {@code bytes} is then the key alone
 * @param isResultPrevious whether the result is the value that is replaced
 * @param isDecided false when the effect of the command is not known yet
 * @param stamp for a write that was made elsewhere: the time of that write, marked with how it
 *     arrived here; otherwise 0
 * @param lifetime how long a written value may live
 */
public record CommandEffect(
    OperationResult result,
    byte @Nullable [] bytes,
    boolean isRemoval,
    boolean isResultPrevious,
    boolean isDecided,
    long stamp,
    Lifetime lifetime) {

  /** Writes nothing yet; the command may be executed again. */
  public static CommandEffect undecided() {
    return new CommandEffect(
        OperationResult.ABSENT, null, false, false, false, 0, Lifetime.UNLIMITED);
  }

  /** Writes nothing. */
  public static CommandEffect none(OperationResult result) {
    return new CommandEffect(result, null, false, false, true, 0, Lifetime.UNLIMITED);
  }

  /** Writes a value. */
  public static CommandEffect put(
      byte[] keyAndValue, OperationResult result, boolean resultIsPrevious) {
    return new CommandEffect(
        result, keyAndValue, false, resultIsPrevious, true, 0, Lifetime.UNLIMITED);
  }

  /** Removes the entry. */
  public static CommandEffect remove(byte[] key, OperationResult result, boolean resultIsPrevious) {
    return new CommandEffect(result, key, true, resultIsPrevious, true, 0, Lifetime.UNLIMITED);
  }

  /** Returns the same effect for a write that was made elsewhere and keeps its stamp. */
  public CommandEffect withStamp(long newStamp) {
    return new CommandEffect(
        result, bytes, isRemoval, isResultPrevious, isDecided, newStamp, lifetime);
  }

  /** Returns the same effect with a limited lifetime. It matters only if a value is written. */
  public CommandEffect withLifetime(Lifetime newLifetime) {
    return new CommandEffect(
        result, bytes, isRemoval, isResultPrevious, isDecided, stamp, newLifetime);
  }
}
