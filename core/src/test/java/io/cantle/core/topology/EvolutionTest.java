package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Single steps from one topology to the next; {@link EvolutionHistoryTest} walks long ways. */
@SuppressWarnings("ReferenceEquality") // "Nothing changed" is the same object.
final class EvolutionTest {
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final Member d = HandNetwork.member("d");
  private final HandFacts facts = new HandFacts();

  @Test
  void aFoundedCacheIsOwnedAtOnce() {
    Topology topology = facts.founded(a, b, c);
    assertThat(topology.number()).isEqualTo(2);
    assertThat(topology.members()).containsExactly(a, b, c);
    assertThat(topology.cache("users")).isZero();
    assertThat(topology.cache("others")).isEqualTo(-1);
    assertThat(topology.caches().getFirst().segments())
        .hasSize(6)
        .allSatisfy(
            segment -> {
              assertThat(segment.epoch()).isEqualTo(1);
              assertThat(segment.owners()).hasSize(2).doesNotHaveDuplicates();
              assertThat(segment.steady()).isTrue();
              assertThat(segment.retiring()).isEmpty();
            });
  }

  @Test
  void whereNothingHappensNothingChanges() {
    Topology topology = facts.founded(a, b, c);
    assertThat(Evolution.next(topology, facts)).isSameAs(topology);
  }

  @Test
  void numbersFollowEachOther() {
    Topology topology = facts.founded(a);
    facts.join(b);
    Topology next = Evolution.next(topology, facts);
    assertThat(next.number()).isEqualTo(topology.number() + 1);
    facts.join(c);
    assertThat(Evolution.next(next, facts).number()).isEqualTo(topology.number() + 2);
  }

  @Test
  void aNewMemberVotesOnceItHasShownThatItKnows() {
    Topology two = facts.founded(a, b);
    facts.join(c);
    facts.join(d);
    Topology four = Evolution.next(two, facts);
    assertThat(four.members()).containsExactly(a, b, c, d);
    assertThat(four.membership().voters()).as("both may have died").containsExactly(a, b);
    facts.adopted.put(c, four.number() - 1);
    assertThat(Evolution.next(four, facts)).isSameAs(four);
    facts.adopted.put(c, four.number());
    Topology shown = Evolution.next(four, facts);
    assertThat(shown.membership().voters()).containsExactly(a, b, c);
    assertThat(shown.membership().votersSince()).isEqualTo(shown.number());
    facts.crash(d);
    assertThat(Evolution.next(shown, facts).members()).containsExactly(a, b, c);
  }

  @Test
  void ifAllWhoVoteHaveGoneThoseWhoAreNewDo() {
    Topology topology = HandTopology.founded(a);
    facts.join(b);
    topology = Evolution.next(topology, facts);
    facts.leaving.add(a);
    topology = Evolution.next(topology, facts);
    facts.adopted.put(a, topology.number());
    topology = Evolution.next(topology, facts);
    assertThat(topology.members()).containsExactly(b);
    assertThat(topology.membership().voters()).containsExactly(b);
  }

  @Test
  void aJoinerIsNoOwnerBeforeItHasReceivedInThisEpoch() {
    Topology alone = facts.founded(a);
    facts.join(b);
    Topology joining = Evolution.next(alone, facts);
    Ownership segment = joining.ownership(0, 0);
    assertThat(segment.epoch()).isEqualTo(2);
    assertThat(segment.owners()).containsExactly(a);
    assertThat(segment.joiners()).containsExactly(new Joiner(b, 2));
    assertThat(segment.writers()).containsExactly(a, b);

    facts.receive(0, 0, 1, b);
    facts.receive(0, 0, 3, b);
    assertThat(Evolution.next(joining, facts)).isSameAs(joining);

    facts.receive(0, 0, 2, b);
    Ownership owned = Evolution.next(joining, facts).ownership(0, 0);
    assertThat(owned.epoch()).isEqualTo(3);
    assertThat(owned.owners()).containsExactlyInAnyOrder(a, b).isEqualTo(owned.target());
    assertThat(owned.joiners()).isEmpty();
  }

  @Test
  void segmentsMoveOneByOne() {
    Topology alone = facts.founded(a);
    facts.join(b);
    Topology joining = Evolution.next(alone, facts);
    facts.receive(0, 4, 2, b);
    Topology next = Evolution.next(joining, facts);
    for (int segment = 0; segment < 6; segment++) {
      assertThat(next.ownership(0, segment).epoch()).isEqualTo(segment == 4 ? 3 : 2);
    }
    assertThat(next.ownership(0, 3)).isSameAs(joining.ownership(0, 3));
  }

