package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;

/**
 * What a grid is, whoever its members are.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId made once, when the grid is founded
 * @param foundedMillis the founder's time of day then: of two grids of one name the older goes on
 * @param hashSeed seeds the hash of keys, against chosen ones
 * @param mode what members do that are cut off
 * @param descent of which grids this is a fork
 * @param used whether a write may have been acknowledged: from then on the grid cannot be given up,
 *     unless cut off members go on and what they wrote is merged
 * @param suspended whether segments stay where they are although members have come
 * @param givenUp whether the grid has ended in favour of another one of its name; the last topology
 */
public record Charter(
    UUID gridId,
    long foundedMillis,
    long hashSeed,
    Mode mode,
    Descent descent,
    boolean used,
    boolean suspended,
    boolean givenUp) {

  /** Before there is a grid. */
  static final Charter NONE =
      new Charter(new UUID(0, 0), 0, 0, Mode.STOP, Descent.NONE, false, false, false);

  /** A new grid. */
  static Charter founded(UUID gridId, long foundedMillis, long hashSeed, Mode mode) {
    return new Charter(gridId, foundedMillis, hashSeed, mode, Descent.NONE, false, false, false);
  }

  /** Whether this grid is older than another: by the founders' time of day, else by the id. */
  boolean isOlderThan(UUID other, long itsFoundedMillis) {
    return foundedMillis != itsFoundedMillis
        ? foundedMillis < itsFoundedMillis
        : gridId.compareTo(other) < 0;
  }

  /** Whether of two members the older one goes on alone when the other is gone. */
  boolean oldestDecides() {
    return mode == Mode.OLDEST_DECIDES;
  }

  /** Whether members that are cut off go on. */
  public boolean available() {
    return mode.available();
  }

  /** Whether this grid is a fork of another. */
  public boolean isFork() {
    return !descent.steps().isEmpty();
  }

  /** Whether this grid has forked off that one, directly, as of this topology of it. */
  boolean isForkOf(Topology parent) {
    return available()
        && isFork()
        && descent.steps().getLast().grid().equals(parent.gridId())
        && descent.steps().getLast().number() == parent.number();
  }

  /** The number of the topology whose members came with the copies of another grid; 0 for none. */
  long broughtCopies() {
    return isFork() && descent.steps().getLast().founders() > 0
        ? descent.steps().getLast().number() + 1
        : 0;
  }

  /** Whether one of two grids is a fork of the other, or both are of a third. */
  boolean related(UUID other, Descent ofOther) {
    return available() && Descent.common(gridId, descent, other, ofOther) != null;
  }

  /** A fork of this grid; it is as old. */
  Charter forked(UUID fork, long number, int founders) {
    Descent next = descent.forked(gridId, number, founders);
    return new Charter(fork, foundedMillis, hashSeed, mode, next, used, suspended, false);
  }

  /** The grid that goes on without nodes an operator has given up; it is as old. */
  Charter recovered(UUID id, long number, int members, List<UUID> lost) {
    Descent next = descent.recovered(gridId, number, members, lost);
    return new Charter(id, foundedMillis, hashSeed, mode, next, used, suspended, false);
  }

  /** Whether this is that grid, or one that goes on in its place after a recovery. */
  public boolean continues(UUID other) {
    return gridId.equals(other) || descent.recoveryOf(other) != null;
  }

  /** Whether this grid goes on in the place of another, after a recovery. */
  boolean isRecovered() {
    return !descent.steps().isEmpty() && descent.steps().getLast().isRecovery();
  }

  /** Whether a member's node was given up: nothing it holds of earlier grids counts. */
  boolean isGivenUp(Member member) {
    return descent.isGivenUp(member.node());
  }

  Charter used(boolean value) {
    return new Charter(gridId, foundedMillis, hashSeed, mode, descent, value, suspended, givenUp);
  }

  Charter suspended(boolean value) {
    return new Charter(gridId, foundedMillis, hashSeed, mode, descent, used, value, givenUp);
  }

  Charter asGivenUp() {
    return new Charter(gridId, foundedMillis, hashSeed, mode, descent, used, suspended, true);
  }

  void write(Output out) {
    out.writeId(gridId);
    out.writeLong(foundedMillis);
    out.writeLong(hashSeed);
    out.writeByte(mode.code());
    descent.write(out);
    out.writeBoolean(used);
    out.writeBoolean(suspended);
    out.writeBoolean(givenUp);
  }

  static Charter read(Input in) {
    return read(in, true);
  }

  /** Reads one that says who was given up, or one from before there were recoveries. */
  static Charter read(Input in, boolean tellsGivenUp) {
    return new Charter(
        in.readId(),
        in.readLong(),
        in.readLong(),
        Mode.of(in.readByte()),
        Descent.read(in, tellsGivenUp),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean());
  }
}
