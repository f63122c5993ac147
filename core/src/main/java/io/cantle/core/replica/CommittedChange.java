package io.cantle.core.replica;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import org.jspecify.annotations.Nullable;

/**
 * A committed change of one key.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param before the entry that was replaced, which may be a tombstone; null if there was none, or
 *     if the cause is {@link Cause#RESTART}, where it is not known
 * @param after the new entry, which may be a tombstone. The values of both may be on disk only
 */
public record CommittedChange(@Nullable Entry before, Entry after, Cause cause) {
  /** Why a key changed. */
  public enum Cause {
    /** A caller's command. */
    COMMAND,
    /** The entry was read, which postpones its expiry. */
    READ,
    /** The entry expired. */
    EXPIRY,
    /** The entry was evicted to keep the bound of the cache. */
    EVICTION,
    /** A change of an earlier epoch, which this replica has received late. */
    RECOVERY,
    /** The observer began after this change. */
    RESTART
  }

  /** The version of the change; an expiry changes many keys at once. */
  public Version version() {
    return after.version();
  }
}
