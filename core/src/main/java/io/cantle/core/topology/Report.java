package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.UUID;

/**
 * What a member tells the voters, of whom the leading one acts on it. Reports are told again until
 * the topology shows their effect, so losing one, or the leader, does no harm.
 *
 * <p><b>Threading:</b> immutable.
 */
sealed interface Report {

  /** The teller, a joiner, holds all of a segment in this epoch, and until it joins no more. */
  record Received(SegmentEpoch epoch) implements Report {}

  /** The teller, a primary, has opened this epoch; it waits for word of it. */
  record Opened(SegmentEpoch epoch) implements Report {}

  /** The teller wants to leave. */
  record Leaving() implements Report {}

  /** The teller wants to open a cache that the topology does not have. */
  record Wanted(CacheDefinition definition) implements Report {}

  /** The teller was asked to write, in a grid in which nothing was written yet. */
  record Used() implements Report {}

  /**
   * The moving of segments is to be suspended, or to go on.
   *
   * @param number the topology the teller looked at: a message that comes late means nothing
   */
  record Suspended(boolean value, long number) implements Report {}

  /** What was lost in this epoch is given up; not what is lost later. */
  record LossAccepted(SegmentEpoch epoch) implements Report {}

  /** A member has not answered the teller for long. */
  record Unanswered(UUID member) implements Report {}

  /**
   * The teller, an owner or one of the last in this epoch, has dropped its copy; or it was joining
   * a segment that is lost in this epoch, and had not received everything.
   */
  record Dropped(SegmentEpoch epoch) implements Report {}

  /** Writes a kind byte and the parts. */
  default void write(Output out) {
    switch (this) {
      case Received(SegmentEpoch epoch) -> {
        out.writeByte(1);
        epoch.write(out);
      }
      case Leaving() -> out.writeByte(2);
      case Wanted(CacheDefinition definition) -> {
        out.writeByte(3);
        definition.write(out);
      }
      case Used() -> out.writeByte(4);
      case Suspended(boolean value, long number) -> {
        out.writeByte(5);
        out.writeBoolean(value);
        out.writeLong(number);
      }
      case LossAccepted(SegmentEpoch epoch) -> {
        out.writeByte(6);
        epoch.write(out);
      }
      case Unanswered(UUID member) -> {
        out.writeByte(7);
        out.writeId(member);
      }
      case Opened(SegmentEpoch epoch) -> {
        out.writeByte(8);
        epoch.write(out);
      }
      case Dropped(SegmentEpoch epoch) -> {
        out.writeByte(9);
        epoch.write(out);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  static Report read(Input in) {
    int kind = in.readByte();
    return switch (kind) {
      case 1 -> new Received(SegmentEpoch.read(in));
      case 2 -> new Leaving();
      case 3 -> new Wanted(CacheDefinition.read(in));
      case 4 -> new Used();
      case 5 -> new Suspended(in.readBoolean(), in.readLong());
      case 6 -> new LossAccepted(SegmentEpoch.read(in));
      case 7 -> new Unanswered(in.readId());
      case 8 -> new Opened(SegmentEpoch.read(in));
      case 9 -> new Dropped(SegmentEpoch.read(in));
      default -> throw new MalformedException("report kind " + kind + " is unknown");
    };
  }
}
