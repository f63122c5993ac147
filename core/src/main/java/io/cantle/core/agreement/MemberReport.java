package io.cantle.core.agreement;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.UUID;

/**
 * A report of a member to the voters, of whom only the leader acts on it. A member repeats a report
 * until the topology shows its effect, so the loss of a report, or of the leader, does no harm.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface MemberReport extends Message {

  /**
   * The sender, a joiner, holds all of a segment in this epoch, and continues to until it is no
   * longer a joiner.
   */
  record SegmentReceived(SegmentEpoch epoch) implements MemberReport {}

  /** The sender, a primary, has opened this epoch and waits until a topology confirms that. */
  record EpochOpened(SegmentEpoch epoch) implements MemberReport {}

  /** The sender wants to leave. */
  record LeaveRequested() implements MemberReport {}

  /**
   * The sender wants to open a cache that the topology does not have.
   *
   * @param topologyNumber the topology that the sender saw; a report from before a cache was
   *     destroyed has no effect, for that one may have been meant
   */
  record CacheRequested(CacheDefinition definition, long topologyNumber) implements MemberReport {}

  /**
   * The cache with this index is to be destroyed.
   *
   * @param gridId the grid in which it has that index; on another side of a partition the index may
   *     mean another cache
   */
  record DestroyRequested(UUID gridId, int cache) implements MemberReport {}

  /** The sender was asked to write in a grid in which nothing has been written yet. */
  record WriteRequested() implements MemberReport {}

  /**
   * Rebalancing is to be suspended or resumed.
   *
   * @param topologyNumber the topology that the sender saw; a report that arrives late has no
   *     effect
   */
  record SuspensionRequested(boolean isSuspended, long topologyNumber) implements MemberReport {}

  /** The data that was lost in this epoch is given up; data that is lost later is not. */
  record LossAccepted(SegmentEpoch epoch) implements MemberReport {}

  /** A member has not answered the sender for a long time. */
  record MemberUnresponsive(UUID memberId) implements MemberReport {}

  /**
   * The sender, an owner or a last owner in this epoch, has dropped its replica. Or it was joining
   * a segment that is lost in this epoch, and had not received everything.
   */
  record ReplicaDropped(SegmentEpoch epoch) implements MemberReport {}

  @Override
  default MessageKind kind() {
    return MessageKind.REPORT;
  }

  /** Writes the code of the report and the fields. */
  @Override
  default void write(Output out) {
    switch (this) {
      case SegmentReceived(SegmentEpoch epoch) -> write(out, 1, epoch);

      case LeaveRequested() -> out.writeByte(2);
      case CacheRequested(CacheDefinition definition, long number) -> {
        out.writeByte(3);
        definition.write(out);
        out.writeVarint(number);
      }
      case DestroyRequested(UUID gridId, int cache) -> {
        out.writeByte(10);
        out.writeId(gridId);
        out.writeVarint(cache);
      }
      case WriteRequested() -> out.writeByte(4);
      case SuspensionRequested(boolean value, long number) -> {
        out.writeByte(5);
        out.writeBoolean(value);
        out.writeLong(number);
      }
      case LossAccepted(SegmentEpoch epoch) -> write(out, 6, epoch);

      case MemberUnresponsive(UUID member) -> {
        out.writeByte(7);
        out.writeId(member);
      }
      case EpochOpened(SegmentEpoch epoch) -> write(out, 8, epoch);

      case ReplicaDropped(SegmentEpoch epoch) -> write(out, 9, epoch);
    }
  }

  private static void write(Output out, int kind, SegmentEpoch epoch) {
    out.writeByte(kind);
    epoch.write(out);
  }

  /** Reads what {@link #write} wrote. */
  public static MemberReport read(Input in) {
    int code = in.readByte();
    return in.requireEndAfter(
        switch (code) {
          case 1 -> new SegmentReceived(SegmentEpoch.read(in));
          case 2 -> new LeaveRequested();
          case 3 -> new CacheRequested(CacheDefinition.read(in), in.readVarint());
          case 4 -> new WriteRequested();
          case 5 -> new SuspensionRequested(in.readBoolean(), in.readLong());
          case 6 -> new LossAccepted(SegmentEpoch.read(in));
          case 7 -> new MemberUnresponsive(in.readId());
          case 8 -> new EpochOpened(SegmentEpoch.read(in));
          case 9 -> new ReplicaDropped(SegmentEpoch.read(in));
          case 10 -> new DestroyRequested(in.readId(), in.readCount());
          default -> throw new MalformedException("report " + code + " is unknown");
        });
  }
}