  @Test
  void thoseReplacedRetireAndAreCarriedUntilTheyKnow() {
    Topology three = facts.founded(a, b, c);
    facts.join(d);
    Topology joining = Evolution.next(three, facts);
    int moving = movingSegment(joining);
    Ownership before = joining.ownership(0, moving);
    facts.receiveAll(joining);
    Topology moved = Evolution.next(joining, facts);
    Ownership after = moved.ownership(0, moving);
    List<Member> gone = before.owners().stream().filter(m -> !after.owners().contains(m)).toList();
    assertThat(gone).isNotEmpty();
    assertThat(after.retiring()).containsExactlyElementsOf(gone);

    // The next change comes before they have adopted: they are still to be told.
    facts.crash(d);
    Topology crashed = Evolution.next(moved, facts);
    assertThat(crashed.ownership(0, moving).retiring())
        .containsAll(
            gone.stream()
                .filter(m -> !crashed.ownership(0, moving).writers().contains(m))
                .toList());
  }

  @Test
  void thoseWhoKnowAreNoLongerCarried() {
    Ownership retired =
        new Ownership(5, 1, List.of(a), List.of(a), List.of(), List.of(b, c), List.of());
    Topology topology = HandTopology.withSegment(retired, a, b, c);
    facts.join(d);
    facts.adopted.put(b, topology.number());
    facts.adopted.put(c, topology.number() - 1);
    Ownership next = Evolution.next(topology, facts).ownership(0, 0);
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.retiring()).doesNotContain(b);
    if (!next.writers().contains(c)) {
      assertThat(next.retiring()).contains(c);
    }
  }

  @Test
  void whoRetiredAndIsGoneIsNotWaitedFor() {
    Ownership retired =
        new Ownership(5, 1, List.of(a), List.of(a), List.of(), List.of(b), List.of());
    Topology topology = HandTopology.withSegment(retired, a, b, c);
    facts.crash(b);
    assertThat(Evolution.next(topology, facts).ownership(0, 0).retiring()).isEmpty();
  }

  @Test
  void aCrashedPrimaryIsFollowedByItsBackup() {
    Topology three = facts.founded(a, b, c);
    Ownership before = three.ownership(0, 0);
    facts.crash(before.primary());
    Ownership after = Evolution.next(three, facts).ownership(0, 0);
    assertThat(after.epoch()).isEqualTo(2);
    assertThat(after.owners()).containsExactly(before.owners().get(1));
    assertThat(after.joiners()).hasSize(1);
    assertThat(after.retiring()).isEmpty();
  }

  @Test
  void aJoinerGoesOnAcrossEpochsAsLongAsItStays() {
    Topology three = facts.founded(a, b, c);
    Ownership first = three.ownership(0, 0);
    Member outsider =
        List.of(a, b, c).stream()
            .filter(m -> !first.owners().contains(m))
            .findFirst()
            .orElseThrow();
    Ownership joining =
        new Ownership(
            4,
            1,
            first.owners(),
            List.of(first.primary(), outsider),
            List.of(new Joiner(outsider, 3)),
            List.of(),
            List.of());
    Topology topology = HandTopology.withSegment(joining, a, b, c);
    facts.crash(first.owners().get(1));
    Ownership next = Evolution.next(topology, facts).ownership(0, 0);
    assertThat(next.epoch()).isEqualTo(5);
    assertThat(next.joiners()).containsExactly(new Joiner(outsider, 3));
  }

  @Test
  void whoHasReceivedEverythingIsAnOwnerFromTheStepInWhichAnotherCrashes() {
    Topology alone = facts.founded(a, b);
    facts.join(c);
    Topology joining = Evolution.next(alone, facts);
    int moving = movingSegment(joining);
    Ownership before = joining.ownership(0, moving);
    facts.receiveAll(joining);
    facts.crash(before.primary());
    Ownership after = Evolution.next(joining, facts).ownership(0, moving);
    assertThat(after.owners()).containsExactlyInAnyOrder(before.owners().get(1), c);
    assertThat(after.joiners()).isEmpty();
    assertThat(after.last()).containsExactly(before.primary());
  }

  @Test
  void whileMovingIsSuspendedNothingMovesToANewMember() {
    Topology three = facts.founded(a, b, c);
    facts.suspended = true;
    Topology suspended = Evolution.next(three, facts);
    assertThat(suspended.charter().suspended()).isTrue();
    assertThat(suspended.caches()).isEqualTo(three.caches());
    facts.join(d);
    Topology joined = Evolution.next(suspended, facts);
    assertThat(joined.members()).contains(d);
    assertThat(joined.caches()).isEqualTo(three.caches());

    facts.suspended = false;
    Topology resumed = Evolution.next(joined, facts);
    assertThat(resumed.charter().suspended()).isFalse();
    assertThat(facts.settled(resumed).caches().getFirst().segments())
        .anyMatch(segment -> segment.owners().contains(d));
  }

  @Test
  void whileMovingIsSuspendedALeavingMemberHandsOverAndNobodyElseDoes() {
    Topology four = facts.founded(a, b, c, d);
    facts.suspended = true;
    facts.leaving.add(b);
    Topology leaving = Evolution.next(four, facts);
    for (int segment = 0; segment < 6; segment++) {
      Ownership before = four.ownership(0, segment);
      Ownership after = leaving.ownership(0, segment);
      if (before.owners().contains(b)) {
        assertThat(after.target()).doesNotContain(b).hasSize(2);
        assertThat(after.joiners()).isNotEmpty();
      } else {
        assertThat(after).isSameAs(before);
      }
    }
    Topology done = facts.settled(leaving);
    assertThat(done.members()).doesNotContain(b);
    assertThat(done.charter().suspended()).isTrue();
  }

  @Test
  void aFirstWriteIsKeptInTheCharterForEver() {
    Topology some = facts.founded(a, b);
    Topology two =
        new Topology(some.number(), some.charter().used(false), some.membership(), some.caches());
    facts.used = true;
    Topology used = Evolution.next(two, facts);
    assertThat(used.charter().used()).isTrue();
    assertThat(used.caches()).isEqualTo(two.caches());
    facts.used = false;
    assertThat(Evolution.next(used, facts)).isSameAs(used);
    facts.join(c);
    assertThat(Evolution.next(used, facts).charter().used()).isTrue();
  }

  @Test
  void whoIsAdmittedAgainBeginsAnew() {
    Topology three = facts.founded(a, b, c);
    assertThat(three.membership().admission(b)).isEqualTo(1);
    facts.crash(b);
    Topology without = Evolution.next(three, facts);
    assertThat(without.membership().admission(b)).isZero();
    facts.openAll(without);
    Topology served = Evolution.next(without, facts);
    facts.join(b);
    Topology with = Evolution.next(served, facts);
    assertThat(with.membership().admission(b)).isEqualTo(with.number());
    assertThat(with.membership().admission(a)).isEqualTo(1);
    assertThat(with.members()).as("the longest-standing first").containsExactly(a, c, b);
    for (Ownership segment : with.caches().getFirst().segments()) {
      assertThat(segment.owners()).doesNotContain(b);
    }
  }

  @Test
  void whenEverybodyIsSilentNobodyIsExcluded() {
    Topology two = facts.founded(a, b);
    facts.crash(List.of(a, b));
    assertThat(Evolution.next(two, facts)).isSameAs(two);
  }

  @Test
  void whoLeftIsLetGoOnlyWhenNobodyNeedsItAndItKnowsThat() {
    Topology three = facts.founded(a, b, c);
    facts.leaving.add(b);
    Topology now = Evolution.next(three, facts);
    for (int i = 0; i < 5; i++) {
      facts.receiveAll(now);
      now.members().stream()
          .filter(member -> !member.equals(b))
          .forEach(member -> facts.adopted.put(member, Long.MAX_VALUE));
      now = Evolution.next(now, facts);
    }
    assertThat(now.needs(b)).isFalse();
    assertThat(now.members()).as("it may not know").contains(b);
    facts.adopted.put(b, now.number() - 1);
    assertThat(Evolution.next(now, facts)).isSameAs(now);
    facts.adopted.put(b, now.number());
    assertThat(Evolution.next(now, facts).members()).containsExactly(a, c);
  }

  @Test
  void whoLeavesIsLetGoOnceMostVotersThatStayHaveShownThemselvesSince() {
    Member e = HandNetwork.member("e");
    facts.leaving.add(e);
    Topology now = Evolution.next(HandTopology.founded(a, b, c, d, e), facts);
    assertThat(now.needs(e)).isFalse();
    List.of(a, b, e).forEach(member -> facts.adopted.put(member, now.number()));
    assertThat(Evolution.next(now, facts)).as("c and d may be dead").isSameAs(now);
    facts.silent.add(d);
    Topology without = Evolution.next(now, facts);
    assertThat(without.members()).as("two of three are there").containsExactly(a, b, c);
    facts.silent.clear();
    facts.adopted.put(c, now.number());
    assertThat(Evolution.next(now, facts).members()).containsExactly(a, b, c, d);
  }

  @Test
  void whoLeavesHandsOverFirst() {
    Topology three = facts.founded(a, b, c);
    facts.leaving.add(b);
    Topology leaving = Evolution.next(three, facts);
    assertThat(leaving.leaving()).containsExactly(b);
    assertThat(leaving.members()).contains(b);
    assertThat(leaving.needs(b)).isTrue();
    for (Ownership segment : leaving.caches().getFirst().segments()) {
      assertThat(segment.target()).doesNotContain(b);
    }
    Topology done = facts.settled(leaving);
    assertThat(done.needs(b)).isFalse();
    assertThat(done.needs(a)).isTrue();
    assertThat(done.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.owners()).containsExactlyInAnyOrder(a, c));
  }

  @Test
  void whenAllLeaveNobodyIsSpared() {
    Topology two = facts.founded(a, b);
    facts.leaving.addAll(List.of(a, b));
    Topology next = Evolution.next(two, facts);
    assertThat(next.leaving()).containsExactlyInAnyOrder(a, b);
    assertThat(next.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.owners()).hasSize(2));
  }

  @Test
  void whenAllLeaveThatAreThereTheSilentAreExcludedFirst() {
    facts.leaving.addAll(List.of(a, b, c));
    Topology leaving = Evolution.next(HandTopology.founded(a, b, c, d), facts);
    List.of(a, b, c).forEach(member -> facts.adopted.put(member, leaving.number()));
    assertThat(Evolution.next(leaving, facts)).as("d may be there").isSameAs(leaving);
    facts.silent.add(d);
    Topology among = Evolution.next(leaving, facts);
    assertThat(among.members()).containsExactly(a, b, c);
    assertThat(among.leaving()).containsExactlyInAnyOrder(a, b, c);
  }

  @Test
  void whoIsGoneIsNotLeaving() {
    Topology two = facts.founded(a, b);
    facts.leaving.add(b);
    facts.crash(b);
    Topology next = Evolution.next(two, facts);
    assertThat(next.leaving()).isEmpty();
    assertThat(next.members()).containsExactly(a);
  }

  @Test
  void aReplicatedCacheGoesEverywhere() {
    facts.wanted.add(new CacheDefinition("flags", CacheConfig.replicated().segments(4)));
    Topology topology = facts.founded(a, b);
    facts.join(c);
    facts.join(d);
    Topology done = facts.settled(Evolution.next(topology, facts));
    assertThat(done.caches().get(done.cache("flags")).segments())
        .allSatisfy(segment -> assertThat(segment.owners()).containsExactlyInAnyOrder(a, b, c, d));
  }

  /** Two founders gave up and went; had they owned something, a write elsewhere would lose it. */
  @Test
  void aCacheBeginsWithThoseThatShowedThemselves() {
    facts.wanted.add(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    Topology first = HandTopology.founded(a, b, c);
    facts.adopted.put(a, first.number());
    assertThat(Evolution.next(first, facts).caches()).isEmpty();
    facts.adopted.put(b, first.number());
    facts.crash(c);
    Topology next = Evolution.next(first, facts);
    assertThat(next.members()).containsExactly(a, b);
    assertThat(next.caches().getFirst().segments())
        .allSatisfy(segment -> assertThat(segment.owners()).containsExactlyInAnyOrder(a, b));
  }

  @Test
  void aCacheIsFoundedOnceAndKeepsItsPlace() {
    Topology topology = facts.founded(a);
    facts.wanted.add(new CacheDefinition("users", CacheConfig.replicated()));
    assertThat(Evolution.next(topology, facts)).isSameAs(topology);
    facts.wanted.add(new CacheDefinition("orders", CacheConfig.distributed().segments(1)));
    facts.wanted.add(new CacheDefinition("orders", CacheConfig.distributed().segments(2)));
    Topology next = Evolution.next(topology, facts);
    assertThat(next.caches()).hasSize(2);
    assertThat(next.cache("users")).isZero();
    assertThat(next.caches().get(1).segments()).hasSize(1);
  }

  @Test
  void aNewMemberMovesOnlyWhatItShallHave() {
    Topology three = facts.founded(a, b, c);
    facts.join(d);
    Topology joining = Evolution.next(three, facts);
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
