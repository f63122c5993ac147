package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Topology;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a node goes on when nobody is left of the grid that it was in, or that it was to join. */
final class LostGridTest {
  /** Long enough to give a grid up, and to look for another one in vain. */
  private static final long LONG_MILLIS = 25_000;

  private final DriverGrid grid = new DriverGrid();
  private Topology otherFork = Topology.NONE;

  private Node[] founded(WhenCut whenCut, String... names) {
    Node[] nodes = Stream.of(names).map(name -> grid.start(name, whenCut)).toArray(Node[]::new);
    grid.view(nodes);
    grid.settle();
    nodes[0].driver.reportWrite();
    grid.settle();
    DriverGrid.assertAgreed(nodes);
    assertThat(nodes[0].current().gridDefinition().isWritten()).isTrue();
    return nodes;
  }

  private static WhenCut available() {
    return WhenCut.available(MergePolicy.newer());
  }

  /** Has some nodes exclude others, and tells those. Until the network is healed none asks. */
  private void exclude(List<Node> excluded, List<Node> others) {
    excluded.forEach(one -> others.forEach(other -> grid.cut(one, other)));
    Node first = others.getFirst();
    while (excluded.stream().anyMatch(one -> first.current().members().contains(one.self))) {
      grid.advanceMillis(1);
    }
    grid.heal();
    grid.loseMessages(
        sent ->
            sent.kind() == MessageKind.JOIN
                && excluded.stream().anyMatch(one -> sent.from().equals(one.self)));
    while (excluded.stream().anyMatch(one -> one.current().members().contains(one.self))) {
      grid.millisOrMessage();
    }
    UUID gridId = first.current().gridId();
    assertThat(excluded).as("no fork").allMatch(one -> one.current().gridId().equals(gridId));
  }

  private void crash(Node... nodes) {
    Arrays.stream(nodes).forEach(grid::crash);
  }

  private static void assertWentOn(UUID left, Node... nodes) {
    DriverGrid.assertAgreed(nodes);
    Topology topology = nodes[0].current();
    assertThat(topology.gridId()).isNotEqualTo(left);
    assertThat(topology.gridDefinition().lineage().steps())
        .extracting(GridLineage.ForkStep::gridId)
        .contains(left);
    assertThat(nodes).allMatch(Node::hasLease);
  }

  @Test
  void newNodeFoundsAGridWhenTheOneItMetIsGone() {
    Node first = grid.start("a");
    grid.view(first);
    grid.settle();
    Node second = grid.start("b");
    grid.view(first, second);
    while (grid.network.inFlight.stream()
        .noneMatch(sent -> sent.from().equals(second.self) && sent.kind() == MessageKind.JOIN)) {
      grid.millisOrMessage();
    }
    grid.loseMessages(sent -> sent.to().equals(second.self) && sent.kind() != MessageKind.HELLO);
    grid.advanceMillis(100);
    crash(first);
    grid.view(second);
    grid.advanceMillis(2_000);
    assertThat(second.current().members()).containsExactly(second.self);
  }

  /**
   * Has four nodes with stores found a grid of which only some learn. The last of those goes on
   * running, and the others crash. Some start again.
   */
  private Node[] restartedFounders(int informedCount, String... restarted) {
    List<String> names = List.of("a", "b", "c", "d");
    List<Node> nodes =
        names.stream().map(name -> grid.restart(name, names.size(), WhenCut.stop())).toList();
    List<Node> informed = nodes.subList(0, informedCount);
    grid.loseMessages(
        sent ->
            sent.kind() == MessageKind.PREPARE
                || (sent.kind() == MessageKind.TOPOLOGY
                    && informed.stream().noneMatch(node -> node.self.equals(sent.to()))));
    grid.view(nodes.toArray(Node[]::new));
    while (!informed.stream().allMatch(node -> node.current().isFounded())) {
      grid.millisOrMessage();
    }
    Node running = informed.getLast();
    grid.crashAll(nodes.stream().filter(node -> node != running).toArray(Node[]::new));
    grid.heal();
    grid.restartAll(restarted);
    return grid.nodes.values().toArray(Node[]::new);
  }

  @Test
  void gridThatHalfOfItsFoundersNeverNotedIsForgottenBeforeAStartEnds() {
    Node[] nodes = restartedFounders(2, "a", "c", "d");
    UUID left = nodes[1].current().gridId();
    grid.advanceMillis(DriverGrid.TIMEOUT.toMillis());
    DriverGrid.assertAgreed(nodes);
    assertThat(nodes[0].current().gridId()).isNotEqualTo(left);
  }

