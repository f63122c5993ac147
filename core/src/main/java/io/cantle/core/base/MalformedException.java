package io.cantle.core.base;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when bytes violate the format they claim to follow, or exceed one of its limits. The
 * caller must discard what it has read so far.
 */
public final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception that says what was read, where, and which limit it violated. */
  public MalformedException(String message) {
    super(message);
  }

  /** Creates an exception that also has what was thrown while reading. */
  public MalformedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
