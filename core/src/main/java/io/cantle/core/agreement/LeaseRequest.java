package io.cantle.core.agreement;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;

/**
 * A member's request to a voter for its lease, with the state the voters need to know.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param requestedAt when the member made the request, by its own clocks
 * @param topologyNumber the number of the topology that it has adopted, and whose epochs its
 *     replicas have entered
 * @param votersSinceNumber identifies the voters it asks: the number of the topology since which
 *     they vote
 * @param isLeased whether it holds a lease
 * @param isLeading whether it leads the voters, as far as it knows
 * @param isReleased whether it has given its lease up for good
 * @param hasPending whether it is a voter and has taken up a topology that is not decided
 */
public record LeaseRequest(
    ClockReading requestedAt,
    long topologyNumber,
    long votersSinceNumber,
    boolean isLeased,
    boolean isLeading,
    boolean isReleased,
    boolean hasPending)
    implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.RENEW_LEASE;
  }

  @Override
  public void write(Output out) {
    requestedAt.write(out);
    out.writeLong(topologyNumber);
    out.writeLong(votersSinceNumber);
    out.writeBoolean(isLeased);
    out.writeBoolean(isLeading);
    out.writeBoolean(isReleased);
    out.writeBoolean(hasPending);
  }

  /** Reads what {@link #write} wrote. */
  public static LeaseRequest read(Input in) {
    return in.requireEndAfter(
        new LeaseRequest(
            ClockReading.read(in),
            in.readLong(),
            in.readLong(),
            in.readBoolean(),
            in.readBoolean(),
            in.readBoolean(),
            in.readBoolean()));
  }
}
