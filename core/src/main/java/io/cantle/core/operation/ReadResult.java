package io.cantle.core.operation;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * What a read found.
 *
 * @param value the value, {@link OperationResult#TRUE} if that was not asked for, or {@link
 *     OperationResult#ABSENT}
 * @param epoch the epoch of its version, 0 if there is none
 * @param index the index of its version, 0 if there is none
 */
public record ReadResult(OperationResult value, int epoch, long index) {
  /** Nothing. */
  static final ReadResult NOT_FOUND = new ReadResult(OperationResult.ABSENT, 0, 0);

  /** What is told of an entry: who asks only whether there is one is spared its value. */
  static ReadResult of(@Nullable Entry entry, boolean wantsValue) {
    return entry == null || entry.isTombstone()
        ? NOT_FOUND
        : new ReadResult(
            wantsValue ? OperationResult.valueOf(entry) : OperationResult.TRUE,
            entry.epoch(),
            entry.index());
  }
}
