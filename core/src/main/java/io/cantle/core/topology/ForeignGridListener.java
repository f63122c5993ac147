package io.cantle.core.topology;

import io.cantle.GridConfig;

/**
 * What is told of grids this node cannot be part of. Must not wait.
 *
 * <p><b>Threading:</b> called with the lock of the keeper held.
 */
@FunctionalInterface
public interface ForeignGridListener {
  /** There is another grid with which that of this node cannot become one. */
  void onForeignGrid();

  /** This node is not let into its grid with what it has on disk. */
  default void onIncompatibleGrid(JoinRefusal refusal) {
    onForeignGrid();
  }

  /** There is a grid that was founded with another {@link GridConfig#whenCut}. */
  default void onIncompatibleGrid(PartitionHandling gridMode) {
    onForeignGrid();
  }
}
