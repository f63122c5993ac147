package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Single steps from one topology to the next; {@link TopologyPlannerHistoryTest} takes many. */
@SuppressWarnings("ReferenceEquality") // An unchanged topology is the same object.
final class TopologyPlannerTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Member d = ManualNetwork.member("d");
  private final ManualFacts facts = new ManualFacts();

  @Test
  void newCacheHasOwnersAtOnce() {
    Topology topology = facts.founded(a, b, c);
    assertThat(topology.number()).isEqualTo(2);
    assertThat(topology.members()).containsExactly(a, b, c);
    assertThat(topology.cacheIndex("users")).isZero();
    assertThat(topology.cacheIndex("others")).isEqualTo(-1);
    assertThat(topology.caches().getFirst().segments())
        .hasSize(6)
        .allSatisfy(
            segment -> {
              assertThat(segment.epoch()).isEqualTo(1);
              assertThat(segment.owners()).hasSize(2).doesNotHaveDuplicates();
              assertThat(segment.isSteady()).isTrue();
              assertThat(segment.retiring()).isEmpty();
            });
  }

  @Test
  void unchangedFactsYieldTheSameTopology() {
    Topology topology = facts.founded(a, b, c);
    assertThat(TopologyPlanner.plan(topology, facts)).isSameAs(topology);
  }

  @Test
  void topologyNumbersAreConsecutive() {
    Topology topology = facts.founded(a);
    facts.join(b);
    Topology next = TopologyPlanner.plan(topology, facts);
    assertThat(next.number()).isEqualTo(topology.number() + 1);
    facts.join(c);
    assertThat(TopologyPlanner.plan(next, facts).number()).isEqualTo(topology.number() + 2);
  }

  @Test
  void newMemberVotesOnceItConfirmedItsAdmission() {
    Topology two = facts.founded(a, b);
    facts.join(c);
    facts.join(d);
    Topology four = TopologyPlanner.plan(two, facts);
    assertThat(four.members()).containsExactly(a, b, c, d);
    assertThat(four.membership().voters()).as("both may have died").containsExactly(a, b);
    facts.adoptedNumbers.put(c, four.number() - 1);
    assertThat(TopologyPlanner.plan(four, facts)).isSameAs(four);
    facts.adoptedNumbers.put(c, four.number());
    Topology shown = TopologyPlanner.plan(four, facts);
    assertThat(shown.membership().voters()).containsExactly(a, b, c);
    assertThat(shown.membership().votersSinceNumber()).isEqualTo(shown.number());
    facts.crash(d);
    assertThat(TopologyPlanner.plan(shown, facts).members()).containsExactly(a, b, c);
  }

  @Test
  void newMembersVoteIfAllVotersAreGone() {
    Topology topology = TopologyFixture.founded(a);
    facts.join(b);
    topology = TopologyPlanner.plan(topology, facts);
    facts.leavingMembers.add(a);
    topology = TopologyPlanner.plan(topology, facts);
    facts.adoptedNumbers.put(a, topology.number());
    topology = TopologyPlanner.plan(topology, facts);
    assertThat(topology.members()).containsExactly(b);
    assertThat(topology.membership().voters()).containsExactly(b);
  }

  @Test
  void joinerBecomesOwnerOnlyAfterReceivingInThisEpoch() {
    Topology alone = facts.founded(a);
    facts.join(b);
    Topology joining = TopologyPlanner.plan(alone, facts);
    SegmentOwnership segment = joining.ownership(0, 0);
    assertThat(segment.epoch()).isEqualTo(2);
    assertThat(segment.owners()).containsExactly(a);
    assertThat(segment.joiners()).containsExactly(new Joiner(b, 2));
    assertThat(segment.writers()).containsExactly(a, b);

    facts.receive(0, 0, 1, b);
    facts.receive(0, 0, 3, b);
    assertThat(TopologyPlanner.plan(joining, facts)).isSameAs(joining);

    facts.receive(0, 0, 2, b);
    SegmentOwnership owned = TopologyPlanner.plan(joining, facts).ownership(0, 0);
    assertThat(owned.epoch()).isEqualTo(3);
    assertThat(owned.owners()).containsExactlyInAnyOrder(a, b).isEqualTo(owned.targetOwners());
    assertThat(owned.joiners()).isEmpty();
  }

  @Test
  void segmentsMoveOneByOne() {
    Topology alone = facts.founded(a);
    facts.join(b);
    Topology joining = TopologyPlanner.plan(alone, facts);
    facts.receive(0, 4, 2, b);
    Topology next = TopologyPlanner.plan(joining, facts);
    for (int segment = 0; segment < 6; segment++) {
      assertThat(next.ownership(0, segment).epoch()).isEqualTo(segment == 4 ? 3 : 2);
    }
    assertThat(next.ownership(0, 3)).isSameAs(joining.ownership(0, 3));
  }

  @Test
  void replacedOwnersRetireUntilTheyAdoptTheTopology() {
    Topology three = facts.founded(a, b, c);
    facts.join(d);
    Topology joining = TopologyPlanner.plan(three, facts);
    int moving = movingSegment(joining);
    SegmentOwnership before = joining.ownership(0, moving);
    facts.receiveAll(joining);
    Topology moved = TopologyPlanner.plan(joining, facts);
    SegmentOwnership after = moved.ownership(0, moving);
    List<Member> gone = before.owners().stream().filter(m -> !after.owners().contains(m)).toList();
    assertThat(gone).isNotEmpty();
    assertThat(after.retiring()).containsExactlyElementsOf(gone);

    // The next change comes before these members have adopted, so they are still to be told.
    facts.crash(d);
    Topology crashed = TopologyPlanner.plan(moved, facts);
    assertThat(crashed.ownership(0, moving).retiring())
        .containsAll(
            gone.stream()
                .filter(m -> !crashed.ownership(0, moving).writers().contains(m))
                .toList());
  }

  @Test
  void retiringMembersAreDroppedOnceTheyAdopted() {
    SegmentOwnership retired =
        new SegmentOwnership(5, 1, List.of(a), List.of(a), List.of(), List.of(b, c), List.of());
    Topology topology = TopologyFixture.withSegment(retired, a, b, c);
    facts.join(d);
    facts.adoptedNumbers.put(b, topology.number());
    facts.adoptedNumbers.put(c, topology.number() - 1);
    SegmentOwnership next = TopologyPlanner.plan(topology, facts).ownership(0, 0);
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.retiring()).doesNotContain(b);
    if (!next.writers().contains(c)) {
      assertThat(next.retiring()).contains(c);
    }
  }

  @Test
  void retiringMemberThatIsGoneIsNotAwaited() {
    SegmentOwnership retired =
        new SegmentOwnership(5, 1, List.of(a), List.of(a), List.of(), List.of(b), List.of());
    Topology topology = TopologyFixture.withSegment(retired, a, b, c);
    facts.crash(b);
    assertThat(TopologyPlanner.plan(topology, facts).ownership(0, 0).retiring()).isEmpty();
  }

  @Test
  void backupReplacesCrashedPrimary() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership before = three.ownership(0, 0);
    facts.crash(before.primary());
    SegmentOwnership after = TopologyPlanner.plan(three, facts).ownership(0, 0);
    assertThat(after.epoch()).isEqualTo(2);
    assertThat(after.owners()).containsExactly(before.owners().get(1));
    assertThat(after.joiners()).hasSize(1);
    assertThat(after.retiring()).isEmpty();
  }

  @Test
  void joinerKeepsItsJoinEpochAcrossEpochs() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership first = three.ownership(0, 0);
    Member outsider =
        List.of(a, b, c).stream()
            .filter(m -> !first.owners().contains(m))
            .findFirst()
            .orElseThrow();
    SegmentOwnership joining =
        new SegmentOwnership(
            4,
            1,
            first.owners(),
            List.of(first.primary(), outsider),
            List.of(new Joiner(outsider, 3)),
            List.of(),
            List.of());
    Topology topology = TopologyFixture.withSegment(joining, a, b, c);
    facts.crash(first.owners().get(1));
    SegmentOwnership next = TopologyPlanner.plan(topology, facts).ownership(0, 0);
    assertThat(next.epoch()).isEqualTo(5);
    assertThat(next.joiners()).containsExactly(new Joiner(outsider, 3));
  }

  @Test
  void completeJoinerReplacesACrashedOwner() {
    Topology alone = facts.founded(a, b);
    facts.join(c);
    Topology joining = TopologyPlanner.plan(alone, facts);
    int moving = movingSegment(joining);
    SegmentOwnership before = joining.ownership(0, moving);
    facts.receiveAll(joining);
    facts.crash(before.primary());
    SegmentOwnership after = TopologyPlanner.plan(joining, facts).ownership(0, moving);
    assertThat(after.owners()).containsExactlyInAnyOrder(before.owners().get(1), c);
    assertThat(after.joiners()).isEmpty();
    assertThat(after.lastOwners()).containsExactly(before.primary());
  }

  @Test
  void suspendedRebalancingMovesNothingToNewMembers() {
    Topology three = facts.founded(a, b, c);
    facts.suspended = true;
    Topology suspended = TopologyPlanner.plan(three, facts);
    assertThat(suspended.gridDefinition().isRebalanceSuspended()).isTrue();
    assertThat(suspended.caches()).isEqualTo(three.caches());
    facts.join(d);
    Topology joined = TopologyPlanner.plan(suspended, facts);
    assertThat(joined.members()).contains(d);
    assertThat(joined.caches()).isEqualTo(three.caches());

    facts.suspended = false;
    Topology resumed = TopologyPlanner.plan(joined, facts);
    assertThat(resumed.gridDefinition().isRebalanceSuspended()).isFalse();
    assertThat(facts.settled(resumed).caches().getFirst().segments())
        .anyMatch(segment -> segment.owners().contains(d));
  }

  @Test
  void suspendedRebalancingStillMovesSegmentsOfLeavingMembers() {
    Topology four = facts.founded(a, b, c, d);
    facts.suspended = true;
    facts.leavingMembers.add(b);
    Topology leaving = TopologyPlanner.plan(four, facts);
    for (int segment = 0; segment < 6; segment++) {
      SegmentOwnership before = four.ownership(0, segment);
      SegmentOwnership after = leaving.ownership(0, segment);
      if (before.owners().contains(b)) {
        assertThat(after.targetOwners()).doesNotContain(b).hasSize(2);
        assertThat(after.joiners()).isNotEmpty();
      } else {
        assertThat(after).isSameAs(before);
      }
    }
    Topology done = facts.settled(leaving);
    assertThat(done.members()).doesNotContain(b);
    assertThat(done.gridDefinition().isRebalanceSuspended()).isTrue();
  }

  @Test
  void firstWriteIsRecordedForever() {
    Topology some = facts.founded(a, b);
    Topology two =
        new Topology(
            some.number(),
            some.gridDefinition().withWritten(false),
            some.membership(),
            some.caches());
    facts.written = true;
    Topology used = TopologyPlanner.plan(two, facts);
    assertThat(used.gridDefinition().isWritten()).isTrue();
    assertThat(used.caches()).isEqualTo(two.caches());
    facts.written = false;
    assertThat(TopologyPlanner.plan(used, facts)).isSameAs(used);
    facts.join(c);
    assertThat(TopologyPlanner.plan(used, facts).gridDefinition().isWritten()).isTrue();
  }

  @Test
  void readmittedMemberStartsEmpty() {
    Topology three = facts.founded(a, b, c);
    assertThat(three.membership().admissionNumber(b)).isEqualTo(1);
    facts.crash(b);
    Topology without = TopologyPlanner.plan(three, facts);
    assertThat(without.membership().admissionNumber(b)).isZero();
    facts.openAll(without);
    Topology served = TopologyPlanner.plan(without, facts);
    facts.join(b);
    Topology with = TopologyPlanner.plan(served, facts);
    assertThat(with.membership().admissionNumber(b)).isEqualTo(with.number());
    assertThat(with.membership().admissionNumber(a)).isEqualTo(1);
    assertThat(with.members()).as("the longest-standing first").containsExactly(a, c, b);
    for (SegmentOwnership segment : with.caches().getFirst().segments()) {
      assertThat(segment.owners()).doesNotContain(b);
    }
  }

  @Test
  void nobodyIsExcludedWhenAllAreSilent() {
    Topology two = facts.founded(a, b);
    facts.crash(List.of(a, b));
    assertThat(TopologyPlanner.plan(two, facts)).isSameAs(two);
  }

  @Test
  void leavingMemberIsReleasedOnceUnneededAndInformed() {
    Topology three = facts.founded(a, b, c);
    facts.leavingMembers.add(b);
    Topology now = TopologyPlanner.plan(three, facts);
    for (int i = 0; i < 5; i++) {
      facts.receiveAll(now);
      now.members().stream()
          .filter(member -> !member.equals(b))
          .forEach(member -> facts.adoptedNumbers.put(member, Long.MAX_VALUE));
      now = TopologyPlanner.plan(now, facts);
    }
    assertThat(now.needs(b)).isFalse();
    assertThat(now.members()).as("it may not know").contains(b);
    facts.adoptedNumbers.put(b, now.number() - 1);
    assertThat(TopologyPlanner.plan(now, facts)).isSameAs(now);
    facts.adoptedNumbers.put(b, now.number());
    assertThat(TopologyPlanner.plan(now, facts).members()).containsExactly(a, c);
  }

  @Test
  void leavingMemberIsReleasedOnceMostStayingVotersResponded() {
    Member e = ManualNetwork.member("e");
    facts.leavingMembers.add(e);
    Topology now = TopologyPlanner.plan(TopologyFixture.founded(a, b, c, d, e), facts);
    assertThat(now.needs(e)).isFalse();
    List.of(a, b, e).forEach(member -> facts.adoptedNumbers.put(member, now.number()));
    assertThat(TopologyPlanner.plan(now, facts)).as("c and d may be dead").isSameAs(now);
    facts.silentMembers.add(d);
    Topology without = TopologyPlanner.plan(now, facts);
    assertThat(without.members()).as("two of three are there").containsExactly(a, b, c);
    facts.silentMembers.clear();
    facts.adoptedNumbers.put(c, now.number());
    assertThat(TopologyPlanner.plan(now, facts).members()).containsExactly(a, b, c, d);
  }

  @Test
  void leavingMemberHandsOverFirst() {
    Topology three = facts.founded(a, b, c);
    facts.leavingMembers.add(b);
    Topology leaving = TopologyPlanner.plan(three, facts);
    assertThat(leaving.leaving()).containsExactly(b);
    assertThat(leaving.members()).contains(b);
    assertThat(leaving.needs(b)).isTrue();
    for (SegmentOwnership segment : leaving.caches().getFirst().segments()) {
      assertThat(segment.targetOwners()).doesNotContain(b);
    }
    Topology done = facts.settled(leaving);
    assertThat(done.needs(b)).isFalse();
    assertThat(done.needs(a)).isTrue();
    assertThat(done.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.owners()).containsExactlyInAnyOrder(a, c));
  }

  @Test
  void ownersStayEligibleWhenAllLeave() {
    Topology two = facts.founded(a, b);
    facts.leavingMembers.addAll(List.of(a, b));
    Topology next = TopologyPlanner.plan(two, facts);
    assertThat(next.leaving()).containsExactlyInAnyOrder(a, b);
    assertThat(next.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.owners()).hasSize(2));
  }

  @Test
  void silentMembersAreExcludedBeforeAllOthersLeave() {
    facts.leavingMembers.addAll(List.of(a, b, c));
    Topology leaving = TopologyPlanner.plan(TopologyFixture.founded(a, b, c, d), facts);
    List.of(a, b, c).forEach(member -> facts.adoptedNumbers.put(member, leaving.number()));
    assertThat(TopologyPlanner.plan(leaving, facts)).as("d may be there").isSameAs(leaving);
    facts.silentMembers.add(d);
    Topology among = TopologyPlanner.plan(leaving, facts);
    assertThat(among.members()).containsExactly(a, b, c);
    assertThat(among.leaving()).containsExactlyInAnyOrder(a, b, c);
  }

  /** Nothing is needed of a member without capacity, so it could be let go before the others. */
  @Test
  void noMemberIsReleasedOnceAllLeave() {
    facts.capacities.put(c, MemberCapacity.of(0, ""));
    Topology two = facts.founded(a, b);
    facts.join(c);
    Topology three = facts.settled(two);
    facts.joiningMembers.clear();
    facts.leavingMembers.addAll(List.of(a, b, c));
    Topology leaving = facts.settled(three);
    assertThat(leaving.leaving()).containsExactlyInAnyOrder(a, b, c);
    assertThat(leaving.needs(c)).isFalse();
    assertThat(leaving.needs(a)).isTrue();
    assertThat(leaving.members()).containsExactly(a, b, c);
  }

  @Test
  void excludedMemberIsNotLeaving() {
    Topology two = facts.founded(a, b);
    facts.leavingMembers.add(b);
    facts.crash(b);
    Topology next = TopologyPlanner.plan(two, facts);
    assertThat(next.leaving()).isEmpty();
    assertThat(next.members()).containsExactly(a);
  }

  @Test
  void replicatedCacheIsOwnedByAllMembers() {
    facts.requestedCaches.add(new CacheDefinition("flags", CacheConfig.replicated().segments(4)));
    Topology topology = facts.founded(a, b);
    facts.join(c);
    facts.join(d);
    Topology done = facts.settled(TopologyPlanner.plan(topology, facts));
    assertThat(done.caches().get(done.cacheIndex("flags")).segments())
        .allSatisfy(segment -> assertThat(segment.owners()).containsExactlyInAnyOrder(a, b, c, d));
  }

  /**
   * A founder has died before the cache is opened. If it owned a part of the cache, a write to
   * another part would make that one lost.
   */
  @Test
  void cacheIsFoundedOnceItsOwnersConfirmed() {
    facts.requestedCaches.add(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    Topology first = TopologyFixture.founded(a, b, c);
    facts.adoptedNumbers.put(a, first.number());
    assertThat(TopologyPlanner.plan(first, facts).caches()).isEmpty();
    facts.adoptedNumbers.put(b, first.number());
    facts.crash(c);
    Topology next = TopologyPlanner.plan(first, facts);
    assertThat(next.members()).containsExactly(a, b);
    assertThat(next.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.owners()).containsExactlyInAnyOrder(a, b));
  }

  @Test
  void cacheIsFoundedOnceAndKeepsItsIndex() {
    Topology topology = facts.founded(a);
    facts.requestedCaches.add(new CacheDefinition("users", CacheConfig.replicated()));
    assertThat(TopologyPlanner.plan(topology, facts)).isSameAs(topology);
    facts.requestedCaches.add(new CacheDefinition("orders", CacheConfig.distributed().segments(1)));
    facts.requestedCaches.add(new CacheDefinition("orders", CacheConfig.distributed().segments(2)));
    Topology next = TopologyPlanner.plan(topology, facts);
    assertThat(next.caches()).hasSize(2);
    assertThat(next.cacheIndex("users")).isZero();
    assertThat(next.caches().get(1).segments()).hasSize(1);
  }

  @Test
  void newMemberMovesOnlyItsShare() {
    Topology three = facts.founded(a, b, c);
    facts.join(d);
    Topology joining = TopologyPlanner.plan(three, facts);
    Topology done = facts.settled(joining);
    int moved = 0;
    for (int segment = 0; segment < 6; segment++) {
      List<Member> before = three.ownership(0, segment).owners();
      List<Member> after = done.ownership(0, segment).owners();
      assertThat(after).allMatch(owner -> owner.equals(d) || before.contains(owner));
      moved += after.contains(d) ? 1 : 0;
    }
    assertThat(moved).isEqualTo(3);
  }

  private static int movingSegment(Topology topology) {
    for (int segment = 0; segment < 6; segment++) {
      if (!topology.ownership(0, segment).joiners().isEmpty()) {
        return segment;
      }
    }
    throw new AssertionError("nothing moves: " + topology);
  }
}
