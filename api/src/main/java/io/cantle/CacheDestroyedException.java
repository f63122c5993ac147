package io.cantle;

/**
 * Thrown by a cache that was destroyed after it was opened ({@link Grid#destroy}), by whichever
 * node. Nothing of it is left, also of a write that ends with this exception. A cache of the same
 * name that was created since is another one: open it from the grid.
 */
public final class CacheDestroyedException extends GridException {
  private static final long serialVersionUID = 1;

  /** Makes an exception whose message says which cache was destroyed, and what to do. */
  public CacheDestroyedException(String message) {
    super(message);
  }

  /** False: this object never works again, and a write may have been seen until it was gone. */
  @Override
  public boolean retrySafe() {
    return false;
  }
}
