package io.cantle.core.replica;

import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.partition.DivergenceHistory;
import io.cantle.core.partition.DivergenceHistory.FinalContents;
import io.cantle.core.transport.Member;

/**
 * What a replica keeps for other sides of a partition, in available mode: where it diverged from
 * them, and what it held when it ended.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class ReplicaDivergence {
  private final ReplicaData data;
  private final ReplicaLog log;
  private final DivergenceHistory history = new DivergenceHistory();

  ReplicaDivergence(ReplicaData data, ReplicaLog log) {
    this.data = data;
    this.log = log;
  }

  /** Where the replica diverged. */
  DivergenceHistory history() {
    return history;
  }

  /**
   * Remembers what other sides of a partition may lack, before it is dropped. The contents with
   * which this node was excluded count too: the nodes that continued without it may all have died
   * since, and the topology that names them as owners may be an old one.
   *
   * @param state the state before the epoch is entered
   * @param holdsEverything whether the replica held everything in that state
   * @param isMember whether this node is a member of the new topology
   */
  void onEpochEntry(
      ReplicaState state,
      boolean holdsEverything,
      SegmentOwnership ownership,
      Member self,
      GridDefinition gridDefinition,
      boolean isMember) {
    boolean wasExcluded = !isMember || state.role() == ReplicaRole.FORMER_OWNER;
    boolean endsByExclusion = wasExcluded && !ReplicaRole.of(ownership, self).isInSync();
    if (gridDefinition.prefersAvailability()
        && holdsEverything
        && (ownership.birthEpoch() > state.epoch() || endsByExclusion)) {
      history.keepFinalContents(capture(state));
    }
    history.enterGrid(
        gridDefinition.gridId(), holdsEverything ? log.divergencePoint(state.epoch()) : null);
    data.setStamped(gridDefinition.prefersAvailability());
  }

  /** What a replica that holds everything has in its last state. */
  FinalContents capture(ReplicaState state) {
    return history.createFinalContents(
        state.role() != ReplicaRole.FORMER_OWNER,
        log.divergencePoint(state.epoch()),
        data.allEntries(),
        data.segmentClock().segmentTime());
  }
}
