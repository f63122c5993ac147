package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import org.jspecify.annotations.Nullable;

/**
 * What was found without a lock.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param status whether an answer can be made of it
 * @param epoch in which
 * @param entry the entry, which may be a removed one; null for none
 */
public record LocalRead(Status status, int epoch, @Nullable Entry entry) {
  /** The entry, if its value is on disk only; null if it is not. */
  public @Nullable Entry evictedEntry() {
    return entry != null && entry.isEvicted() ? entry : null;
  }

  /** The same with the value of this very version, if that was read from disk meanwhile. */
  public LocalRead withValue(@Nullable Entry read) {
    boolean isIts =
        entry != null
            && entry.isEvicted()
            && read != null
            && read.compareVersion(entry.epoch(), entry.index()) == 0;
    return isIts ? new LocalRead(status, epoch, read) : this;
  }

  /** Whether an answer can be made at once. */
  public enum Status {
    /** The entry may be answered from. */
    CLEAN,
    /** Not before {@code index} is committed. */
    DIRTY,
    /** Not here. */
    REFUSED
  }
}
