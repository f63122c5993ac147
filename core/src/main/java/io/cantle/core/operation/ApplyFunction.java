package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes the value that a user's function computes from the entry. {@link #decide} handles the
 * cases that need no function; {@link FunctionExecutor} runs the function in the others.
 *
 * @param kind the map method it implements
 * @param function the encoded function
 * @param argument the encoded argument value of a merge, otherwise empty
 */
public record ApplyFunction(Kind kind, ByteSlice function, ByteSlice argument)
    implements Operation {
  /** The longest encoded function; one that captures more runs at the caller. */
  public static final int MAX_FUNCTION_BYTES = 1 << 20;

  /** The methods of a map that take functions. */
  public enum Kind {
    /** Receives the key, and the value or null. */
    COMPUTE,
    /** Receives the key, if there is no value. */
    COMPUTE_IF_ABSENT,
    /** Receives key and value, if there is one. */
    COMPUTE_IF_PRESENT,
    /** Receives the existing value and the argument, if there is a value. */
    MERGE,
    /** Receives key and value, if there is one; must not return null. */
    REPLACE_ALL;

    private static final Kind[] ALL = values();

    @SuppressWarnings("EnumOrdinal") // The order is the wire format.
    void write(Output out) {
      out.writeByte(ordinal());
    }

    static Kind read(Input in) {
      return ALL[in.readCount(ALL.length - 1)];
    }
  }

  @Override
  public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    return switch (kind) {
      case COMPUTE -> null;
      case COMPUTE_IF_ABSENT ->
          found == null ? null : CommandEffect.none(OperationResult.valueOf(found));
      case COMPUTE_IF_PRESENT, REPLACE_ALL ->
          found == null ? CommandEffect.none(OperationResult.ABSENT) : null;
      case MERGE -> found == null ? effectOfValue(key, argument) : null;
    };
  }

  /** Writes the value, which is the result too. */
  static CommandEffect effectOfValue(ByteSlice key, ByteSlice value) {
    byte[] both = key.concat(value);
    return CommandEffect.put(
        both, OperationResult.valueIn(both, key.length(), value.length()), false);
  }
}
