package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.topology.KeeperGrid.Node;
import io.cantle.core.transport.HandNetwork.Sent;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Several keepers that agree on one topology whatever happens to messages and members.
 *
 * <p>Each test is a short story on a {@link KeeperGrid}: nodes are started, views are handed out,
 * messages are delivered, held or dropped one by one, the clock is moved by hand, and then the
 * topologies the nodes have adopted are compared. The stories are told in this order: founding and
 * joining, a new coordinator that takes the latest topology and a term of its own, coordinators of
 * earlier terms that are refused, strangers and grids that are given up, leaving, and what waits
 * for a topology.
 *
 * <p>No thread is started and nothing is timed: what a real node does on other threads runs at once
 * on the test's own.
 */
final class TopologyKeeperTest {
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(8));

  private final KeeperGrid grid = new KeeperGrid();

  private Node[] three() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    Node c = grid.start("c");
    grid.view(a, b, c);
    grid.settle();
    a.keeper.reportWanted(USERS);
    grid.settle();
    return new Node[] {a, b, c};
  }

  private static void assertAgreed(Node... nodes) {
    for (Node node : nodes) {
      assertThat(node.current()).isEqualTo(nodes[0].current());
      assertThat(node.adopted).extracting(Topology::number).isSorted().doesNotHaveDuplicates();
    }
    assertThat(nodes[0].current().members())
        .containsExactly(
            java.util.Arrays.stream(nodes).map(node -> node.self).toArray(Member[]::new));
  }

  @Test
  void aNodeAloneFoundsAGrid() {
    Node a = grid.start("a");
    assertThat(a.current()).isSameAs(Topology.NONE);
    grid.view(a);
    assertThat(a.current().founded()).isTrue();
    assertThat(a.current().members()).containsExactly(a.self);
    assertThat(a.current().term()).isEqualTo(1);
    assertThat(a.adopted).hasSize(1);
  }

  @Test
  void aGridIsFoundedWhenEnoughSeeEachOther() {
    Node a = grid.start("a", 3);
    Node b = grid.start("b", 3);
    grid.view(a, b);
    grid.settle();
    assertThat(a.current().founded()).isFalse();
    Node c = grid.start("c", 3);
    grid.view(a, b, c);
    grid.settle();
    assertAgreed(a, b, c);
  }

  @Test
  void whoJoinsAFoundedGridNeedNotWaitForMore() {
    Node a = grid.start("a", 1);
    grid.view(a);
    Node b = grid.start("b", 5);
    grid.view(a, b);
    grid.settle();
    assertAgreed(a, b);
  }

  @Test
  void twoGridsAreNotTheSame() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a);
    grid.view(b);
    assertThat(a.current().gridId()).isNotEqualTo(b.current().gridId());
    assertThat(a.current().hashSeed()).isNotEqualTo(b.current().hashSeed());
  }

  @Test
  void aWantedCacheIsCreatedOnceForAll() {
    Node[] nodes = three();
    nodes[1].keeper.reportWanted(USERS);
    nodes[2].keeper.reportWanted(new CacheDefinition("users", CacheConfig.replicated()));
    nodes[2].keeper.reportWanted(new CacheDefinition("orders", CacheConfig.replicated()));
    grid.settle();
    assertAgreed(nodes);
    assertThat(nodes[0].current().caches())
        .extracting(cache -> cache.definition().name())
        .containsExactly("users", "orders");
    assertThat(nodes[0].current().caches().getFirst().definition()).isEqualTo(USERS);
  }

  @Test
  void manyReportsMakeOneTopology() {
    Node[] nodes = three();
    int before = nodes[0].adopted.size();
    for (int i = 0; i < 20; i++) {
      nodes[i % 3].keeper.reportWanted(
          new CacheDefinition("cache" + i, CacheConfig.distributed().segments(2)));
    }
    grid.settle();
    assertThat(nodes[0].adopted).hasSize(before + 1);
    assertThat(nodes[0].current().caches()).hasSize(21);
  }

  @Test
  void aNewMemberGetsItsShareOnceItHasReceived() {
    Node[] old = three();
    Node d = grid.start("d");
    grid.view(old[0], old[1], old[2], d);
    grid.millis(10);
    assertThat(d.current().caches().getFirst().segments())
        .anyMatch(segment -> !segment.joiners().isEmpty())
        .noneMatch(segment -> segment.owners().contains(d.self));
    grid.settle();
    assertAgreed(old[0], old[1], old[2], d);
    assertThat(d.current().caches().getFirst().segments())
        .allMatch(Ownership::steady)
        .anyMatch(segment -> segment.owners().contains(d.self));
  }

  @Test
  void aReceiptOfAnotherEpochCountsForNothing() {
    Node[] old = three();
    Node d = grid.start("d");
    grid.view(old[0], old[1], old[2], d);
    grid.millis(10);
    for (int segment = 0; segment < 8; segment++) {
      d.keeper.reportReceived(0, segment, d.current().ownership(0, segment).epoch() - 1);
    }
    grid.millis(20);
    assertThat(d.current().caches().getFirst().segments())
        .noneMatch(segment -> segment.owners().contains(d.self));
  }

  @Test
  void aNewCoordinatorGoesOnFromTheLatestTopologyAnybodyKnows() {
    Node[] nodes = three();
    Node a = nodes[0];
    Node b = nodes[1];
    Node c = nodes[2];
    // The last topology of a reaches c alone.
    a.keeper.reportWanted(new CacheDefinition("late", CacheConfig.distributed().segments(1)));
    grid.clock.advance(10_000_000);
    Sent toC = grid.network.take(sent -> sent.kind() == Kind.TOPOLOGY && sent.to().equals(c.self));
    grid.network.deliver(Objects.requireNonNull(toC));
    assertThat(c.current().cache("late")).isEqualTo(1);
    grid.crash(a);
    grid.network.underWay.clear();
    assertThat(b.current().cache("late")).isEqualTo(-1);

    grid.view(b, c);
    grid.settle();

    assertAgreed(b, c);
    assertThat(b.current().cache("late")).isEqualTo(1);
    assertThat(b.current().term()).isEqualTo(2);
  }

  @Test
  void aNewCoordinatorMakesNothingBeforeAllHaveSaidWhatTheyKnow() {
    Node[] nodes = three();
    grid.crash(nodes[0]);
    long before = nodes[1].current().number();
    grid.view(nodes[1], nodes[2]);
    grid.network.underWay.clear();
    grid.clock.advance(90_000_000);
    assertThat(nodes[1].current().number()).isEqualTo(before);
    // It asks again.
    grid.millis(200);
    assertAgreed(nodes[1], nodes[2]);
    assertThat(nodes[1].current().term()).isEqualTo(2);
  }

  @Test
  void whoDiesWhileBeingAskedIsNotWaitedFor() {
    Node[] nodes = three();
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.network.underWay.clear();
    grid.crash(nodes[2]);
    grid.view(nodes[1]);
    assertThat(nodes[1].current().members()).containsExactly(nodes[1].self);
    assertThat(nodes[1].current().term()).isEqualTo(2);
  }

  @Test
  void whoAnsweredANewCoordinatorObeysNoEarlierOne() {
    Node[] nodes = three();
    Node a = nodes[0];
    Node c = nodes[2];
    a.keeper.reportWanted(new CacheDefinition("late", CacheConfig.distributed().segments(1)));
    grid.clock.advance(10_000_000);
    List<Sent> old = new ArrayList<>(grid.network.underWay);
    grid.network.underWay.clear();
    assertThat(old).anyMatch(sent -> sent.kind() == Kind.TOPOLOGY && sent.to().equals(c.self));

    grid.view(nodes[1], c);
    grid.network.deliver(gather(nodes[1], c));
    old.forEach(grid.network::deliver);
    assertThat(c.current().cache("late")).isEqualTo(-1);
    assertThat(c.current().term()).isEqualTo(1);
  }

  private Sent gather(Node from, Node to) {
    Sent sent =
        grid.network.take(
            one ->
                one.kind() == Kind.GATHER
                    && one.from().equals(from.self)
                    && one.to().equals(to.self));
    if (sent == null) {
      throw new AssertionError(from.self + " did not ask " + to.self);
    }
    return sent;
  }

  @Test
  void anEarlierTopologyThatComesLateIsNotAdopted() {
    Node[] nodes = three();
    Node c = nodes[2];
    nodes[0].keeper.reportWanted(new CacheDefinition("one", CacheConfig.distributed()));
    grid.clock.advance(10_000_000);
    Sent first = grid.network.take(s -> s.kind() == Kind.TOPOLOGY && s.to().equals(c.self));
    nodes[0].keeper.reportWanted(new CacheDefinition("two", CacheConfig.distributed()));
    grid.clock.advance(10_000_000);
    grid.network.deliverAll();
    long number = c.current().number();
    grid.network.deliver(Objects.requireNonNull(first));
    assertThat(c.current().number()).isEqualTo(number);
    assertThat(c.current().caches()).hasSize(3);
  }

  @Test
  void whoMissedATopologyIsToldAgain() {
    Node[] nodes = three();
    nodes[0].keeper.reportWanted(new CacheDefinition("late", CacheConfig.distributed()));
    grid.clock.advance(10_000_000);
    grid.network.underWay.removeIf(sent -> sent.kind() == Kind.TOPOLOGY);
    grid.network.deliverAll();
    assertThat(nodes[1].current().cache("late")).isEqualTo(-1);
    grid.millis(600);
    assertAgreed(nodes);
  }

  @Test
  void nobodyIsRemindedOnceAllHaveAdopted() {
    Node[] nodes = three();
    grid.millis(2_000);
    Map<String, Integer> before = new HashMap<>();
    grid.nodes.forEach((name, node) -> before.put(name, node.topologiesCame));
    grid.millis(2_000);
    grid.nodes.forEach((name, node) -> assertThat(node.topologiesCame).isEqualTo(before.get(name)));
    assertThat(grid.clock.timers()).isZero();
    assertAgreed(nodes);
  }

  @Test
  void aGridThatNeverWroteIsGivenUpForTheOther() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a);
    grid.view(b);
    a.keeper.reportWanted(USERS);
    grid.millis(10);
    a.keeper.written();

    grid.view(a, b);
    grid.settle();

    assertThat(b.current()).isEqualTo(a.current());
    assertThat(a.current().members()).containsExactly(a.self, b.self);
    assertThat(b.current().cache("users")).isZero();
    assertThat(a.foreign + b.foreign).isZero();
  }

  @Test
  void aGridThatHasWrittenIsNotLetIn() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a);
    grid.view(b);
    b.keeper.written();
    Topology own = b.current();

    grid.view(a, b);
    grid.settle();

    assertThat(b.foreign).isPositive();
    assertThat(a.foreign).isZero();
    assertThat(b.current()).isEqualTo(own);
    assertThat(a.current().members()).containsExactly(a.self);
  }

  @Test
  void whoWroteAfterItSaidThatItHadNotIsNotSilentlyTakenOver() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a);
    grid.view(b);
    Topology own = b.current();
    grid.view(a, b);
    while (grid.network.underWay.stream().noneMatch(sent -> sent.kind() == Kind.TOPOLOGY)) {
      if (!grid.network.deliver()) {
        grid.clock.advance(1_000_000);
      }
    }
    b.keeper.written();
    grid.settle();
    assertThat(b.current()).isEqualTo(own);
    assertThat(b.foreign).isPositive();
  }

  @Test
  void leaveIsGrantedWhenNothingDependsOnTheLeaver() {
    Node[] nodes = three();
    Node b = nodes[1];
    b.keeper.reportLeaving();
    grid.millis(20);
    assertThat(b.current().leaving()).containsExactly(b.self);
    assertThat(b.keeper.left()).as("before anybody has received").isFalse();
    grid.settle();
    b.keeper.reportLeaving();
    grid.settle();
    assertThat(b.keeper.left()).isTrue();
    assertThat(b.current().needs(b.self)).isFalse();
    assertThat(nodes[0].keeper.left()).isFalse();
    assertThat(nodes[2].keeper.left()).isFalse();
  }

  @Test
  void leaveIsNotGrantedWhileSomebodyHasNotAdoptedIt() {
    Node[] nodes = three();
    nodes[1].keeper.reportLeaving();
    for (int i = 0; i < 100; i++) {
      grid.network.underWay.removeIf(
          sent ->
              sent.kind() == Kind.REPORT
                  && sent.from().equals(nodes[2].self)
                  && sent.bytes()[3] == 1);
      if (!grid.network.deliver()) {
        grid.clock.advance(1_000_000);
        nodes[0].receiveAll();
        nodes[2].receiveAll();
      }
    }
    assertThat(nodes[1].current().needs(nodes[1].self)).isFalse();
    assertThat(nodes[1].keeper.left()).isFalse();
    grid.millis(600);
    assertThat(nodes[1].keeper.left()).isTrue();
  }

  @Test
  void whenAllLeaveAllMayGoAtOnce() {
    Node[] nodes = three();
    for (Node node : nodes) {
      node.keeper.reportLeaving();
    }
    grid.network.deliverAll();
    for (Node node : nodes) {
      assertThat(node.keeper.left()).isTrue();
    }
  }

  @Test
  void theCoordinatorLeavesLikeAnybody() {
    Node[] nodes = three();
    nodes[0].keeper.reportLeaving();
    grid.settle();
    assertThat(nodes[0].keeper.left()).isTrue();
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.settle();
    assertAgreed(nodes[1], nodes[2]);
    assertThat(nodes[1].current().caches().getFirst().segments())
        .allMatch(segment -> segment.owners().size() == 2);
  }

  @Test
  void aLeaveIsRememberedByTheNextCoordinator() {
    Node[] nodes = three();
    nodes[2].keeper.reportLeaving();
    grid.millis(10);
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.settle();
    assertThat(nodes[1].current().leaving()).containsExactly(nodes[2].self);
    nodes[2].keeper.reportLeaving();
    grid.settle();
    assertThat(nodes[2].keeper.left()).isTrue();
  }

  @Test
  void aTaskWaitsForTheTopologyItNeeds() {
    Node[] nodes = three();
    List<String> ran = new ArrayList<>();
    long now = nodes[1].current().number();
    nodes[1].keeper.whenAdopted(now, () -> ran.add("now"));
    nodes[1].keeper.whenAdopted(now + 1, () -> ran.add("next"));
    nodes[1].keeper.whenAdopted(now + 2, () -> ran.add("after"));
    assertThat(ran).containsExactly("now");
    nodes[0].keeper.reportWanted(new CacheDefinition("late", CacheConfig.distributed()));
    grid.millis(20);
    assertThat(ran).containsExactly("now", "next");
    nodes[0].keeper.reportWanted(new CacheDefinition("later", CacheConfig.distributed()));
    grid.millis(20);
    assertThat(ran).containsExactly("now", "next", "after");
  }

  @Test
  void noMoreThanTheBoundWaitForATopology() {
    Node a = grid.start("a");
    grid.view(a);
    int[] ran = new int[1];
    for (int i = 0; i < 20_010; i++) {
      a.keeper.whenAdopted(a.current().number() + 1, () -> ran[0]++);
    }
    a.keeper.reportWanted(USERS);
    grid.millis(10);
    assertThat(ran[0]).isEqualTo(20_000);
  }

  @Test
  void aClosedKeeperMakesNothing() {
    Node a = grid.start("a");
    grid.view(a);
    a.keeper.reportWanted(USERS);
    a.keeper.close();
    grid.millis(1_000);
    assertThat(a.current().caches()).isEmpty();
  }

  @Test
  void twoHalvesOfAGridThatMetAgainGoOnInAHigherTerm() {
    Node[] nodes = three();
    // Each half takes the other for gone and goes on for itself: the later term must win.
    grid.view(nodes[0], nodes[1]);
    grid.view(nodes[2]);
    grid.settle();
    assertThat(nodes[2].current().term()).isEqualTo(2);
    assertThat(nodes[0].current().term()).isEqualTo(1);
    grid.view(nodes[0], nodes[1], nodes[2]);
    grid.settle();
    assertAgreed(nodes);
    assertThat(nodes[0].current().term()).isGreaterThan(2);
  }

  @Test
  void whoHasPromisedAHigherTermCostsNobodyHisSegments() {
    Node[] nodes = three();
    Node x = grid.start("x");
    Node d = grid.start("d");
    grid.view(x, d);
    grid.settle();
    grid.crash(x);
    grid.view(d);
    grid.settle();
    assertThat(d.current().term()).isEqualTo(2);
    nodes[0].keeper.written();

    grid.view(nodes[0], nodes[1], nodes[2], d);
    grid.settle();

    assertAgreed(nodes[0], nodes[1], nodes[2], d);
    assertThat(nodes[0].adopted).allSatisfy(t -> assertThat(t.members()).hasSizeGreaterThan(2));
    assertThat(nodes[0].current().caches().getFirst().segments()).noneMatch(Ownership::lost);
  }

  @Test
  void aStrangerInTheViewKeepsNobodyFromLeaving() {
    Node[] nodes = three();
    Node d = grid.start("d");
    grid.view(d);
    d.keeper.written();
    grid.view(nodes[0], nodes[1], nodes[2], d);
    grid.settle();
    assertThat(d.foreign).isPositive();
    nodes[2].keeper.reportLeaving();
    grid.settle();
    nodes[2].keeper.reportLeaving();
    grid.settle();
    assertThat(nodes[2].keeper.left()).isTrue();
  }

  @Test
  void whoWasRefusedMakesNothingUntilAllHaveAnsweredAgain() {
    Node[] nodes = three();
    Node x = grid.start("x");
    Node d = grid.start("d");
    grid.view(x, d);
    grid.settle();
    grid.crash(x);
    grid.view(d);
    grid.settle();
    nodes[0].keeper.written();
    long before = nodes[0].current().number();

    grid.view(nodes[0], nodes[1], nodes[2], d);
    for (int i = 0; i < 50; i++) {
      // All but the answers of c arrive, and time passes.
      grid.network.underWay.removeIf(
          sent -> sent.kind() == Kind.GATHERED && sent.from().equals(nodes[2].self));
      if (!grid.network.deliver()) {
        grid.clock.advance(1_000_000);
      }
    }
    assertThat(nodes[0].current().number()).isEqualTo(before);
    grid.settle();
    assertAgreed(nodes[0], nodes[1], nodes[2], d);
    assertThat(nodes[0].current().caches().getFirst().segments()).noneMatch(Ownership::lost);
  }
}
