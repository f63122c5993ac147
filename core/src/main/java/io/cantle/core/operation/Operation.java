package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.replica.CommandEffect;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An operation on one key. The primary decides its effect; the other writers only apply that.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface Operation
    permits Put,
        PutIfAbsent,
        Remove,
        Replace,
        CompareVersionAndSet,
        ApplyFunction,
        CompareAndSet,
        ConflictMerge,
        DivergenceProbe,
        ExpiringWrite {

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

  /** Whether the effect is the same for every value of the entry. */
  default boolean ignoresValue() {
    return false;
  }

  /** The operation without a limited lifetime. */
  default Operation unwrap() {
    return this;
  }

  /**
   * Estimates the bytes that owners keep of the command until it is answered: its value, until all
   * of them have it, and its result, whose length can only be guessed in advance.
   *
   * @param lastResultBytes the length of the result that came last
   */
  default int estimateBytes(int lastResultBytes) {
    return switch (this) {
      case Put(var value, boolean quiet) ->
          quiet ? value.length() : Math.max(value.length(), lastResultBytes);
      case PutIfAbsent(var value) -> Math.max(value.length(), lastResultBytes);
      case Replace(var value) -> Math.max(value.length(), lastResultBytes);
      case Remove(boolean quiet) -> quiet ? 0 : lastResultBytes;
      case ApplyFunction apply -> Math.max(apply.argument().length(), lastResultBytes);
      case CompareVersionAndSet(var expected, var value) -> value == null ? 0 : value.length();
      case CompareAndSet(var expected, var value) -> value == null ? 0 : value.length();
      case ExpiringWrite limited -> limited.operation().estimateBytes(lastResultBytes);
      case ConflictMerge merge -> {
        ByteSlice value = merge.value();
        yield value == null ? 0 : value.length();
      }
      case DivergenceProbe probe -> 0;
    };
  }

  /** Writes the code and the parts. */
  default void write(Output out) {
    switch (this) {
      case Put(ByteSlice value, boolean quiet) -> {
        out.writeByte(quiet ? 2 : 1);
        value.write(out);
      }
      case PutIfAbsent(ByteSlice value) -> {
        out.writeByte(3);
        value.write(out);
      }
      case Remove(boolean quiet) -> out.writeByte(quiet ? 5 : 4);
      case Replace(ByteSlice value) -> {
        out.writeByte(6);
        value.write(out);
      }
      case CompareVersionAndSet(Version expected, ByteSlice value) -> {
        out.writeByte(value == null ? 8 : 7);
        expected.write(out);
        if (value != null) {
          value.write(out);
        }
      }
      case ApplyFunction(ApplyFunction.Kind kind, ByteSlice function, ByteSlice argument) -> {
        out.writeByte(9);
        kind.write(out);
        function.write(out);
        argument.write(out);
      }
      case ConflictMerge merge -> {
        out.writeByte(merge.value() == null ? 13 : 12);
        out.writeId(merge.grid());
        out.writeVarint(merge.birthEpoch());
        out.writeByte(merge.mode().code());
        out.writeBoolean(merge.fromBeforeSplit());
        merge.divergence().write(out);
        out.writeLong(merge.stamp());
        ByteSlice value = merge.value();
        if (value != null) {
          value.write(out);
        }
      }
      case DivergenceProbe(UUID grid, int birthEpoch, UUID leftGrid) -> {
        out.writeByte(15);
        out.writeId(grid);
        out.writeVarint(birthEpoch);
        out.writeId(leftGrid);
      }
      case ExpiringWrite(Operation operation, Lifetime lifetime) -> {
        out.writeByte(14);
        lifetime.write(out);
        operation.write(out);
      }
      case CompareAndSet(ByteSlice expected, ByteSlice value) -> {
        out.writeByte(value == null ? 11 : 10);
        expected.write(out);
        if (value != null) {
          value.write(out);
        }
      }
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
      case 4, 5 -> new Remove(code == 5);
      case 6 -> new Replace(ByteSlice.read(in));
      case 7 -> new CompareVersionAndSet(Version.read(in), ByteSlice.read(in));
      case 8 -> new CompareVersionAndSet(Version.read(in), null);
      case 9 ->
          new ApplyFunction(ApplyFunction.Kind.read(in), ByteSlice.read(in), ByteSlice.read(in));
      case 10 -> new CompareAndSet(ByteSlice.read(in), ByteSlice.read(in));
      case 11 -> new CompareAndSet(ByteSlice.read(in), null);
      case 12, 13 ->
          new ConflictMerge(
              in.readId(),
              in.readCount(Integer.MAX_VALUE),
              PartitionHandling.of(in.readByte()),
              in.readBoolean(),
              DivergencePoint.read(in),
              in.readLong(),
              code == 12 ? ByteSlice.read(in) : null);
      case 15 -> new DivergenceProbe(in.readId(), in.readCount(Integer.MAX_VALUE), in.readId());
      default -> throw new MalformedException("operation " + code + " is unknown");
    };
  }
}
