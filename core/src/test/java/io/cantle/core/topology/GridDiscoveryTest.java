package io.cantle.core.topology;

import static io.cantle.core.topology.DriverGrid.assertAgreed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How nodes come together in one grid, and what becomes of grids that meet.
 *
 * <p>Each test starts the topology drivers of a few nodes over a network in memory ({@code
 * DriverGrid}), whose clock and messages the test moves by hand. A view shows nodes to each other;
 * {@code settle} delivers what was sent and lets time pass until no node has anything left to send.
 *
 * <p>The tests are in three groups: nodes that found a grid together or join one; two grids that
 * were founded apart and meet, of which at most one has been written; and grids that must not
 * become one, which say why. Each ends with what all nodes agree on, or with the refusal that the
 * operator reads.
 */
final class GridDiscoveryTest {
  private static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(8));

  private final DriverGrid grid = new DriverGrid();

  /** Founds a grid of nodes that see each other. */
  private Node[] founded(String... names) {
    Node[] nodes = Arrays.stream(names).map(grid::start).toArray(Node[]::new);
    grid.view(nodes);
    grid.settle();
    assertAgreed(nodes);
    return nodes;
  }

  private static Node[] both(Node[] some, Node... others) {
    List<Node> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(others));
    return all.toArray(Node[]::new);
  }

  private void use(Node node) {
    node.driver.reportWrite();
    grid.settle();
    assertThat(node.current().gridDefinition().isWritten()).isTrue();
  }

  // ------------------------------------------------------------------ settings of a grid

  @Test
  void nodeWithOtherPartitionHandlingIsRefused() {
    Node[] nodes = founded("a", "b");
    Node c = grid.start("c", WhenCut.available(MergePolicy.newer()));
    grid.view(nodes[0], nodes[1], c);
    grid.settle();
    assertThat(c.refusedBy).isNotEmpty().containsOnly(PartitionHandling.STOP);
    assertThat(c.current()).isEqualTo(Topology.NONE);
    assertThat(nodes[0].refusedBy).isEmpty();
    for (Node node : nodes) {
      assertThat(node.adopted).noneMatch(topology -> topology.members().contains(c.self));
    }
  }

  @Test
  void nodeWithOtherPartitionHandlingIsNoFounder() {
    Node a = grid.start("a", 3);
    Node b = grid.start("b", WhenCut.oldestDecides());
    Node c = grid.start("c", 3);
    grid.view(a, b, c);
    grid.settle();
    assertAgreed(a, c);
    assertThat(b.refusedBy).isNotEmpty().containsOnly(PartitionHandling.STOP);
    assertThat(b.current()).isEqualTo(Topology.NONE);
  }

  // ------------------------------------------------------------------ starting together

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 20})
  void nodesStartingTogetherFormOneGrid(int count) {
    for (int seed = 0; seed < 40; seed++) {
      startAll(count, new Random(seed));
    }
  }

  /** Views grow by one member at a time, and each node learns of them at a random time. */
  private static void startAll(int count, Random random) {
    DriverGrid grid = new DriverGrid();
    List<Node> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(grid.start("n" + i));
    }
    Collections.shuffle(all, random);
    int[] seen = new int[count];
    for (int i = 0; i < count; i++) {
      seen[i] = i;
    }
    List<Integer> behind = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      behind.add(i);
    }
    while (!behind.isEmpty()) {
      int one = behind.get(random.nextInt(behind.size()));
      seen[one] = Math.min(count, seen[one] + 1 + random.nextInt(count));
      Node node = all.get(one);
      grid.network.showView(
          node.self,
          all.subList(0, seen[one]).stream()
              .map(other -> other.self)
              .toArray(io.cantle.core.transport.Member[]::new));
      for (int i = random.nextInt(30); i > 0; i--) {
        grid.millisOrMessage();
      }
      behind.removeIf(i -> seen[i] == count);
    }
    grid.advanceMillis(8_000);
    grid.settle();
    assertAgreed(all.toArray(Node[]::new));
    assertThat(all).allMatch(Node::hasLease).allMatch(node -> node.foreignGrids == 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void nodesStartingTogetherFormOneGridDespiteMessageLoss(long seed) {
    DriverStorm storm = new DriverStorm(seed);
    storm.lossPercent = 20;
    storm.doublePercent = 10;
    storm.maxDelayMillis = 100;
    List<DriverStorm.Node> all = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      all.add(storm.start("n" + i));
    }
    for (int round = 0; round < 10; round++) {
      for (DriverStorm.Node node : all) {
        List<DriverStorm.Node> present =
            new ArrayList<>(
                all.stream().filter(n -> n == node || storm.random.nextBoolean()).toList());
        Collections.shuffle(present, storm.random);
        node.view(present);
      }
      storm.advanceTime(storm.random.nextInt(500));
    }
    storm.viewToAll(all);
    storm.lossPercent = 0;
    storm.advanceTime(20_000);
    Topology one = all.getFirst().current();
    assertThat(one.members()).hasSize(6);
    assertThat(all)
        .allSatisfy(
            node -> {
              assertThat(node.current()).isEqualTo(one);
              assertThat(node.driver.lease().isHeld()).isTrue();
              assertThat(node.foreign).isZero();
            });
  }

  @Test
  void nodeSeeingOthersDoesNotFoundAlone() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.network.showView(b.self, b.self, a.self);
    grid.network.showView(a.self, a.self, b.self);
    grid.network.showView(b.self, a.self, b.self);
    grid.advanceMillis(1_500);
    assertAgreed(a, b);
    assertThat(a.adopted).extracting(Topology::gridId).containsOnly(b.current().gridId());
  }

  // ------------------------------------------------------------------ grids that meet

  @Test
  void gridIdsDiffer() {
    Node a = founded("a")[0];
    Node b = founded("b")[0];
    assertThat(a.current().gridId()).isNotEqualTo(b.current().gridId());
    assertThat(a.current().hashSeed()).isNotEqualTo(b.current().hashSeed());
  }

  @Test
  void oneOfTwoUnwrittenGridsGivesWay() {
    Node[] some = founded("a", "b", "c");
    Node[] others = founded("d", "e");
    Node[] all = both(some, others);
    grid.view(all);
    grid.awaitExclusions();
    assertAgreed(all);
    assertThat(all).allMatch(node -> node.foreignGrids == 0).allMatch(Node::hasLease);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void unwrittenGridGivesWayToAWrittenOne(boolean usedFirst) {
    Node[] some = founded("a", "b", "c");
    Node[] others = founded("d");
    Node user = usedFirst ? others[0] : some[0];
    user.driver.reportCacheRequested(USERS);
    use(user);
    Topology used = user.current();
    Node[] all = both(some, others);
    grid.view(all);
    grid.awaitExclusions();
    assertAgreed(all);
    assertThat(all).allMatch(node -> node.foreignGrids == 0);
    assertThat(user.current().gridId()).isEqualTo(used.gridId());
    assertThat(user.current().cacheIndex("users")).isZero();
    assertThat(user.current().gridDefinition().isSuperseded()).isFalse();
  }

  @Test
  void givingUpAGridIsReportedToTheNode() {
    Node[] some = founded("a", "b");
    use(some[0]);
    Node[] others = founded("c", "d");
    others[0].driver.reportCacheRequested(USERS);
    grid.settle();
    grid.view(both(some, others));
    grid.awaitExclusions();
    for (Node other : others) {
      assertThat(other.adopted).contains(Topology.NONE);
      assertThat(other.current().caches()).isEmpty();
    }
    for (Node one : some) {
      assertThat(one.adopted).doesNotContain(Topology.NONE);
    }
  }

  @Test
  void youngerOfTwoWrittenGridsIsToldOfTheOlder() {
    Node[] some = founded("z");
    use(some[0]);
    grid.advanceMillis(1_000);
    Node[] others = founded("a", "b", "c");
    use(others[0]);
    Topology older = some[0].current();
    Topology younger = others[0].current();
    grid.view(both(some, others));
    grid.settle();
    assertThat(others).anyMatch(node -> node.foreignGrids > 0);
    assertThat(some).allMatch(node -> node.foreignGrids == 0).allMatch(Node::hasLease);
    assertThat(some[0].current()).isEqualTo(older);
    assertThat(others[0].current()).as("it keeps what it has").isEqualTo(younger);
  }

  @Test
  void oneOfTwoSimultaneouslyFoundedWrittenGridsIsTold() {
    Node[] some = founded("a", "b");
    Node[] others = founded("c", "d");
    use(some[0]);
    use(others[0]);
    Node[] all = both(some, others);
    grid.view(all);
    grid.settle();
    boolean first = some[0].foreignGrids + some[1].foreignGrids > 0;
    boolean second = others[0].foreignGrids + others[1].foreignGrids > 0;
    assertThat(first ^ second).isTrue();
  }

  @Test
  void everyNodeOfTheYoungerWrittenGridIsTold() {
    Node[] some = founded("a", "b", "c");
    grid.advanceMillis(1_000);
    Node[] others = founded("d", "e");
    use(some[0]);
    use(others[0]);
    grid.view(both(some, others));
    grid.advanceMillis(2_000);
    assertThat(others).allMatch(node -> node.foreignGrids > 0);
  }

  @Test
  void gridWrittenDuringAMeetingIsNotGivenUp() {
    Node[] some = founded("a", "b", "c");
    Node[] others = founded("d", "e", "f");
    use(some[0]);
    Node[] all = both(some, others);
    grid.view(all);
    // The first write in the other grid is on its way to the voters when the grids meet.
    others[1].driver.reportWrite();
    for (int i = 0; i < 20_000; i++) {
      grid.millisOrMessage();
    }
    boolean used =
        Arrays.stream(others)
            .flatMap(node -> node.adopted.stream())
            .anyMatch(
                t ->
                    t.gridId().equals(others[0].adopted.getFirst().gridId())
                        && t.gridDefinition().isWritten());
    if (used) {
      assertThat(others).noneMatch(node -> node.adopted.contains(Topology.NONE));
    } else {
      assertAgreed(all);
    }
  }

  @Test
  void survivorOfAnUnwrittenGridFoundsOneWithRestartedNodes() {
    Node[] all = founded("a", "b", "c", "d");
    grid.crash(all[2]);
    grid.crash(all[3]);
    Node[] now = {grid.start("e", 4), all[0], all[1], grid.start("f", 4)};
    grid.view(now);
    grid.awaitExclusions();
    assertThat(now).as("the others may yet be back").noneMatch(Node::hasLease);
    grid.advanceMillis(10_000);
    grid.settle();
    assertAgreed(now);
    assertThat(now).allMatch(Node::hasLease);
  }

  @Test
  void survivorOfAWrittenGridWaitsForItsMajority() {
    Node[] all = founded("a", "b", "c", "d");
    use(all[0]);
    Topology used = all[0].current();
    grid.crash(all[2]);
    grid.crash(all[3]);
    Node[] now = {grid.start("e", 4), all[0], all[1], grid.start("f", 4)};
    grid.view(now);
    grid.awaitExclusions();
    grid.awaitExclusions();
    assertThat(all[0].current()).isEqualTo(used);
    assertThat(all[1].current()).isEqualTo(used);
    assertThat(now).noneMatch(Node::hasLease);
  }

  @Test
  void nodeMayLeaveAnUnwrittenGridWithoutMajorityOnceAnotherExists() {
    Node[] alone = founded("a", "b", "c");
    Node[] others = founded("d", "e");
    use(others[0]);
    grid.cut(alone[0], alone[1]);
    grid.cut(alone[0], alone[2]);
    grid.view(both(others, alone[0]));
    // It hears nothing from the other grid before it wants to leave.
    grid.loseMessages(sent -> sent.to().equals(alone[0].self));
    grid.advanceMillis(5_000);
    alone[0].driver.reportLeaving();
    grid.advanceMillis(1_000);
    assertThat(alone[0].driver.hasLeft()).as("others may depend on it").isFalse();
    grid.heal();
    grid.cut(alone[0], alone[1]);
    grid.cut(alone[0], alone[2]);
    grid.advanceMillis(5_000);
    assertThat(alone[0].driver.hasLeft()).isTrue();
  }

  @Test
  void nodeMayLeaveAnAvailableGridOnceToldThatOthersLeft() {
    Node[] all =
        Stream.of("a", "b", "c")
            .map(name -> grid.start(name, WhenCut.available(MergePolicy.newer())))
            .toArray(Node[]::new);
    grid.view(all);
    grid.settle();
    use(all[0]);
    Node leaver = all[2];
    UUID before = leaver.current().gridId();
    leaver.driver.reportLeaving();
    while (leaver.current().members().contains(leaver.self)) {
      grid.millisOrMessage();
    }
    // It knows that it is out, but not that the others know; now they lose each other.
    partition(all);
    grid.advanceMillis(8_000);
    assertThat(all[0].current().gridId()).as("a fork").isNotEqualTo(before);
    assertThat(all[1].current().gridId()).as("another fork").isNotEqualTo(before);
    assertThat(leaver.current().gridId()).isEqualTo(before);
    assertThat(leaver.driver.hasLeft()).as("nobody has told it").isFalse();
    grid.heal();
    grid.cut(all[0], leaver);
    grid.cut(all[0], all[1]);
    grid.advanceMillis(2_000);
    assertThat(leaver.driver.hasLeft()).isTrue();
    assertThat(all[1].current().members()).containsExactly(all[1].self);
  }

  private void partition(Node... nodes) {
    for (Node one : nodes) {
      for (Node other : nodes) {
        if (one != other) {
          grid.cut(one, other);
        }
      }
    }
  }

  @Test
  void nodeThatMissedTheEndOfItsGridFindsTheOther() {
    Node[] some = founded("a", "b", "c");
    use(some[0]);
    Node[] others = founded("d", "e", "f");
    grid.advanceMillis(2_000);
    Node[] all = both(some, others);
    Node missing = others[2];
    for (Node node : all) {
      if (node != missing) {
        grid.cut(missing, node);
      }
    }
    grid.view(all);
    grid.advanceMillis(500);
    assertThat(others[0].current().gridId()).isEqualTo(some[0].current().gridId());
    grid.heal();
    grid.view(all);
    grid.awaitExclusions();
    grid.awaitExclusions();
    assertAgreed(all);
    assertThat(missing.hasLease()).isTrue();
  }

  @Test
  void lateTopologyDoesNotReviveAGridGivenUp() {
    Node[] some = founded("a", "b");
    use(some[0]);
    Node[] others = founded("c", "d");
    grid.advanceMillis(2_000);
    others[0].driver.reportCacheRequested(USERS);
    SentMessage late = null;
    while (late == null) {
      grid.millisOrMessage();
      late =
          grid.network.takeFirst(
              sent ->
                  sent.to().equals(others[1].self)
                      && (sent.kind() == MessageKind.TOPOLOGY
                          || sent.kind() == MessageKind.PREPARE));
      if (late == null && others[1].current().cacheIndex("users") >= 0) {
        // The node learned by a short message that what it had accepted is decided; send it the
        // whole topology.
        late = whole(others[0], others[1]);
      }
    }
    SentMessage told = late;
    Node[] all = both(some, others);
    grid.view(all);
    for (int i = 0; i < 20_000 && others[1].current().isFounded(); i++) {
      grid.millisOrMessage();
    }
    assertThat(others[1].adopted).contains(Topology.NONE);
    grid.network.deliver(Objects.requireNonNull(told));
    assertThat(others[1].current().isFounded()).isFalse();
    grid.awaitExclusions();
    assertAgreed(all);
  }

  /** A message from one node to another with the sender's topology. */
  private static SentMessage whole(Node from, Node to) {
    io.cantle.core.base.Output out = new io.cantle.core.base.Output(64);
    out.write(ManualNetwork.bytes(MessageKind.TOPOLOGY, 0));
    from.current().write(out);
    return new SentMessage(from.self, to.self, out.toByteArray());
  }

  @Test
  void foreignNodeInTheViewDoesNotBlockLeaving() {
    Node[] nodes = founded("a", "b", "c");
    nodes[0].driver.reportCacheRequested(USERS);
    use(nodes[0]);
    Node d = founded("d")[0];
    use(d);
    grid.view(both(nodes, d));
    grid.advanceMillis(2_000);
    assertThat(d.foreignGrids).isPositive();
    nodes[2].driver.reportLeaving();
    grid.settle();
    assertThat(nodes[2].driver.hasLeft()).isTrue();
  }

  @Test
  void voterThatAcceptedAFirstWriteKeepsItsGrid() {
    Node a = grid.start("a");
    Node m = grid.start("m");
    grid.view(a, m);
    grid.settle();
    UUID id = m.current().gridId();
    // It accepts, and does not hear that it is decided.
    grid.loseMessages(
        sent ->
            sent.to().equals(m.self)
                && (sent.kind() == MessageKind.DECIDED || sent.kind() == MessageKind.TOPOLOGY));
    a.driver.reportWrite();
    grid.advanceMillis(100);
    assertThat(a.current().gridDefinition().isWritten()).isTrue();
    assertThat(m.current().gridDefinition().isWritten()).isFalse();
    grid.cut(a, m);
    grid.network.showView(a.self, a.self);
    Node x = grid.start("x");
    grid.cut(a, x);
    grid.network.showView(x.self, x.self);
    grid.advanceMillis(1_500);
    assertThat(x.current().isFounded()).isTrue();
    grid.network.showView(x.self, m.self, x.self);
    grid.network.showView(m.self, m.self, x.self);
    grid.advanceMillis(10_000);
    assertThat(m.current().gridId()).isEqualTo(id);
  }
}
