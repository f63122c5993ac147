package io.cantle.core.base;

/** More is written than an {@link Output} may hold. What was written so far is to be truncated. */
public final class OutputFullException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says how much it may hold. */
  OutputFullException(int maxBytes) {
    super("more than " + maxBytes + " bytes were to be written");
  }
}
