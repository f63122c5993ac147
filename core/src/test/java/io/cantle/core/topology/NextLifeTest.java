package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.Output;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of segments when members come back in other lives of their nodes. */
final class NextLifeTest {
  private static final int KEPT = 0;
  private static final int IN_MEMORY = 1;
  private static final int KEPT_SOON = 2;

  private final HandFacts facts = new HandFacts();
  private final Member a1 = life("a", 1);
  private final Member b1 = life("b", 1);
  private final Member c1 = life("c", 1);
  private final Member a2 = life("a", 2);
  private final Member b2 = life("b", 2);

  private static Member life(String name, int life) {
    UUID node = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    return new Member(new UUID(life, name.charAt(0)), node, name);
  }

  /** A grid in use of these with a cache on disk and one in memory, of two owners each. */
  private Topology used(Member... members) {
    facts.used = true;
    CacheConfig config = CacheConfig.distributed().owners(2).segments(6);
    facts.wanted.add(new CacheDefinition("kept", config.durability(Durability.SYNC)));
    facts.wanted.add(new CacheDefinition("in memory", config));
    Durability periodic = Durability.periodic(Duration.ofSeconds(1));
    facts.wanted.add(new CacheDefinition("kept soon", config.durability(periodic)));
    return facts.settled(Evolution.next(HandTopology.founded(members), facts));
  }

  private static List<Ownership> segments(Topology topology, int cache) {
    return topology.caches().get(cache).segments();
  }

  private Topology back(Topology from, Member... lives) {
    for (Member life : lives) {
      from.members().stream().filter(life::sameNode).forEach(facts::crash);
      facts.join(life);
    }
    return Evolution.next(from, facts);
  }

  @Test
  void whoIsBackOwnsWhatItHasOnDisk() {
    Topology before = used(a1, b1);
    Topology after = back(before, a2, b2);
    assertThat(after.members()).containsExactly(a2, b2);
    for (int segment = 0; segment < 6; segment++) {
      Ownership was = segments(before, KEPT).get(segment);
      Ownership is = segments(after, KEPT).get(segment);
      assertThat(is.epoch()).isEqualTo(was.epoch() + 1);
      assertThat(is.born()).isEqualTo(was.born());
      assertThat(is.primary().sameNode(was.primary())).isTrue();
      assertThat(is.owners()).containsExactlyInAnyOrder(a2, b2);
      assertThat(is.joiners()).isEmpty();
      assertThat(is.last()).isEmpty();
    }
  }

  @Test
  void ofThoseThatMayLackSomethingOnlyOneOwnsWhatItHasOnDisk() {
    Topology before = used(a1, b1);
    Topology after = back(before, a2, b2);
    for (int segment = 0; segment < 6; segment++) {
      Ownership was = segments(before, KEPT_SOON).get(segment);
      Ownership is = segments(after, KEPT_SOON).get(segment);
      assertThat(is.owners()).singleElement().matches(was.primary()::sameNode);
      assertThat(is.born()).isEqualTo(was.born());
      assertThat(is.joiners()).hasSize(1);
      assertThat(is.last()).isEmpty();
    }
  }

  @Test
  void whoMayLackSomethingFetchesItFromWhoWasNeverAway() {
    Topology before = used(a1, b1);
    Topology after = back(before, a2);
    for (int segment = 0; segment < 6; segment++) {
      Ownership is = segments(after, KEPT_SOON).get(segment);
      assertThat(is.owners()).containsExactly(b1);
      assertThat(is.joiners()).extracting(Ownership.Joiner::member).containsExactly(a2);
      assertThat(segments(after, KEPT).get(segment).owners()).contains(a2, b1);
    }
  }

  /** A joiner has never been away, and may hold what a copy on disk lacks. */
  @Test
  void whoMayLackSomethingWaitsForTheWordOfAJoiner() {
    facts.used = true;
    Durability periodic = Durability.periodic(Duration.ofSeconds(1));
    CacheConfig config = CacheConfig.distributed().owners(2).segments(2).durability(periodic);
    facts.wanted.add(new CacheDefinition("kept soon", config));
    Topology alone = facts.settled(Evolution.next(HandTopology.founded(a1), facts));
    facts.join(b1);
    Topology joining = Evolution.next(alone, facts);
    Topology lost = back(joining, a2);
    assertThat(segments(lost, 0)).allMatch(one -> one.lost() && one.last().contains(a1));

    facts.receive(0, 0, segments(lost, 0).getFirst().epoch(), b1);
    facts.dropped.add(b1);
    Topology answered = Evolution.next(lost, facts);
    assertThat(segments(answered, 0)).allMatch(one -> one.owners().equals(List.of(a2)));
    facts.dropped.clear();
    Topology held = Evolution.next(lost, facts);
    assertThat(held.ownership(0, 0).owners()).containsExactly(b1);
    assertThat(held.ownership(0, 0).born()).isEqualTo(1);
    assertThat(held.ownership(0, 1).lost()).isTrue();
    facts.joining.clear();
    facts.crash(b1);
    assertThat(segments(Evolution.next(lost, facts), 0))
        .as("it need not wait for one that is away")
        .allMatch(one -> one.owners().equals(List.of(a2)));
  }

