package io.cantle.core.topology;

import static io.cantle.core.topology.DriverGrid.assertAgreed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Topology drivers found a grid, admit others and decide topologies, whatever happens to messages.
 *
 * <p>Each test is a short story on a {@link DriverGrid}. Nodes are started, views are handed out,
 * messages are delivered, held or dropped one by one, and the clock is moved by hand. Then the
 * topologies that the nodes have adopted are compared.
 */
final class TopologyDriverTest {
  private static final CacheDefinition USERS = cache("users");

  private final DriverGrid grid = new DriverGrid();

  private static CacheDefinition cache(String name) {
    return new CacheDefinition(name, CacheConfig.distributed().segments(8));
  }

  private Node[] three() {
    Node[] three = grid.startThree();
    three[0].driver.reportCacheRequested(USERS);
    grid.settle();
    return three;
  }

  // ------------------------------------------------------------------ founding and joining

  @Test
  void soleNodeFoundsAGrid() {
    Node a = grid.start("a");
    assertThat(a.current()).isSameAs(Topology.NONE);
    assertThat(a.hasLease()).isFalse();
    grid.view(a);
    assertThat(a.current().isFounded()).isTrue();
    assertThat(a.current().members()).containsExactly(a.self);
    assertThat(a.adopted.getFirst().number()).isEqualTo(1);
    assertThat(a.current().membership().admissionNumber(a.self)).isEqualTo(1);
    grid.advanceMillis(10_000);
    assertThat(a.hasLease()).as("nobody else can decide anything").isTrue();
  }

  @Test
  void gridIsFoundedWhenEnoughNodesSeeEachOther() {
    Node a = grid.start("a", 3);
    Node b = grid.start("b", 3);
    grid.view(a, b);
    grid.settle();
    assertThat(a.current().isFounded()).isFalse();
    Node c = grid.start("c", 3);
    grid.view(a, b, c);
    grid.settle();
    assertAgreed(a, b, c);
    assertThat(a.current().membership().admissionNumbers()).containsExactly(1L, 1L, 1L);
    assertThat(a.hasLease() && b.hasLease() && c.hasLease()).isTrue();
  }

  @Test
  void gridIsFoundedDespiteALostFirstMessage() {
    Node a = grid.start("a", 2);
    Node b = grid.start("b", 2);
    grid.view(a, b);
    grid.network.inFlight.clear();
    grid.advanceMillis(300);
    assertAgreed(a, b);
  }

  @Test
  void joiningAFoundedGridNeedsNoFurtherNodes() {
    Node a = grid.start("a", 1);
    grid.view(a);
    Node b = grid.start("b", 5);
    grid.view(a, b);
    grid.settle();
    assertAgreed(a, b);
    assertThat(a.current().membership().admissionNumber(b.self)).isGreaterThan(1);
  }

  @Test
  void lostJoinRequestIsRepeated() {
    Node a = grid.start("a");
    grid.view(a);
    Node b = grid.start("b");
    grid.view(a, b);
    grid.network.inFlight.clear();
    grid.advanceMillis(300);
    assertAgreed(a, b);
  }

  @Test
  void memberKeepsItsLeaseWithAnEmptyView() {
    Node a = grid.start("a");
    grid.view(a);
    Node b = grid.start("b", 2);
    grid.network.showView(b.self, b.self);
    grid.network.showView(a.self, a.self, b.self);
    grid.settle();
    assertAgreed(a, b);
    grid.advanceMillis(6_000);
    assertAgreed(a, b);
    assertThat(b.adopted)
        .as("it was never excluded")
        .isNotEmpty()
        .allSatisfy(topology -> assertThat(topology.members()).contains(b.self));
    assertThat(a.hasLease() && b.hasLease()).isTrue();
  }

  @Test
  void soleFounderKeepsItsLeaseWhenOthersJoin() {
    Node a = grid.start("a");
    grid.view(a);
    Node b = grid.start("b");
    grid.view(a, b);
    for (int i = 0; i < 200; i++) {
      if (!grid.network.deliver()) {
        grid.clock.advance(1_000_000);
      }
      assertThat(a.hasLease()).isTrue();
    }
    assertAgreed(a, b);
  }

  // ------------------------------------------------------------------ reports

