package io.cantle.core.ownership;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;

/**
 * The identity and settings of a grid, which do not depend on its members.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the id, made once, when the grid is founded
 * @param foundedMillis the founder's time of day then; of two grids of one name the older goes on
 * @param hashSeed the seed of the hash of keys, against keys that are chosen to collide
 * @param partitionHandling what members do that are cut off
 * @param lineage the grids of which this one is a fork
 * @param isWritten whether a write may have been acknowledged. From then on the grid cannot be
 *     given up, unless it lets cut-off members go on and merges what they wrote
 * @param isRebalanceSuspended whether segments stay where they are although members have joined
 * @param isSuperseded whether the grid has ended in favour of another one of its name; only its
 *     last topology says so
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

  /** The definition before there is a grid. */
  public static final GridDefinition NONE = ofNewGrid(new UUID(0, 0), 0, 0, PartitionHandling.STOP);

  /** The definition of a new grid. */
  public static GridDefinition ofNewGrid(
      UUID gridId, long foundedMillis, long hashSeed, PartitionHandling mode) {
    return new GridDefinition(
        gridId, foundedMillis, hashSeed, mode, GridLineage.NONE, false, false, false);
  }

  /**
   * Whether this grid is older than another: by the time of day at which each was founded, and if
   * those are equal by the id.
   */
  public boolean isOlderThan(UUID other, long itsFoundedMillis) {
    return foundedMillis != itsFoundedMillis
        ? foundedMillis < itsFoundedMillis
        : gridId.compareTo(other) < 0;
  }

  /** Whether, of two members, the older one goes on alone when the other is gone. */
  public boolean oldestDecides() {
    return partitionHandling == PartitionHandling.OLDEST_DECIDES;
  }

  /** Whether members that are cut off go on. */
  public boolean prefersAvailability() {
    return partitionHandling.prefersAvailability();
  }

  /** Whether this grid is a fork of another. */
  boolean isFork() {
    return !lineage.steps().isEmpty();
  }

  /** Whether this grid has forked off directly from that topology of its parent. */
  public boolean isForkOf(Topology parent) {
    return prefersAvailability()
        && isFork()
        && lineage.steps().getLast().gridId().equals(parent.gridId())
        && lineage.steps().getLast().topologyNumber() == parent.number();
  }

  /**
   * The number of this fork's first topology, if its members came with replicas of another grid;
   * otherwise 0.
   */
  public long firstNumberWithCopies() {
    return isFork() && lineage.steps().getLast().founderCount() > 0
        ? lineage.steps().getLast().topologyNumber() + 1
        : 0;
  }

  /** Whether one of two grids is a fork of the other, or both are forks of a third. */
  public boolean isRelatedTo(UUID other, GridLineage ofOther) {
    return prefersAvailability() && GridLineage.commonGrid(gridId, lineage, other, ofOther) != null;
  }

  /**
   * The definition of a grid that goes on from this one and counts as equally old: a fork, or the
   * grid without the nodes that an operator has given up.
   *
   * @param number the number of this grid's topology from which it goes on
   * @param founders how many members bring their replicas along
   */
  public GridDefinition createSuccessor(UUID id, long number, int founders, List<UUID> givenUp) {
    GridLineage.ForkStep step = new GridLineage.ForkStep(gridId, number, founders, givenUp);
    return with(id, lineage.withStep(step), isWritten, isRebalanceSuspended, false);
  }

  /** Whether this grid is the other one, or goes on in its place after a recovery. */
  public boolean continues(UUID other) {
    return gridId.equals(other) || lineage.recoveryOf(other) != null;
  }

  /** Whether this grid goes on in the place of another after a recovery. */
  public boolean isRecovered() {
    return !lineage.steps().isEmpty() && lineage.steps().getLast().isRecovery();
  }

  /**
   * Whether a member's node was given up. What such a node holds of earlier grids does not count.
   */
  public boolean isGivenUp(Member member) {
    return lineage.isGivenUp(member.nodeId());
  }

  /** Returns the same, with or without a write that may have been acknowledged. */
  GridDefinition withWritten(boolean value) {
    return with(gridId, lineage, value, isRebalanceSuspended, isSuperseded);
  }

  GridDefinition withRebalanceSuspended(boolean value) {
    return with(gridId, lineage, isWritten, value, isSuperseded);
  }

  /** Returns the same, ended in favour of another grid. */
  public GridDefinition asSuperseded() {
    return with(gridId, lineage, isWritten, isRebalanceSuspended, true);
  }

  private GridDefinition with(
      UUID id, GridLineage next, boolean written, boolean suspended, boolean superseded) {
    return new GridDefinition(
        id, foundedMillis, hashSeed, partitionHandling, next, written, suspended, superseded);
  }

  /** Writes everything. */
  void write(Output out) {
    out.writeId(gridId);
    out.writeLong(foundedMillis);
    out.writeLong(hashSeed);
    out.writeEnum(partitionHandling);
    lineage.write(out);
    out.writeBoolean(isWritten);
    out.writeBoolean(isRebalanceSuspended);
    out.writeBoolean(isSuperseded);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param tellsGivenUp whether it lists the nodes given up; definitions from before there were
   *     recoveries do not
   */
  static GridDefinition read(Input in, boolean tellsGivenUp) {
    return new GridDefinition(
        in.readId(),
        in.readLong(),
        in.readLong(),
        in.readEnum(PartitionHandling.values()),
        GridLineage.read(in, tellsGivenUp),
        in.readBoolean(),
        in.readBoolean(),
        in.readBoolean());
  }
}
