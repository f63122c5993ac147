package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value, whether or not the key has one.
 *
 * @param value the encoded value
 * @param discardsPrevious whether the caller does not want the previous value
 */
public record Put(ByteSlice value, boolean discardsPrevious) implements Operation {
  @Override
  public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    OperationResult result =
        discardsPrevious ? OperationResult.ABSENT : OperationResult.valueOf(found);
    return CommandEffect.put(key.concat(value), result, !discardsPrevious);
  }

  @Override
  public boolean ignoresValue() {
    return discardsPrevious;
  }
}
