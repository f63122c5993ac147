package io.cantle.simulation.walk;

import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * The facts that the planner is given while a grid founds its caches: everybody is present.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class FoundingFacts implements TopologyPlanner.PlannerFacts {
  private final List<CacheDefinition> caches;
  private Topology known = Topology.NONE;

  FoundingFacts(List<CacheDefinition> caches) {
    this.caches = caches;
  }

  void adopted(Topology topology) {
    known = topology;
  }

  /** Returns whether this topology is not adopted yet. */
  boolean isNew(Topology topology) {
    return topology.number() > known.number();
  }

  @Override
  public List<CacheDefinition> requestedCaches() {
    return caches;
  }

  @Override
  public boolean isWritten() {
    return true;
  }

  @Override
  public long adoptedNumber(Member member) {
    return known.members().contains(member) ? known.number() : 0;
  }
}
