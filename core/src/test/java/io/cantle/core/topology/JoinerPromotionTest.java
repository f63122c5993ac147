package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.segment.Seat;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A joiner becomes an owner once it has received everything, whatever other joiners do. */
final class JoinerPromotionTest {
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final Member d = HandNetwork.member("d");
  private final Member e = HandNetwork.member("e");
  private final HandFacts facts = new HandFacts();

  private Topology used(int owners, int segments, Member... members) {
    facts.used = true;
    facts.wanted.add(
        new CacheDefinition("users", CacheConfig.distributed().owners(owners).segments(segments)));
    return facts.settled(HandTopology.founded(members));
  }

  private static List<Ownership> segments(Topology topology) {
    return topology.caches().getFirst().segments();
  }

  /** Everybody but one member has received whatever it joins; what is to be confirmed is. */
  private Topology nextWithout(Topology from, Member unfinished) {
    for (int segment = 0; segment < segments(from).size(); segment++) {
      Ownership ownership = from.ownership(0, segment);
      for (Joiner joiner : ownership.joiners()) {
        if (!joiner.member().equals(unfinished)) {
          facts.receive(0, segment, ownership.epoch(), joiner.member());
        }
      }
    }
    facts.openAll(from);
    facts.adoptAll(from);
    return Evolution.next(from, facts);
  }

  @Test
  void aJoinerThatCrashesAgainAndAgainKeepsNobodyFromBecomingAnOwner() {
    Topology now = used(3, 64, a, b, c);
    facts.crash(List.of(b, c));
    facts.join(d);
    now = Evolution.next(now, facts);
    for (int round = 0; round < 100; round++) {
      Member looping = HandNetwork.member("x" + round);
      facts.join(looping);
      now = nextWithout(Evolution.next(now, facts), looping);
      facts.joining.clear();
      facts.crash(looping);
    }
    assertThat(segments(now)).allMatch(segment -> segment.owners().containsAll(List.of(a, d)));
    facts.crash(a);
    assertThat(segments(Evolution.next(now, facts)))
        .noneMatch(Ownership::lost)
        .allMatch(segment -> segment.owners().contains(d));
  }

