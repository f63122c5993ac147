package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How much members are to hold, and on which racks they are: how it is known, what it changes. */
final class SeatsTest {
  private static final Seat NONE = Seat.of(0, "");
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(6));

  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final Member d = HandNetwork.member("d");
  private final HandFacts facts = new HandFacts();

  private Topology founded(Map<Member, Seat> seats, Member... members) {
    facts.wanted.add(USERS);
    Topology first = HandTopology.with(HandTopology.founded(members), seats);
    facts.adoptAll(first);
    return Evolution.next(first, facts);
  }

  private static Set<Member> owners(Topology topology) {
    Set<Member> owners = new HashSet<>();
    topology.caches().getFirst().segments().forEach(segment -> owners.addAll(segment.owners()));
    return owners;
  }

  private static List<Ownership> segments(Topology topology) {
    return topology.caches().getFirst().segments();
  }

  @Test
  void whoHasNoCapacityOwnsNothingAndVotes() {
    Topology three = founded(Map.of(b, NONE), a, b, c);
    assertThat(owners(three)).containsExactlyInAnyOrder(a, c);
    assertThat(three.membership().voters()).contains(b);
    facts.seats.put(d, NONE);
    facts.join(d);
    Topology four = facts.settled(three);
    assertThat(four.members()).contains(d);
    assertThat(four.membership().voters()).contains(d);
    assertThat(four.membership().seat(d)).isEqualTo(NONE);
    assertThat(segments(four)).isEqualTo(segments(three));
  }

  @Test
  void seatsHoldUntilAMemberIsAdmittedAnew() {
    facts.seats.put(d, Seat.of(2, "x"));
    facts.join(d);
    Topology four = facts.settled(founded(Map.of(), a, b, c));
    facts.seats.put(d, NONE);
    assertThat(facts.settled(four).membership().seat(d)).isEqualTo(Seat.of(2, "x"));
    facts.crash(d);
    Topology three = facts.settled(four);
    assertThat(three.members()).doesNotContain(d);
    facts.join(d);
    assertThat(facts.settled(three).membership().seat(d)).isEqualTo(NONE);
  }

  @Test
  void theCopiesOfASegmentGoToDifferentRacks() {
    Seat left = Seat.of(1, "left");
    Seat right = Seat.of(1, "right");
    facts.seats.put(d, right);
    Topology three = founded(Map.of(a, left, b, left, c, right), a, b, c);
    facts.join(d);
    Topology four = facts.settled(three);
    assertThat(segments(four))
        .allSatisfy(
            segment ->
                assertThat(segment.owners().stream().map(o -> four.membership().seat(o).rack()))
                    .containsExactlyInAnyOrder("left", "right"));
    facts.crash(List.of(a, b));
    assertThat(segments(facts.settled(four))).noneMatch(Ownership::unowned);
  }

  @Test
  void segmentsAreVacantUntilSomebodyHasCapacity() {
    Topology none = founded(Map.of(a, NONE, b, NONE), a, b);
    assertThat(segments(none)).hasSize(6).allMatch(Ownership::vacant).noneMatch(Ownership::lost);
    assertThat(facts.settled(none)).isEqualTo(none);
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> none.owned(0, 1, "?"))
        .withMessageContainingAll("segment 1", "users", "GridConfig.capacity");
    facts.suspended = true;
    facts.join(c);
    Topology three = facts.settled(none);
    assertThat(segments(three)).allMatch(segment -> segment.owners().equals(List.of(c)));
    assertThat(three.owned(0, 1, "?").epoch()).isEqualTo(2);
  }

  @Test
  void whatWasHeldByThoseWithCapacityIsLostWithThemAndComesBack() {
    Topology three = founded(Map.of(b, NONE, c, NONE), a, b, c);
    facts.crash(a);
    Topology lost = facts.settled(three);
    assertThat(segments(lost)).allMatch(Ownership::lost).noneMatch(Ownership::vacant);
    assertThatExceptionOfType(SegmentLostException.class).isThrownBy(() -> lost.owned(0, 1, "?"));
    facts.join(a);
    assertThat(owners(facts.settled(lost))).containsExactly(a);
  }

  @Test
  void whatIsGivenUpWhileNobodyHasCapacityIsVacant() {
    Topology three = founded(Map.of(b, NONE, c, NONE), a, b, c);
    facts.crash(a);
    Topology lost = facts.settled(three);
    facts.accepted.add(0);
    Topology given = facts.settled(lost);
    assertThat(segments(given)).allMatch(Ownership::vacant);
    facts.accepted.clear();
    facts.join(d);
    assertThat(owners(facts.settled(given))).containsExactly(d);
  }

  @Test
  void whatNobodyWroteToIsVacantWhenThoseWithCapacityAreGone() {
    Topology used = founded(Map.of(b, NONE, c, NONE), a, b, c);
    Topology unused =
        new Topology(used.number(), used.charter().used(false), used.membership(), used.caches());
    facts.crash(a);
    assertThat(segments(facts.settled(unused))).allMatch(Ownership::vacant);
  }

  @Test
  void theLastWithCapacityKeepsWhatItHasUntilAnotherCanTakeIt() {
    Topology three = founded(Map.of(b, NONE, c, NONE), a, b, c);
    facts.leaving.add(a);
    Topology waiting = facts.settled(three);
    assertThat(waiting.members()).contains(a);
    assertThat(owners(waiting)).containsExactly(a);
    facts.join(d);
    Topology done = facts.settled(waiting);
    assertThat(done.members()).doesNotContain(a);
    assertThat(owners(done)).containsExactly(d);
  }

  @Test
  void suspendedRebalancingSparesWhoHasNoCapacityToo() {
    Topology three = founded(Map.of(c, NONE), a, b, c);
    facts.suspended = true;
    facts.seats.put(d, Seat.of(3, "far"));
    facts.join(d);
    Topology four = facts.settled(three);
    assertThat(segments(four)).isEqualTo(segments(three));
    facts.suspended = false;
    Topology resumed = facts.settled(four);
    assertThat(owners(resumed)).containsExactlyInAnyOrder(a, b, d);
    assertThat(segments(resumed)).allMatch(segment -> segment.owners().contains(d));
  }

  @Test
  void aForkKnowsTheSeatsOfItsMembers() {
    Seat large = Seat.of(4, "x");
    Topology three = founded(Map.of(a, large, b, NONE), a, b, c);
    Topology fork = ForkPlanner.first(three, List.of(a, b), new UUID(7, 7));
    assertThat(fork.membership().seats()).containsExactly(large, NONE);
    assertThat(owners(fork)).containsExactly(a);
    Topology empty = ForkPlanner.first(three, List.of(b), new UUID(7, 8));
    assertThat(segments(empty)).allMatch(Ownership::unowned);
  }

  @Test
  void foundersAndNewcomersTellTheirSeats() {
    KeeperGrid grid = new KeeperGrid();
    KeeperGrid.Node first = grid.start("a", Seat.of(0.5, "x"));
    KeeperGrid.Node second = grid.start("b", NONE);
    grid.view(first, second);
    grid.settle();
    assertThat(second.current().membership().seat(first.self)).isEqualTo(Seat.of(0.5, "x"));
    assertThat(first.current().membership().seat(second.self)).isEqualTo(NONE);
    KeeperGrid.Node third = grid.start("c", Seat.of(7, "y"));
    grid.view(first, second, third);
    grid.settle();
    assertThat(first.current().membership().seat(third.self)).isEqualTo(Seat.of(7, "y"));
    assertThat(first.current()).isEqualTo(third.current());
  }
}
