package io.cantle;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when bytes cannot be turned into an object on the node that is to have it: mostly because
 * its class is missing there, is another version, or is not allowed ({@link GridConfig#allowing}).
 * The message names the class, the node, and what to do. The entry is as it was written; nodes that
 * have the class read it.
 *
 * <p>A write that returns the old value was made before that value is decoded. Then {@link
 * #isWritten} is true, and the message says so. A node without the class can write by {@code
 * putAll}, which returns no value, and ask by {@code containsKey}.
 */
public final class DecodingException extends GridException {
  private static final long serialVersionUID = 1;

  private final boolean isWritten;

  /**
   * Makes an exception whose message says what cannot be decoded, where, why, and what to do.
   *
   * @param isWritten whether the write of the call was made all the same
   * @param cause what the user's own code threw while decoding, if it did
   */
  public DecodingException(String message, boolean isWritten, @Nullable Throwable cause) {
    super(message, cause);
    this.isWritten = isWritten;
  }

  /** Whether the call was a write and was made, so that only its result is missing. */
  public boolean isWritten() {
    return isWritten;
  }

  /** False if the write was made: calling again would write twice. */
  @Override
  public boolean retrySafe() {
    return !isWritten;
  }
}
