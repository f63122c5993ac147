package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.Output;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.ManualFacts;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.ownership.TopologyPlanner;
import io.cantle.core.ownership.TopologySizeLimit;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of segments when members return in other incarnations of their nodes. */
final class NextIncarnationTest {
  private static final int DURABLE = 0;
  private static final int IN_MEMORY = 1;
  private static final int PERIODIC = 2;

  private final ManualFacts facts = new ManualFacts();
  private final Member a1 = incarnation("a", 1);
  private final Member b1 = incarnation("b", 1);
  private final Member c1 = incarnation("c", 1);
  private final Member a2 = incarnation("a", 2);
  private final Member b2 = incarnation("b", 2);

  private static Member incarnation(String name, int incarnation) {
    UUID node = UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    return new Member(new UUID(incarnation, name.charAt(0)), node, name);
  }

  /**
   * Returns a written grid of these members with one cache on disk and one in memory, of two owners
   * each.
   */
  private Topology written(Member... members) {
    facts.written = true;
    CacheConfig config = CacheConfig.distributed().owners(2).segments(6);
    facts.requestedCaches.add(new CacheDefinition("kept", config.durability(Durability.SYNC)));
    facts.requestedCaches.add(new CacheDefinition("in memory", config));
    Durability periodic = Durability.periodic(Duration.ofSeconds(1));
    facts.requestedCaches.add(new CacheDefinition("kept soon", config.durability(periodic)));
    return facts.settled(TopologyPlanner.plan(TopologyFixture.founded(members), facts));
  }

  private static List<SegmentOwnership> segments(Topology topology, int cache) {
    return topology.caches().get(cache).segments();
  }

  private Topology back(Topology from, Member... incarnations) {
    for (Member incarnation : incarnations) {
      from.members().stream().filter(incarnation::isSameNode).forEach(facts::crash);
      facts.join(incarnation);
    }
    return TopologyPlanner.plan(from, facts);
  }

  @Test
  void restartedMemberOwnsItsDurableSegments() {
    Topology before = written(a1, b1);
    Topology after = back(before, a2, b2);
    assertThat(after.members()).containsExactly(a2, b2);
    for (int segment = 0; segment < 6; segment++) {
      SegmentOwnership was = segments(before, DURABLE).get(segment);
      SegmentOwnership is = segments(after, DURABLE).get(segment);
      assertThat(is.epoch()).isEqualTo(was.epoch() + 1);
      assertThat(is.birthEpoch()).isEqualTo(was.birthEpoch());
      assertThat(is.primary().isSameNode(was.primary())).isTrue();
      assertThat(is.owners()).containsExactlyInAnyOrder(a2, b2);
      assertThat(is.joiners()).isEmpty();
      assertThat(is.lastOwners()).isEmpty();
    }
  }

  @Test
  void onlyOneOfSeveralPossiblyStaleReplicasBecomesOwner() {
    Topology before = written(a1, b1);
    Topology after = back(before, a2, b2);
    for (int segment = 0; segment < 6; segment++) {
      SegmentOwnership was = segments(before, PERIODIC).get(segment);
      SegmentOwnership is = segments(after, PERIODIC).get(segment);
      assertThat(is.owners()).singleElement().matches(was.primary()::isSameNode);
      assertThat(is.birthEpoch()).isEqualTo(was.birthEpoch());
      assertThat(is.joiners()).hasSize(1);
      assertThat(is.lastOwners()).isEmpty();
    }
  }

  @Test
  void possiblyStaleReplicaFetchesFromASurvivor() {
    Topology before = written(a1, b1);
    Topology after = back(before, a2);
    for (int segment = 0; segment < 6; segment++) {
      SegmentOwnership is = segments(after, PERIODIC).get(segment);
      assertThat(is.owners()).containsExactly(b1);
      assertThat(is.joiners()).extracting(SegmentOwnership.Joiner::member).containsExactly(a2);
      assertThat(segments(after, DURABLE).get(segment).owners()).contains(a2, b1);
    }
  }

