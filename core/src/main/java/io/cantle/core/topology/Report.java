package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * What a member tells the coordinator. Reports are told again until the topology shows their
 * effect, so losing one, or the coordinator, does no harm.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface Report {

  /** The teller has adopted a topology. */
  record Adopted(long number) implements Report {}

  /** The teller, a joiner, holds all of a segment in this epoch of it. */
  record Received(int cache, int segment, int epoch) implements Report {}

  /** The teller wants to leave. */
  record Leaving() implements Report {}

  /** The teller wants to open a cache that the topology does not have. */
  record Wanted(CacheDefinition definition) implements Report {}

  /** Writes a kind byte and the parts. */
  default void write(Output out) {
    switch (this) {
      case Adopted(long number) -> {
        out.writeByte(1);
        out.writeLong(number);
      }
      case Received(int cache, int segment, int epoch) -> {
        out.writeByte(2);
        out.writeVarint(cache);
        out.writeVarint(segment);
        out.writeVarint(epoch);
      }
      case Leaving() -> out.writeByte(3);
      case Wanted(CacheDefinition definition) -> {
        out.writeByte(4);
        definition.write(out);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  static Report read(Input in) {
    int kind = in.readByte();
    return switch (kind) {
      case 1 -> new Adopted(in.readLong());
      case 2 ->
          new Received(
              in.readCount(Integer.MAX_VALUE),
              in.readCount(Integer.MAX_VALUE),
              in.readCount(Integer.MAX_VALUE));
      case 3 -> new Leaving();
      case 4 -> new Wanted(CacheDefinition.read(in));
      default -> throw new MalformedException("report kind " + kind + " is unknown");
    };
  }
}
