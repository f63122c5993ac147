package io.cantle.simulation.walk;

import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;

/**
 * The text form of topologies in the story of a walk.
 *
 * <p><b>Threading:</b> immutable.
 */
record TopologyText(CacheLayout layout) {

  /** Returns the text of a step, with what the leader was told. */
  String change(Topology before, Topology after, WalkGrid grid) {
    StringBuilder text = new StringBuilder();
    text.append("silent ").append(grid.silent).append(", asking ").append(grid.joining);
    text.append("; topology ").append(after.number()).append(": ").append(after.members());
    text.append(", voters ").append(after.membership().voters());
    for (int segment = 0; segment < layout.segments(); segment++) {
      SegmentOwnership from = layout.ownership(before, segment);
      SegmentOwnership to = layout.ownership(after, segment);
      if (!from.equals(to)) {
        text.append("\n    segment ").append(segment).append(": ").append(text(to));
      }
    }
    return text.toString();
  }

  /** Returns the text of all segments of a topology. */
  String all(Topology topology) {
    StringBuilder text = new StringBuilder("topology " + topology.number());
    for (int segment = 0; segment < layout.segments(); segment++) {
      text.append("\n    segment ").append(segment).append(": ");
      text.append(text(layout.ownership(topology, segment)));
    }
    return text.toString();
  }

  private static String text(SegmentOwnership to) {
    return "epoch "
        + to.epoch()
        + (to.birthEpoch() == to.epoch() ? " (begins empty)" : "")
        + (to.isLost() ? " is LOST" : " owners " + to.owners())
        + " target "
        + to.targetOwners()
        + " joiners "
        + to.joiners().stream().map(one -> one.member() + "@" + one.sinceEpoch()).toList()
        + " retiring "
        + to.retiring()
        + " last "
        + to.lastOwners();
  }
}