  @Test
  void gridThatMostOfItsFoundersNotedGoesOn() {
    Node[] nodes = restartedFounders(3, "a", "b", "d");
    UUID noted = nodes[2].current().gridId();
    grid.awaitExclusions();
    DriverGrid.assertAgreed(nodes);
    assertThat(nodes[0].current().gridId()).isEqualTo(noted);
  }

  @Test
  void gridThatItsRunningMemberGaveUpIsForgottenBeforeAStartEnds() {
    restartedFounders(3, "d");
    grid.advanceMillis(5_000);
    assertThat(grid.nodes.values()).noneMatch(node -> node.current().isFounded());
    grid.restartAll("a", "b");
    assertThat(grid.nodes.values()).anyMatch(node -> node.current().isFounded());
    grid.advanceMillis(DriverGrid.TIMEOUT.toMillis());
    DriverGrid.assertAgreed(grid.nodes.values().toArray(Node[]::new));
  }

  /** One of two forks, without a grid because it met the other one, whose only node has died. */
  private Node survivorOfTwoForks() {
    Node[] nodes = founded(available(), "m", "n");
    grid.cut(nodes[0], nodes[1]);
    grid.advanceMillis(8_000);
    assertThat(nodes[0].current().gridId()).isNotEqualTo(nodes[1].current().gridId());
    grid.heal();
    while (Arrays.stream(nodes).allMatch(node -> node.current().isFounded())) {
      grid.millisOrMessage();
    }
    Node survivor = nodes[0].current().isFounded() ? nodes[1] : nodes[0];
    Node other = survivor == nodes[0] ? nodes[1] : nodes[0];
    otherFork = other.current();
    crash(other);
    return survivor;
  }

