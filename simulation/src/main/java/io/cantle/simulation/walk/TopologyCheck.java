package io.cantle.simulation.walk;

import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.HashSet;

/**
 * A check of what must hold between a topology and the one before it, whatever has happened.
 *
 * <p><b>Threading:</b> immutable.
 */
record TopologyCheck(CacheLayout layout) {

  /** Checks a step. */
  void check(Topology before, Topology after) {
    WalkViolation.unless(after.number() == before.number() + 1, "the number rises by one");
    checkMembership(after);
    for (int segment = 0; segment < layout.segments(); segment++) {
      SegmentOwnership from = layout.ownership(before, segment);
      SegmentOwnership to = layout.ownership(after, segment);
      if (!from.equals(to)) {
        checkShape(segment, from, to, after);
      }
    }
  }

  private static void checkMembership(Topology after) {
    Membership membership = after.membership();
    WalkViolation.unless(!membership.voters().isEmpty(), "there is a voter");
    WalkViolation.unless(membership.voters().size() <= 7, "at most seven vote");
    WalkViolation.unless(
        membership.voters().stream().map(Member::nodeId).distinct().count()
            == membership.voters().size(),
        "no node votes twice");
    WalkViolation.unless(
        after.members().stream().map(Member::nodeId).distinct().count() == after.members().size(),
        "no node is a member in two lives");
    WalkViolation.unless(
        after.members().containsAll(membership.voters()), "every voter is a member");
  }

  private static void checkShape(
      int segment, SegmentOwnership from, SegmentOwnership to, Topology after) {
    String name = "segment " + segment + ", " + from + " -> " + to + ": ";
    WalkViolation.unless(
        to.epoch() == from.epoch() + 1
            || (to.epoch() == from.epoch() && to.owners().equals(from.owners())),
        name + "an epoch for each change of owners");
    WalkViolation.unless(
        to.birthEpoch() >= from.birthEpoch() && to.birthEpoch() <= to.epoch(),
        name + "it is born once");
    WalkViolation.unless(
        to.writers().size() == new HashSet<>(to.writers()).size(),
        name + "no member has two parts in it");
    WalkViolation.unless(after.members().containsAll(to.owners()), name + "owners are members");
    WalkViolation.unless(
        to.epoch() == from.epoch() || after.members().containsAll(to.retiring()),
        name + "a retiring owner is a member");
    for (Joiner joiner : to.joiners()) {
      int before =
          from.joiners().stream()
              .filter(one -> one.member().equals(joiner.member()))
              .mapToInt(Joiner::sinceEpoch)
              .findFirst()
              .orElse(to.epoch());
      WalkViolation.unless(joiner.sinceEpoch() == before, name + "a joiner goes on where it began");
    }
  }
}
