package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.ManualFacts;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.partition.ForkPlanner;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The capacities and racks of members: how they become known, and what they change. */
final class MemberCapacityTest {
  private static final MemberCapacity NONE = MemberCapacity.of(0, "");
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(6));

  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Member d = ManualNetwork.member("d");
  private final ManualFacts facts = new ManualFacts();

  private Topology founded(Map<Member, MemberCapacity> capacities, Member... members) {
    facts.requestedCaches.add(USERS);
    Topology first = TopologyFixture.with(TopologyFixture.founded(members), capacities);
    facts.adoptAll(first);
    return TopologyPlanner.plan(first, facts);
  }

  private static Set<Member> owners(Topology topology) {
    Set<Member> owners = new HashSet<>();
    topology.caches().getFirst().segments().forEach(segment -> owners.addAll(segment.owners()));
    return owners;
  }

  private static List<SegmentOwnership> segments(Topology topology) {
    return topology.caches().getFirst().segments();
  }

  @Test
  void memberWithoutCapacityOwnsNothingButVotes() {
    Topology three = founded(Map.of(b, NONE), a, b, c);
    assertThat(owners(three)).containsExactlyInAnyOrder(a, c);
    assertThat(three.membership().voters()).contains(b);
    facts.capacities.put(d, NONE);
    facts.join(d);
    Topology four = facts.settled(three);
    assertThat(four.members()).contains(d);
    assertThat(four.membership().voters()).contains(d);
    assertThat(four.membership().capacityOf(d)).isEqualTo(NONE);
    assertThat(segments(four)).isEqualTo(segments(three));
  }

  @Test
  void capacityIsFixedUntilReadmission() {
    facts.capacities.put(d, MemberCapacity.of(2, "x"));
    facts.join(d);
    Topology four = facts.settled(founded(Map.of(), a, b, c));
    facts.capacities.put(d, NONE);
    assertThat(facts.settled(four).membership().capacityOf(d)).isEqualTo(MemberCapacity.of(2, "x"));
    facts.crash(d);
    Topology three = facts.settled(four);
    assertThat(three.members()).doesNotContain(d);
    facts.join(d);
    assertThat(facts.settled(three).membership().capacityOf(d)).isEqualTo(NONE);
  }

  @Test
  void replicasOfASegmentGoToDifferentRacks() {
    MemberCapacity left = MemberCapacity.of(1, "left");
    MemberCapacity right = MemberCapacity.of(1, "right");
    facts.capacities.put(d, right);
    Topology three = founded(Map.of(a, left, b, left, c, right), a, b, c);
    facts.join(d);
    Topology four = facts.settled(three);
    assertThat(segments(four))
        .allSatisfy(
            segment ->
                assertThat(
                        segment.owners().stream().map(o -> four.membership().capacityOf(o).rack()))
                    .containsExactlyInAnyOrder("left", "right"));
    facts.crash(List.of(a, b));
    assertThat(segments(facts.settled(four))).noneMatch(SegmentOwnership::isUnowned);
  }

  @Test
  void segmentsAreVacantUntilAMemberHasCapacity() {
    Topology none = founded(Map.of(a, NONE, b, NONE), a, b);
    assertThat(segments(none))
        .hasSize(6)
        .allMatch(SegmentOwnership::isVacant)
        .noneMatch(SegmentOwnership::isLost);
    assertThat(facts.settled(none)).isEqualTo(none);
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> none.requireOwned(0, 1, "?"))
        .withMessageContainingAll("segment 1", "users", "GridConfig.capacity");
    facts.suspended = true;
    facts.join(c);
    Topology three = facts.settled(none);
    assertThat(segments(three)).allMatch(segment -> segment.owners().equals(List.of(c)));
    assertThat(three.requireOwned(0, 1, "?").epoch()).isEqualTo(2);
  }

  @Test
  void segmentsAreLostWithAllCapacityAndReturnWithIt() {
    Topology three = founded(Map.of(b, NONE, c, NONE), a, b, c);
    facts.crash(a);
    Topology lost = facts.settled(three);
    assertThat(segments(lost))
        .allMatch(SegmentOwnership::isLost)
        .noneMatch(SegmentOwnership::isVacant);
    assertThatExceptionOfType(SegmentLostException.class)
        .isThrownBy(() -> lost.requireOwned(0, 1, "?"));
    facts.join(a);
    assertThat(owners(facts.settled(lost))).containsExactly(a);
  }

  @Test
  void acceptedLossWithoutCapacityIsVacant() {
    Topology three = founded(Map.of(b, NONE, c, NONE), a, b, c);
    facts.crash(a);
    Topology lost = facts.settled(three);
    facts.acceptedLosses.add(0);
    Topology given = facts.settled(lost);
    assertThat(segments(given)).allMatch(SegmentOwnership::isVacant);
    facts.acceptedLosses.clear();
    facts.join(d);
    assertThat(owners(facts.settled(given))).containsExactly(d);
  }

  @Test
  void unwrittenSegmentsAreVacantWithoutCapacity() {
    Topology used = founded(Map.of(b, NONE, c, NONE), a, b, c);
    Topology unused = TopologyFixture.unwritten(used);
    facts.crash(a);
    assertThat(segments(facts.settled(unused))).allMatch(SegmentOwnership::isVacant);
  }

  @Test
  void lastMemberWithCapacityKeepsItsSegmentsWhileLeaving() {
    Topology three = founded(Map.of(b, NONE, c, NONE), a, b, c);
    facts.leavingMembers.add(a);
    Topology waiting = facts.settled(three);
    assertThat(waiting.members()).contains(a);
    assertThat(owners(waiting)).containsExactly(a);
    facts.join(d);
    Topology done = facts.settled(waiting);
    assertThat(done.members()).doesNotContain(a);
    assertThat(owners(done)).containsExactly(d);
  }

  @Test
  void suspendedRebalancingMovesNothingToMembersWithoutCapacity() {
    Topology three = founded(Map.of(c, NONE), a, b, c);
    facts.suspended = true;
    facts.capacities.put(d, MemberCapacity.of(3, "far"));
    facts.join(d);
    Topology four = facts.settled(three);
    assertThat(segments(four)).isEqualTo(segments(three));
    facts.suspended = false;
    Topology resumed = facts.settled(four);
    assertThat(owners(resumed)).containsExactlyInAnyOrder(a, b, d);
    assertThat(segments(resumed)).allMatch(segment -> segment.owners().contains(d));
  }

  @Test
  void forkKeepsTheCapacitiesOfItsMembers() {
    MemberCapacity large = MemberCapacity.of(4, "x");
    Topology three = founded(Map.of(a, large, b, NONE), a, b, c);
    Topology fork = ForkPlanner.firstTopology(three, List.of(a, b), new UUID(7, 7));
    assertThat(fork.membership().capacities()).containsExactly(large, NONE);
    assertThat(owners(fork)).containsExactly(a);
    Topology empty = ForkPlanner.firstTopology(three, List.of(b), new UUID(7, 8));
    assertThat(segments(empty)).allMatch(SegmentOwnership::isUnowned);
  }

  @Test
  void foundersAndNewcomersReportTheirCapacity() {
    DriverGrid grid = new DriverGrid();
    DriverGrid.Node first = grid.start("a", MemberCapacity.of(0.5, "x"));
    DriverGrid.Node second = grid.start("b", NONE);
    grid.view(first, second);
    grid.settle();
    assertThat(second.current().membership().capacityOf(first.self))
        .isEqualTo(MemberCapacity.of(0.5, "x"));
    assertThat(first.current().membership().capacityOf(second.self)).isEqualTo(NONE);
    DriverGrid.Node third = grid.start("c", MemberCapacity.of(7, "y"));
    grid.view(first, second, third);
    grid.settle();
    assertThat(first.current().membership().capacityOf(third.self))
        .isEqualTo(MemberCapacity.of(7, "y"));
    assertThat(first.current()).isEqualTo(third.current());
  }
}
