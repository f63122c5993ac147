package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value if the key has one.
 *
 * @param value the encoded value
 */
public record Replace(ByteSlice value) implements Operation {
  @Override
  public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    return found == null
        ? CommandEffect.none(OperationResult.ABSENT)
        : CommandEffect.put(key.concat(value), OperationResult.valueOf(found), true);
  }
}
