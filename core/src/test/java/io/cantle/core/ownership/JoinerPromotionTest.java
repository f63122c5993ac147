package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.SegmentOwnership.Joiner;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A joiner becomes an owner once it has received everything, whatever other joiners do. */
final class JoinerPromotionTest {
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final Member d = ManualNetwork.member("d");
  private final Member e = ManualNetwork.member("e");
  private final ManualFacts facts = new ManualFacts();

  private Topology written(int owners, int segments, Member... members) {
    facts.written = true;
    facts.requestedCaches.add(
        new CacheDefinition("users", CacheConfig.distributed().owners(owners).segments(segments)));
    return facts.settled(TopologyFixture.founded(members));
  }

  private static List<SegmentOwnership> segments(Topology topology) {
    return topology.caches().getFirst().segments();
  }

  /**
   * Returns the next topology after all members but one have received what they join, and all
   * epochs that are to be confirmed are.
   */
  private Topology nextWithout(Topology from, Member unfinished) {
    for (int segment = 0; segment < segments(from).size(); segment++) {
      SegmentOwnership ownership = from.ownership(0, segment);
      for (Joiner joiner : ownership.joiners()) {
        if (!joiner.member().equals(unfinished)) {
          facts.receive(0, segment, ownership.epoch(), joiner.member());
        }
      }
    }
    facts.openAll(from);
    facts.adoptAll(from);
    return TopologyPlanner.plan(from, facts);
  }

  @Test
  void repeatedlyCrashingJoinerDoesNotBlockOthers() {
    Topology now = written(3, 64, a, b, c);
    facts.crash(List.of(b, c));
    facts.join(d);
    now = TopologyPlanner.plan(now, facts);
    for (int round = 0; round < 100; round++) {
      Member looping = ManualNetwork.member("x" + round);
      facts.join(looping);
      now = nextWithout(TopologyPlanner.plan(now, facts), looping);
      facts.joiningMembers.clear();
      facts.crash(looping);
    }
    assertThat(segments(now)).allMatch(segment -> segment.owners().containsAll(List.of(a, d)));
    facts.crash(a);
    assertThat(segments(TopologyPlanner.plan(now, facts)))
        .noneMatch(SegmentOwnership::isLost)
        .allMatch(segment -> segment.owners().contains(d));
  }

