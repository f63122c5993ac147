package io.cantle.core.base;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when bytes violate the format they claim to follow, or exceed one of its limits. The
 * caller must discard what it has read so far.
 */
public final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** More than a message needs; names in it may come from the bytes. */
  private static final int MAX_MESSAGE_CHARS = 2_000;

  /** Creates an exception that says what was read, where, and which limit it violated. */
  public MalformedException(String message) {
    super(PrintableText.of(message, MAX_MESSAGE_CHARS));
  }

  /** Creates an exception that also has what was thrown while reading. */
  public MalformedException(String message, @Nullable Throwable cause) {
    super(PrintableText.of(message, MAX_MESSAGE_CHARS), cause);
  }
}