  @Test
  void requestedCacheIsCreatedOnce() {
    Node[] nodes = three();
    nodes[1].driver.reportCacheRequested(USERS);
    nodes[2].driver.reportCacheRequested(new CacheDefinition("users", CacheConfig.replicated()));
    nodes[2].driver.reportCacheRequested(new CacheDefinition("orders", CacheConfig.replicated()));
    grid.settle();
    assertAgreed(nodes);
    assertThat(nodes[0].current().caches())
        .extracting(cache -> cache.definition().name())
        .containsExactly("users", "orders");
    assertThat(nodes[0].current().caches().getFirst().definition()).isEqualTo(USERS);
  }

  @Test
  void reportsAreBatchedIntoOneTopology() {
    Node[] nodes = three();
    int before = nodes[0].adopted.size();
    for (int i = 0; i < 20; i++) {
      nodes[i % 3].driver.reportCacheRequested(cache("cache" + i));
    }
    grid.settle();
    assertThat(nodes[0].adopted).hasSize(before + 1);
    assertThat(nodes[0].current().caches()).hasSize(21);
  }

  @Test
  void reportedGridSettingsBecomePartOfTheTopology() {
    Node[] nodes = three();
    nodes[1].driver.reportWrite();
    nodes[2].driver.reportSuspended(true);
    grid.settle();
    assertAgreed(nodes);
    assertThat(nodes[0].current().gridDefinition().isWritten()).isTrue();
    assertThat(nodes[0].current().gridDefinition().isRebalanceSuspended()).isTrue();
    nodes[0].driver.reportSuspended(false);
    grid.settle();
    assertThat(nodes[2].current().gridDefinition().isRebalanceSuspended()).isFalse();
    assertThat(nodes[2].current().gridDefinition().isWritten()).isTrue();
  }

  @Test
  void newMemberGetsItsShareOnceItReceivedSegments() {
    Node[] old = three();
    Node d = grid.start("d");
    grid.view(old[0], old[1], old[2], d);
    grid.advanceMillis(20);
    assertThat(d.current().caches().getFirst().segments())
        .anyMatch(segment -> !segment.joiners().isEmpty())
        .noneMatch(segment -> segment.owners().contains(d.self));
    grid.settle();
    assertAgreed(old[0], old[1], old[2], d);
    assertThat(d.current().caches().getFirst().segments())
        .allMatch(SegmentOwnership::isSteady)
        .anyMatch(segment -> segment.owners().contains(d.self));
  }

  @Test
  void receiptOfAnotherEpochIsIgnored() {
    Node[] old = three();
    Node d = grid.start("d");
    grid.view(old[0], old[1], old[2], d);
    grid.advanceMillis(20);
    for (int segment = 0; segment < 8; segment++) {
      d.driver.reportReceived(0, segment, d.current().ownership(0, segment).epoch() - 1);
    }
    grid.advanceMillis(20);
    assertThat(d.current().caches().getFirst().segments())
        .noneMatch(segment -> segment.owners().contains(d.self));
  }

  // ------------------------------------------------------------------ deciding

  /** Has the leader propose a cache, and takes its requests to accept from the network. */
  private List<SentMessage> proposed(Node leader, String name) {
    leader.driver.reportCacheRequested(cache(name));
    grid.clock.advance(4_000_000);
    List<SentMessage> asked = new ArrayList<>();
    for (SentMessage sent;
        (sent = grid.network.takeFirst(one -> one.kind() == MessageKind.ACCEPT)) != null; ) {
      asked.add(sent);
    }
    assertThat(asked).isNotEmpty();
    return asked;
  }

  private static SentMessage to(Node node, List<SentMessage> some) {
    return some.stream().filter(sent -> sent.to().equals(node.self)).findFirst().orElseThrow();
  }

  @Test
  void topologyIsNotAdoptedBeforeAMajorityAccepted() {
    Node[] nodes = three();
    List<SentMessage> asked = proposed(nodes[0], "late");
    grid.network.deliverAll();
    assertThat(nodes[0].current().cacheIndex("late")).isEqualTo(-1);
    grid.network.deliver(to(nodes[1], asked));
    assertThat(nodes[1].current().cacheIndex("late")).as("it has only accepted").isEqualTo(-1);
    grid.network.deliverAll();
    assertAgreed(nodes);
    assertThat(nodes[2].current().cacheIndex("late")).isEqualTo(1);
  }

