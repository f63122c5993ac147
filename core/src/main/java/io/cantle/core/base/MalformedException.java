package io.cantle.core.base;

/**
 * Bytes that break the format they claim to follow, or exceed a limit of it. What was read so far
 * is to be thrown away.
 */
public final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what was read, where, and which limit it broke. */
  public MalformedException(String message) {
    super(message);
  }
}
