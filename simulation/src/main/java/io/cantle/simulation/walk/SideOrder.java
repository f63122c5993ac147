package io.cantle.simulation.walk;

import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The rule for which of two sides goes on when they meet. It is the rule of the core, written
 * independently of it.
 *
 * <p><b>Threading:</b> immutable.
 */
final class SideOrder {
  private SideOrder() {}

  /** Returns whether the first of two sides goes on. */
  static boolean goesOn(GridDefinition one, GridDefinition other) {
    UUID common =
        GridLineage.commonGrid(one.gridId(), one.lineage(), other.gridId(), other.lineage());
    if (common == null || common.equals(other.gridId())) {
      return false;
    }
    if (common.equals(one.gridId())) {
      return true;
    }
    GridLineage.ForkStep mine = step(one, common);
    GridLineage.ForkStep its = step(other, common);
    if (mine.topologyNumber() != its.topologyNumber()) {
      return mine.topologyNumber() > its.topologyNumber();
    }
    return mine.founderCount() != its.founderCount()
        ? mine.founderCount() > its.founderCount()
        : next(one, common).compareTo(next(other, common)) > 0;
  }

  private static GridLineage.ForkStep step(GridDefinition gridDefinition, UUID common) {
    return gridDefinition.lineage().steps().stream()
        .filter(step -> step.gridId().equals(common))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the grid that forked off the common one on the way to this one. */
  private static UUID next(GridDefinition gridDefinition, UUID common) {
    List<UUID> path =
        Stream.concat(
                gridDefinition.lineage().steps().stream().map(GridLineage.ForkStep::gridId),
                Stream.of(gridDefinition.gridId()))
            .toList();
    return path.get(path.indexOf(common) + 1);
  }
}
