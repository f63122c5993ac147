package io.cantle.core.topology;

import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;

/**
 * What a member tells the voters when it asks for its lease.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param requestedAt when it asked, by its own clocks
 * @param topologyNumber of the topology it has adopted, and whose epochs its replicas have entered
 * @param votersSinceNumber of which voters it asks
 * @param isLeased whether it holds a lease
 * @param isLeading whether it leads the voters, as far as it knows
 * @param isReleased whether it has given its lease up for good
 * @param hasPending whether it, a voter, has taken up a topology nobody has decided
 */
record LeaseRequest(
    ClockReading requestedAt,
    long topologyNumber,
    long votersSinceNumber,
    boolean isLeased,
    boolean isLeading,
    boolean isReleased,
    boolean hasPending) {
  void write(Output out) {
    requestedAt.write(out);
    out.writeLong(topologyNumber);
    out.writeLong(votersSinceNumber);
    out.writeBoolean(isLeased);
    out.writeBoolean(isLeading);
    out.writeBoolean(isReleased);
    out.writeBoolean(hasPending);
  }

  static LeaseRequest read(Input in) {
    return new LeaseRequest(
        ClockReading.read(in),
        in.readLong(),
        in.readLong(),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean());
  }
}