  /** Its node is admitted in another life before the former one, which is dead, is excluded. */
  @Test
  void theOnlyCompleteCopyStaysWhenTheOwnersNodeComesBackWhileItStillCounts() {
    Ownership joining =
        new Ownership(
            11, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 9)), List.of(), List.of());
    Topology now = available(HandTopology.withSegment(joining, a, b));
    Member back = HandNetwork.member("a, back");
    facts.used = true;
    facts.receive(0, 0, 10, b);
    facts.join(back);
    now = Evolution.next(now, facts);
    facts.crash(a);
    now = Evolution.next(now, facts);
    assertThat(now.ownership(0, 0).born()).as("nothing is dropped").isEqualTo(1);
    assertThat(now.ownership(0, 0).owners()).containsExactly(b);
    assertThat(now.ownership(0, 0).joiners()).extracting(Joiner::member).containsExactly(back);
  }

  @Test
  void whoIsToBeReplacedStaysAnOwnerUntilAllThatFollowAreInSync() {
    Ownership before = HandTopology.owned(4, a, b);
    Topology now = HandTopology.withSegment(before, a, b);
    facts.leaving.addAll(List.of(a, b));
    facts.join(c);
    facts.join(d);
    now = Evolution.next(now, facts);
    Ownership joining = now.ownership(0, 0);
    assertThat(joining.owners()).containsExactly(a, b);
    assertThat(joining.target()).containsExactlyInAnyOrder(c, d);

    Member first = joining.target().getFirst();
    facts.receive(0, 0, joining.epoch(), first);
    now = Evolution.next(now, facts);
    Ownership one = now.ownership(0, 0);
    assertThat(one.owners()).as("two, of whom one leaves").hasSize(2).contains(first);
    assertThat(one.joiners()).hasSize(1).allMatch(joiner -> joiner.since() == joining.epoch());

    facts.receive(0, 0, one.epoch(), one.joiners().getFirst().member());
    assertThat(Evolution.next(now, facts).ownership(0, 0).owners()).isEqualTo(joining.target());
  }

  @Test
  void whoIsReplacedAndStaysHoldsItsCopyUntilAllThatFollowAreInSync() {
    List<Joiner> joiners = List.of(new Joiner(c, 5), new Joiner(d, 5));
    Ownership joining =
        new Ownership(5, 1, List.of(a, b), List.of(c, d), joiners, List.of(), List.of());
    Topology now = HandTopology.withSegment(joining, a, b, c, d);
    facts.receive(0, 0, 5, d);
    Ownership one = Evolution.next(now, facts).ownership(0, 0);
    assertThat(one.owners()).as("the primary stays").containsExactly(a, b, d);
    assertThat(one.joiners()).containsExactly(new Joiner(c, 5));
    assertThat(one.retiring()).isEmpty();
  }

  @Test
  void whatAJoinerSaidInAnEarlierEpochHoldsAsLongAsItJoins() {
    Ownership joining =
        new Ownership(
            7, 1, List.of(a), List.of(a, b), List.of(new Joiner(b, 5)), List.of(), List.of());
    Topology now = HandTopology.withSegment(joining, a, b);
    facts.receive(0, 0, 4, b);
    assertThat(Evolution.next(now, facts)).as("before it began").isEqualTo(now);
    facts.receive(0, 0, 5, b);
    assertThat(Evolution.next(now, facts).ownership(0, 0).owners()).containsExactly(a, b);
  }

  @Test
  void noJoinerIsSentAwayWhileTooFewAreInSync() {
    Topology now = used(2, 32, a, b, c);
    facts.crash(List.of(b));
    now = Evolution.next(now, facts);
    List<Ownership> joining = segments(now);
    assertThat(joining).anyMatch(segment -> segment.owners().size() == 1);
    facts.join(d);
    facts.join(e);
    Topology next = Evolution.next(now, facts);
    for (int segment = 0; segment < 32; segment++) {
      Ownership before = joining.get(segment);
      if (before.owners().size() == 1) {
        assertThat(next.ownership(0, segment).joiners()).containsAll(before.joiners());
      }
    }
    assertThat(segments(facts.settled(next))).allMatch(segment -> segment.owners().size() == 2);
  }

  @Test
  void aJoinerThatWantsToLeaveStaysOneWhileTooFewAreInSync() {
    List<Joiner> joiners = List.of(new Joiner(b, 6));
    Ownership joining =
        new Ownership(7, 6, List.of(a), List.of(a, b), joiners, List.of(), List.of());
    Topology now = HandTopology.withSegment(joining, a, b, c);
    facts.leaving.add(b);
    Topology next = Evolution.next(now, facts);
    Ownership leaving = next.ownership(0, 0);
    assertThat(leaving.target()).containsExactlyInAnyOrder(a, c);
    assertThat(leaving.joiners()).contains(new Joiner(b, 6));
    facts.receive(0, 0, 8, b);
    Ownership complete = Evolution.next(next, facts).ownership(0, 0);
    assertThat(complete.owners()).as("until c follows").containsExactly(a, b);
    facts.receive(0, 0, 9, c);
    assertThat(facts.settled(next).ownership(0, 0).owners()).containsExactlyInAnyOrder(a, c);
  }

  @Test
  void whoseNodeComesBackWithoutCapacityKeepsWhatOnlyItHolds() {
    Topology now = used(2, 4, a);
    facts.join(b);
    facts.seats.put(b, new Seat(0, ""));
    now = facts.settled(now);
    facts.crash(a);
    Topology lost = Evolution.next(now, facts);
    assertThat(segments(lost)).allMatch(Ownership::lost);
    facts.joining.clear();
    facts.seats.put(a, new Seat(0, ""));
    facts.join(a);
    Topology back = Evolution.next(lost, facts);
    assertThat(segments(back))
        .allMatch(segment -> segment.owners().equals(List.of(a)) && segment.born() == 1);
    facts.joining.clear();
    facts.join(c);
    assertThat(segments(facts.settled(back)))
        .allMatch(segment -> segment.owners().equals(List.of(c)) && segment.born() == 1);
  }

  private static Topology available(Topology topology) {
    Charter charter = Charter.founded(topology.gridId(), 0, 3, Mode.NEWER).used(true);
    return new Topology(topology.number(), charter, topology.membership(), topology.caches());
  }
}
