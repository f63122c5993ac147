package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a function of the user's makes of the entry. {@link #decide} says what happens where
 * the function is not needed; {@link FunctionExecutor} runs it where it is.
 *
 * @param kind which method of the map it is
 * @param function the encoded function
 * @param argument the encoded value a merge brings along, else empty
 */
public record ApplyFunction(Kind kind, ByteSlice function, ByteSlice argument)
    implements Operation {
  /** The longest function, as bytes; one that captures more runs where it was made. */
  public static final int MAX_FUNCTION_BYTES = 1 << 20;

  /** The methods of a map that take functions. */
  public enum Kind {
    /** Given the key, and the value or null. */
    COMPUTE,
    /** Given the key, where there is no value. */
    COMPUTE_IF_ABSENT,
    /** Given key and value, where there is one. */
    COMPUTE_IF_PRESENT,
    /** Given the value that is there and the argument, where there is one. */
    MERGE,
    /** Given key and value, where there is one; must not return null. */
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

  /** The value is written, and is the result as well. */
  static CommandEffect effectOfValue(ByteSlice key, ByteSlice value) {
    byte[] both = key.concat(value);
    return CommandEffect.put(
        both, OperationResult.valueIn(both, key.length(), value.length()), false);
  }
}
