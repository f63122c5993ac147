package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.WhenCut;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridRecovery;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An operator gives up voters that are gone for good. */
final class GridRecoveryTest {
  private final DriverGrid grid = new DriverGrid();

  private void use(Node first) {
    use(first, 2);
  }

  private void use(Node first, int owners) {
    first.driver.reportWrite();
    first.driver.reportCacheRequested(
        new CacheDefinition(
            "users",
            CacheConfig.distributed()
                .segments(6)
                .owners(owners)
                .durability(first.self.hasStore() ? Durability.SYNC : Durability.NONE)));
    grid.settle();
    assertThat(first.current().cacheIndex("users")).isZero();
  }

  @Test
  void lastOfFiveContinuesWithItsReplicas() {
    Node[] five = grid.startAll("a", "b", "c", "d", "e");
    use(five[0]);
    UUID before = five[4].current().gridId();
    grid.crashAll(five[0], five[1], five[2], five[3]);
    grid.advanceMillis(5_000);
    assertThat(five[4].hasLease()).isFalse();
    assertThat(five[4].driver.problemText())
        .isEqualTo(
            "e is cut off from the majority of the voters of grid "
                + before
                + ", which are a, b, c, d, e; a, b, c, d do not answer: check the network; a node"
                + " without a store never comes back once it has ended. It waits because of"
                + " GridConfig.whenCut, which is "
                + five[4].current().gridDefinition().partitionHandling().text()
                + ". If they are gone for good, Grid.recoverVoters on e goes on without them");
    five[4].driver.recoverVoters(List.of("a", "b", "c", "d"));
    grid.advanceMillis(4_000);
    Topology now = five[4].current();
    assertThat(five[4].hasLease()).isTrue();
    assertThat(now.gridId()).isNotEqualTo(before);
    assertThat(now.gridDefinition().continues(before)).isTrue();
    assertThat(now.members()).containsExactly(five[4].self);
    assertThat(now.caches().getFirst().segments())
        .allMatch(segment -> segment.isLost() || segment.owners().equals(now.members()))
        .anyMatch(SegmentOwnership::isLost)
        .anyMatch(segment -> !segment.isLost())
        .noneMatch(SegmentOwnership::isVacant);
  }

  @Test
  void youngerOfTwoContinuesAfterRecovery() {
    Node a = grid.start("a", WhenCut.oldestDecides());
    grid.view(a);
    Node b = grid.start("b", WhenCut.oldestDecides());
    grid.view(a, b);
    grid.settle();
    use(a);
    grid.crashAll(a);
    grid.advanceMillis(10_000);
    assertThat(b.hasLease()).isFalse();
    assertThat(b.driver.problemText())
        .startsWith("b is cut off from a, the only voter of grid ")
        .contains(
            ": check the network; a node without a store never comes back once it has ended. ",
            ". If that one is gone for good, Grid.recoverVoters on b goes on without it");
    b.driver.recoverVoters(List.of("a"));
    grid.advanceMillis(3_000);
    assertThat(b.hasLease()).isTrue();
    assertThat(b.current().caches().getFirst().segments()).noneMatch(SegmentOwnership::isLost);
  }

  @Test
  void survivorNotGivenUpFollowsWithItsReplicas() {
    Node[] five = grid.startAll("a", "b", "c", "d", "e");
    use(five[0]);
    grid.crashAll(five[0], five[1], five[2]);
    grid.advanceMillis(4_000);
    five[4].driver.recoverVoters(List.of("a", "b", "c"));
    grid.advanceMillis(4_000);
    DriverGrid.assertAgreed(five[3], five[4]);
    assertThat(five).filteredOn(Node::hasLease).contains(five[3], five[4]);
    List<SegmentOwnership> segments = five[3].current().caches().getFirst().segments();
    assertThat(segments.stream().flatMap(segment -> segment.owners().stream()))
        .contains(five[3].self, five[4].self);
    grid.settle();
    assertThat(five[3].current().membership().voters()).hasSize(2);
  }

  @Test
  void noLeaseIsLeftWhenRecoveryContinues() {
    Node[] four = grid.startAll("a", "b", "c", "d");
    use(four[0]);
    // d hears none of the others, which continue. Then all of them but c die, and d does not hear
    // it.
    grid.cut(four[3], four[0]);
    grid.cut(four[3], four[1]);
    grid.cut(four[3], four[2]);
    grid.advanceMillis(10_000);
    assertThat(four[2].hasLease()).isTrue();
    grid.view(four[3]);
    grid.crash(four[0]);
    grid.crash(four[1]);
    four[3].driver.recoverVoters(List.of("a", "b"));
    for (int i = 0; i < 4_000; i++) {
      grid.advanceMillis(1);
      assertThat(four[2].hasLease() && four[3].hasLease()).as("both after %s ms", i).isFalse();
    }
    assertThat(four[3].hasLease()).isTrue();
  }

