package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Segments whose owners are all gone: which members may bring them back, and what giving them up
 * means.
 */
final class SegmentLossTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Member d = ManualNetwork.member("d");
  private final ManualFacts facts = new ManualFacts();

  @Test
  void segmentIsLostWhenAllOwnersCrash() {
    Topology three = facts.founded(a, b, c);
    Topology next = crashOwners(three);
    SegmentOwnership lost = next.ownership(0, 0);
    assertThat(lost.isLost()).isTrue();
    assertThat(lost.epoch()).isEqualTo(2);
    facts.join(d);
    assertThat(TopologyPlanner.plan(next, facts).ownership(0, 0)).isSameAs(lost);
  }

  @Test
  void unwrittenSegmentBeginsEmptyInsteadOfBeingLost() {
    Topology used = facts.founded(a, b, c);
    Topology unused =
        new Topology(
            used.number(),
            used.gridDefinition().withWritten(false),
            used.membership(),
            used.caches());
    SegmentOwnership before = unused.ownership(0, 0);
    facts.crash(before.owners());
    SegmentOwnership next = TopologyPlanner.plan(unused, facts).ownership(0, 0);
    assertThat(next.isLost()).isFalse();
    assertThat(next.epoch()).isEqualTo(before.epoch() + 1);
    assertThat(next.owners()).isNotEmpty().doesNotContainAnyElementsOf(before.owners());
  }

  @Test
  void lostSegmentReturnsWithAnyLastOwner() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership held = three.ownership(0, 0);
    Topology lost = crashOwners(three);
    assertThat(lost.ownership(0, 0).lastOwners()).isEqualTo(held.owners());
    assertThat(lost.ownership(0, 0).birthEpoch()).isEqualTo(1);

    Member second = held.owners().get(1);
    facts.join(second);
    Topology back = TopologyPlanner.plan(lost, facts);
    SegmentOwnership found = back.ownership(0, 0);
    assertThat(found.epoch()).isEqualTo(3);
    assertThat(found.birthEpoch()).as("what it holds is good").isEqualTo(1);
    assertThat(found.owners()).containsExactly(second);
    assertThat(found.lastOwners()).as("who holds it too").containsExactly(held.primary());
    assertThat(found.joiners()).hasSize(1).allMatch(joiner -> joiner.sinceEpoch() == 3);
    assertThat(facts.settled(back).ownership(0, 0).owners()).hasSize(2).contains(second);
  }

  @Test
  void lostSegmentRemembersLastOwnersAcrossFurtherCrashes() {
    Topology four = facts.founded(a, b, c, d);
    SegmentOwnership held = four.ownership(0, 0);
    List<Member> others = four.members().stream().filter(m -> !held.owners().contains(m)).toList();
    Topology lost = crashOwners(four);
    facts.crash(others.getFirst());
    Topology fewer = TopologyPlanner.plan(lost, facts);
    assertThat(fewer.ownership(0, 0)).isSameAs(lost.ownership(0, 0));
    facts.join(others.getFirst());
    Topology again = TopologyPlanner.plan(fewer, facts);
    assertThat(again.ownership(0, 0)).isSameAs(lost.ownership(0, 0));

    facts.join(held.primary());
    SegmentOwnership found = TopologyPlanner.plan(again, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(held.primary());
    assertThat(found.birthEpoch()).isEqualTo(1);
  }

  @Test
  void bothLastOwnersOwnTheSegmentWhenTheyReturn() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership held = three.ownership(0, 0);
    Topology lost = crashOwners(three);
    held.owners().forEach(facts::join);
    assertThat(TopologyPlanner.plan(lost, facts).ownership(0, 0).owners()).isEqualTo(held.owners());
  }

  @Test
  void earlierExcludedOwnerDoesNotRestoreAnOutdatedSegment() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership held = three.ownership(0, 0);
    Member first = held.owners().get(0);
    Member second = held.owners().get(1);
    facts.crash(first);
    Topology alone = TopologyPlanner.plan(three, facts);
    facts.openAll(alone);
    Topology served = TopologyPlanner.plan(alone, facts);
    assertThat(served.ownership(0, 0)).isEqualTo(alone.ownership(0, 0).asConfirmed());
    facts.crash(second);
    Topology lost = TopologyPlanner.plan(served, facts);
    assertThat(lost.ownership(0, 0).lastOwners())
        .as("who held it to the end")
        .containsExactly(second);
    facts.join(first);
    assertThat(TopologyPlanner.plan(lost, facts).ownership(0, 0)).isSameAs(lost.ownership(0, 0));
  }

  @Test
  void excludedOwnerRestoresASegmentNobodyServedSince() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership held = three.ownership(0, 0);
    Member first = held.owners().get(0);
    Member second = held.owners().get(1);
    facts.crash(first);
    Topology alone = TopologyPlanner.plan(three, facts);
    assertThat(alone.ownership(0, 0).owners()).containsExactly(second);
    assertThat(alone.ownership(0, 0).lastOwners()).containsExactly(first);
    facts.crash(second);
    Topology lost = TopologyPlanner.plan(alone, facts);
    assertThat(lost.ownership(0, 0).lastOwners()).containsExactlyInAnyOrder(first, second);
    facts.join(first);
    SegmentOwnership found = TopologyPlanner.plan(lost, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(first);
    assertThat(found.birthEpoch()).isEqualTo(1);
  }

  @Test
  void excludedOwnerIsOwnerAgainIfNobodyServedSince() {
    Topology three = facts.founded(a, b, c);
    SegmentOwnership held = three.ownership(0, 0);
    facts.crash(held.primary());
    Topology without = TopologyPlanner.plan(three, facts);
    facts.join(held.primary());
    SegmentOwnership again = TopologyPlanner.plan(without, facts).ownership(0, 0);
    assertThat(again.owners()).containsExactlyInAnyOrderElementsOf(held.owners());
    assertThat(again.joiners()).isEmpty();
    assertThat(again.isUnconfirmed()).isFalse();
  }

  @Test
  void retiringMembersAreToldWhenALostSegmentReturns() {
    // c handed over to a and does not know it yet; a is excluded and returns before c has heard.
    SegmentOwnership handedOver =
        new SegmentOwnership(5, 1, List.of(a), List.of(a), List.of(), List.of(c), List.of());
    Topology topology = TopologyFixture.withSegment(handedOver, a, b, c);
    facts.adoptedNumbers.put(c, topology.number() - 1);
    facts.crash(a);
    Topology lost = TopologyPlanner.plan(topology, facts);
    assertThat(lost.ownership(0, 0).isLost()).isTrue();
    facts.join(a);
    SegmentOwnership found = TopologyPlanner.plan(lost, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(a);
    List<Member> told = new ArrayList<>(found.writers());
    told.addAll(found.retiring());
    assertThat(told).contains(c);
  }

  @Test
  void acceptedLossEmptiesOnlyLostSegments() {
    Topology four = facts.founded(a, b, c, d);
    SegmentOwnership held = four.ownership(0, 0);
    facts.crash(held.owners());
    Topology lost = facts.settled(four);
    assertThat(lost.ownership(0, 0).isLost()).isTrue();
    facts.acceptedLosses.add(0);
    Topology empty = TopologyPlanner.plan(lost, facts);
    facts.acceptedLosses.clear();
    for (int segment = 0; segment < 6; segment++) {
      SegmentOwnership before = lost.ownership(0, segment);
      SegmentOwnership after = empty.ownership(0, segment);
      if (before.isLost()) {
        assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(after.birthEpoch())
            .as("whatever was held is worthless")
            .isEqualTo(after.epoch());
        assertThat(after.owners()).hasSize(2).doesNotContainAnyElementsOf(held.owners());
        assertThat(after.lastOwners()).isEmpty();
      } else {
        assertThat(after.birthEpoch()).isEqualTo(1);
      }
    }
    // The former holder returns too late.
    facts.join(held.primary());
    Topology late = facts.settled(TopologyPlanner.plan(empty, facts));
    assertThat(late.ownership(0, 0).birthEpoch()).isEqualTo(empty.ownership(0, 0).epoch());
  }

  @Test
  void acceptedLossConcernsOneCache() {
    Topology four = facts.founded(a, b, c, d);
    facts.requestedCaches.add(new CacheDefinition("orders", CacheConfig.distributed().segments(6)));
    four = TopologyPlanner.plan(four, facts);
    Topology lost = crashOwners(four);
    facts.acceptedLosses.add(1);
    assertThat(TopologyPlanner.plan(lost, facts).ownership(0, 0).isLost()).isTrue();
  }

  @Test
  void completeJoinerSavesASegmentWhoseOwnersCrash() {
    Topology joining = joiningTopology();
    facts.receiveAll(joining);
    facts.crash(a);
    SegmentOwnership saved = TopologyPlanner.plan(joining, facts).ownership(0, 0);
    assertThat(saved.owners()).containsExactly(b);
    assertThat(saved.birthEpoch()).isEqualTo(1);
    assertThat(saved.lastOwners()).containsExactly(a);
  }

  @Test
  void incompleteJoinerDoesNotRestoreALostSegment() {
    Topology joining = joiningTopology();
    facts.crash(a);
    SegmentOwnership lost = TopologyPlanner.plan(joining, facts).ownership(0, 0);
    assertThat(lost.isLost()).isTrue();
    assertThat(lost.lastOwners()).containsExactly(a);
  }

  @Test
  void completeJoinerRestoresALostSegment() {
    Topology joining = joiningTopology();
    facts.crash(a);
    Topology lost = TopologyPlanner.plan(joining, facts);
    assertThat(lost.ownership(0, 0).joiners()).isEqualTo(joining.ownership(0, 0).joiners());
    facts.receiveAll(lost);
    SegmentOwnership found = TopologyPlanner.plan(lost, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(b);
    assertThat(found.targetOwners()).containsExactly(b);
    assertThat(found.birthEpoch()).isEqualTo(1);
  }

  /**
   * The node of the only owner is back without its replica. A joiner that has not reported may hold
   * one.
   */
  @Test
  void segmentDoesNotBeginEmptyWhileAJoinerMayHoldIt() {
    Topology joining = joiningTopology();
    facts.crash(a);
    Member back = restarted(a);
    facts.join(back);
    Topology lost = TopologyPlanner.plan(joining, facts);
    assertThat(lost.members()).contains(back);
    assertThat(lost.ownership(0, 0).isLost()).isTrue();
    assertThat(facts.settled(lost).ownership(0, 0).birthEpoch()).isEqualTo(1);
  }

  @Test
  void segmentBeginsEmptyOnceAllJoinersAreIncomplete() {
    Topology joining = joiningTopology();
    facts.crash(a);
    Member back = restarted(a);
    facts.join(back);
    Topology lost = TopologyPlanner.plan(joining, facts);
    facts.droppedReplicas.add(b);
    SegmentOwnership empty = TopologyPlanner.plan(lost, facts).ownership(0, 0);
    assertThat(empty.birthEpoch()).isEqualTo(empty.epoch());
    assertThat(empty.owners()).containsExactlyInAnyOrder(b, back);
  }

  @Test
  void aLostSegmentWaitsForAJoinerThatWentAwayBeforeItAnswered() {
    Topology joining = joiningTopology();
    facts.crash(a);
    facts.join(restarted(a));
    Topology lost = TopologyPlanner.plan(joining, facts);
    facts.crash(b);
    facts.join(c);
    Topology away = TopologyPlanner.plan(lost, facts);
    assertThat(away.members()).doesNotContain(b);
    assertThat(away.ownership(0, 0).isLost()).isTrue();
    facts.join(b);
    assertThat(facts.settled(TopologyPlanner.plan(away, facts)).ownership(0, 0).birthEpoch())
        .isEqualTo(1);
  }

  @Test
  void aSegmentDoesNotBeginEmptyWhenItsJoinerIsExcludedTogetherWithItsOwner() {
    Topology joining = joiningTopology();
    facts.crash(a);
    facts.crash(b);
    facts.join(restarted(a));
    Topology lost = TopologyPlanner.plan(joining, facts);
    assertThat(lost.members()).doesNotContain(a, b);
    assertThat(lost.ownership(0, 0).isLost()).isTrue();
    facts.join(b);
    SegmentOwnership found = facts.settled(TopologyPlanner.plan(lost, facts)).ownership(0, 0);
    assertThat(found.owners()).contains(b);
    assertThat(found.birthEpoch()).isEqualTo(1);
  }

  /** No eligible member comes or goes, so there is no other reason for a new assignment. */
  @Test
  void aSegmentBeginsEmptyWhenItsLastOwnerIsBackWithoutCopyAndCapacity() {
    Topology alone = facts.founded(a);
    facts.capacities.put(b, new MemberCapacity(0, ""));
    facts.join(b);
    Topology two = facts.settled(alone);
    facts.crash(a);
    facts.join(c);
    Topology lost = TopologyPlanner.plan(two, facts);
    assertThat(lost.ownership(0, 0).isLost()).isTrue();
    facts.joiningMembers.clear();
    Member back = restarted(a);
    facts.capacities.put(back, new MemberCapacity(0, ""));
    facts.join(back);
    SegmentOwnership empty = TopologyPlanner.plan(lost, facts).ownership(0, 0);
    assertThat(empty.owners()).containsExactly(c);
    assertThat(empty.birthEpoch()).isEqualTo(empty.epoch());
  }

  /** Returns the next topology after all owners of the first segment have crashed. */
  private Topology crashOwners(Topology topology) {
    facts.crash(topology.ownership(0, 0).owners());
    return TopologyPlanner.plan(topology, facts);
  }

  private static Member restarted(Member member) {
    return new Member(new UUID(7, 7), member.nodeId(), member.name());
  }

  /** Returns a grid in which a is the only owner of the cache and b is joining. */
  private Topology joiningTopology() {
    Topology alone = facts.founded(a);
    facts.join(b);
    return TopologyPlanner.plan(alone, facts);
  }
}