  @Test
  void whoIsBackLaterIsAnOwnerAgainUnlessAnotherServedMeanwhile() {
    Topology before = used(a1, b1);
    Topology alone = back(before, a2);
    facts.crash(b1);
    alone = Evolution.next(alone, facts);
    assertThat(segments(alone, KEPT))
        .allMatch(segment -> segment.owners().equals(List.of(a2)) && segment.last().contains(b1));
    Topology both = back(alone, b2);
    assertThat(segments(both, KEPT))
        .allMatch(segment -> segment.owners().contains(b2) && segment.joiners().isEmpty());

    facts.joining.clear();
    Topology served = facts.settled(alone);
    Topology late = back(served, b2);
    assertThat(segments(late, KEPT))
        .allMatch(
            segment ->
                segment.owners().equals(List.of(a2))
                    && segment.joiners().getFirst().member().equals(b2));
  }

  @Test
  void whatWasInMemoryIsGoneWhenAllThatHeldItAreBack() {
    Topology after = back(used(a1, b1), a2, b2);
    for (Ownership segment : segments(after, IN_MEMORY)) {
      assertThat(segment.owners()).containsExactlyInAnyOrder(a2, b2);
      assertThat(segment.born()).isEqualTo(segment.epoch());
    }
  }

  @Test
  void whatWasInMemoryIsLostWhileSomeThatHeldItMayBeThere() {
    Topology before = used(a1, b1, c1);
    facts.crash(List.of(a1, b1));
    facts.join(a2);
    Topology after = Evolution.next(before, facts);
    for (int segment = 0; segment < 6; segment++) {
      List<Member> owners = segments(before, IN_MEMORY).get(segment).owners();
      Ownership is = segments(after, IN_MEMORY).get(segment);
      assertThat(is.lost()).isEqualTo(!owners.contains(c1));
      assertThat(is.last()).doesNotContain(a1);
    }
    Topology all = facts.settled(back(after, b2));
    assertThat(segments(all, IN_MEMORY)).noneMatch(Ownership::unowned);
  }

  @Test
  void whoseStoreIsNewBringsNothing() {
    Topology before = used(a1, b1);
    facts.withoutCopies.add(a2);
    Topology after = back(before, a2);
    assertThat(segments(after, KEPT))
        .allMatch(
            segment ->
                segment.owners().equals(List.of(b1))
                    && segment.last().isEmpty()
                    && segment.joiners().getFirst().member().equals(a2));
  }

  @Test
  void onlyWhoHasAStoreOwnsWhatIsKept() {
    Member without = HandNetwork.member("x");
    Topology topology = used(a1, without, b1);
    assertThat(segments(topology, KEPT)).noneMatch(one -> one.writers().contains(without));
    assertThat(segments(topology, IN_MEMORY)).anyMatch(one -> one.writers().contains(without));
    assertThat(topology.membership().voters()).containsExactly(a1, b1);
    assertThat(topology.allVote()).isTrue();
  }

  @Test
  void whatIsToBeKeptBeginsOnceThoseWhoDecideRememberItAndItsOwnersKnowThem() {
    Member x = HandNetwork.member("x");
    Member y = HandNetwork.member("y");
    CacheConfig config = CacheConfig.distributed().durability(Durability.SYNC);
    facts.wanted.add(new CacheDefinition("kept", config));
    Topology mixed = HandTopology.founded(x, y, a1, b1);
    facts.adoptAll(mixed);
    Topology voters = Evolution.next(mixed, facts);
    assertThat(voters.membership().voters()).containsExactly(a1, b1);
    assertThat(voters.caches()).isEmpty();
    assertThat(Evolution.next(voters, facts)).as("b may not have noted it").isSameAs(voters);
    facts.adopted.put(a1, voters.number());
    assertThat(Evolution.next(voters, facts)).isSameAs(voters);
    facts.adopted.put(b1, voters.number());
    Topology begun = Evolution.next(voters, facts);
    assertThat(begun.cache("kept")).isZero();
    assertThat(begun.membership().voters()).containsExactly(a1, b1);
  }