  /** A joiner has never been away, and may hold what a replica on disk lacks. */
  @Test
  void incompleteReplicaWaitsForAJoinersReport() {
    facts.written = true;
    Durability periodic = Durability.periodic(Duration.ofSeconds(1));
    CacheConfig config = CacheConfig.distributed().owners(2).segments(2).durability(periodic);
    facts.requestedCaches.add(new CacheDefinition("kept soon", config));
    Topology alone = facts.settled(TopologyPlanner.plan(TopologyFixture.founded(a1), facts));
    facts.join(b1);
    Topology joining = TopologyPlanner.plan(alone, facts);
    Topology lost = back(joining, a2);
    assertThat(segments(lost, 0)).allMatch(one -> one.isLost() && one.lastOwners().contains(a1));

    facts.receive(0, 0, segments(lost, 0).getFirst().epoch(), b1);
    facts.droppedReplicas.add(b1);
    Topology answered = TopologyPlanner.plan(lost, facts);
    assertThat(segments(answered, 0)).allMatch(one -> one.owners().equals(List.of(a2)));
    facts.droppedReplicas.clear();
    Topology held = TopologyPlanner.plan(lost, facts);
    assertThat(held.ownership(0, 0).owners()).containsExactly(b1);
    assertThat(held.ownership(0, 0).birthEpoch()).isEqualTo(1);
    assertThat(held.ownership(0, 1).isLost()).isTrue();
    facts.joiningMembers.clear();
    facts.crash(b1);
    assertThat(segments(TopologyPlanner.plan(lost, facts), 0))
        .as("it need not wait for one that is away")
        .allMatch(one -> one.owners().equals(List.of(a2)));
  }

  @Test
  void laterReturneeIsOwnerUnlessAnotherServed() {
    Topology before = written(a1, b1);
    Topology alone = back(before, a2);
    facts.crash(b1);
    alone = TopologyPlanner.plan(alone, facts);
    assertThat(segments(alone, DURABLE))
        .allMatch(
            segment -> segment.owners().equals(List.of(a2)) && segment.lastOwners().contains(b1));
    Topology both = back(alone, b2);
    assertThat(segments(both, DURABLE))
        .allMatch(segment -> segment.owners().contains(b2) && segment.joiners().isEmpty());

    facts.joiningMembers.clear();
    Topology served = facts.settled(alone);
    Topology late = back(served, b2);
    assertThat(segments(late, DURABLE))
        .allMatch(
            segment ->
                segment.owners().equals(List.of(a2))
                    && segment.joiners().getFirst().member().equals(b2));
  }

  @Test
  void inMemorySegmentIsEmptyWhenAllOwnersRestarted() {
    Topology after = back(written(a1, b1), a2, b2);
    for (SegmentOwnership segment : segments(after, IN_MEMORY)) {
      assertThat(segment.owners()).containsExactlyInAnyOrder(a2, b2);
      assertThat(segment.birthEpoch()).isEqualTo(segment.epoch());
    }
  }

  @Test
  void inMemorySegmentIsLostWhileAnOwnerIsMissing() {
    Topology before = written(a1, b1, c1);
    facts.crash(List.of(a1, b1));
    facts.join(a2);
    Topology after = TopologyPlanner.plan(before, facts);
    for (int segment = 0; segment < 6; segment++) {
      List<Member> owners = segments(before, IN_MEMORY).get(segment).owners();
      SegmentOwnership is = segments(after, IN_MEMORY).get(segment);
      assertThat(is.isLost()).isEqualTo(!owners.contains(c1));
      assertThat(is.lastOwners()).doesNotContain(a1);
    }
    Topology all = facts.settled(back(after, b2));
    assertThat(segments(all, IN_MEMORY)).noneMatch(SegmentOwnership::isUnowned);
  }

  @Test
  void memberWithANewStoreBringsNothing() {
    Topology before = written(a1, b1);
    facts.membersWithoutCopies.add(a2);
    Topology after = back(before, a2);
    assertThat(segments(after, DURABLE))
        .allMatch(
            segment ->
                segment.owners().equals(List.of(b1))
                    && segment.lastOwners().isEmpty()
                    && segment.joiners().getFirst().member().equals(a2));
  }

  @Test
  void onlyMembersWithAStoreOwnDurableCaches() {
    Member without = ManualNetwork.member("x");
    Topology topology = written(a1, without, b1);
    assertThat(segments(topology, DURABLE)).noneMatch(one -> one.writers().contains(without));
    assertThat(segments(topology, IN_MEMORY)).anyMatch(one -> one.writers().contains(without));
    assertThat(topology.membership().voters()).containsExactly(a1, b1);
    assertThat(topology.everyoneVotes()).isTrue();
  }

  @Test
  void durableCacheBeginsOnceVotersAreDurableAndKnown() {
    Member x = ManualNetwork.member("x");
    Member y = ManualNetwork.member("y");
    CacheConfig config = CacheConfig.distributed().durability(Durability.SYNC);
    facts.requestedCaches.add(new CacheDefinition("kept", config));
    Topology mixed = TopologyFixture.founded(x, y, a1, b1);
    facts.adoptAll(mixed);
    Topology voters = TopologyPlanner.plan(mixed, facts);
    assertThat(voters.membership().voters()).containsExactly(a1, b1);
    assertThat(voters.caches()).isEmpty();
    assertThat(TopologyPlanner.plan(voters, facts)).as("b may not have noted it").isSameAs(voters);
    facts.adoptedNumbers.put(a1, voters.number());
    assertThat(TopologyPlanner.plan(voters, facts)).isSameAs(voters);
    facts.adoptedNumbers.put(b1, voters.number());
    Topology begun = TopologyPlanner.plan(voters, facts);
    assertThat(begun.cacheIndex("kept")).isZero();
    assertThat(begun.membership().voters()).containsExactly(a1, b1);
  }

