package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Segments all of whose owners are gone: who may bring them back, and what giving them up means.
 */
final class LossTest {
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final Member d = HandNetwork.member("d");
  private final HandFacts facts = new HandFacts();

  @Test
  void aSegmentIsLostWhenAllOwnersCrashAndStaysSo() {
    Topology three = facts.founded(a, b, c);
    Ownership before = three.ownership(0, 0);
    facts.crash(before.owners());
    Topology next = Evolution.next(three, facts);
    Ownership lost = next.ownership(0, 0);
    assertThat(lost.lost()).isTrue();
    assertThat(lost.epoch()).isEqualTo(2);
    facts.join(d);
    assertThat(Evolution.next(next, facts).ownership(0, 0)).isSameAs(lost);
  }

  @Test
  void whatNobodyEverWroteToIsNotLostButBeginsAnew() {
    Topology used = facts.founded(a, b, c);
    Topology unused =
        new Topology(used.number(), used.charter().used(false), used.membership(), used.caches());
    Ownership before = unused.ownership(0, 0);
    facts.crash(before.owners());
    Ownership next = Evolution.next(unused, facts).ownership(0, 0);
    assertThat(next.lost()).isFalse();
    assertThat(next.epoch()).isEqualTo(before.epoch() + 1);
    assertThat(next.owners()).isNotEmpty().doesNotContainAnyElementsOf(before.owners());
  }

  @Test
  void aLostSegmentComesBackWithAnyOfItsLastOwners() {
    Topology three = facts.founded(a, b, c);
    Ownership held = three.ownership(0, 0);
    facts.crash(held.owners());
    Topology lost = Evolution.next(three, facts);
    assertThat(lost.ownership(0, 0).last()).isEqualTo(held.owners());
    assertThat(lost.ownership(0, 0).born()).isEqualTo(1);

    Member second = held.owners().get(1);
    facts.join(second);
    Topology back = Evolution.next(lost, facts);
    Ownership found = back.ownership(0, 0);
    assertThat(found.epoch()).isEqualTo(3);
    assertThat(found.born()).as("what it holds is good").isEqualTo(1);
    assertThat(found.owners()).containsExactly(second);
    assertThat(found.last()).as("who holds it too").containsExactly(held.primary());
    assertThat(found.joiners()).hasSize(1).allMatch(joiner -> joiner.since() == 3);
    assertThat(facts.settled(back).ownership(0, 0).owners()).hasSize(2).contains(second);
  }

