package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Parting;
import io.cantle.core.topology.Mode;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done to one key. The primary decides; the other writers only repeat what came of
 * it.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface Operation
    permits Put, PutIfAbsent, Remove, Replace, Swap, Apply, Compare, Merge, Limited {

  /** The longest value, as bytes. */
  int MAX_VALUE_BYTES = 16 << 20;

  /**
   * Decides, at the primary, under the lock of the segment.
   *
   * @param found the live entry, null for none
   * @return null when that takes code of the user's, which must not run under a lock: see {@link
   *     Functions}
   */
  @Nullable Effect decide(Slice key, @Nullable Entry found);

  /** Whether it does the same whatever the value of the entry is. */
  default boolean ignoresValue() {
    return false;
  }

  /** What is done, however long it lasts. */
  default Operation bare() {
    return this;
  }

  /** Writes the code and the parts. */
  default void write(Output out) {
    switch (this) {
      case Put(Slice value, boolean quiet) -> {
        out.writeByte(quiet ? 2 : 1);
        value.write(out);
      }
      case PutIfAbsent(Slice value) -> {
        out.writeByte(3);
        value.write(out);
      }
      case Remove(boolean quiet) -> out.writeByte(quiet ? 5 : 4);
      case Replace(Slice value) -> {
        out.writeByte(6);
        value.write(out);
      }
      case Swap(int epoch, long index, Slice value) -> {
        out.writeByte(value == null ? 8 : 7);
        out.writeVarint(epoch);
        out.writeVarint(index);
        if (value != null) {
          value.write(out);
        }
      }
      case Apply(Apply.Kind kind, Slice function, Slice argument) -> {
        out.writeByte(9);
        kind.write(out);
        function.write(out);
        argument.write(out);
      }
      case Merge merge -> {
        out.writeByte(merge.value() == null ? 13 : 12);
        out.writeId(merge.grid());
        out.writeVarint(merge.born());
        out.writeByte(merge.mode().code());
        out.writeBoolean(merge.old());
        merge.parting().write(out);
        out.writeLong(merge.stamp());
        Slice value = merge.value();
        if (value != null) {
          value.write(out);
        }
      }
      case Limited(Operation operation, Lifetime lifetime) -> {
        out.writeByte(14);
        lifetime.write(out);
        operation.write(out);
      }
      case Compare(Slice expected, Slice value) -> {
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
      return Limited.of(readBare(in, in.readByte()), lifetime);
    }
    return readBare(in, code);
  }

  private static Operation readBare(Input in, int code) {
    return switch (code) {
      case 1, 2 -> new Put(Slice.read(in), code == 2);
      case 3 -> new PutIfAbsent(Slice.read(in));
      case 4, 5 -> new Remove(code == 5);
      case 6 -> new Replace(Slice.read(in));
      case 7 -> new Swap(in.readCount(Integer.MAX_VALUE), in.readVarint(), Slice.read(in));
      case 8 -> new Swap(in.readCount(Integer.MAX_VALUE), in.readVarint(), null);
      case 9 -> new Apply(Apply.Kind.read(in), Slice.read(in), Slice.read(in));
      case 10 -> new Compare(Slice.read(in), Slice.read(in));
      case 11 -> new Compare(Slice.read(in), null);
      case 12, 13 ->
          new Merge(
              in.readId(),
              in.readCount(Integer.MAX_VALUE),
              Mode.of(in.readByte()),
              in.readBoolean(),
              Parting.read(in),
              in.readLong(),
              code == 12 ? Slice.read(in) : null);
      default -> throw new MalformedException("operation " + code + " is unknown");
    };
  }
}