  @Test
  void laterStoreOwnsDurableCachesOnceVotersAreDurable() {
    Topology without = written(ManualNetwork.member("x"), ManualNetwork.member("y"));
    facts.join(a1);
    Topology admitted = TopologyPlanner.plan(without, facts);
    assertThat(admitted.members()).contains(a1);
    assertThat(segments(admitted, DURABLE)).allMatch(SegmentOwnership::isVacant);
    facts.adoptAll(admitted);
    Topology voting = TopologyPlanner.plan(admitted, facts);
    assertThat(voting.membership().voters()).containsExactly(a1);
    assertThat(segments(voting, DURABLE)).allMatch(SegmentOwnership::isVacant);
    facts.adoptAll(voting);
    Topology owning = TopologyPlanner.plan(voting, facts);
    assertThat(segments(owning, DURABLE)).allMatch(one -> one.owners().equals(List.of(a1)));
  }

  @Test
  void durableCacheWithoutAnyStoreHasNoOwner() {
    Topology topology = written(ManualNetwork.member("x"), ManualNetwork.member("y"));
    assertThat(segments(topology, DURABLE)).allMatch(SegmentOwnership::isVacant);
    assertThat(topology.membership().voters()).hasSize(2);
    facts.join(a1);
    Topology with = facts.settled(topology);
    assertThat(segments(with, DURABLE)).allMatch(one -> one.owners().equals(List.of(a1)));
    assertThat(with.membership().voters()).containsExactly(a1);
  }

  @Test
  void ownerThatDroppedItsReplicaJoinsAgain() {
    Topology before = facts.settled(written(a1, b1));
    facts.droppedReplicas.add(a1);
    Topology next = TopologyPlanner.plan(before, facts);
    assertThat(segments(next, DURABLE))
        .allMatch(one -> one.owners().equals(List.of(b1)) && one.lastOwners().isEmpty())
        .allMatch(one -> one.joiners().getFirst().member().equals(a1));
    facts.droppedReplicas.clear();
    assertThat(segments(facts.settled(next), DURABLE)).allMatch(one -> one.owners().size() == 2);
  }

  @Test
  void segmentDroppedByAllOwnersIsLost() {
    Topology before = facts.settled(written(a1, b1));
    facts.droppedReplicas.addAll(List.of(a1, b1));
    Topology lost = TopologyPlanner.plan(before, facts);
    assertThat(segments(lost, DURABLE))
        .allMatch(one -> one.isLost() && one.lastOwners().containsAll(List.of(a1, b1)));
    assertThat(TopologyPlanner.plan(lost, facts)).isSameAs(lost);
    facts.acceptedLosses.add(DURABLE);
    assertThat(segments(TopologyPlanner.plan(lost, facts), DURABLE))
        .allMatch(one -> one.owners().size() == 2 && one.birthEpoch() == one.epoch());
  }

  @Test
  void droppedSegmentReturnsWithAnAbsentOwner() {
    Topology before = facts.settled(written(a1, b1));
    facts.crash(b1);
    Topology alone = TopologyPlanner.plan(before, facts);
    facts.droppedReplicas.add(a1);
    Topology lost = TopologyPlanner.plan(alone, facts);
    assertThat(segments(lost, DURABLE)).allMatch(SegmentOwnership::isLost);
    facts.crash(b1);
    facts.silentMembers.clear();
    facts.join(b2);
    Topology back = TopologyPlanner.plan(lost, facts);
    assertThat(segments(back, DURABLE)).allMatch(one -> one.owners().equals(List.of(b2)));
  }

  @Test
  void dropReportCountsInItsEpochOnly() {
    DriverGrid grid = new DriverGrid();
    DriverGrid.Node[] all = grid.startDurable("a", "b", "c");
    TopologyDriver driver = all[0].driver;
    driver.reportWrite();
    CacheConfig config = CacheConfig.distributed().owners(2).segments(1);
    driver.reportCacheRequested(new CacheDefinition("kept", config.durability(Durability.SYNC)));
    grid.settle();
    SegmentOwnership before = driver.current().ownership(0, 0);
    for (DriverGrid.Node node : all) {
      node.driver.reportDropped(0, 0, before.epoch() + 1);
    }
    grid.settle();
    assertThat(driver.current().ownership(0, 0)).as("no such epoch").isEqualTo(before);
    for (DriverGrid.Node node : all) {
      node.driver.reportDropped(0, 0, before.epoch());
    }
    grid.settle();
    SegmentOwnership lost = driver.current().ownership(0, 0);
    assertThat(lost.isLost()).isTrue();
    assertThat(lost.lastOwners()).containsExactlyInAnyOrderElementsOf(before.owners());
    driver.reportLossAccepted(0, 0, lost.epoch());
    grid.settle();
    assertThat(driver.current().ownership(0, 0).owners()).hasSize(2);
  }

