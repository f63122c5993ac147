package io.cantle.store.log;

import io.cantle.store.FileDamage;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * A failure of the log. The kinds differ in what is known of a record that was to be appended:
 * after {@link Refused} it is not in the log and never will be; after {@link Failed} and {@link
 * TimedOut} it may be.
 *
 * <p><b>Threading:</b> immutable.
 */
public abstract sealed class LogException extends IOException {
  private static final long serialVersionUID = 1;

  private LogException(String message) {
    super(message);
  }

  private LogException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * A write or sync failed, and the log accepts nothing more. What the disk holds is known only
   * after the log is opened again. The cause is the first failure.
   */
  public static final class Failed extends LogException {
    private static final long serialVersionUID = 1;

    Failed(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The log is closed, or there was no room in time. Nothing was handed over. */
  public static final class Refused extends LogException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }
  }

  /** The time was up before the disk was done; it may still be done later. */
  public static final class TimedOut extends LogException {
    private static final long serialVersionUID = 1;

    TimedOut(String message) {
      super(message);
    }
  }

  /**
   * Something that was acknowledged is not as it was written. Nothing is repaired, because it is
   * not known what else is lost: fetch the affected segments from other owners.
   */
  public static final class Damaged extends LogException {
    private static final long serialVersionUID = 1;

    private final String file;
    private final long offset;
    private final int cache;
    private final int segment;
    private final String description;

    Damaged(String file, long offset, String description) {
      this(file, offset, -1, -1, description);
    }

    Damaged(String file, long offset, int cache, int segment, String description) {
      super(file + " is damaged at offset " + offset + ": " + description);
      this.file = file;
      this.offset = offset;
      this.cache = cache;
      this.segment = segment;
      this.description = description;
    }

    /** The file, offset, segment and description in one object. */
    public FileDamage toDamage() {
      return new FileDamage(file, offset, cache(), segment(), true, description);
    }

    /** The name of the file. */
    public String file() {
      return file;
    }

    /** The cache of the damaged record, if its header can be read. */
    public OptionalInt cache() {
      return cache < 0 ? OptionalInt.empty() : OptionalInt.of(cache);
    }

    /** The segment of the damaged record, if its header can be read. */
    public OptionalInt segment() {
      return segment < 0 ? OptionalInt.empty() : OptionalInt.of(segment);
    }

    /** The offset in the file, in bytes, of the first place that is wrong. */
    public long offset() {
      return offset;
    }
  }
}
