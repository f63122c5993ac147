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
 * @param partitionHandling what members do that are cut off
 * @param lineage of which grids this is a fork
 * @param isWritten whether a write may have been acknowledged: from then on the grid cannot be
 *     given up, unless cut off members go on and what they wrote is merged
 * @param isRebalanceSuspended whether segments stay where they are although members have come
 * @param isSuperseded whether the grid has ended in favour of another one of its name; the last
 *     topology
 */
public record GridDefinition(
    UUID gridId,
    long foundedMillis,
    long hashSeed,
    PartitionHandling partitionHandling,
    GridLineage lineage,
    boolean isWritten,
    boolean isRebalanceSuspended,
    boolean isSuperseded) {

  /** Before there is a grid. */
  static final GridDefinition NONE =
      new GridDefinition(
          new UUID(0, 0), 0, 0, PartitionHandling.STOP, GridLineage.NONE, false, false, false);

  /** A new grid. */
  static GridDefinition ofNewGrid(
      UUID gridId, long foundedMillis, long hashSeed, PartitionHandling mode) {
    return new GridDefinition(
        gridId, foundedMillis, hashSeed, mode, GridLineage.NONE, false, false, false);
  }

  /** Whether this grid is older than another: by the founders' time of day, else by the id. */
  boolean isOlderThan(UUID other, long itsFoundedMillis) {
    return foundedMillis != itsFoundedMillis
        ? foundedMillis < itsFoundedMillis
        : gridId.compareTo(other) < 0;
  }

  /** Whether of two members the older one goes on alone when the other is gone. */
  boolean oldestDecides() {
    return partitionHandling == PartitionHandling.OLDEST_DECIDES;
  }

  /** Whether members that are cut off go on. */
  public boolean prefersAvailability() {
    return partitionHandling.prefersAvailability();
  }

  /** Whether this grid is a fork of another. */
  public boolean isFork() {
    return !lineage.steps().isEmpty();
  }

  /** Whether this grid has forked off that one, directly, as of this topology of it. */
  boolean isForkOf(Topology parent) {
    return prefersAvailability()
        && isFork()
        && lineage.steps().getLast().gridId().equals(parent.gridId())
        && lineage.steps().getLast().topologyNumber() == parent.number();
  }

  /** The number of the topology whose members came with the copies of another grid; 0 for none. */
  long firstNumberWithCopies() {
    return isFork() && lineage.steps().getLast().founderCount() > 0
        ? lineage.steps().getLast().topologyNumber() + 1
        : 0;
  }

  /** Whether one of two grids is a fork of the other, or both are of a third. */
  boolean isRelatedTo(UUID other, GridLineage ofOther) {
    return prefersAvailability() && GridLineage.commonGrid(gridId, lineage, other, ofOther) != null;
  }

  /** A fork of this grid; it is as old. */
  GridDefinition createFork(UUID fork, long number, int founders) {
    GridLineage next = lineage.withFork(gridId, number, founders);
    return new GridDefinition(
        fork,
        foundedMillis,
        hashSeed,
        partitionHandling,
        next,
        isWritten,
        isRebalanceSuspended,
        false);
  }

  /** The grid that goes on without nodes an operator has given up; it is as old. */
  GridDefinition recovered(UUID id, long number, int members, List<UUID> lost) {
    GridLineage next = lineage.recovered(gridId, number, members, lost);
    return new GridDefinition(
        id,
        foundedMillis,
        hashSeed,
        partitionHandling,
        next,
        isWritten,
        isRebalanceSuspended,
        false);
  }

  /** Whether this is that grid, or one that goes on in its place after a recovery. */
  public boolean continues(UUID other) {
    return gridId.equals(other) || lineage.recoveryOf(other) != null;
  }

  /** Whether this grid goes on in the place of another, after a recovery. */
  boolean isRecovered() {
    return !lineage.steps().isEmpty() && lineage.steps().getLast().isRecovery();
  }

  /** Whether a member's node was given up: nothing it holds of earlier grids counts. */
  boolean isGivenUp(Member member) {
    return lineage.isGivenUp(member.nodeId());
  }

  GridDefinition withWritten(boolean value) {
    return new GridDefinition(
        gridId,
        foundedMillis,
        hashSeed,
        partitionHandling,
        lineage,
        value,
        isRebalanceSuspended,
        isSuperseded);
  }

  GridDefinition withRebalanceSuspended(boolean value) {
    return new GridDefinition(
        gridId,
        foundedMillis,
        hashSeed,
        partitionHandling,
        lineage,
        isWritten,
        value,
        isSuperseded);
  }

  GridDefinition asSuperseded() {
    return new GridDefinition(
        gridId,
        foundedMillis,
        hashSeed,
        partitionHandling,
        lineage,
        isWritten,
        isRebalanceSuspended,
        true);
  }

  void write(Output out) {
    out.writeId(gridId);
    out.writeLong(foundedMillis);
    out.writeLong(hashSeed);
    out.writeByte(partitionHandling.code());
    lineage.write(out);
    out.writeBoolean(isWritten);
    out.writeBoolean(isRebalanceSuspended);
    out.writeBoolean(isSuperseded);
  }

  static GridDefinition read(Input in) {
    return read(in, true);
  }

  /** Reads one that says who was given up, or one from before there were recoveries. */
  static GridDefinition read(Input in, boolean tellsGivenUp) {
    return new GridDefinition(
        in.readId(),
        in.readLong(),
        in.readLong(),
        PartitionHandling.of(in.readByte()),
        GridLineage.read(in, tellsGivenUp),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean());
  }
}