  /**
   * Its node is admitted in another incarnation before the former one, which is dead, is excluded.
   */
  @Test
  void onlyCompleteReplicaStaysWhenItsNodeRestarts() {
    SegmentOwnership joining =
        new SegmentOwnership(
            11, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 9)), List.of(), List.of());
    Topology now = available(TopologyFixture.withSegment(joining, a, b));
    Member back = ManualNetwork.member("a, back");
    facts.written = true;
    facts.receive(0, 0, 10, b);
    facts.join(back);
    now = TopologyPlanner.plan(now, facts);
    facts.crash(a);
    now = TopologyPlanner.plan(now, facts);
    assertThat(now.ownership(0, 0).birthEpoch()).as("nothing is dropped").isEqualTo(1);
    assertThat(now.ownership(0, 0).owners()).containsExactly(b);
    assertThat(now.ownership(0, 0).joiners()).extracting(Joiner::member).containsExactly(back);
  }

  @Test
  void ownerStaysUntilAllSuccessorsAreInSync() {
    SegmentOwnership before = TopologyFixture.owned(4, a, b);
    Topology now = TopologyFixture.withSegment(before, a, b);
    facts.leavingMembers.addAll(List.of(a, b));
    facts.join(c);
    facts.join(d);
    now = TopologyPlanner.plan(now, facts);
    SegmentOwnership joining = now.ownership(0, 0);
    assertThat(joining.owners()).containsExactly(a, b);
    assertThat(joining.targetOwners()).containsExactlyInAnyOrder(c, d);

    Member first = joining.targetOwners().getFirst();
    facts.receive(0, 0, joining.epoch(), first);
    now = TopologyPlanner.plan(now, facts);
    SegmentOwnership one = now.ownership(0, 0);
    assertThat(one.owners()).as("two, of whom one leaves").hasSize(2).contains(first);
    assertThat(one.joiners()).hasSize(1).allMatch(joiner -> joiner.sinceEpoch() == joining.epoch());

    facts.receive(0, 0, one.epoch(), one.joiners().getFirst().member());
    assertThat(TopologyPlanner.plan(now, facts).ownership(0, 0).owners())
        .isEqualTo(joining.targetOwners());
  }

  @Test
  void replacedMemberKeepsItsReplicaUntilSuccessorsAreInSync() {
    List<Joiner> joiners = List.of(new Joiner(c, 5), new Joiner(d, 5));
    SegmentOwnership joining =
        new SegmentOwnership(5, 1, List.of(a, b), List.of(c, d), joiners, List.of(), List.of());
    Topology now = TopologyFixture.withSegment(joining, a, b, c, d);
    facts.receive(0, 0, 5, d);
    SegmentOwnership one = TopologyPlanner.plan(now, facts).ownership(0, 0);
    assertThat(one.owners()).as("the primary stays").containsExactly(a, b, d);
    assertThat(one.joiners()).containsExactly(new Joiner(c, 5));
    assertThat(one.retiring()).isEmpty();
  }

  @Test
  void reportOfAJoinerHoldsAcrossEpochs() {
    SegmentOwnership joining =
        new SegmentOwnership(
            7, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 5)), List.of(), List.of());
    Topology now = TopologyFixture.withSegment(joining, a, b);
    facts.receive(0, 0, 4, b);
    assertThat(TopologyPlanner.plan(now, facts)).as("before it began").isEqualTo(now);
    facts.receive(0, 0, 5, b);
    assertThat(TopologyPlanner.plan(now, facts).ownership(0, 0).owners()).containsExactly(a, b);
  }

  @Test
  void joinersStayWhileTooFewOwnersAreInSync() {
    Topology now = written(2, 32, a, b, c);
    facts.crash(List.of(b));
    now = TopologyPlanner.plan(now, facts);
    List<SegmentOwnership> joining = segments(now);
    assertThat(joining).anyMatch(segment -> segment.owners().size() == 1);
    facts.join(d);
    facts.join(e);
    Topology next = TopologyPlanner.plan(now, facts);
    for (int segment = 0; segment < 32; segment++) {
      SegmentOwnership before = joining.get(segment);
      if (before.owners().size() == 1) {
        assertThat(next.ownership(0, segment).joiners()).containsAll(before.joiners());
      }
    }
    assertThat(segments(facts.settled(next))).allMatch(segment -> segment.owners().size() == 2);
  }

  @Test
  void aJoinerThatWantsToLeaveStaysOneWhileTooFewAreInSync() {
    List<Joiner> joiners = List.of(new Joiner(b, 6));
    SegmentOwnership joining =
        new SegmentOwnership(7, 6, List.of(a), List.of(a, b), joiners, List.of(), List.of());
    Topology now = TopologyFixture.withSegment(joining, a, b, c);
    facts.leavingMembers.add(b);
    Topology next = TopologyPlanner.plan(now, facts);
    SegmentOwnership leaving = next.ownership(0, 0);
    assertThat(leaving.targetOwners()).containsExactlyInAnyOrder(a, c);
    assertThat(leaving.joiners()).contains(new Joiner(b, 6));
    facts.receive(0, 0, 8, b);
    SegmentOwnership complete = TopologyPlanner.plan(next, facts).ownership(0, 0);
    assertThat(complete.owners()).as("until c follows").containsExactly(a, b);
    facts.receive(0, 0, 9, c);
    assertThat(facts.settled(next).ownership(0, 0).owners()).containsExactlyInAnyOrder(a, c);
  }

  @Test
  void restartedNodeWithoutCapacityKeepsItsOnlyReplica() {
    Topology now = written(2, 4, a);
    facts.join(b);
    facts.capacities.put(b, new MemberCapacity(0, ""));
    now = facts.settled(now);
    facts.crash(a);
    Topology lost = TopologyPlanner.plan(now, facts);
    assertThat(segments(lost)).allMatch(SegmentOwnership::isLost);
    facts.joiningMembers.clear();
    facts.capacities.put(a, new MemberCapacity(0, ""));
    facts.join(a);
    Topology back = TopologyPlanner.plan(lost, facts);
    assertThat(segments(back))
        .allMatch(segment -> segment.owners().equals(List.of(a)) && segment.birthEpoch() == 1);
    facts.joiningMembers.clear();
    facts.join(c);
    assertThat(segments(facts.settled(back)))
        .allMatch(segment -> segment.owners().equals(List.of(c)) && segment.birthEpoch() == 1);
  }

  private static Topology available(Topology topology) {
    GridDefinition gridDefinition =
        GridDefinition.ofNewGrid(topology.gridId(), 0, 3, PartitionHandling.NEWER)
            .withWritten(true);
    return new Topology(
        topology.number(), gridDefinition, topology.membership(), topology.caches());
  }
}
