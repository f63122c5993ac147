package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The result of a lookup without a lock.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param status whether the entry may be returned to a caller
 * @param epoch the epoch of the lookup
 * @param entry the entry, which may be a tombstone; null for none
 */
public record LocalRead(Status status, int epoch, @Nullable Entry entry) {
  /** A lookup that this replica may not answer. */
  public static LocalRead refused(int epoch) {
    return new LocalRead(Status.REFUSED, epoch, null);
  }

  /** The entry, if its value is on disk only; otherwise null. */
  public @Nullable Entry evictedEntry() {
    return entry != null && entry.isEvicted() ? entry : null;
  }

  /** The same result with a snapshot of the entry. */
  LocalRead withSnapshot() {
    return entry == null ? this : new LocalRead(status, epoch, entry.snapshot());
  }

  /** The same result with the value of this same version, if it was read from disk meanwhile. */
  LocalRead withValue(@Nullable Entry read) {
    boolean isIts =
        entry != null && entry.isEvicted() && read != null && read.compareVersion(entry) == 0;
    return isIts ? new LocalRead(status, epoch, read) : this;
  }

  /** Whether the entry may be returned at once. */
  public enum Status {
    /** The entry may be returned. */
    CLEAN,
    /** The entry may not be returned before its index is committed. */
    DIRTY,
    /** This replica may not answer. */
    REFUSED
  }
}
