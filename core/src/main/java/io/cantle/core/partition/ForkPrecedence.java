package io.cantle.core.partition;

import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.Topology;
import java.util.UUID;

/**
 * Decides which of two related grids goes on when they meet: one is a fork of the other, or both
 * are forks of a third.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class ForkPrecedence {
  private ForkPrecedence() {}

  /**
   * Whether this node's grid gives way to a related one.
   *
   * @param isMember whether this node is a member of its grid
   * @param isCutOff whether it hears no majority of it
   */
  public static boolean yields(
      Topology current, boolean isMember, boolean isCutOff, UUID other, GridLineage ofOther) {
    GridDefinition own = current.gridDefinition();
    return GridLineage.prevails(other, ofOther, own.gridId(), own.lineage())
        // An excluded node, which is no voter: perhaps no node is left to admit it again, and it
        // would wait for ever.
        || (isCutOff && !isMember)
        // A fork that left before this topology may know less than a cut-off member does. That
        // member does not yield, but forks too.
        || ((isCutOff || !isMember)
            && ofOther.steps().stream()
                .anyMatch(
                    step ->
                        step.gridId().equals(own.gridId())
                            && step.topologyNumber() >= current.number()));
  }
}
