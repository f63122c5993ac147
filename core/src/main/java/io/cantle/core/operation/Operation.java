package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An operation on one key. The primary decides its effect; the other writers only apply that.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface Operation
    permits Operation.Put,
        Operation.PutIfAbsent,
        Operation.RemoveEntry,
        Operation.Replace,
        Operation.CompareAndSet,
        Operation.CompareVersionAndSet,
        Operation.ApplyFunction,
        Operation.ExpiringWrite,
        ConflictMerge,
        DivergenceProbe {

  /** The longest encoded value. */
  int MAX_VALUE_BYTES = 16 << 20;

  /**
   * Decides the effect, at the primary, with the lock of the segment held.
   *
   * @param found the live entry, null for none
   * @return null when user code is needed, which must not run with a lock held: see {@link
   *     FunctionExecutor}
   */
  @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found);

  /** The encoded value that it writes, if it is sent with one. */
  default @Nullable ByteSlice value() {
    return null;
  }

  /** Writes a value, or removes the entry if there is no value. */
  static CommandEffect putOrRemove(
      ByteSlice key, @Nullable ByteSlice value, OperationResult result) {
    return value == null
        ? CommandEffect.remove(key.toByteArray(), result, false)
        : CommandEffect.put(key.concat(value), result, false);
  }

  /** Whether the effect is the same for every value of the entry. */
  default boolean ignoresValue() {
    return switch (this) {
      case Put(_, boolean discardsPrevious) -> discardsPrevious;
      case RemoveEntry(boolean discardsPrevious) -> discardsPrevious;
      case CompareVersionAndSet _ -> true;
      case ExpiringWrite(Operation operation, _) -> operation.ignoresValue();
      case PutIfAbsent _, Replace _, CompareAndSet _ -> false;
      case ApplyFunction _, ConflictMerge _, DivergenceProbe _ -> false;
    };
  }

  /** The operation without a limited lifetime. */
  default Operation unwrap() {
    return this instanceof ExpiringWrite(Operation operation, _) ? operation : this;
  }

  /**
   * Estimates the bytes that owners keep of the command until it is answered: its value, until all
   * of them have it, and its result, whose length can only be guessed in advance.
   *
   * @param lastResultBytes the length of the result that came last
   */
  default int estimateBytes(int lastResultBytes) {
    ByteSlice value = value();
    int valueBytes = value == null ? 0 : value.length();
    return switch (this) {
      case Put put -> put.discardsPrevious ? valueBytes : Math.max(valueBytes, lastResultBytes);
      case PutIfAbsent _, Replace _ -> Math.max(valueBytes, lastResultBytes);
      case RemoveEntry(boolean quiet) -> quiet ? 0 : lastResultBytes;
      case ApplyFunction apply -> Math.max(apply.argument().length(), lastResultBytes);
      case CompareVersionAndSet _, CompareAndSet _, ConflictMerge _, DivergenceProbe _ ->
          valueBytes;
      case ExpiringWrite limited -> limited.operation().estimateBytes(lastResultBytes);
    };
  }

  /** Writes the code and the parts, the value last. */
  default void write(Output out) {
    ByteSlice value = value();
    switch (this) {
      case Put put -> out.writeByte(put.discardsPrevious ? 2 : 1);
      case PutIfAbsent _ -> out.writeByte(3);
      case RemoveEntry(boolean quiet) -> out.writeByte(quiet ? 5 : 4);
      case Replace _ -> out.writeByte(6);
      case CompareVersionAndSet compare -> {
        out.writeByte(value == null ? 8 : 7);
        compare.expected.write(out);
      }
      case ApplyFunction(
              ApplyFunction.FunctionKind kind,
              ByteSlice function,
              ByteSlice argument,
              FunctionChain callers) -> {
        out.writeByte(9);
        out.writeEnum(kind);
        function.write(out);
        argument.write(out);
        callers.write(out);
      }
      case CompareAndSet compare -> {
        out.writeByte(value == null ? 11 : 10);
        compare.expected.write(out);
      }
      case ConflictMerge merge -> {
        out.writeByte(value == null ? 13 : 12);
        out.writeId(merge.grid());
        out.writeVarint(merge.birthEpoch());
        out.writeEnum(merge.mode());
        out.writeBoolean(merge.fromBeforeSplit());
        merge.divergence().write(out);
        out.writeLong(merge.stamp());
      }
      case ExpiringWrite(Operation operation, Lifetime lifetime) -> {
        out.writeByte(14);
        lifetime.write(out);
        operation.write(out);
      }
      case DivergenceProbe(UUID grid, int birthEpoch, UUID leftGrid) -> {
        out.writeByte(15);
        out.writeId(grid);
        out.writeVarint(birthEpoch);
        out.writeId(leftGrid);
      }
    }
    if (value != null) {
      value.write(out);
    }
  }

  /** Reads what {@link #write} wrote. */
  static Operation read(Input in) {
    int code = in.readByte();
    if (code == 14) {
      Lifetime lifetime = Lifetime.read(in);
      return ExpiringWrite.of(readUnwrapped(in, in.readByte()), lifetime);
    }
    return readUnwrapped(in, code);
  }

  private static Operation readUnwrapped(Input in, int code) {
    return switch (code) {
      case 1, 2 -> new Put(ByteSlice.read(in), code == 2);
      case 3 -> new PutIfAbsent(ByteSlice.read(in));
      case 4, 5 -> new RemoveEntry(code == 5);
      case 6 -> new Replace(ByteSlice.read(in));
      case 7 -> new CompareVersionAndSet(Version.read(in), ByteSlice.read(in));
      case 8 -> new CompareVersionAndSet(Version.read(in), null);
      case 9 ->
          new ApplyFunction(
              in.readEnum(ApplyFunction.KINDS),
              ByteSlice.read(in),
              ByteSlice.read(in),
              FunctionChain.read(in));
      case 10 -> new CompareAndSet(ByteSlice.read(in), ByteSlice.read(in));
      case 11 -> new CompareAndSet(ByteSlice.read(in), null);
      case 12, 13 ->
          new ConflictMerge(
              in.readId(),
              in.readCount(),
              in.readEnum(PartitionHandling.values()),
              in.readBoolean(),
              DivergencePoint.read(in),
              in.readLong(),
              code == 12 ? ByteSlice.read(in) : null);
      case 15 -> new DivergenceProbe(in.readId(), in.readCount(), in.readId());
      default -> throw new MalformedException("operation " + code + " is unknown");
    };
  }

  /**
   * Writes a value, whether or not the key has one.
   *
   * @param value the encoded value
   * @param discardsPrevious whether the caller does not want the previous value
   */
  record Put(ByteSlice value, boolean discardsPrevious) implements Operation {
    @Override
    public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      OperationResult result =
          discardsPrevious ? OperationResult.ABSENT : OperationResult.valueOf(found);
      return CommandEffect.put(key.concat(value), result, !discardsPrevious);
    }
  }

  /**
   * Writes a value if the key has none.
   *
   * @param value the encoded value
   */
  record PutIfAbsent(ByteSlice value) implements Operation {
    @Override
    public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      return found == null
          ? CommandEffect.put(key.concat(value), OperationResult.ABSENT, false)
          : CommandEffect.none(OperationResult.valueOf(found));
    }
  }

  /**
   * Removes the entry, if there is one.
   *
   * @param discardsPrevious whether the caller does not want the previous value
   */
  record RemoveEntry(boolean discardsPrevious) implements Operation {
    @Override
    public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      if (found == null) {
        return CommandEffect.none(OperationResult.ABSENT);
      }
      OperationResult result =
          discardsPrevious ? OperationResult.ABSENT : OperationResult.valueOf(found);
      return CommandEffect.remove(key.toByteArray(), result, !discardsPrevious);
    }
  }

  /**
   * Writes a value if the key has one.
   *
   * @param value the encoded value
   */
  record Replace(ByteSlice value) implements Operation {
    @Override
    public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      return found == null
          ? CommandEffect.none(OperationResult.ABSENT)
          : CommandEffect.put(key.concat(value), OperationResult.valueOf(found), true);
    }
  }

  /**
   * Writes or removes if the entry has an expected value. Equal bytes are equal values. Other bytes
   * may also be equal by {@code equals} of the objects, which {@link FunctionExecutor} calls.
   *
   * @param expected the encoded value that must be there
   * @param value the encoded value to write, or null to remove
   */
  record CompareAndSet(ByteSlice expected, @Nullable ByteSlice value) implements Operation {
    @Override
    public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      if (found == null) {
        return CommandEffect.none(OperationResult.FALSE);
      }
      return ConflictMerge.compareValues(expected, found) == 0 ? decideByEquality(key, true) : null;
    }

    /** Returns the effect once it is known whether the value is the expected one. */
    CommandEffect decideByEquality(ByteSlice key, boolean equal) {
      return equal
          ? putOrRemove(key, value, OperationResult.TRUE)
          : CommandEffect.none(OperationResult.FALSE);
    }
  }

  /**
   * Writes or removes if the entry still has the version that the caller read. {@code compute},
   * {@code merge} and comparisons by {@code equals} are built on it.
   *
   * @param expected the version that was read, or {@link Version#NONE} if there was no entry
   * @param value the encoded value, or null to remove
   */
  record CompareVersionAndSet(Version expected, @Nullable ByteSlice value) implements Operation {
    @Override
    public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      boolean same =
          found == null ? expected.equals(Version.NONE) : found.compareVersion(expected) == 0;
      if (!same) {
        return CommandEffect.none(OperationResult.FALSE);
      }
      return found == null && value == null
          ? CommandEffect.none(OperationResult.TRUE)
          : putOrRemove(key, value, OperationResult.TRUE);
    }
  }

  /**
   * Writes the value that a user's function computes from the entry. {@link #decide} handles the
   * cases that need no function; {@link FunctionExecutor} runs the function in the others.
   *
   * @param kind the map method it implements
   * @param function the encoded function
   * @param argument the encoded argument value of a merge, otherwise empty
   * @param callers the functions from which it is called
   */
  record ApplyFunction(
      FunctionKind kind, ByteSlice function, ByteSlice argument, FunctionChain callers)
      implements Operation {
    /** The longest encoded function; one that captures more runs at the caller. */
    public static final int MAX_FUNCTION_BYTES = 1 << 20;

    /** The methods of a map that take functions. */
    public enum FunctionKind {
      /** Receives the key, and the value or null. */
      COMPUTE,
      /** Receives the key, if there is no value. */
      COMPUTE_IF_ABSENT,
      /** Receives key and value, if there is one. */
      COMPUTE_IF_PRESENT,
      /** Receives the existing value and the argument, if there is a value. */
      MERGE,
      /** Receives key and value, if there is one; must not return null. */
      REPLACE_ALL
    }

    private static final FunctionKind[] KINDS = FunctionKind.values();

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

  /**
   * An operation whose value, if it writes one, has a limited lifetime. The primary converts the
   * lifetime to a deadline when it writes.
   *
   * @param operation the operation; never an {@code ExpiringWrite} itself
   * @param lifetime how long the value may live
   */
  record ExpiringWrite(Operation operation, Lifetime lifetime) implements Operation {
    /** Limits the lifetime of an operation, if that matters to it. */
    public static Operation of(Operation operation, Lifetime lifetime) {
      return lifetime.isUnlimited() || operation instanceof RemoveEntry
          ? operation
          : new ExpiringWrite(operation, lifetime);
    }

    @Override
    public @Nullable CommandEffect decide(ByteSlice key, @Nullable Entry found) {
      CommandEffect effect = operation.decide(key, found);
      return effect == null ? null : effect.withLifetime(lifetime);
    }
  }
}
