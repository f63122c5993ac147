package io.cantle.store.segment;

import java.io.IOException;

/**
 * Why the store did not do what was asked; a log's own exceptions pass through it as they are.
 *
 * <p><b>Threading:</b> immutable.
 */
public abstract sealed class StoreException extends IOException {
  private static final long serialVersionUID = 1;

  private StoreException(String message) {
    super(message);
  }

  private StoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The store takes nothing more; what it has is known only after it is opened again. */
  public static final class Failed extends StoreException {
    private static final long serialVersionUID = 1;

    Failed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The disk has no room for the next file: nothing is taken until there is, all can be read. */
  public static final class Full extends StoreException {
    private static final long serialVersionUID = 1;

    Full(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The store is closed. */
  public static final class Closed extends StoreException {
    private static final long serialVersionUID = 1;

    Closed() {
      super("the store is closed");
    }
  }

  /** The time was up; it may be done later. */
  public static final class TimedOut extends StoreException {
    private static final long serialVersionUID = 1;

    TimedOut(String message) {
      super(message);
    }
  }
}