  @Test
  void aStoreThatComesLaterOwnsWhatIsKeptOnceThoseWhoDecideRememberIt() {
    Topology without = used(HandNetwork.member("x"), HandNetwork.member("y"));
    facts.join(a1);
    Topology admitted = Evolution.next(without, facts);
    assertThat(admitted.members()).contains(a1);
    assertThat(segments(admitted, KEPT)).allMatch(Ownership::vacant);
    facts.adoptAll(admitted);
    Topology voting = Evolution.next(admitted, facts);
    assertThat(voting.membership().voters()).containsExactly(a1);
    assertThat(segments(voting, KEPT)).allMatch(Ownership::vacant);
    facts.adoptAll(voting);
    Topology owning = Evolution.next(voting, facts);
    assertThat(segments(owning, KEPT)).allMatch(one -> one.owners().equals(List.of(a1)));
  }

  @Test
  void whereNobodyHasAStoreWhatIsToBeKeptHasNoOwner() {
    Topology topology = used(HandNetwork.member("x"), HandNetwork.member("y"));
    assertThat(segments(topology, KEPT)).allMatch(Ownership::vacant);
    assertThat(topology.membership().voters()).hasSize(2);
    facts.join(a1);
    Topology with = facts.settled(topology);
    assertThat(segments(with, KEPT)).allMatch(one -> one.owners().equals(List.of(a1)));
    assertThat(with.membership().voters()).containsExactly(a1);
  }

  @Test
  void whatAnOwnerHasDroppedItJoinsWhereOthersHaveIt() {
    Topology before = facts.settled(used(a1, b1));
    facts.dropped.add(a1);
    Topology next = Evolution.next(before, facts);
    assertThat(segments(next, KEPT))
        .allMatch(one -> one.owners().equals(List.of(b1)) && one.last().isEmpty())
        .allMatch(one -> one.joiners().getFirst().member().equals(a1));
    facts.dropped.clear();
    assertThat(segments(facts.settled(next), KEPT)).allMatch(one -> one.owners().size() == 2);
  }

  @Test
  void whatAllOwnersHaveDroppedIsLostUntilItIsGivenUp() {
    Topology before = facts.settled(used(a1, b1));
    facts.dropped.addAll(List.of(a1, b1));
    Topology lost = Evolution.next(before, facts);
    assertThat(segments(lost, KEPT))
        .allMatch(one -> one.lost() && one.last().containsAll(List.of(a1, b1)));
    assertThat(Evolution.next(lost, facts)).isSameAs(lost);
    facts.accepted.add(KEPT);
    assertThat(segments(Evolution.next(lost, facts), KEPT))
        .allMatch(one -> one.owners().size() == 2 && one.born() == one.epoch());
  }

  @Test
  void whatIsDroppedHereComesBackWithWhoIsAway() {
    Topology before = facts.settled(used(a1, b1));
    facts.crash(b1);
    Topology alone = Evolution.next(before, facts);
    facts.dropped.add(a1);
    Topology lost = Evolution.next(alone, facts);
    assertThat(segments(lost, KEPT)).allMatch(Ownership::lost);
    facts.crash(b1);
    facts.silent.clear();
    facts.join(b2);
    Topology back = Evolution.next(lost, facts);
    assertThat(segments(back, KEPT)).allMatch(one -> one.owners().equals(List.of(b2)));
  }

  @Test
  void whoSaysThatItHasDroppedItsCopyIsBelievedInThatEpochOnly() {
    KeeperGrid grid = new KeeperGrid();
    KeeperGrid.Node[] all = grid.durable("a", "b", "c");
    TopologyKeeper keeper = all[0].keeper;
    keeper.reportUsed();
    CacheConfig config = CacheConfig.distributed().owners(2).segments(1);
    keeper.reportWanted(new CacheDefinition("kept", config.durability(Durability.SYNC)));
    grid.settle();
    Ownership before = keeper.current().ownership(0, 0);
    for (KeeperGrid.Node node : all) {
      node.keeper.reportDropped(0, 0, before.epoch() + 1);
    }
    grid.settle();
    assertThat(keeper.current().ownership(0, 0)).as("no such epoch").isEqualTo(before);
    for (KeeperGrid.Node node : all) {
      node.keeper.reportDropped(0, 0, before.epoch());
    }
    grid.settle();
    Ownership lost = keeper.current().ownership(0, 0);
    assertThat(lost.lost()).isTrue();
    assertThat(lost.last()).containsExactlyInAnyOrderElementsOf(before.owners());
    keeper.reportLossAccepted(0, 0, lost.epoch());
    grid.settle();
    assertThat(keeper.current().ownership(0, 0).owners()).hasSize(2);
  }

