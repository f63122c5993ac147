package io.cantle.core.operate;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.Result;
import org.jspecify.annotations.Nullable;

/**
 * What a read found.
 *
 * @param value the value, or {@link Result#ABSENT}
 * @param epoch the epoch of its version, 0 if there is none
 * @param index the index of its version, 0 if there is none
 */
public record Found(Result value, int epoch, long index) {
  /** Nothing. */
  static final Found NOTHING = new Found(Result.ABSENT, 0, 0);

  static Found of(@Nullable Entry entry) {
    return entry == null || entry.tombstone()
        ? NOTHING
        : new Found(Result.valueOf(entry), entry.epoch(), entry.index());
  }
}
