package io.cantle;

import org.jspecify.annotations.Nullable;

/**
 * A failure that users of a grid must expect: a node left, time ran out, data was lost. The type
 * says what happened, and {@link #retrySafe} whether the caller may simply call again.
 */
public class GridException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says what failed, on what, why, and what to do. */
  public GridException(String message) {
    super(message);
  }

  /** Makes an exception whose message says what failed, on what, why, and what to do. */
  public GridException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Whether the call had no effect, so that calling again cannot do anything twice. False only for
   * an {@link IndeterminateException}, a {@link PartialWriteException}, a {@link
   * CacheDestroyedException}, a {@link DecodingException} of a write that was made, and whatever
   * ends an action that runs on the owners.
   */
  public boolean retrySafe() {
    return true;
  }
}