  @Test
  void twoLivesOfOneNodeAreNeverMembersAtOnce() {
    Topology before = used(a1, b1);
    facts.join(a2);
    assertThat(Evolution.next(before, facts).members()).containsExactly(a1, b1);
  }

  @Test
  void aCacheForWhichANoteOfTheGridHasNoRoomIsNotFounded() {
    Topology now = used(a1, b1);
    CacheConfig large = CacheConfig.distributed().segments(CacheConfig.MAX_SEGMENTS);
    int count = 2 * Ledger.MOST_FOUNDED_BYTES / CacheConfig.MAX_SEGMENTS / 11;
    for (int i = 0; i < count; i++) {
      facts.wanted.add(new CacheDefinition("large " + i, large));
    }
    now = facts.settled(now);
    Output out = new Output(1_024);
    now.write(out);
    assertThat(now.caches()).hasSizeGreaterThan(count / 3).hasSizeLessThan(count * 2 / 3);
    assertThat(out.position()).isLessThanOrEqualTo(Ledger.MOST_FOUNDED_BYTES);
    CacheDefinition more = new CacheDefinition("more", large);
    assertThat(Ledger.refusal(now, more)).contains("\"more\"", "2097152", "CacheConfig.segments");
    assertThat(Ledger.refusal(HandTopology.founded(HandNetwork.member("x")), more)).isNull();
  }

  @Test
  void whoWouldMakeANoteOfTheGridTooLongIsNotAdmitted() {
    KeeperGrid grid = new KeeperGrid();
    List<KeeperGrid.Node> nodes = new ArrayList<>(List.of(grid.durable("a", "b", "c")));
    TopologyKeeper keeper = nodes.getFirst().keeper;
    CacheConfig large = CacheConfig.replicated().segments(CacheConfig.MAX_SEGMENTS);
    for (int i = 0; i < 50; i++) {
      keeper.reportWanted(new CacheDefinition("large " + i, large));
    }
    grid.millis(20);
    Topology now = keeper.current();
    assertThat(now.caches()).hasSizeGreaterThan(20);
    List<Member> members = new ArrayList<>(now.members());
    while (Ledger.refusal(now, members) == null) {
      members.add(HandNetwork.member("n" + members.size()));
    }
    assertThat(members).hasSizeBetween(5, 20);
    assertThat(Ledger.refusal(now, members)).contains("4194304", "replicated");
    assertThat(Ledger.refusal(HandTopology.founded(c1), List.of(c1, a1))).isNull();
    for (int i = now.members().size(); i <= members.size() + 2; i++) {
      Output join = new Output(64);
      join.writeVarint(0);
      join.writeId(now.gridId());
      Seat.USUAL.write(join);
      join.writeByte(Mode.STOP.code());
      byte[] body = join.toByteArray();
      int[] each = IntStream.range(0, body.length).map(place -> body[place]).toArray();
      grid.network.deliver(
          new HandNetwork.Sent(
              HandNetwork.member("n" + i),
              nodes.getFirst().self,
              HandNetwork.bytes(Kind.JOIN, each)));
    }
    grid.millis(10);
    assertThat(keeper.current().members()).hasSize(members.size() - 1);
    Output out = new Output(1_024);
    keeper.current().write(out);
    assertThat(out.position()).isLessThanOrEqualTo(2 * Ledger.MOST_GROWN_BYTES);
  }

  @Test
  void whoOpensACacheThereIsNoRoomForIsToldSo() {
    KeeperGrid grid = new KeeperGrid();
    TopologyKeeper keeper = grid.durable("a", "b", "c")[0].keeper;
    CacheConfig large = CacheConfig.distributed().segments(CacheConfig.MAX_SEGMENTS);
    for (int i = 0; i < 60; i++) {
      keeper.reportWanted(new CacheDefinition("large " + i, large));
    }
    grid.settle();
    CachePlace place = new CachePlace(keeper, grid.clock, new CacheDefinition("large 59", large));
    assertThatIllegalStateException()
        .isThrownBy(() -> place.awaitThere(grid.clock.nanoTime() + 1))
        .withMessageContaining("large 59")
        .withMessageContaining("the limit is 2097152");
  }
}
