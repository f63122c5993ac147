package io.cantle.store;

import java.io.IOException;

/**
 * A failure of the log or of the store on it. The kinds differ in what is known of something that
 * was to be written: after {@link AppendRefused}, {@link Full} and {@link Closed} it is not there
 * and never will be; after {@link Failed} and {@link TimedOut} it may be.
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

  /**
   * A write or sync failed, and nothing more is accepted. What the disk holds is known only after
   * the log or store is opened again. The cause is the first failure.
   */
  public static final class Failed extends StoreException {
    private static final long serialVersionUID = 1;

    /** A failure with its cause. */
    public Failed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The log is closed, or there was no room in time. Nothing was handed over. */
  public static final class AppendRefused extends StoreException {
    private static final long serialVersionUID = 1;

    /** A refusal; the message says why. */
    public AppendRefused(String message) {
      super(message);
    }
  }

  /** The disk has no room for the next log file. Writes are refused until it has; reads go on. */
  public static final class Full extends StoreException {
    private static final long serialVersionUID = 1;

    /** A full disk, with what it answered. */
    public Full(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The store is closed. */
  public static final class Closed extends StoreException {
    private static final long serialVersionUID = 1;

    /** A call after the end. */
    public Closed() {
      super("the store is closed");
    }
  }

  /** The time was up before the disk was done; it may still be done later. */
  public static final class TimedOut extends StoreException {
    private static final long serialVersionUID = 1;

    /** A timeout; the message says of what. */
    public TimedOut(String message) {
      super(message);
    }
  }
}