  @Test
  void incarnationsOfOneNodeAreNeverMembersTogether() {
    Topology before = written(a1, b1);
    facts.join(a2);
    assertThat(TopologyPlanner.plan(before, facts).members()).containsExactly(a1, b1);
  }

  @Test
  void cacheThatMakesTheTopologyTooLongIsNotFounded() {
    Topology now = written(a1, b1);
    CacheConfig large = CacheConfig.distributed().segments(CacheConfig.MAX_SEGMENTS);
    int count = 2 * TopologyFixture.MAX_BYTES_AT_CACHE_CREATION / CacheConfig.MAX_SEGMENTS / 11;
    for (int i = 0; i < count; i++) {
      facts.requestedCaches.add(new CacheDefinition("large " + i, large));
    }
    now = facts.settled(now);
    Output out = new Output(1_024);
    now.write(out);
    assertThat(now.caches()).hasSizeGreaterThan(count / 3).hasSizeLessThan(count * 2 / 3);
    assertThat(out.position()).isLessThanOrEqualTo(TopologyFixture.MAX_BYTES_AT_CACHE_CREATION);
    CacheDefinition more = new CacheDefinition("more", large);
    assertThat(TopologySizeLimit.refusalReason(now, more))
        .contains("\"more\"", "2097152", "CacheConfig.segments");
    assertThat(
            TopologySizeLimit.refusalReason(
                TopologyFixture.founded(ManualNetwork.member("x")), more))
        .isNull();
  }

  @Test
  void memberThatMakesTheTopologyTooLongIsNotAdmitted() {
    DriverGrid grid = new DriverGrid();
    List<DriverGrid.Node> nodes = new ArrayList<>(List.of(grid.startDurable("a", "b", "c")));
    TopologyDriver driver = nodes.getFirst().driver;
    CacheConfig large = CacheConfig.replicated().segments(CacheConfig.MAX_SEGMENTS);
    for (int i = 0; i < 50; i++) {
      driver.reportCacheRequested(new CacheDefinition("large " + i, large));
    }
    grid.advanceMillis(20);
    Topology now = driver.current();
    assertThat(now.caches()).hasSizeGreaterThan(20);
    List<Member> members = new ArrayList<>(now.members());
    while (TopologySizeLimit.refusalReason(now, members) == null) {
      members.add(ManualNetwork.member("n" + members.size()));
    }
    assertThat(members).hasSizeBetween(5, 20);
    assertThat(TopologySizeLimit.refusalReason(now, members)).contains("4194304", "replicated");
    assertThat(TopologySizeLimit.refusalReason(TopologyFixture.founded(c1), List.of(c1, a1)))
        .isNull();
    for (int i = now.members().size(); i <= members.size() + 2; i++) {
      Output join = new Output(64);
      join.writeVarint(0);
      join.writeId(now.gridId());
      MemberCapacity.DEFAULT.write(join);
      join.writeEnum(PartitionHandling.STOP);
      byte[] body = join.toByteArray();
      int[] each = IntStream.range(0, body.length).map(place -> body[place]).toArray();
      grid.network.deliver(
          new ManualNetwork.SentMessage(
              ManualNetwork.member("n" + i),
              nodes.getFirst().self,
              ManualNetwork.bytes(MessageKind.JOIN, each)));
    }
    grid.advanceMillis(10);
    assertThat(driver.current().members()).hasSize(members.size() - 1);
    Output out = new Output(1_024);
    driver.current().write(out);
    assertThat(out.position()).isLessThanOrEqualTo(2 * TopologyFixture.MAX_BYTES_AT_ADMISSION);
  }

  @Test
  void openingACacheWithoutRoomFailsWithAReason() {
    DriverGrid grid = new DriverGrid();
    TopologyDriver driver = grid.startDurable("a", "b", "c")[0].driver;
    CacheConfig large = CacheConfig.distributed().segments(CacheConfig.MAX_SEGMENTS);
    for (int i = 0; i < 60; i++) {
      driver.reportCacheRequested(new CacheDefinition("large " + i, large));
    }
    grid.settle();
    CacheResolver cacheResolver =
        new CacheResolver(driver, grid.clock, new CacheDefinition("large 59", large));
    assertThatIllegalStateException()
        .isThrownBy(() -> cacheResolver.awaitCreated(grid.clock.nanoTime() + 1))
        .withMessageContaining("large 59")
        .withMessageContaining("the limit is 2097152");
  }
}
