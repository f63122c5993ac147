package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value if the key has none.
 *
 * @param value the encoded value
 */
public record PutIfAbsent(ByteSlice value) implements Operation {
  @Override
  public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    return found == null
        ? CommandEffect.put(key.concat(value), OperationResult.ABSENT, false)
        : CommandEffect.none(OperationResult.valueOf(found));
  }
}
