package io.cantle.core.topology;

import static io.cantle.core.topology.DriverGrid.assertAgreed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.MessageKind;
import org.junit.jupiter.api.Test;

/** How a node leaves, and which nodes are told. */
final class GracefulLeaveTest {
  private final DriverGrid grid = new DriverGrid();

  private Node[] threeWithACache() {
    Node[] nodes = grid.startThree();
    nodes[0].driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(8)));
    grid.settle();
    grid.advanceMillis(2_000);
    return nodes;
  }

  @Test
  void leavingMemberIsReleasedWhenNothingDependsOnIt() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    b.driver.reportLeaving();
    grid.advanceMillis(20);
    assertThat(b.current().leaving()).containsExactly(b.self);
    assertThat(b.driver.hasLeft()).as("before anybody has received").isFalse();
    assertThat(b.hasLease()).isTrue();
    grid.settle();
    assertThat(b.driver.hasLeft()).isTrue();
    assertThat(b.hasLease()).isFalse();
    assertAgreed(nodes[0], nodes[2]);
    assertThat(nodes[0].driver.hasLeft()).isFalse();
    assertThat(nodes[2].driver.hasLeft()).isFalse();
  }

  /**
   * If it were let go, it would ask to be admitted again to have its data merged, over and over.
   */
  @Test
  void memberWithUnmergedDataIsNotLetGo() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    boolean[] isOpen = {true};
    b.driver.setStayCondition(() -> isOpen[0]);
    b.driver.reportLeaving();
    grid.settle();
    assertThat(nodes[0].current().leaving()).isEmpty();
    isOpen[0] = false;
    b.driver.reportLeaving();
    grid.settle();
    assertThat(b.driver.hasLeft()).isTrue();
  }

  /** What it is to merge was found only after the others had let it go. */
  @Test
  void memberThatIsAdmittedAgainToMergeServesUntilItLeaves() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    boolean[] isOpen = {false};
    b.driver.setStayCondition(() -> isOpen[0]);
    long before = b.current().number();
    b.driver.reportLeaving();
    isOpen[0] = true;
    grid.settle();
    assertThat(b.adopted)
        .as("it was let go")
        .anyMatch(one -> one.number() > before && !one.members().contains(b.self));
    grid.view(nodes);
    grid.advanceMillis(2_000);
    grid.settle();
    assertAgreed(nodes);
    assertThat(b.current().needs(b.self)).isTrue();
    assertThat(b.hasLease()).isTrue();
    isOpen[0] = false;
    b.driver.reportLeaving();
    grid.settle();
    grid.settle();
    assertThat(b.driver.hasLeft()).isTrue();
    assertThat(b.hasLease()).isFalse();
  }

  @Test
  void consecutiveLeavesDoNotWaitForVoterChanges() {
    Node[] nodes = threeWithACache();
    Node d = grid.start("d");
    grid.view(nodes[0], nodes[1], nodes[2], d);
    grid.settle();
    grid.advanceMillis(2_000);
    for (Node node : new Node[] {nodes[1], nodes[2]}) {
      node.driver.reportLeaving();
      grid.settle();
      grid.settle();
      assertThat(node.driver.hasLeft()).isTrue();
    }
    assertAgreed(nodes[0], d);
  }

  @Test
  void leavingMemberKeepsItsLeaseWhileItOwnsSegments() {
    Node[] nodes = threeWithACache();
    Node b = nodes[1];
    b.driver.reportLeaving();
    for (int i = 0; i < 500; i++) {
      grid.advanceMillis(5);
      nodes[0].receiveAll();
      if (b.current().needs(b.self)) {
        assertThat(b.hasLease()).isTrue();
        assertThat(b.driver.hasLeft()).isFalse();
      }
    }
    assertThat(b.current().needs(b.self)).as("c has received nothing").isTrue();
    nodes[2].receiveAll();
    grid.settle();
    assertThat(b.driver.hasLeft()).isTrue();
  }

  @Test
  void formerMemberDoesNotReturn() {
    Node[] nodes = threeWithACache();
    nodes[1].driver.reportLeaving();
    grid.settle();
    assertThat(nodes[1].driver.hasLeft()).isTrue();
    // The transport shows the node until it has closed.
    grid.view(nodes);
    grid.advanceMillis(5_000);
    assertAgreed(nodes[0], nodes[2]);
    grid.crash(nodes[1]);
    grid.view(nodes[0], nodes[2]);
    grid.awaitExclusions();
    assertAgreed(nodes[0], nodes[2]);
  }

  @Test
  void leaderLeavesLikeAnyMember() {
    Node[] nodes = threeWithACache();
    nodes[0].driver.reportLeaving();
    grid.settle();
    assertThat(nodes[0].driver.hasLeft()).isTrue();
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.awaitExclusions();
    assertAgreed(nodes[1], nodes[2]);
    assertThat(nodes[1].current().caches().getFirst().segments())
        .allMatch(segment -> segment.owners().size() == 2);
  }

  @Test
  void oneOfTwoLeavesOnlyAfterTheOtherKnows() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    grid.advanceMillis(2_000);
    a.driver.reportLeaving();
    for (int i = 0; i < 1_000 && b.current().leaving().isEmpty(); i++) {
      grid.millisOrMessage();
    }
    assertThat(a.current().members()).contains(a.self);
    // The other node accepts, and is not told that it was decided.
    grid.loseMessages(
        sent ->
            sent.to().equals(b.self)
                && (sent.kind() == MessageKind.DECIDED || sent.kind() == MessageKind.TOPOLOGY));
    grid.network.showView(a.self, a.self);
    grid.advanceMillis(12_000);
    assertThat(a.current().members()).containsExactly(b.self);
    assertThat(b.current().members()).contains(a.self);
    assertThat(a.driver.hasLeft()).isFalse();
    grid.heal();
    grid.advanceMillis(600);
    assertThat(a.driver.hasLeft()).isTrue();
    assertAgreed(b);
    grid.advanceMillis(300);
    assertThat(b.hasLease()).isTrue();
  }

  @Test
  void lastMemberWaitsForReleasedMembers() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    b.driver.reportLeaving();
    for (int i = 0; i < 1_000 && b.current().leaving().isEmpty(); i++) {
      grid.millisOrMessage();
    }
    grid.loseMessages(
        sent ->
            sent.to().equals(b.self)
                && (sent.kind() == MessageKind.DECIDED || sent.kind() == MessageKind.TOPOLOGY));
    grid.advanceMillis(500);
    assertThat(a.current().members()).containsExactly(a.self);
    a.driver.reportLeaving();
    grid.advanceMillis(500);
    assertThat(a.driver.hasLeft()).isFalse();
    grid.heal();
    grid.advanceMillis(600);
    assertThat(b.driver.hasLeft()).isTrue();
    grid.crash(b);
    grid.view(a);
    grid.advanceMillis(10);
    assertThat(a.driver.hasLeft()).isTrue();
  }

  @Test
  void leavingMemberLearnsThatOthersLeft() {
    Node[] nodes = grid.startThree();
    grid.advanceMillis(2_000);
    Node a = nodes[0];
    Node b = nodes[1];
    Node c = nodes[2];
    // The node that leaves first is not told that the others know.
    grid.loseMessages(sent -> sent.to().equals(c.self) && sent.kind() == MessageKind.RENEW_LEASE);
    c.driver.reportLeaving();
    grid.advanceMillis(2_000);
    assertThat(c.current().members()).containsExactly(a.self, b.self);
    assertThat(c.driver.hasLeft()).isFalse();
    grid.loseMessages(sent -> sent.from().equals(c.self) || sent.to().equals(c.self));
    b.driver.reportLeaving();
    grid.advanceMillis(2_000);
    assertThat(b.driver.hasLeft()).isTrue();
    grid.crash(b);
    grid.heal();
    grid.advanceMillis(600);
    assertAgreed(a);
    assertThat(c.driver.hasLeft()).isTrue();
  }

  @Test
  void allMembersMayLeaveAtOnce() {
    Node[] nodes = threeWithACache();
    for (Node node : nodes) {
      node.driver.reportLeaving();
    }
    grid.advanceMillis(20);
    for (Node node : nodes) {
      assertThat(node.driver.hasLeft()).isTrue();
    }
  }

  /**
   * Each of them goes once it knows that all leave. The one without capacity could be let go before
   * the others, and would then wait for one that is gone.
   */
  @Test
  void membersThatLeaveTogetherDoNotWaitForOneThatIsGone() {
    for (int messages = 0; messages < 60; messages++) {
      DriverGrid four = new DriverGrid();
      Node a = four.start("a");
      Node b = four.start("b");
      Node c = four.start("c", MemberCapacity.of(0, ""));
      Node d = four.start("d");
      four.view(a, b, c, d);
      four.settle();
      a.driver.reportCacheRequested(
          new CacheDefinition("users", CacheConfig.distributed().segments(8)));
      four.settle();
      four.advanceMillis(2_000);
      d.driver.reportLeaving();
      four.settle();
      four.settle();
      assertThat(d.driver.hasLeft()).isTrue();
      a.driver.reportLeaving();
      b.driver.reportLeaving();
      c.driver.reportLeaving();
      for (int i = 0; i < 1_000 && b.current().leaving().size() < 3; i++) {
        four.millisOrMessage();
      }
      for (int i = 0; i < messages; i++) {
        four.millisOrMessage();
      }
      // As long as they see the node that left before, none of them goes.
      assertThat(b.driver.hasLeft()).isFalse();
      four.crash(d);
      four.network.showView(b.self, a.self, b.self, c.self);
      assertThat(b.driver.hasLeft()).isTrue();
      four.crash(b);
      four.advanceMillis(20);
      four.view(a, c);
      four.advanceMillis(500);
      assertThat(c.driver.hasLeft()).as("after %d messages", messages).isTrue();
      four.crash(c);
      four.view(a);
      four.advanceMillis(500);
      assertThat(a.driver.hasLeft()).as("after %d messages", messages).isTrue();
    }
  }

  /**
   * The first one goes as soon as it knows that all leave. The leader does not live to tell others.
   */
  @Test
  void lastOfThoseThatLeaveDoesNotWaitForALeaderThatHasCrashed() {
    Node[] nodes = threeWithACache();
    Node a = nodes[0];
    Node b = nodes[1];
    Node c = nodes[2];
    grid.loseMessages(
        sent ->
            sent.to().equals(c.self)
                && sent.from().equals(a.self)
                && (sent.kind() == MessageKind.DECIDED
                    || sent.kind() == MessageKind.TOPOLOGY
                    || sent.kind() == MessageKind.ACCEPT));
    for (Node node : nodes) {
      node.driver.reportLeaving();
    }
    grid.advanceMillis(20);
    assertThat(b.driver.hasLeft()).isTrue();
    assertThat(c.current().leaving()).isEmpty();
    grid.crash(b);
    grid.crash(a);
    grid.view(c);
    grid.advanceMillis(9_000);
    assertThat(c.driver.hasLeft()).as("before it has been alone for long").isFalse();
    grid.advanceMillis(3_000);
    assertThat(c.driver.hasLeft()).isTrue();
  }

  /** One of them did not want to leave, and may be there behind a cut. */
  @Test
  void leavingMemberWaitsForOneThatStays() {
    Node[] nodes = threeWithACache();
    Node c = nodes[2];
    grid.loseMessages(sent -> sent.to().equals(c.self) && sent.from().equals(nodes[0].self));
    nodes[1].driver.reportLeaving();
    c.driver.reportLeaving();
    grid.advanceMillis(20);
    grid.crash(nodes[1]);
    grid.crash(nodes[0]);
    grid.view(c);
    grid.advanceMillis(20_000);
    assertThat(c.driver.hasLeft()).isFalse();
  }

  /** Five members none of which holds anything that others depend on. */
  private Node[] fiveWithoutACache() {
    Node[] nodes = new Node[5];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = grid.start(Character.toString('a' + i));
    }
    grid.view(nodes);
    grid.advanceMillis(2_000);
    assertAgreed(nodes);
    return nodes;
  }

  @Test
  void leavingSurvivorsDoNotWaitForDeadMembers() {
    Node[] nodes = fiveWithoutACache();
    grid.crash(nodes[3]);
    grid.crash(nodes[4]);
    for (int i = 0; i < 3; i++) {
      nodes[i].driver.reportLeaving();
    }
    // No node answers requests any more, yet the voters must still report which members are silent.
    grid.advanceMillis(500);
    for (int i = 0; i < 3; i++) {
      assertThat(nodes[i].hasLease()).isFalse();
      assertThat(nodes[i].driver.hasLeft()).isFalse();
    }
    grid.advanceMillis(6_000);
    for (int i = 0; i < 3; i++) {
      assertThat(nodes[i].driver.hasLeft()).isTrue();
    }
  }

  @Test
  void anotherLeaderTakesOverDuringALeave() {
    Node[] nodes = fiveWithoutACache();
    grid.crash(nodes[4]);
    for (int i = 0; i < 4; i++) {
      nodes[i].driver.reportLeaving();
    }
    grid.advanceMillis(500);
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2], nodes[3]);
    grid.advanceMillis(10_000);
    for (int i = 1; i < 4; i++) {
      assertThat(nodes[i].driver.hasLeft()).isTrue();
    }
  }

  /**
   * Excludes the last of the nodes, which is not admitted again while its requests to join are
   * lost.
   */
  private Node excluded(Node[] nodes) {
    Node c = nodes[2];
    grid.loseMessages(sent -> sent.from().equals(c.self) || sent.to().equals(c.self));
    grid.awaitExclusions();
    grid.heal();
    grid.loseMessages(sent -> sent.kind() == MessageKind.JOIN);
    grid.advanceMillis(500);
    assertThat(c.current().members()).containsExactly(nodes[0].self, nodes[1].self);
    assertThat(c.current().needs(c.self)).as("it has what an owner had").isTrue();
    c.driver.reportLeaving();
    grid.advanceMillis(500);
    assertThat(c.driver.hasLeft()).isFalse();
    return c;
  }

  @Test
  void excludedMemberGoesOnceAllLeave() {
    Node[] nodes = threeWithACache();
    Node c = excluded(nodes);
    nodes[0].driver.reportLeaving();
    nodes[1].driver.reportLeaving();
    grid.advanceMillis(500);
    assertThat(nodes[0].current().leaving()).hasSize(2);
    grid.heal();
    // Nor will it be admitted any more.
    grid.loseMessages(
        sent -> sent.kind() == MessageKind.ACCEPT || sent.kind() == MessageKind.ACCEPTED);
    grid.advanceMillis(500);
    assertThat(c.driver.hasLeft()).isTrue();
  }

  @Test
  void excludedMemberGoesWhenNobodyIsLeft() {
    Node[] nodes = threeWithACache();
    Node c = excluded(nodes);
    grid.crash(nodes[0]);
    grid.crash(nodes[1]);
    grid.advanceMillis(12_000);
    assertThat(c.driver.hasLeft()).as("its view shows them").isFalse();
    grid.view(c);
    grid.advanceMillis(10);
    assertThat(c.driver.hasLeft()).isTrue();
  }

  @Test
  void nextLeaderRemembersALeave() {
    Node[] nodes = threeWithACache();
    nodes[2].driver.reportLeaving();
    grid.advanceMillis(20);
    assertThat(nodes[1].current().leaving()).containsExactly(nodes[2].self);
    grid.crash(nodes[0]);
    grid.view(nodes[1], nodes[2]);
    grid.awaitExclusions();
    assertThat(nodes[2].driver.hasLeft()).isTrue();
    assertThat(nodes[1].current().members()).containsExactly(nodes[1].self);
  }
}
