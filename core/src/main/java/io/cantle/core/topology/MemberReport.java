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
sealed interface MemberReport {

  /** The teller, a joiner, holds all of a segment in this epoch, and until it joins no more. */
  record SegmentReceived(SegmentEpoch epoch) implements MemberReport {}

  /** The teller, a primary, has opened this epoch; it waits for word of it. */
  record EpochOpened(SegmentEpoch epoch) implements MemberReport {}

  /** The teller wants to leave. */
  record LeaveRequested() implements MemberReport {}

  /** The teller wants to open a cache that the topology does not have. */
  record CacheRequested(CacheDefinition definition) implements MemberReport {}

  /** The teller was asked to write, in a grid in which nothing was written yet. */
  record WriteRequested() implements MemberReport {}

  /**
   * The moving of segments is to be suspended, or to go on.
   *
   * @param topologyNumber the topology the teller looked at: a message that comes late means
   *     nothing
   */
  record SuspensionRequested(boolean isSuspended, long topologyNumber) implements MemberReport {}

  /** What was lost in this epoch is given up; not what is lost later. */
  record LossAccepted(SegmentEpoch epoch) implements MemberReport {}

  /** A member has not answered the teller for long. */
  record MemberUnresponsive(UUID memberId) implements MemberReport {}

  /**
   * The teller, an owner or one of the last in this epoch, has dropped its copy; or it was joining
   * a segment that is lost in this epoch, and had not received everything.
   */
  record ReplicaDropped(SegmentEpoch epoch) implements MemberReport {}

  /** Writes a kind byte and the parts. */
  default void write(Output out) {
    switch (this) {
      case SegmentReceived(SegmentEpoch epoch) -> {
        out.writeByte(1);
        epoch.write(out);
      }
      case LeaveRequested() -> out.writeByte(2);
      case CacheRequested(CacheDefinition definition) -> {
        out.writeByte(3);
        definition.write(out);
      }
      case WriteRequested() -> out.writeByte(4);
      case SuspensionRequested(boolean value, long number) -> {
        out.writeByte(5);
        out.writeBoolean(value);
        out.writeLong(number);
      }
      case LossAccepted(SegmentEpoch epoch) -> {
        out.writeByte(6);
        epoch.write(out);
      }
      case MemberUnresponsive(UUID member) -> {
        out.writeByte(7);
        out.writeId(member);
      }
      case EpochOpened(SegmentEpoch epoch) -> {
        out.writeByte(8);
        epoch.write(out);
      }
      case ReplicaDropped(SegmentEpoch epoch) -> {
        out.writeByte(9);
        epoch.write(out);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  static MemberReport read(Input in) {
    int kind = in.readByte();
    return switch (kind) {
      case 1 -> new SegmentReceived(SegmentEpoch.read(in));
      case 2 -> new LeaveRequested();
      case 3 -> new CacheRequested(CacheDefinition.read(in));
      case 4 -> new WriteRequested();
      case 5 -> new SuspensionRequested(in.readBoolean(), in.readLong());
      case 6 -> new LossAccepted(SegmentEpoch.read(in));
      case 7 -> new MemberUnresponsive(in.readId());
      case 8 -> new EpochOpened(SegmentEpoch.read(in));
      case 9 -> new ReplicaDropped(SegmentEpoch.read(in));
      default -> throw new MalformedException("report kind " + kind + " is unknown");
    };
  }
}