  @Test
  void recoveryIsRefusedWithAMajority() {
    Node[] three = grid.startThree();
    use(three[0]);
    grid.crashAll(three[0]);
    grid.advanceMillis(4_000);
    assertThatThrownBy(() -> three[1].driver.recoverVoters(List.of("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing to recover");
  }

  @Test
  void namesMustBeRightAndEnough() {
    Node[] five = grid.startAll("a", "b", "c", "d", "e");
    use(five[0]);
    grid.crashAll(five[0], five[1], five[2]);
    grid.advanceMillis(4_000);
    TopologyDriver driver = five[4].driver;
    assertThatThrownBy(() -> driver.recoverVoters(List.of("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"x\" is no member of the grid: those are a, b, c, d, e");
    assertThatThrownBy(() -> driver.recoverVoters(List.of("a")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too few");
    assertThatThrownBy(() -> driver.recoverVoters(List.of("a", "b", "c", "d")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("d is still in view");
    assertThatThrownBy(() -> driver.recoverVoters(List.of("a", "b", "c", "e")))
        .hasMessageContaining("e is this node");
  }

  @Test
  void twoSidesThatBothGoOnAreTwoGridsOfWhichOneRefuses() {
    Node[] four = grid.startAll("a", "b", "c", "d");
    use(four[0]);
    for (Node one : List.of(four[0], four[1])) {
      grid.cut(one, four[2]);
      grid.cut(one, four[3]);
    }
    grid.advanceMillis(4_000);
    grid.network.showView(four[0].self, four[0].self, four[1].self);
    grid.network.showView(four[1].self, four[0].self, four[1].self);
    grid.network.showView(four[2].self, four[2].self, four[3].self);
    grid.network.showView(four[3].self, four[2].self, four[3].self);
    four[0].driver.recoverVoters(List.of("c", "d"));
    four[2].driver.recoverVoters(List.of("a", "b"));
    grid.advanceMillis(4_000);
    assertThat(four).allMatch(Node::hasLease);
    UUID one = four[0].current().gridId();
    UUID other = four[2].current().gridId();
    assertThat(one).isNotEqualTo(other);
    grid.heal();
    grid.view(four);
    grid.advanceMillis(4_000);
    assertThat(four[0].current().gridId()).isEqualTo(one);
    assertThat(four[2].current().gridId()).isEqualTo(other);
    assertThat(four[0].foreignGrids + four[1].foreignGrids > 0)
        .as("one side refuses")
        .isNotEqualTo(four[2].foreignGrids + four[3].foreignGrids > 0);
  }

  // ------------------------------------------------------------------ with stores

  private Node[] threeWithStores() {
    Node[] abc = grid.startDurable("a", "b", "c");
    use(abc[0], 3);
    return abc;
  }

  @Test
  void givenUpNodeWithStoreIsRefusedAndDecidesNothing() {
    Node[] abc = threeWithStores();
    grid.crashAll(abc[0], abc[1]);
    grid.advanceMillis(4_000);
    abc[2].driver.recoverVoters(List.of("a", "b"));
    grid.advanceMillis(4_000);
    UUID now = abc[2].current().gridId();
    assertThat(abc[2].hasLease()).isTrue();
    // They are most of the voters of the former grid.
    Node[] back = grid.restartAll("a", "b");
    for (int i = 0; i < 10_000; i++) {
      grid.advanceMillis(1);
      assertThat(back).noneMatch(Node::hasLease);
    }
    assertThat(back)
        .allSatisfy(
            node -> {
              assertThat(node.current().gridId()).isNotEqualTo(now);
              assertThat(node.refusals).isNotEmpty().allMatch(JoinRefusal::isFinal);
            });
    assertThat(abc[2].current().gridId()).isEqualTo(now);
    assertThat(abc[2].current().members()).containsExactly(abc[2].self);
  }

  @Test
  void possibleHolderKeepsReplicaUntilLossIsAccepted() {
    Node[] abc = grid.startDurable("a", "b", "c");
    use(abc[0], 1);
    grid.crashAll(abc[0], abc[1]);
    grid.advanceMillis(5_000);
    abc[2].driver.recoverVoters(List.of("a", "b"));
    grid.advanceMillis(4_000);
    Node a = grid.restartAll("a")[0];
    grid.advanceMillis(3_000);
    assertThat(a.refusals).isEmpty();
    assertThat(a.hasLease()).isFalse();
    assertThat(a.driver.problemText()).contains("may hold what is lost there");
    Topology now = abc[2].current();
    for (int segment = 0; segment < 6; segment++) {
      if (now.ownership(0, segment).isLost()) {
        abc[2].driver.reportLossAccepted(0, segment, now.ownership(0, segment).epoch());
      }
    }
    grid.advanceMillis(3_000);
    assertThat(a.refusals).isNotEmpty().allMatch(JoinRefusal::isFinal);
  }

  @Test
  void nodeNotGivenUpReturnsWithItsReplicas() {
    Node[] five = grid.startDurable("a", "b", "c", "d", "e");
    use(five[0]);
    grid.crashAll(five);
    Node e = grid.restartAll("e")[0];
    grid.advanceMillis(4_000);
    e.driver.recoverVoters(List.of("a", "b", "c"));
    grid.advanceMillis(6_000);
    assertThat(e.hasLease()).isTrue();
    assertThat(e.current().members()).contains(e.self);
    Node d = grid.restartAll("d")[0];
    grid.awaitExclusions();
    DriverGrid.assertAgreed(d, e);
    assertThat(d.hasLease()).isTrue();
  }

  @Test
  void aRecoveryIsKnownAfterARestart() {
    Node[] abc = threeWithStores();
    grid.crashAll(abc[0], abc[1]);
    grid.advanceMillis(4_000);
    abc[2].driver.recoverVoters(List.of("a", "b"));
    grid.advanceMillis(4_000);
    UUID now = abc[2].current().gridId();
    grid.crashAll(abc[2]);
    Node c = grid.restartAll("c")[0];
    grid.awaitExclusions();
    assertThat(c.current().gridId()).isEqualTo(now);
    assertThat(c.hasLease()).isTrue();
    assertThat(c.current().gridDefinition().isGivenUp(abc[0].self)).isTrue();
  }

  /**
   * The voters exclude e. b has accepted that and does not hear that it is decided, c acts on it,
   * and the others are gone.
   */
  private Node[] acceptorAndInformedVoter() {
    Node[] five = grid.startDurable("a", "b", "c", "d", "e");
    use(five[0]);
    Node b = five[1];
    Node c = five[2];
    long before = b.current().number();
    grid.loseMessages(sent -> sent.to().equals(b.self) && b.driver.hasPendingTopology());
    grid.crashAll(five[4]);
    for (int i = 0; i < 100_000 && c.current().number() == before; i++) {
      grid.millisOrMessage();
    }
    assertThat(c.current().members()).contains(b.self, c.self).hasSize(4);
    assertThat(b.current().number()).isEqualTo(before);
    grid.crash(five[0]);
    grid.crash(five[3]);
    return new Node[] {b, c};
  }

  private void assertBothGoOnFrom(Topology decided, Node b, Node c) {
    grid.awaitExclusions();
    DriverGrid.assertAgreed(b, c);
    assertThat(b.hasLease() && c.hasLease()).isTrue();
    assertThat(b.current().gridDefinition().lineage().stepFrom(decided.gridId()).topologyNumber())
        .isEqualTo(decided.number());
  }

  @Test
  void acceptedTopologyCountsInRecovery() {
    Node[] bc = acceptorAndInformedVoter();
    Topology decided = bc[1].current();
    grid.cut(bc[0], bc[1]);
    grid.view(bc[0]);
    grid.advanceMillis(5_000);
    bc[0].driver.recoverVoters(List.of("a", "d"));
    grid.advanceMillis(3_000);
    grid.heal();
    grid.view(bc);
    assertBothGoOnFrom(decided, bc[0], bc[1]);
  }

  @Test
  void whatAStoppedNodeHasAcceptedAndMayBeDecidedCounts() {
    Node[] bc = acceptorAndInformedVoter();
    Topology decided = bc[1].current();
    grid.crash(bc[0]);
    grid.heal();
    ManualStableStore notes = grid.store("b");
    StoppedGrid stopped = StoppedGrid.readFrom(notes, bc[0].self.nodeId());
    assertThat(stopped.lastTopology().members())
        .extracting(Member::name)
        .containsExactlyInAnyOrder("a", "b", "c", "d");
    assertThat(stopped.lastTopology().number()).isEqualTo(decided.number());
    stopped.recover(List.of("a", "d"), new UUID(7, 7), notes, () -> {});
    assertBothGoOnFrom(decided, grid.restartAll("b")[0], bc[1]);
  }

  @Test
  void aStoppedNodeGoesOnWithoutTheOthersWhenItStarts() {
    Node[] abc = threeWithStores();
    UUID before = abc[2].current().gridId();
    grid.crashAll(abc);
    ManualStableStore notes = grid.store("c");
    StoppedGrid stopped = StoppedGrid.readFrom(notes, abc[2].self.nodeId());
    assertThat(stopped.grid()).isEqualTo(before);
    assertThat(stopped.lastTopology().membership().voters())
        .extracting(Member::name)
        .containsExactly("a", "b", "c");
    assertThat(stopped.self().name()).isEqualTo("c");
    assertThatThrownBy(() -> stopped.recover(List.of(), new UUID(7, 7), notes, () -> {}))
        .hasMessageContaining("too few");
    stopped.recover(List.of("a", "b"), new UUID(7, 7), notes, () -> {});
    Node c = grid.restartAll("c")[0];
    grid.awaitExclusions();
    assertThat(c.current().gridId()).isEqualTo(new UUID(7, 7));
    assertThat(c.hasLease()).isTrue();
    assertThat(c.current().members()).containsExactly(c.self);
    Node a = grid.restartAll("a")[0];
    grid.awaitExclusions();
    assertThat(a.refusals).isNotEmpty();
    assertThat(a.hasLease()).isFalse();
  }

  private void refuse(Node node, Member from, UUID gridId, UUID incarnation) {
    UUID nodeId = node.self.nodeId();
    grid.refuse(
        from,
        node,
        new JoinRefusal(JoinRefusal.Reason.GIVEN_UP, gridId, nodeId, incarnation, true, "go away"));
  }

  @Test
  void strangersRefusalChangesNothing() {
    Node[] abc = threeWithStores();
    UUID gridId = abc[0].current().gridId();
    Member stranger = ManualNetwork.member("stranger");
    refuse(abc[0], stranger, gridId, abc[0].self.id());
    refuse(abc[0], stranger, new UUID(7, 7), abc[0].self.id());
    refuse(abc[0], abc[1].self, gridId, new UUID(7, 7));
    grid.advanceMillis(1_000);
    assertThat(abc[0].refusals).isEmpty();
    assertThat(abc[0].hasLease()).isTrue();
    grid.crashAll(abc[2]);
    Node c = grid.restartAll("c")[0];
    refuse(c, stranger, gridId, c.self.id());
    grid.awaitExclusions();
    assertThat(c.refusals).isEmpty();
    assertThat(c.hasLease()).isTrue();
    refuse(c, abc[1].self, gridId, c.self.id());
    assertThat(c.refusals).hasSize(1);
  }

  /** It knows a later topology than the node that went on, and does not follow that one. */
  @Test
  void nodeBelievesARecoveryThatItMayNotFollow() {
    Node[] abc = threeWithStores();
    Topology first = abc[0].adopted.getFirst();
    Topology recovered =
        GridRecovery.recoverGrid(first, Set.of(abc[1].self.nodeId()), abc[0].self, new UUID(7, 7));
    UUID gridId = first.gridId();
    grid.crashAll(abc);
    Node c = grid.restartAll("c")[0];
    assertThat(c.current().number()).isGreaterThan(recovered.number());
    JoinRefusal refusal = c.refusal(JoinRefusal.Reason.OUTDATED, new UUID(7, 7), "an old copy");
    grid.refuse(abc[0].self, c, refusal);
    assertThat(c.refusals).isEmpty();
    grid.show(abc[0].self, c, recovered);
    assertThat(c.current().gridId()).isEqualTo(gridId);
    grid.refuse(abc[0].self, c, refusal);
    assertThat(c.refusals).containsExactly(refusal);
  }

  /** Only nodes without a grid are told that a grid cannot admit them. */
  @Test
  void cutOffRefusalHidesNoOther() {
    Node[] abc = threeWithStores();
    UUID gridId = abc[0].current().gridId();
    for (Member from : List.of(ManualNetwork.member("stranger"), abc[2].self)) {
      grid.refuse(
          abc[1].self, abc[0], abc[0].refusal(JoinRefusal.Reason.SAME_NODE, gridId, "a copy"));
      grid.refuse(from, abc[0], abc[0].refusal(JoinRefusal.Reason.CUT_OFF, gridId, "cut off"));
      assertThat(abc[0].driver.problemText()).isEqualTo("a copy");
    }
  }

  @Test
  void nodeWithoutAGridSaysThatTheOneThatItMetIsCutOff() {
    Node d = grid.restart("d");
    grid.refuse(
        ManualNetwork.member("a"),
        d,
        d.refusal(JoinRefusal.Reason.CUT_OFF, new UUID(7, 7), "cut off"));
    assertThat(d.driver.problemText()).isEqualTo("cut off");
  }
}
