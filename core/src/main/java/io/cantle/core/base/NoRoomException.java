package io.cantle.core.base;

/** More is written than an {@link Output} may hold. What was written so far is to be truncated. */
public final class NoRoomException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says how much it may hold. */
  NoRoomException(int mostBytes) {
    super("more than " + mostBytes + " bytes were to be written");
  }
}
