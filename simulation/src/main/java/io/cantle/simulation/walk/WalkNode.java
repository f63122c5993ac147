package io.cantle.simulation.walk;

import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a node.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class WalkNode {
  final Member member;
  final MemberCapacity memberCapacity;
  final SegmentCopy[] copies;
  final List<OrphanedWrites> orphans = new ArrayList<>();
  boolean alive = true;
  boolean leaving;

  /** Whether a later incarnation has its disk. */
  boolean followed;

  /** The group of nodes it can reach: all those of the same number. */
  int group;

  /** The grid it is in, or null if it is in none and asks to be admitted as a stranger. */
  @Nullable WalkGrid grid;

  /** The number of the topology it acts on. */
  long adopted;

  /** The last topology it knew of each grid it has left. */
  final Map<UUID, Long> left = new HashMap<>();

  WalkNode(Member member, MemberCapacity memberCapacity, int segments) {
    this.member = member;
    this.memberCapacity = memberCapacity;
    this.copies = new SegmentCopy[segments];
    for (int segment = 0; segment < segments; segment++) {
      copies[segment] = new SegmentCopy();
    }
  }

  /** Returns the topology it acts on. */
  Topology topology() {
    WalkGrid its = grid;
    if (its == null) {
      throw new IllegalStateException(member + " has no topology");
    }
    return its.at(adopted);
  }

  /** Returns whether it is a member as far as it knows. */
  boolean isMember() {
    return grid != null && topology().members().contains(member);
  }

  /**
   * Returns whether a topology has admitted it, in case it had left that grid before. A node that
   * asked as an excluded member, and left before it was heard, does not count as admitted for its
   * copies.
   */
  boolean isAdmitted(Topology topology) {
    long admission = topology.membership().admissionNumber(member);
    Long before = left.get(topology.gridId());
    return admission > (before == null ? 0 : before)
        && (before == null || !countsOnCopies(topology, admission));
  }

  private boolean countsOnCopies(Topology topology, long admission) {
    return topology.caches().stream()
        .flatMap(cache -> cache.segments().stream())
        .filter(segment -> segment.owners().contains(member))
        .anyMatch(
            segment -> admission != topology.number() || segment.epoch() != segment.birthEpoch());
  }

  /** Returns whether it can reach another node of the same grid. */
  boolean reaches(WalkNode other) {
    return alive && other.alive && group == other.group && grid == other.grid;
  }

  @Override
  public String toString() {
    return member.name();
  }
}