  @Test
  void theCrashOfAnotherMemberDoesNotMakeALostSegmentForgetWhoHeldIt() {
    Topology four = facts.founded(a, b, c, d);
    Ownership held = four.ownership(0, 0);
    List<Member> others = four.members().stream().filter(m -> !held.owners().contains(m)).toList();
    facts.crash(held.owners());
    Topology lost = Evolution.next(four, facts);
    facts.crash(others.getFirst());
    Topology fewer = Evolution.next(lost, facts);
    assertThat(fewer.ownership(0, 0)).isSameAs(lost.ownership(0, 0));
    facts.join(others.getFirst());
    Topology again = Evolution.next(fewer, facts);
    assertThat(again.ownership(0, 0)).isSameAs(lost.ownership(0, 0));

    facts.join(held.primary());
    Ownership found = Evolution.next(again, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(held.primary());
    assertThat(found.born()).isEqualTo(1);
  }

  @Test
  void bothThatHeldALostSegmentAreOwnersWhenBothAreBack() {
    Topology three = facts.founded(a, b, c);
    Ownership held = three.ownership(0, 0);
    facts.crash(held.owners());
    Topology lost = Evolution.next(three, facts);
    held.owners().forEach(facts::join);
    assertThat(Evolution.next(lost, facts).ownership(0, 0).owners()).isEqualTo(held.owners());
  }

  @Test
  void whoWasExcludedEarlierDoesNotBringAnOutdatedSegmentBack() {
    Topology three = facts.founded(a, b, c);
    Ownership held = three.ownership(0, 0);
    Member first = held.owners().get(0);
    Member second = held.owners().get(1);
    facts.crash(first);
    Topology alone = Evolution.next(three, facts);
    facts.openAll(alone);
    Topology served = Evolution.next(alone, facts);
    assertThat(served.ownership(0, 0)).isEqualTo(alone.ownership(0, 0).confirmed());
    facts.crash(second);
    Topology lost = Evolution.next(served, facts);
    assertThat(lost.ownership(0, 0).last()).as("who held it to the end").containsExactly(second);
    facts.join(first);
    assertThat(Evolution.next(lost, facts).ownership(0, 0)).isSameAs(lost.ownership(0, 0));
  }

  @Test
  void whoWasExcludedBringsASegmentBackThatNobodyServedSince() {
    Topology three = facts.founded(a, b, c);
    Ownership held = three.ownership(0, 0);
    Member first = held.owners().get(0);
    Member second = held.owners().get(1);
    facts.crash(first);
    Topology alone = Evolution.next(three, facts);
    assertThat(alone.ownership(0, 0).owners()).containsExactly(second);
    assertThat(alone.ownership(0, 0).last()).containsExactly(first);
    facts.crash(second);
    Topology lost = Evolution.next(alone, facts);
    assertThat(lost.ownership(0, 0).last()).containsExactlyInAnyOrder(first, second);
    facts.join(first);
    Ownership found = Evolution.next(lost, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(first);
    assertThat(found.born()).isEqualTo(1);
  }

  @Test
  void whoWasExcludedIsAnOwnerAgainAtOnceIfNobodyServedSince() {
    Topology three = facts.founded(a, b, c);
    Ownership held = three.ownership(0, 0);
    facts.crash(held.primary());
    Topology without = Evolution.next(three, facts);
    facts.join(held.primary());
    Ownership again = Evolution.next(without, facts).ownership(0, 0);
    assertThat(again.owners()).containsExactlyInAnyOrderElementsOf(held.owners());
    assertThat(again.joiners()).isEmpty();
    assertThat(again.unconfirmed()).isFalse();
  }

  @Test
  void whatMayStillServeAnEarlierEpochIsToldWhenALostSegmentComesBack() {
    // c handed over to a and does not know yet; a is excluded and comes back before c has heard.
    Ownership handedOver =
        new Ownership(5, 1, List.of(a), List.of(a), List.of(), List.of(c), List.of());
    Topology topology = HandTopology.withSegment(handedOver, a, b, c);
    facts.adopted.put(c, topology.number() - 1);
    facts.crash(a);
    Topology lost = Evolution.next(topology, facts);
    assertThat(lost.ownership(0, 0).lost()).isTrue();
    facts.join(a);
    Ownership found = Evolution.next(lost, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(a);
    List<Member> told = new ArrayList<>(found.writers());
    told.addAll(found.retiring());
    assertThat(told).contains(c);
  }

  @Test
  void anAcceptedLossMakesLostSegmentsEmptyAndLeavesTheOthersAlone() {
    Topology four = facts.founded(a, b, c, d);
    Ownership held = four.ownership(0, 0);
    facts.crash(held.owners());
    Topology lost = facts.settled(four);
    assertThat(lost.ownership(0, 0).lost()).isTrue();
    facts.accepted.add(0);
    Topology empty = Evolution.next(lost, facts);
    facts.accepted.clear();
    for (int segment = 0; segment < 6; segment++) {
      Ownership before = lost.ownership(0, segment);
      Ownership after = empty.ownership(0, segment);
      if (before.lost()) {
        assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(after.born()).as("whatever was held is worthless").isEqualTo(after.epoch());
        assertThat(after.owners()).hasSize(2).doesNotContainAnyElementsOf(held.owners());
        assertThat(after.last()).isEmpty();
      } else {
        assertThat(after.born()).isEqualTo(1);
      }
    }
    // Who held it is too late now.
    facts.join(held.primary());
    Topology late = facts.settled(Evolution.next(empty, facts));
    assertThat(late.ownership(0, 0).born()).isEqualTo(empty.ownership(0, 0).epoch());
  }

  @Test
  void theLossOfOneCacheIsNotThatOfAnother() {
    Topology four = facts.founded(a, b, c, d);
    facts.wanted.add(new CacheDefinition("orders", CacheConfig.distributed().segments(6)));
    four = Evolution.next(four, facts);
    facts.crash(four.ownership(0, 0).owners());
    Topology lost = Evolution.next(four, facts);
    facts.accepted.add(1);
    assertThat(Evolution.next(lost, facts).ownership(0, 0).lost()).isTrue();
  }

  @Test
  void aJoinerThatHasReceivedEverythingSavesASegmentWhoseOwnersCrash() {
    Topology joining = joining();
    facts.receiveAll(joining);
    facts.crash(a);
    Ownership saved = Evolution.next(joining, facts).ownership(0, 0);
    assertThat(saved.owners()).containsExactly(b);
    assertThat(saved.born()).isEqualTo(1);
    assertThat(saved.last()).containsExactly(a);
  }

  @Test
  void aJoinerThatHasNotDoesNot() {
    Topology joining = joining();
    facts.crash(a);
    Ownership lost = Evolution.next(joining, facts).ownership(0, 0);
    assertThat(lost.lost()).isTrue();
    assertThat(lost.last()).containsExactly(a);
  }

  @Test
  void aJoinerThatHadReceivedEverythingUnheardBringsALostSegmentBack() {
    Topology joining = joining();
    facts.crash(a);
    Topology lost = Evolution.next(joining, facts);
    assertThat(lost.ownership(0, 0).joiners()).isEqualTo(joining.ownership(0, 0).joiners());
    facts.receiveAll(lost);
    Ownership found = Evolution.next(lost, facts).ownership(0, 0);
    assertThat(found.owners()).containsExactly(b);
    assertThat(found.target()).containsExactly(b);
    assertThat(found.born()).isEqualTo(1);
  }

  /** The node of the only owner is back without its copy; a joiner may have one, unheard. */
  @Test
  void aSegmentDoesNotBeginEmptyWhileAJoinerMayHoldIt() {
    Topology joining = joining();
    facts.crash(a);
    Member back = new Member(new UUID(7, 7), a.node(), a.name());
    facts.join(back);
    Topology lost = Evolution.next(joining, facts);
    assertThat(lost.members()).contains(back);
    assertThat(lost.ownership(0, 0).lost()).isTrue();
    assertThat(facts.settled(lost).ownership(0, 0).born()).isEqualTo(1);
  }

  @Test
  void itDoesOnceEachJoinerHasSaidThatItHasAPartOnly() {
    Topology joining = joining();
    facts.crash(a);
    Member back = new Member(new UUID(7, 7), a.node(), a.name());
    facts.join(back);
    Topology lost = Evolution.next(joining, facts);
    facts.dropped.add(b);
    Ownership empty = Evolution.next(lost, facts).ownership(0, 0);
    assertThat(empty.born()).isEqualTo(empty.epoch());
    assertThat(empty.owners()).containsExactlyInAnyOrder(b, back);
  }

  @Test
  void aLostSegmentWaitsForAJoinerThatWentAwayBeforeItAnswered() {
    Topology joining = joining();
    facts.crash(a);
    facts.join(new Member(new UUID(7, 7), a.node(), a.name()));
    Topology lost = Evolution.next(joining, facts);
    facts.crash(b);
    facts.join(c);
    Topology away = Evolution.next(lost, facts);
    assertThat(away.members()).doesNotContain(b);
    assertThat(away.ownership(0, 0).lost()).isTrue();
    facts.join(b);
    assertThat(facts.settled(Evolution.next(away, facts)).ownership(0, 0).born()).isEqualTo(1);
  }

  @Test
  void aSegmentDoesNotBeginEmptyWhenItsJoinerIsExcludedTogetherWithItsOwner() {
    Topology joining = joining();
    facts.crash(a);
    facts.crash(b);
    facts.join(new Member(new UUID(7, 7), a.node(), a.name()));
    Topology lost = Evolution.next(joining, facts);
    assertThat(lost.members()).doesNotContain(a, b);
    assertThat(lost.ownership(0, 0).lost()).isTrue();
    facts.join(b);
    Ownership found = facts.settled(Evolution.next(lost, facts)).ownership(0, 0);
    assertThat(found.owners()).contains(b);
    assertThat(found.born()).isEqualTo(1);
  }

  /** Nobody eligible comes or goes: the assignment had no other reason to be made anew. */
  @Test
  void aSegmentBeginsEmptyWhenItsLastOwnerIsBackWithoutCopyAndCapacity() {
    Topology alone = facts.founded(a);
    facts.seats.put(b, new Seat(0, ""));
    facts.join(b);
    Topology two = facts.settled(alone);
    facts.crash(a);
    facts.join(c);
    Topology lost = Evolution.next(two, facts);
    assertThat(lost.ownership(0, 0).lost()).isTrue();
    facts.joining.clear();
    Member back = new Member(new UUID(7, 7), a.node(), a.name());
    facts.seats.put(back, new Seat(0, ""));
    facts.join(back);
    Ownership empty = Evolution.next(lost, facts).ownership(0, 0);
    assertThat(empty.owners()).containsExactly(c);
    assertThat(empty.born()).isEqualTo(empty.epoch());
  }

  /** One owner of the cache, a, and b that joins. */
  private Topology joining() {
    Topology alone = facts.founded(a);
    facts.join(b);
    return Evolution.next(alone, facts);
  }
}
