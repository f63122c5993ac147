package io.cantle.core.operate;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.Result;
import org.jspecify.annotations.Nullable;

/**
 * What a read found.
 *
 * @param value the value, {@link Result#TRUE} if that was not asked for, or {@link Result#ABSENT}
 * @param epoch the epoch of its version, 0 if there is none
 * @param index the index of its version, 0 if there is none
 */
public record Found(Result value, int epoch, long index) {
  /** Nothing. */
  static final Found NOTHING = new Found(Result.ABSENT, 0, 0);

  /** What is told of an entry: who asks only whether there is one is spared its value. */
  static Found of(@Nullable Entry entry, boolean wantsValue) {
    return entry == null || entry.tombstone()
        ? NOTHING
        : new Found(wantsValue ? Result.valueOf(entry) : Result.TRUE, entry.epoch(), entry.index());
  }
}
