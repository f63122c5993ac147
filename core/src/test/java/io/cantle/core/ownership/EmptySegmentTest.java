package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Where nodes that are cut off continue, a segment without an owner begins empty and is never lost.
 */
final class EmptySegmentTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final ManualFacts facts = new ManualFacts();
  private final Topology three = three();
  private final SegmentOwnership held = three.ownership(0, 0);
  private final Member first = held.owners().get(0);
  private final Member second = held.owners().get(1);

  private Topology three() {
    facts.requestedCaches.add(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    Topology none =
        new Topology(
            1,
            GridDefinition.ofNewGrid(new UUID(1, 1), 3, 7, PartitionHandling.NEWER),
            TopologyFixture.membership(List.of(a, b, c), false),
            CacheCatalog.NONE);
    facts.adoptAll(none);
    return TopologyPlanner.plan(none, facts);
  }

  @Test
  void segmentBeginsEmptyWhenAllOwnersAreGone() {
    facts.crash(held.owners());
    SegmentOwnership empty = TopologyPlanner.plan(three, facts).ownership(0, 0);
    assertThat(empty.epoch()).isEqualTo(2);
    assertThat(empty.birthEpoch()).isEqualTo(2);
    assertThat(empty.owners()).isNotEmpty().doesNotContainAnyElementsOf(held.owners());
    assertThat(empty.lastOwners()).isEmpty();
  }

  @Test
  void ownerBackBeforeAnotherServedIsOwnerAgain() {
    facts.crash(first);
    Topology without = TopologyPlanner.plan(three, facts);
    assertThat(without.ownership(0, 0).lastOwners()).containsExactly(first);
    facts.crash(second);
    facts.join(first);
    SegmentOwnership back = TopologyPlanner.plan(without, facts).ownership(0, 0);
    assertThat(back.owners()).containsExactly(first);
    assertThat(back.birthEpoch()).isEqualTo(1);
  }

  @Test
  void ownerBackAfterTheSegmentBeganEmptyBringsNothing() {
    facts.crash(first);
    Topology without = TopologyPlanner.plan(three, facts);
    facts.crash(second);
    Topology empty = TopologyPlanner.plan(without, facts);
    assertThat(empty.ownership(0, 0).birthEpoch()).isEqualTo(empty.ownership(0, 0).epoch());
    facts.join(first);
    SegmentOwnership late = TopologyPlanner.plan(empty, facts).ownership(0, 0);
    assertThat(late.owners()).doesNotContain(first);
    assertThat(late.joiners()).allMatch(joiner -> joiner.sinceEpoch() == late.epoch());
  }

  @Test
  void memberBackFromAForkIsNoOwner() {
    facts.crash(first);
    Topology without = TopologyPlanner.plan(three, facts);
    facts.join(first);
    facts.membersWithoutCopies.add(first);
    Topology back = TopologyPlanner.plan(without, facts);
    assertThat(back.members()).contains(first);
    assertThat(back.ownership(0, 0).owners()).containsExactly(second);
    for (int segment = 0; segment < 6; segment++) {
      assertThat(back.ownership(0, segment).lastOwners()).doesNotContain(first);
    }
    facts.membersWithoutCopies.clear();
    SegmentOwnership later = TopologyPlanner.plan(back, facts).ownership(0, 0);
    assertThat(later.owners()).as("and does not become one").containsExactly(second);
  }

  @Test
  void segmentBeginsEmptyWhenItsOnlyReturningOwnerWasInAFork() {
    facts.crash(first);
    Topology without = TopologyPlanner.plan(three, facts);
    facts.crash(second);
    facts.join(first);
    facts.membersWithoutCopies.add(first);
    SegmentOwnership empty = TopologyPlanner.plan(without, facts).ownership(0, 0);
    assertThat(empty.birthEpoch()).isEqualTo(empty.epoch());
  }
}