  @Test
  void newLeaderFirstFinishesAPossiblyAcceptedTopology() {
    Node[] nodes = three();
    List<SentMessage> asked = proposed(nodes[0], "late");
    grid.network.deliver(to(nodes[2], asked));
    grid.crash(nodes[0]);
    grid.network.inFlight.clear();

    grid.view(nodes[1], nodes[2]);
    grid.advanceMillis(1_400);

    assertThat(nodes[1].adopted).extracting(t -> t.cacheIndex("late")).contains(1);
    grid.awaitExclusions();
    assertAgreed(nodes[1], nodes[2]);
    assertThat(nodes[1].current().cacheIndex("late")).isEqualTo(1);
  }

  @Test
  void voterThatPromisedANewLeaderRejectsTheOld() {
    Node[] nodes = three();
    Node c = nodes[2];
    List<SentMessage> asked = proposed(nodes[0], "late");
    grid.crash(nodes[0]);
    grid.network.inFlight.clear();
    grid.view(nodes[1], c);
    grid.awaitExclusions();
    long number = c.current().number();
    grid.network.deliver(to(c, asked));
    grid.network.deliverAll();
    assertThat(c.current().number()).isEqualTo(number);
    assertThat(c.current().cacheIndex("late")).isEqualTo(-1);
    assertAgreed(nodes[1], c);
  }

  @Test
  void newLeaderProposesNothingBeforeAMajorityPromised() {
    Node[] nodes = three();
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    long before = nodes[1].current().number();
    nodes[1].driver.reportCacheRequested(cache("late"));
    grid.loseMessages(sent -> sent.kind() == MessageKind.PROMISED);
    grid.advanceMillis(4_000);
    assertThat(nodes[1].current().number()).isEqualTo(before);
    grid.heal();
    grid.awaitExclusions();
    assertAgreed(nodes[1], nodes[2]);
  }

