package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Moment;
import io.cantle.core.base.Output;

/**
 * What a member tells the voters when it asks for its lease.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param asked when it asked, by its own clocks
 * @param number of the topology it has adopted, and whose epochs its replicas have entered
 * @param votersSince of which voters it asks
 * @param leased whether it holds a lease
 * @param leading whether it leads the voters, as far as it knows
 * @param over whether it has given its lease up for good
 * @param pending whether it, a voter, has taken up a topology nobody has decided
 */
record Renewal(
    Moment asked,
    long number,
    long votersSince,
    boolean leased,
    boolean leading,
    boolean over,
    boolean pending) {
  void write(Output out) {
    asked.write(out);
    out.writeLong(number);
    out.writeLong(votersSince);
    out.writeBoolean(leased);
    out.writeBoolean(leading);
    out.writeBoolean(over);
    out.writeBoolean(pending);
  }

  static Renewal read(Input in) {
    return new Renewal(
        Moment.read(in),
        in.readLong(),
        in.readLong(),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean());
  }
}