  /** Alone on its side it may go at once, but it is still there when the other side is back. */
  @Test
  void nodeThatMayLeaveStaysOnceItHasDataToMerge() {
    Node[] nodes = founded(available(), "m", "n");
    nodes[0].driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(8)));
    grid.settle();
    grid.cut(nodes[0], nodes[1]);
    grid.advanceMillis(8_000);
    boolean isFirst = nodes[0].current().gridId().compareTo(nodes[1].current().gridId()) < 0;
    Node leaver = nodes[isFirst ? 0 : 1];
    UUID fork = leaver.current().gridId();
    boolean[] isMerged = new boolean[1];
    leaver.driver.setStayCondition(() -> !isMerged[0] && !leaver.current().gridId().equals(fork));
    leaver.driver.reportLeaving();
    grid.advanceMillis(500);
    assertThat(leaver.driver.hasLeft()).as("nobody to hand over to").isTrue();
    grid.heal();
    grid.advanceMillis(3_000);
    DriverGrid.assertAgreed(nodes);
    assertThat(leaver.current().gridId()).isNotEqualTo(fork);
    assertThat(leaver.driver.hasLeft()).as("with data to merge").isFalse();
    assertThat(leaver.driver.closeIfLeft()).isFalse();
    isMerged[0] = true;
    leaver.driver.reportLeaving();
    grid.advanceMillis(1_000);
    assertThat(leaver.driver.closeIfLeft()).isTrue();
  }

  @Test
  void nodeThatHasBegunToCloseTakesNoOtherGridIn() {
    Node[] nodes = founded(available(), "m", "n");
    grid.cut(nodes[0], nodes[1]);
    grid.advanceMillis(8_000);
    boolean isFirst = nodes[0].current().gridId().compareTo(nodes[1].current().gridId()) < 0;
    Node leaver = nodes[isFirst ? 0 : 1];
    UUID fork = leaver.current().gridId();
    assertThat(leaver.driver.closeIfLeft()).as("it does not want to leave").isFalse();
    leaver.driver.reportLeaving();
    grid.advanceMillis(500);
    assertThat(leaver.driver.closeIfLeft()).isTrue();
    grid.heal();
    grid.advanceMillis(3_000);
    assertThat(leaver.current().gridId()).isEqualTo(fork);
  }

  @Test
  void nodeThatGaveItsGridUpGoesOnWhenTheOtherGridIsGone() {
    Node survivor = survivorOfTwoForks();
    UUID left = survivor.adopted.getFirst().gridId();
    grid.view(survivor);
    grid.advanceMillis(LONG_MILLIS);
    assertWentOn(left, survivor);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "z"})
  void nodeThatGaveItsGridUpTakesANewNodeAlongThatFoundsNone(String name) {
    Node survivor = survivorOfTwoForks();
    UUID left = survivor.adopted.getFirst().gridId();
    Node newcomer = grid.new Node(name, 3, available(), MemberCapacity.DEFAULT);
    grid.view(newcomer, survivor);
    grid.advanceMillis(LONG_MILLIS);
    assertWentOn(left, survivor, newcomer);
  }

  /** It still holds what is to be merged. */
  @ParameterizedTest
  @EnumSource(names = {"GIVEN_UP", "OUTDATED"})
  void nodeThatGaveItsGridUpBelievesNoStrangersRefusal(JoinRefusal.Reason reason) {
    Node survivor = survivorOfTwoForks();
    UUID left = survivor.adopted.getFirst().gridId();
    grid.view(survivor);
    Member stranger = ManualNetwork.member("stranger");
    grid.refuse(stranger, survivor, survivor.refusal(reason, new UUID(7, 7), "go away"));
    assertThat(survivor.refusals).isEmpty();
    grid.advanceMillis(LONG_MILLIS);
    assertWentOn(left, survivor);
  }

  @Test
  void nodeThatGaveItsGridUpBelievesMembersOfItsFamily() {
    Node survivor = survivorOfTwoForks();
    JoinRefusal byFork =
        survivor.refusal(JoinRefusal.Reason.OUTDATED, otherFork.gridId(), "an old copy");
    Member other = otherFork.members().getFirst();
    grid.refuse(other, survivor, byFork);
    assertThat(survivor.refusals).isEmpty();
    grid.show(other, survivor, otherFork);
    grid.refuse(ManualNetwork.member("stranger"), survivor, byFork);
    assertThat(survivor.refusals).isEmpty();
    grid.refuse(other, survivor, byFork);
    assertThat(survivor.refusals).containsExactly(byFork);
  }

  @Test
  void excludedNodeGoesOnWhenItsGridIsGone() {
    Node[] nodes = founded(available(), "a", "b", "c");
    UUID left = nodes[0].current().gridId();
    exclude(List.of(nodes[2]), List.of(nodes[0], nodes[1]));
    crash(nodes[0], nodes[1]);
    grid.heal();
    grid.view(nodes[2]);
    grid.advanceMillis(LONG_MILLIS);
    assertWentOn(left, nodes[2]);
  }

  @Test
  void excludedNodesGoOnTogetherWhenTheirGridIsGone() {
    Node[] nodes = founded(available(), "a", "b", "c", "d", "e");
    UUID left = nodes[0].current().gridId();
    List<Node> excluded = List.of(nodes).subList(3, 5);
    exclude(excluded, List.of(nodes).subList(0, 3));
    crash(nodes[0], nodes[1], nodes[2]);
    grid.heal();
    grid.view(nodes[4], nodes[3]);
    grid.advanceMillis(LONG_MILLIS);
    assertWentOn(left, nodes[3], nodes[4]);
  }

  @Test
  void excludedNodeWaitsWhileItsGridIsAlive() {
    Node[] nodes = founded(available(), "a", "b", "c");
    UUID left = nodes[0].current().gridId();
    exclude(List.of(nodes[2]), List.of(nodes[0], nodes[1]));
    grid.advanceMillis(LONG_MILLIS);
    assertThat(nodes[2].current().gridId()).as("its leader greets it").isEqualTo(left);
    grid.heal();
    grid.advanceMillis(1_000);
    DriverGrid.assertAgreed(nodes);
    assertThat(nodes[2].adopted).doesNotContain(Topology.NONE);
  }

  /** Nobody greets it meanwhile: only a leader with a lease does. */
  @Test
  void excludedNodeWaitsWhileItsLeaderIsReplacedOverABadNetwork() {
    Node[] nodes = founded(available(), "a", "b", "c", "d", "e");
    UUID left = nodes[0].current().gridId();
    Node excluded = nodes[4];
    exclude(List.of(excluded), List.of(nodes).subList(0, 4));
    grid.advanceMillis(5_000);
    assertThat(nodes[0].driver.isLeading()).isTrue();
    crash(nodes[0]);
    grid.cut(nodes[1], nodes[2]);
    grid.cut(nodes[1], nodes[3]);
    grid.cut(nodes[2], nodes[3]);
    grid.advanceMillis(4_500);
    grid.heal();
    grid.advanceMillis(5_000);
    DriverGrid.assertAgreed(nodes[1], nodes[2], nodes[3], excluded);
    assertThat(excluded.current().gridId()).isEqualTo(left);
    assertThat(excluded.adopted).doesNotContain(Topology.NONE);
  }

  @Test
  void excludedNodeOfAConsistentGridWaitsForIt() {
    Node[] nodes = founded(WhenCut.stop(), "a", "b", "c");
    UUID left = nodes[0].current().gridId();
    exclude(List.of(nodes[2]), List.of(nodes[0], nodes[1]));
    crash(nodes[0], nodes[1]);
    grid.view(nodes[2]);
    grid.advanceMillis(LONG_MILLIS);
    assertThat(nodes[2].current().gridId()).isEqualTo(left);
  }
}