  @Test
  void gridSurvivesALeaderThatDiesWhileChangingVoters() {
    Node[] nodes = three();
    Node d = grid.start("d");
    grid.view(nodes[0], nodes[1], nodes[2], d);
    // All voters accept d as another voter, and their answers are lost.
    grid.loseMessages(sent -> sent.kind() == MessageKind.ACCEPTED);
    grid.advanceMillis(100);
    grid.heal();
    assertThat(nodes[1].current().members()).doesNotContain(d.self);
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2], d);
    grid.awaitExclusions();
    assertAgreed(nodes[1], nodes[2], d);
  }

  @Test
  void proposalOfAFormerLeaderIsResolved() {
    Node[] nodes = three();
    Node a = nodes[0];
    grid.loseMessages(sent -> sent.from().equals(a.self) || sent.to().equals(a.self));
    grid.advanceMillis(2_000);
    // Another node leads by now. The former leader is back, believes that it still leads, and
    // proposes.
    grid.heal();
    grid.loseMessages(sent -> sent.from().equals(a.self) && sent.kind() == MessageKind.REPORT);
    grid.advanceMillis(100);
    a.driver.reportCacheRequested(cache("late"));
    grid.advanceMillis(4_000);
    assertAgreed(nodes);
    assertThat(nodes).noneMatch(node -> node.driver.hasPendingTopology());
    assertThat(nodes).filteredOn(node -> node.driver.isLeading()).hasSize(1);
  }

  @Test
  void lateEarlierTopologyIsNotAdopted() {
    Node[] nodes = three();
    Node c = nodes[2];
    nodes[0].driver.reportCacheRequested(cache("one"));
    grid.clock.advance(4_000_000);
    SentMessage first = null;
    while (first == null) {
      assertThat(grid.network.deliver()).isTrue();
      first =
          grid.network.takeFirst(s -> s.kind() == MessageKind.TOPOLOGY && s.to().equals(c.self));
    }
    grid.settle();
    nodes[0].driver.reportCacheRequested(cache("two"));
    grid.settle();
    long number = c.current().number();
    grid.network.deliver(first);
    assertThat(c.current().number()).isEqualTo(number);
    assertThat(c.current().caches()).hasSize(3);
  }

  @Test
  void memberThatMissedATopologyIsToldAgain() {
    Node[] nodes = three();
    Node c = nodes[2];
    proposed(nodes[0], "late").stream()
        .filter(sent -> sent.to().equals(nodes[1].self))
        .forEach(grid.network::deliver);
    grid.loseMessages(sent -> sent.to().equals(c.self));
    grid.advanceMillis(1);
    grid.heal();
    assertThat(nodes[1].current().cacheIndex("late")).isEqualTo(1);
    assertThat(c.current().cacheIndex("late")).isEqualTo(-1);
    grid.advanceMillis(300);
    assertAgreed(nodes);
  }

  @Test
  void nothingIsResentOnceAllAdopted() {
    Node[] nodes = three();
    grid.advanceMillis(2_000);
    Map<String, Integer> before = new HashMap<>();
    grid.nodes.forEach((name, node) -> before.put(name, node.topologyMessages));
    long number = nodes[0].current().number();
    grid.advanceMillis(2_000);
    grid.nodes.forEach(
        (name, node) -> assertThat(node.topologyMessages).isEqualTo(before.get(name)));
    assertAgreed(nodes);
    assertThat(nodes[0].current().number()).as("where nothing happens").isEqualTo(number);
  }

  // ------------------------------------------------------------------ tasks for later topologies

  @Test
  void taskWaitsForItsTopology() {
    Node[] nodes = three();
    List<String> ran = new ArrayList<>();
    long now = nodes[1].current().number();
    nodes[1].driver.runOnceAdopted(now, () -> ran.add("now"));
    nodes[1].driver.runOnceAdopted(now + 1, () -> ran.add("next"));
    nodes[1].driver.runOnceAdopted(now + 2, () -> ran.add("after"));
    assertThat(ran).containsExactly("now");
    nodes[0].driver.reportCacheRequested(cache("late"));
    grid.advanceMillis(20);
    assertThat(ran).containsExactly("now", "next");
    nodes[0].driver.reportCacheRequested(cache("later"));
    grid.advanceMillis(20);
    assertThat(ran).containsExactly("now", "next", "after");
  }

  @Test
  void failingTaskDoesNotAffectOthers() {
    Node a = grid.start("a");
    grid.view(a);
    List<String> ran = new ArrayList<>();
    long next = a.current().number() + 1;
    a.driver.runOnceAdopted(
        next,
        () -> {
          throw new IllegalStateException("of the test");
        });
    a.driver.runOnceAdopted(next, () -> ran.add("next"));
    a.driver.reportCacheRequested(USERS);
    grid.advanceMillis(10);
    assertThat(ran).containsExactly("next");
  }

  @Test
  void deferredTasksAreBounded() {
    Node a = grid.start("a");
    grid.view(a);
    int[] ran = new int[1];
    for (int i = 0; i < 20_010; i++) {
      a.driver.runOnceAdopted(a.current().number() + 1, () -> ran[0]++);
    }
    a.driver.reportCacheRequested(USERS);
    grid.advanceMillis(10);
    assertThat(ran[0]).isEqualTo(20_000);
  }

  @Test
  void closedDriverProposesNothing() {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(USERS);
    a.driver.close();
    grid.advanceMillis(1_000);
    assertThat(a.current().caches()).isEmpty();
  }

  @Test
  void onlyThePresentLossIsAccepted() {
    Node[] nodes = grid.startThree();
    nodes[0].driver.reportCacheRequested(
        new CacheDefinition("alone", CacheConfig.distributed().owners(1).segments(16)));
    nodes[0].driver.reportWrite();
    grid.settle();
    grid.crash(nodes[2]);
    grid.view(nodes[0], nodes[1]);
    grid.awaitExclusions();
    List<Integer> lost = lost(nodes[0].current());
    assertThat(lost).hasSizeGreaterThan(2);
    int epoch = nodes[0].current().ownership(0, lost.get(0)).epoch();
    nodes[0].driver.reportLossAccepted(0, lost.get(0), epoch - 1);
    grid.settle();
    assertThat(lost(nodes[0].current())).isEqualTo(lost);
    nodes[0].driver.reportLossAccepted(0, lost.get(0), epoch);
    grid.settle();
    assertThat(lost(nodes[0].current())).isEqualTo(lost.subList(1, lost.size()));
  }

  private static List<Integer> lost(Topology topology) {
    List<SegmentOwnership> segments = topology.caches().getFirst().segments();
    return IntStream.range(0, segments.size())
        .filter(segment -> segments.get(segment).isLost())
        .boxed()
        .toList();
  }
}
