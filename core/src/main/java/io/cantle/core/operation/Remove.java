package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Removes the entry, if there is one.
 *
 * @param discardsPrevious whether the caller does not want the previous value
 */
public record Remove(boolean discardsPrevious) implements Operation {
  @Override
  public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    if (found == null) {
      return CommandEffect.none(OperationResult.ABSENT);
    }
    OperationResult result =
        discardsPrevious ? OperationResult.ABSENT : OperationResult.valueOf(found);
    return CommandEffect.remove(key.toByteArray(), result, !discardsPrevious);
  }

  @Override
  public boolean ignoresValue() {
    return discardsPrevious;
  }
}
