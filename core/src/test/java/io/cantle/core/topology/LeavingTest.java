package io.cantle.core.topology;

import static io.cantle.core.topology.KeeperGrid.assertAgreed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.topology.KeeperGrid.Node;
import io.cantle.core.transport.Kind;
import org.junit.jupiter.api.Test;

/** How one leaves, and who is told. */
final class LeavingTest {
  private final KeeperGrid grid = new KeeperGrid();

  private Node[] threeWithACache() {
    Node[] nodes = grid.three();
    nodes[0].keeper.reportWanted(
        new CacheDefinition("users", CacheConfig.distributed().segments(8)));
    grid.settle();
    grid.millis(2_000);
    return nodes;
  }

  @Test
  void whoLeavesIsLetGoWhenNothingDependsOnItAndNobodyWaitsForItsLease() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    b.keeper.reportLeaving();
    grid.millis(20);
    assertThat(b.current().leaving()).containsExactly(b.self);
    assertThat(b.keeper.left()).as("before anybody has received").isFalse();
    assertThat(b.leased()).isTrue();
    grid.settle();
    assertThat(b.keeper.left()).isTrue();
    assertThat(b.leased()).isFalse();
    assertAgreed(nodes[0], nodes[2]);
    assertThat(nodes[0].keeper.left()).isFalse();
    assertThat(nodes[2].keeper.left()).isFalse();
  }

  /** Let go, it would ask to be admitted again, to have it merged, and so on. */
  @Test
  void whoHasWhatIsToBeMergedIsNotLetGoBefore() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    boolean[] isOpen = {true};
    b.keeper.staysWhile(() -> isOpen[0]);
    b.keeper.reportLeaving();
    grid.settle();
    assertThat(nodes[0].current().leaving()).isEmpty();
    isOpen[0] = false;
    b.keeper.reportLeaving();
    grid.settle();
    assertThat(b.keeper.left()).isTrue();
  }

  @Test
  void whoLeavesOneAfterTheOtherNeedNotWaitForTheLastChangeOfVoters() {
    Node[] nodes = threeWithACache();
    Node d = grid.start("d");
    grid.view(nodes[0], nodes[1], nodes[2], d);
    grid.settle();
    grid.millis(2_000);
    for (Node node : new Node[] {nodes[1], nodes[2]}) {
      node.keeper.reportLeaving();
      grid.settle();
      grid.settle();
      assertThat(node.keeper.left()).isTrue();
    }
    assertAgreed(nodes[0], d);
  }

  @Test
  void whoLeavesKeepsItsLeaseAsLongAsItOwnsSomething() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    b.keeper.reportLeaving();
    for (int i = 0; i < 500; i++) {
      grid.millis(5);
      nodes[0].receiveAll();
      if (b.current().needs(b.self)) {
        assertThat(b.leased()).isTrue();
        assertThat(b.keeper.left()).isFalse();
      }
    }
    assertThat(b.current().needs(b.self)).as("c has received nothing").isTrue();
    nodes[2].receiveAll();
    grid.settle();
    assertThat(b.keeper.left()).isTrue();
  }

  @Test
  void whoLeftDoesNotComeBack() {
    Node[] nodes = threeWithACache();
    nodes[1].keeper.reportLeaving();
    grid.settle();
    assertThat(nodes[1].keeper.left()).isTrue();
    // The transport shows it as long as it has not closed.
    grid.view(nodes);
    grid.millis(5_000);
    assertAgreed(nodes[0], nodes[2]);
    grid.crash(nodes[1]);
    grid.view(nodes[0], nodes[2]);
    grid.exclude();
    assertAgreed(nodes[0], nodes[2]);
  }

  @Test
  void theLeaderLeavesLikeAnybody() {
    Node[] nodes = threeWithACache();
    nodes[0].keeper.reportLeaving();
    grid.settle();
    assertThat(nodes[0].keeper.left()).isTrue();
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.exclude();
    assertAgreed(nodes[1], nodes[2]);
    assertThat(nodes[1].current().caches().getFirst().segments())
        .allMatch(segment -> segment.owners().size() == 2);
  }

  @Test
  void whoLeavesWaitsUntilTheOtherOfTwoKnowsWhateverItsViewSays() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    grid.millis(2_000);
    a.keeper.reportLeaving();
    for (int i = 0; i < 1_000 && b.current().leaving().isEmpty(); i++) {
      grid.millisOrMessage();
    }
    assertThat(a.current().members()).contains(a.self);
    // The other agrees, and is not told that it was decided.
    grid.lose(
        sent ->
            sent.to().equals(b.self)
                && (sent.kind() == Kind.DECIDED || sent.kind() == Kind.TOPOLOGY));
    grid.network.view(a.self, a.self);
    grid.millis(12_000);
    assertThat(a.current().members()).containsExactly(b.self);
    assertThat(b.current().members()).contains(a.self);
    assertThat(a.keeper.left()).isFalse();
    grid.heal();
    grid.millis(600);
    assertThat(a.keeper.left()).isTrue();
    assertAgreed(b);
    grid.millis(300);
    assertThat(b.leased()).isTrue();
  }

  @Test
  void theLastToLeaveWaitsForWhomItLetGo() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    b.keeper.reportLeaving();
    for (int i = 0; i < 1_000 && b.current().leaving().isEmpty(); i++) {
      grid.millisOrMessage();
    }
    grid.lose(
        sent ->
            sent.to().equals(b.self)
                && (sent.kind() == Kind.DECIDED || sent.kind() == Kind.TOPOLOGY));
    grid.millis(500);
    assertThat(a.current().members()).containsExactly(a.self);
    a.keeper.reportLeaving();
    grid.millis(500);
    assertThat(a.keeper.left()).isFalse();
    grid.heal();
    grid.millis(600);
    assertThat(b.keeper.left()).isTrue();
    grid.crash(b);
    grid.view(a);
    grid.millis(10);
    assertThat(a.keeper.left()).isTrue();
  }

  @Test
  void whoLeavesIsToldThatThoseItWaitsForHaveLeftThemselves() {
    Node[] nodes = grid.three();
    grid.millis(2_000);
    Node a = nodes[0];
    Node b = nodes[1];
    Node c = nodes[2];
    // Word that others know does not reach the one that leaves first.
    grid.lose(sent -> sent.to().equals(c.self) && sent.kind() == Kind.RENEW);
    c.keeper.reportLeaving();
    grid.millis(2_000);
    assertThat(c.current().members()).containsExactly(a.self, b.self);
    assertThat(c.keeper.left()).isFalse();
    grid.lose(sent -> sent.from().equals(c.self) || sent.to().equals(c.self));
    b.keeper.reportLeaving();
    grid.millis(2_000);
    assertThat(b.keeper.left()).isTrue();
    grid.crash(b);
    grid.heal();
    grid.millis(600);
    assertAgreed(a);
    assertThat(c.keeper.left()).isTrue();
  }

  @Test
  void whenAllLeaveAllMayGoAtOnce() {
    Node[] nodes = threeWithACache();
    for (Node node : nodes) {
      node.keeper.reportLeaving();
    }
    grid.millis(20);
    for (Node node : nodes) {
      assertThat(node.keeper.left()).isTrue();
    }
  }

  /** Nothing of these depends on anybody. */
  private Node[] fiveWithoutACache() {
    Node[] nodes = new Node[5];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = grid.start(Character.toString('a' + i));
    }
    grid.view(nodes);
    grid.millis(2_000);
    assertAgreed(nodes);
    return nodes;
  }

  @Test
  void whenAllLeaveThatAreLeftNobodyWaitsForThoseThatDiedJustBefore() {
    Node[] nodes = fiveWithoutACache();
    grid.crash(nodes[3]);
    grid.crash(nodes[4]);
    for (int i = 0; i < 3; i++) {
      nodes[i].keeper.reportLeaving();
    }
    // Nobody answers anything any more; all the same somebody has to say whom it does not hear.
    grid.millis(500);
    for (int i = 0; i < 3; i++) {
      assertThat(nodes[i].leased()).isFalse();
      assertThat(nodes[i].keeper.left()).isFalse();
    }
    grid.millis(6_000);
    for (int i = 0; i < 3; i++) {
      assertThat(nodes[i].keeper.left()).isTrue();
    }
  }

  @Test
  void whenTheLeaderOfThoseThatLeaveDiesAnotherLeads() {
    Node[] nodes = fiveWithoutACache();
    grid.crash(nodes[4]);
    for (int i = 0; i < 4; i++) {
      nodes[i].keeper.reportLeaving();
    }
    grid.millis(500);
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2], nodes[3]);
    grid.millis(10_000);
    for (int i = 1; i < 4; i++) {
      assertThat(nodes[i].keeper.left()).isTrue();
    }
  }

  /** The last of them, excluded and not let in again as long as nobody hears that it asks. */
  private Node excluded(Node[] nodes) {
    Node c = nodes[2];
    grid.lose(sent -> sent.from().equals(c.self) || sent.to().equals(c.self));
    grid.exclude();
    grid.heal();
    grid.lose(sent -> sent.kind() == Kind.JOIN);
    grid.millis(500);
    assertThat(c.current().members()).containsExactly(nodes[0].self, nodes[1].self);
    assertThat(c.current().needs(c.self)).as("it has what an owner had").isTrue();
    c.keeper.reportLeaving();
    grid.millis(500);
    assertThat(c.keeper.left()).isFalse();
    return c;
  }

  @Test
  void whoWasExcludedGoesOnceItIsToldThatAllLeave() {
    Node[] nodes = threeWithACache();
    Node c = excluded(nodes);
    nodes[0].keeper.reportLeaving();
    nodes[1].keeper.reportLeaving();
    grid.millis(500);
    assertThat(nodes[0].current().leaving()).hasSize(2);
    grid.heal();
    // Nor will it be admitted any more.
    grid.lose(sent -> sent.kind() == Kind.ACCEPT || sent.kind() == Kind.ACCEPTED);
    grid.millis(500);
    assertThat(c.keeper.left()).isTrue();
  }

  @Test
  void whoWasExcludedGoesWhenNobodyIsThereAnyMore() {
    Node[] nodes = threeWithACache();
    Node c = excluded(nodes);
    grid.crash(nodes[0]);
    grid.crash(nodes[1]);
    grid.millis(12_000);
    assertThat(c.keeper.left()).as("its view shows them").isFalse();
    grid.view(c);
    grid.millis(10);
    assertThat(c.keeper.left()).isTrue();
  }

  @Test
  void aLeaveIsRememberedByTheNextLeader() {
    Node[] nodes = threeWithACache();
    nodes[2].keeper.reportLeaving();
    grid.millis(20);
    assertThat(nodes[1].current().leaving()).containsExactly(nodes[2].self);
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.exclude();
    assertThat(nodes[2].keeper.left()).isTrue();
    assertThat(nodes[1].current().members()).containsExactly(nodes[1].self);
  }
}
