package io.cantle.core.discovery;

import io.cantle.GridConfig;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.ownership.PartitionHandling;

/**
 * Listens for grids that this node cannot be part of. Its methods must not wait.
 *
 * <p><b>Threading:</b> called with the lock of {@code TopologyDriver} held.
 */
@FunctionalInterface
public interface ForeignGridListener {
  /** There is another grid, and this node's grid cannot merge with it. */
  void onForeignGrid();

  /** The grid refuses this node with the store it has. */
  default void onIncompatibleGrid(JoinRefusal refusal) {
    onForeignGrid();
  }

  /** There is a grid that was founded with another {@link GridConfig#whenCut}. */
  default void onIncompatibleGrid(PartitionHandling gridMode) {
    onForeignGrid();
  }
}
