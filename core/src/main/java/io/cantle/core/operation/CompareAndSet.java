package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes or removes if the entry has an expected value. Equal bytes are equal values. Other bytes
 * may also be equal by {@code equals} of the objects, which {@link FunctionExecutor} calls.
 *
 * @param expected the encoded value that must be there
 * @param value the encoded value to write, or null to remove
 */
public record CompareAndSet(ByteSlice expected, @Nullable ByteSlice value) implements Operation {
  @Override
  public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    if (found == null) {
      return CommandEffect.none(OperationResult.FALSE);
    }
    boolean same =
        Arrays.equals(
            found.bytes(),
            found.valueOffset(),
            found.bytes().length,
            expected.bytes(),
            expected.offset(),
            expected.offset() + expected.length());
    return same ? decideByEquality(key, true) : null;
  }

  /** Returns the effect once it is known whether the value is the expected one. */
  CommandEffect decideByEquality(ByteSlice key, boolean equal) {
    if (!equal) {
      return CommandEffect.none(OperationResult.FALSE);
    }
    return value == null
        ? CommandEffect.remove(key.toByteArray(), OperationResult.TRUE, false)
        : CommandEffect.put(key.concat(value), OperationResult.TRUE, false);
  }
}
