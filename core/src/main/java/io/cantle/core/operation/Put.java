package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value whatever was there.
 *
 * @param value the encoded value
 * @param discardsPrevious whether nobody wants the value that was there
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
