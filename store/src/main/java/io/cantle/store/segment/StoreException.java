package io.cantle.store.segment;

import java.io.IOException;

/**
 * A failure of the store; a log's own exceptions pass through it unchanged.
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

  /** The store accepts nothing more; what it has is known only after it is opened again. */
  public static final class Failed extends StoreException {
    private static final long serialVersionUID = 1;

    Failed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The disk has no room for the next log file. Writes are refused until it has; reads go on. */
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

  /** The time was up; the write may still be done later. */
  public static final class TimedOut extends StoreException {
    private static final long serialVersionUID = 1;

    TimedOut(String message) {
      super(message);
    }
  }
}
