package io.cantle.core.replica;

import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.partition.LosingReplica.FinalContents;
import io.cantle.core.partition.MergeBacklog;

/**
 * What this node's replicas held when they ended on a side of a partition that gave way. In a
 * consistent grid there is nothing.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LosingReplicaCollector {
  private final MergeBacklog backlog = new MergeBacklog();

  LosingReplicaCollector() {}

  /** What is still to be merged. */
  public MergeBacklog backlog() {
    return backlog;
  }

  /**
   * Takes what a replica held when it ended, if that is to be merged.
   *
   * @param of the topology of the grid in which it ended
   */
  void collect(Topology of, Replica replica) {
    FinalContents held = replica.divergence().takeFinalContents();
    if (held != null && !held.entries().isEmpty()) {
      backlog.add(LosingReplica.of(of, replica.cache(), replica.segment(), held));
    }
  }
}
