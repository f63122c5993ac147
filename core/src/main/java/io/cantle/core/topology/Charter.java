package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.UUID;

/**
 * What a grid is, whoever its members are.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId made once, when the grid is founded
 * @param hashSeed seeds the hash of keys, against chosen ones
 * @param oldestDecides whether of two members the older one goes on alone when the other is gone
 * @param used whether a write may have been acknowledged: from then on the grid cannot be given up
 * @param suspended whether segments stay where they are although members have come
 * @param givenUp whether the grid has ended in favour of another one of its name; the last topology
 */
public record Charter(
    UUID gridId,
    long hashSeed,
    boolean oldestDecides,
    boolean used,
    boolean suspended,
    boolean givenUp) {

  /** Before there is a grid. */
  static final Charter NONE = new Charter(new UUID(0, 0), 0, false, false, false, false);

  /** A new grid. */
  static Charter founded(UUID gridId, long hashSeed, boolean oldestDecides) {
    return new Charter(gridId, hashSeed, oldestDecides, false, false, false);
  }

  Charter used(boolean value) {
    return new Charter(gridId, hashSeed, oldestDecides, value, suspended, givenUp);
  }

  Charter suspended(boolean value) {
    return new Charter(gridId, hashSeed, oldestDecides, used, value, givenUp);
  }

  Charter asGivenUp() {
    return new Charter(gridId, hashSeed, oldestDecides, used, suspended, true);
  }

  void write(Output out) {
    out.writeLong(gridId.getMostSignificantBits());
    out.writeLong(gridId.getLeastSignificantBits());
    out.writeLong(hashSeed);
    out.writeBoolean(oldestDecides);
    out.writeBoolean(used);
    out.writeBoolean(suspended);
    out.writeBoolean(givenUp);
  }

  static Charter read(Input in) {
    return new Charter(
        new UUID(in.readLong(), in.readLong()),
        in.readLong(),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean());
  }
}
