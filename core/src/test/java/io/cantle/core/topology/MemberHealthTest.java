package io.cantle.core.topology;

import static io.cantle.core.topology.DriverGrid.assertAgreed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.topology.DriverGrid.Node;
import org.junit.jupiter.api.Test;

/** Members that can be heard and yet hold others up. */
final class MemberHealthTest {
  private final DriverGrid grid = new DriverGrid();

  private Node[] grid(int count) {
    Node[] nodes = new Node[count];
    for (int i = 0; i < count; i++) {
      nodes[i] = grid.start("n" + i);
    }
    grid.view(nodes);
    grid.settle();
    assertAgreed(nodes);
    grid.advanceMillis(4_000);
    return nodes;
  }

  private void deafen(Node one) {
    grid.loseMessages(sent -> sent.to().equals(one.self) && !sent.from().equals(one.self));
  }

  /** Lets time pass in which some members ask others in vain. */
  private void waiting(int millis, Runnable asking) {
    for (int i = 0; i < millis; i += 200) {
      asking.run();
      grid.advanceMillis(200);
    }
  }

  // ------------------------------------------------------------------ without a lease

  @Test
  void deafMemberIsExcludedAfterThreeSecondsWithoutALease() {
    Node[] nodes = grid(3);
    deafen(nodes[2]);
    grid.advanceMillis(3_500);
    assertThat(nodes[0].current().members()).contains(nodes[2].self);
    assertThat(nodes[2].hasLease()).isFalse();
    grid.advanceMillis(2_500);
    assertAgreed(nodes[0], nodes[1]);
    grid.heal();
    grid.awaitExclusions();
    assertAgreed(nodes);
    assertThat(nodes[2].hasLease()).isTrue();
  }

  @Test
  void deafLeaderIsExcludedByItsSuccessor() {
    Node[] nodes = grid(3);
    assertThat(nodes[0].driver.isLeading()).isTrue();
    deafen(nodes[0]);
    grid.advanceMillis(8_000);
    assertAgreed(nodes[1], nodes[2]);
  }

  @Test
  void deafSoleOwnerStays() {
    Node[] nodes = grid(3);
    nodes[0].driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().owners(1).segments(8)));
    grid.settle();
    deafen(nodes[2]);
    grid.advanceMillis(10_000);
    assertThat(nodes[0].current().members()).contains(nodes[2].self);
  }

  @Test
  void nobodyIsExcludedWhileNobodyHasALease() {
    Node[] nodes = grid(3);
    grid.loseMessages(sent -> true);
    grid.advanceMillis(10_000);
    grid.heal();
    grid.advanceMillis(5_000);
    assertAgreed(nodes);
    for (Node node : nodes) {
      assertThat(node.adopted).allSatisfy(t -> assertThat(t.members()).contains(node.self));
    }
  }

  // ------------------------------------------------------------------ complaints

  @Test
  void oneOfADisconnectedPairIsExcludedAndReturns() {
    Node[] nodes = grid(4);
    grid.cut(nodes[1], nodes[2]);
    waiting(4_000, () -> nodes[1].driver.recordUnanswered(nodes[2].self));
    assertThat(nodes[0].current().members()).hasSize(4);
    waiting(1_600, () -> nodes[1].driver.recordUnanswered(nodes[2].self));
    assertAgreed(nodes[0], nodes[1], nodes[3]);
    grid.heal();
    grid.awaitExclusions();
    assertAgreed(nodes);
  }

  @Test
  void otherLeasesSurviveTheExclusionOfAHeardMember() {
    Node[] nodes = grid(4);
    grid.cut(nodes[1], nodes[2]);
    for (int i = 0; i < 8_000; i++) {
      if (i % 200 == 0) {
        nodes[1].driver.recordUnanswered(nodes[2].self);
      }
      grid.advanceMillis(1);
      for (Node node : new Node[] {nodes[0], nodes[1], nodes[3]}) {
        assertThat(node.hasLease()).as(node.self + " after " + i + " ms").isTrue();
      }
    }
    assertThat(nodes[1].adopted)
        .anySatisfy(topology -> assertThat(topology.members()).doesNotContain(nodes[2].self));
    assertThat(nodes[0].driver.isLeading()).isTrue();
  }

  @Test
  void memberUnreachableForSeveralIsExcluded() {
    Node[] nodes = grid(4);
    waiting(
        5_600,
        () -> {
          nodes[1].driver.recordUnanswered(nodes[3].self);
          nodes[1].driver.recordUnanswered(nodes[2].self);
        });
    assertAgreed(nodes[0], nodes[2], nodes[3]);
  }

  @Test
  void memberThatAnswersOccasionallyStays() {
    Node[] nodes = grid(3);
    for (int i = 0; i < 5; i++) {
      waiting(3_000, () -> nodes[1].driver.recordUnanswered(nodes[2].self));
      nodes[1].driver.recordAnswer(nodes[2].self);
    }
    assertAgreed(nodes);
    assertThat(nodes[0].adopted).allSatisfy(t -> assertThat(t.members()).hasSizeBetween(0, 3));
    assertThat(nodes[2].adopted).allSatisfy(t -> assertThat(t.members()).contains(nodes[2].self));
  }

  @Test
  void nobodyIsExcludedIfOneExclusionIsNotEnough() {
    Node[] nodes = grid(5);
    waiting(
        10_000,
        () -> {
          nodes[1].driver.recordUnanswered(nodes[2].self);
          nodes[3].driver.recordUnanswered(nodes[4].self);
        });
    assertAgreed(nodes);
  }

  @Test
  void repeatedExclusionLengthensTheBan() {
    Node[] nodes = grid(3);
    grid.cut(nodes[1], nodes[2]);
    int out = 0;
    for (int i = 0; i < 300; i++) {
      waiting(200, () -> nodes[1].driver.recordUnanswered(nodes[2].self));
      out += nodes[0].current().members().contains(nodes[2].self) ? 0 : 1;
    }
    assertThat(out).as("of 300, the longest ban being 8 s and patience 4 s").isBetween(130, 240);
  }
}
