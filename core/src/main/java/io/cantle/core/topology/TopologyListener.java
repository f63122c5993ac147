package io.cantle.core.topology;

import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.ownership.Topology;

/**
 * Is told what becomes of this node's topology. Nothing here may wait.
 *
 * <p><b>Threading:</b> called with the lock of {@link TopologyDriver} held, one call after the
 * other.
 */
public interface TopologyListener {
  /**
   * Takes each topology in turn, and {@link Topology#NONE} when this node gives its grid up for
   * another.
   */
  void adopt(Topology topology);

  /** Takes the report of a grid that this node cannot be part of. */
  void onForeignGrid(ForeignGridReport report);

  /**
   * This node has found no majority for so long that it is cut off. Called again and again while
   * that is so, but not for a node that is leaving.
   *
   * @param problem which voters are missing, and what an operator can do; empty if members that are
   *     cut off go on in this grid
   */
  default void onCutOff(String problem) {}

  /** This node has its lease, so a majority has just heard of it. Called again and again. */
  default void onLeaseHeld() {}
}
