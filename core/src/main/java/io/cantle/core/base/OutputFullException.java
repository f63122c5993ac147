package io.cantle.core.base;

/**
 * Thrown when more is written than an {@link Output} may hold. The caller must truncate what was
 * written so far.
 */
public final class OutputFullException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception that names the limit. */
  OutputFullException(int maxBytes) {
    super("the output would exceed its limit of " + maxBytes + " bytes");
  }
}
