package io.cantle.core.agreement;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message by which leases are renewed.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface LeaseMessage extends Message {
  /**
   * A member's request to a voter for its lease, with the state the voters need to know.
   *
   * @param requestedAt when the member made the request, by its own clocks
   * @param topologyNumber the number of the topology that it has adopted, and whose epochs its
   *     replicas have entered
   * @param votersSinceNumber identifies the voters it asks: the number of the topology since which
   *     they vote
   * @param isLeased whether it holds a lease
   * @param isLeading whether it leads the voters, as far as it knows
   * @param isReleased whether it has given up its lease in this membership
   * @param hasPending whether it is a voter and has taken up a topology that is not decided
   */
  record LeaseRequest(
      ClockReading requestedAt,
      long topologyNumber,
      long votersSinceNumber,
      boolean isLeased,
      boolean isLeading,
      boolean isReleased,
      boolean hasPending)
      implements LeaseMessage {}

  /**
   * A voter's grant of a lease, with what helps the member to check its clocks and other voters.
   *
   * @param requestedAt when the member requested it, by its own clocks
   * @param votersSinceNumber identifies the voters it asked
   * @param previous the request before that one, if any
   * @param silentMembers the ids of the members that the voter does not hear
   */
  record LeaseGrant(
      ClockReading requestedAt,
      long votersSinceNumber,
      @Nullable PreviousRequest previous,
      List<UUID> silentMembers)
      implements LeaseMessage {}

  /**
   * An earlier request.
   *
   * @param requestedAt when the member requested it, by its own clocks
   * @param ageNanos the time that has passed since then at the voter
   */
  record PreviousRequest(ClockReading requestedAt, long ageNanos) {}

  @Override
  default MessageKind kind() {
    return switch (this) {
      case LeaseRequest _ -> MessageKind.RENEW_LEASE;
      case LeaseGrant _ -> MessageKind.LEASE_RENEWED;
    };
  }

  @Override
  default void write(Output out) {
    switch (this) {
      case LeaseRequest request -> {
        request.requestedAt.write(out);
        out.writeLong(request.topologyNumber);
        out.writeLong(request.votersSinceNumber);
        out.writeBoolean(request.isLeased);
        out.writeBoolean(request.isLeading);
        out.writeBoolean(request.isReleased);
        out.writeBoolean(request.hasPending);
      }
      case LeaseGrant grant -> {
        grant.requestedAt.write(out);
        out.writeLong(grant.votersSinceNumber);
        out.writeOptional(
            grant.previous,
            request -> {
              request.requestedAt.write(out);
              out.writeLong(request.ageNanos);
            });
        out.writeList(grant.silentMembers, out::writeId);
      }
    }
  }

  /** Reads what {@link #write} wrote. */
  static LeaseMessage read(MessageKind kind, Input in) {
    ClockReading requestedAt = ClockReading.read(in);
    return in.requireEndAfter(
        kind == MessageKind.RENEW_LEASE
            ? new LeaseRequest(
                requestedAt,
                in.readLong(),
                in.readLong(),
                in.readBoolean(),
                in.readBoolean(),
                in.readBoolean(),
                in.readBoolean())
            : new LeaseGrant(
                requestedAt,
                in.readLong(),
                in.readBoolean() ? new PreviousRequest(ClockReading.read(in), in.readLong()) : null,
                in.readList(Input::readId)));
  }
}
