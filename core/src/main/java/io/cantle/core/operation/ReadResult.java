package io.cantle.core.operation;

import io.cantle.core.container.Entry;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * The result of a read.
 *
 * @param value the value, {@link OperationResult#TRUE} if only its presence was asked for, or
 *     {@link OperationResult#ABSENT}
 * @param epoch the epoch of its version, 0 if there is none
 * @param index the index of its version, 0 if there is none
 * @param entry the entry, if this node has it; otherwise null
 */
public record ReadResult(OperationResult value, int epoch, long index, @Nullable Entry entry) {
  /** There is no entry. */
  static final ReadResult NOT_FOUND = new ReadResult(OperationResult.ABSENT, 0, 0, null);

  /** The result that another node has sent. */
  ReadResult(OperationResult value, int epoch, long index) {
    this(value, epoch, index, null);
  }

  /** The result for an entry, without the value if the caller does not want it. */
  static ReadResult of(@Nullable Entry entry, boolean wantsValue) {
    return entry == null || entry.isTombstone()
        ? NOT_FOUND
        : new ReadResult(
            wantsValue ? OperationResult.valueOf(entry) : OperationResult.TRUE,
            entry.epoch(),
            entry.index(),
            entry);
  }
}
