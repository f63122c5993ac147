package io.cantle.core.topology;

import static io.cantle.core.topology.DriverGrid.assertAgreed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.WhenCut;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.MessageKind;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which members are excluded and when, which may answer in the meantime, and how they return. */
final class ExclusionTest {
  private final DriverGrid grid = new DriverGrid();

  private void isolate(Node one, Node... others) {
    for (Node other : others) {
      grid.cut(one, other);
    }
  }

  // ------------------------------------------------------------------ silence

  @Test
  void silentMemberIsExcludedWithoutATransportHint() {
    Node[] nodes = grid.startThree();
    isolate(nodes[2], nodes[0], nodes[1]);
    grid.advanceMillis(2_700);
    assertThat(nodes[0].current().members()).contains(nodes[2].self);
    grid.advanceMillis(1_500);
    assertAgreed(nodes[0], nodes[1]);
  }

  @Test
  void silentMemberReportedGoneIsExcludedWhenItsLeaseExpires() {
    Node[] nodes = grid.startThree();
    grid.advanceMillis(1_000);
    isolate(nodes[2], nodes[0], nodes[1]);
    grid.network.showView(nodes[0].self, nodes[0].self, nodes[1].self);
    grid.network.showView(nodes[1].self, nodes[0].self, nodes[1].self);
    grid.advanceMillis(850);
    assertThat(nodes[0].current().members()).contains(nodes[2].self);
    grid.advanceMillis(700);
    assertThat(nodes[2].hasLease()).isFalse();
    assertAgreed(nodes[0], nodes[1]);
  }

  @Test
  void memberReportedGoneButHeardStays() {
    Node[] nodes = grid.startThree();
    long number = nodes[0].current().number();
    grid.network.showView(nodes[0].self, nodes[0].self, nodes[1].self);
    grid.network.showView(nodes[1].self, nodes[0].self, nodes[1].self);
    grid.advanceMillis(10_000);
    assertAgreed(nodes);
    assertThat(nodes[0].current().number()).isEqualTo(number);
    assertThat(nodes[2].hasLease()).isTrue();
  }

  @Test
  void memberUnheardOnlyByTheLeaderStays() {
    Node[] nodes = grid.startThree();
    grid.cut(nodes[0], nodes[2]);
    grid.advanceMillis(10_000);
    assertThat(nodes[0].adopted).allSatisfy(t -> assertThat(t.members()).hasSize(3));
    assertThat(nodes[2].hasLease()).as("b grants it").isTrue();
  }

  @Test
  void silentLeaderIsExcluded() {
    Node[] nodes = grid.startThree();
    isolate(nodes[0], nodes[1], nodes[2]);
    grid.awaitExclusions();
    assertAgreed(nodes[1], nodes[2]);
    assertThat(nodes[0].hasLease()).isFalse();
    assertThat(nodes[0].current().members()).as("it has heard nothing").hasSize(3);
  }

  @Test
  void memberWithALeaseIsNotExcluded() {
    Node[] nodes = grid.startThree();
    isolate(nodes[2], nodes[0], nodes[1]);
    while (nodes[0].current().members().contains(nodes[2].self)) {
      assertThat(grid.clock.nanoTime()).isLessThan(20_000_000_000L);
      grid.advanceMillis(1);
    }
    assertThat(nodes[2].hasLease()).isFalse();
  }

  // ------------------------------------------------------------------ in time

  /** If they were excluded one after the other, the second exclusion would wait another second. */
  @Test
  void simultaneousFailuresAreExcludedTogether() {
    Node[] nodes = grid.startAll("a", "b", "c", "d", "e");
    grid.advanceMillis(2_000);
    long died = grid.clock.nanoTime();
    grid.crash(nodes[4]);
    // The other one renews its lease in the meantime, so it has one for longer.
    grid.advanceMillis(300);
    grid.crash(nodes[3]);
    grid.view(nodes[0], nodes[1], nodes[2]);
    grid.advanceMillis(1_400);
    assertThat(grid.clock.nanoTime() - died).isLessThan(2_000_000_000L);
    assertAgreed(nodes[0], nodes[1], nodes[2]);
    assertThat(nodes[0].adopted).noneSatisfy(t -> assertThat(t.members()).hasSize(4));
  }

  /**
   * If the new node became a voter first, the exclusion would wait until that change is as old as a
   * lease.
   */
  @Test
  void replacementIsAdmittedWhenTheDeadMemberIsExcluded() {
    Node[] nodes = grid.startThree();
    grid.advanceMillis(2_000);
    long died = grid.clock.nanoTime();
    grid.crash(nodes[2]);
    grid.view(nodes[0], nodes[1]);
    grid.advanceMillis(600);
    Node again = grid.start("d");
    grid.view(nodes[0], nodes[1], again);
    grid.advanceMillis(900);
    assertThat(grid.clock.nanoTime() - died).isLessThan(2_000_000_000L);
    assertThat(nodes[0].current().members()).doesNotContain(nodes[2].self);
    grid.advanceMillis(1_000);
    assertAgreed(nodes[0], nodes[1], again);
  }

  // ------------------------------------------------------------------ without a majority

  @Test
  void cutOffMemberStopsAfterOneSecondAndReportsItAfterThree() {
    Node[] nodes = grid.startThree();
    isolate(nodes[2], nodes[0], nodes[1]);
    grid.advanceMillis(700);
    assertThat(nodes[2].hasLease()).isTrue();
    grid.advanceMillis(350);
    assertThat(nodes[2].hasLease()).isFalse();
    assertThat(nodes[2].driver.isCutOff()).isFalse();
    grid.advanceMillis(3_300);
    assertThat(nodes[2].driver.isCutOff()).isTrue();
    assertThat(nodes[0].hasLease() && nodes[1].hasLease()).isTrue();
    assertThat(nodes[0].driver.isCutOff()).isFalse();
  }

  @Test
  void nothingIsDecidedWithoutAMajorityUntilMembersMeetAgain() {
    Node[] nodes = grid.startThree();
    long number = nodes[0].current().number();
    isolate(nodes[0], nodes[1], nodes[2]);
    grid.cut(nodes[1], nodes[2]);
    grid.view(nodes[0]);
    grid.view(nodes[1]);
    grid.view(nodes[2]);
    grid.advanceMillis(10_000);
    for (Node node : nodes) {
      assertThat(node.current().number()).isEqualTo(number);
      assertThat(node.driver.isCutOff()).isTrue();
    }
    grid.heal();
    grid.view(nodes);
    grid.awaitExclusions();
    assertAgreed(nodes);
    for (Node node : nodes) {
      assertThat(node.hasLease()).isTrue();
      assertThat(node.driver.isCutOff()).isFalse();
    }
  }

  @Test
  void excludedMemberReturnsWithANewAdmission() {
    Node[] nodes = grid.startThree();
    nodes[0].driver.reportWrite();
    grid.settle();
    isolate(nodes[2], nodes[0], nodes[1]);
    grid.awaitExclusions();
    long admission = nodes[2].current().membership().admissionNumber(nodes[2].self);
    assertThat(nodes[0].current().membership().admissionNumber(nodes[2].self)).isZero();
    grid.heal();
    grid.awaitExclusions();
    assertAgreed(nodes);
    assertThat(nodes[0].current().membership().admissionNumber(nodes[2].self))
        .isGreaterThan(admission);
    assertThat(nodes[2].hasLease()).isTrue();
    assertThat(nodes[2].adopted)
        .as("it learns that it was excluded before it is back")
        .anyMatch(topology -> !topology.members().contains(nodes[2].self));
  }

  @Test
  void neitherOfTwoMembersContinuesAlone() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    grid.crash(b);
    grid.view(a);
    grid.advanceMillis(10_000);
    assertThat(a.current().members()).hasSize(2);
    assertThat(a.hasLease()).isFalse();
    assertThat(a.driver.isCutOff()).isTrue();
  }

  @Test
  void olderOfTwoContinuesWhenOldestDecides() {
    Node a = grid.start("a", WhenCut.oldestDecides());
    grid.view(a);
    Node b = grid.start("b", WhenCut.oldestDecides());
    grid.view(a, b);
    grid.settle();
    assertAgreed(a, b);
    grid.cut(a, b);
    grid.advanceMillis(10_000);
    assertThat(a.current().members()).containsExactly(a.self);
    assertThat(a.hasLease()).isTrue();
    assertThat(b.current().members()).hasSize(2);
    assertThat(b.hasLease()).isFalse();
    assertThat(b.driver.isCutOff()).isTrue();
    grid.heal();
    grid.awaitExclusions();
    assertAgreed(a, b);
  }

  /** The voters stay the same all the time, so the member cannot tell by them. */
  @Test
  void memberUnawareOfItsReadmissionGetsNoLease() {
    Node a = grid.start("a", WhenCut.oldestDecides());
    grid.view(a);
    Node b = grid.start("b", WhenCut.oldestDecides());
    grid.view(a, b);
    grid.settle();
    a.driver.reportWrite();
    grid.settle();
    long before = b.current().number();
    grid.cut(a, b);
    grid.advanceMillis(5_000);
    assertThat(a.current().members()).containsExactly(a.self);
    grid.heal();
    grid.loseMessages(sent -> sent.to().equals(b.self) && sent.kind() == MessageKind.TOPOLOGY);
    for (int i = 0; i < 8_000; i++) {
      grid.advanceMillis(1);
      assertThat(b.hasLease()).isFalse();
    }
    assertThat(b.current().number()).isEqualTo(before);
    assertThat(a.current().membership().admissionNumber(b.self)).isGreaterThan(before);
    grid.heal();
    grid.settle();
    grid.advanceMillis(1_000);
    assertAgreed(a, b);
    assertThat(b.hasLease()).isTrue();
  }

  // ------------------------------------------------------------------ leases

  @Test
  void leaseSurvivesAChangeOfVoters() {
    Node[] nodes = grid.startThree();
    Node d = grid.start("d");
    Node e = grid.start("e");
    grid.view(nodes[0], nodes[1], nodes[2], d, e);
    for (int i = 0; i < 3_000; i++) {
      if (!grid.network.deliver()) {
        grid.clock.advance(1_000_000);
      }
      for (Node node : nodes) {
        assertThat(node.hasLease()).isTrue();
      }
    }
    assertAgreed(nodes[0], nodes[1], nodes[2], d, e);
    assertThat(d.hasLease() && e.hasLease()).isTrue();
  }

  @Test
  void voterThatAcceptedNewVotersDoesNotCountItself() {
    excludeAfterNewVoters("m");
  }

  @Test
  void voterThatAcceptedNewVotersGrantsNoOldLeases() {
    excludeAfterNewVoters("q");
  }

  /**
   * Of p, m and q, the first two accept r and s as voters once these have shown that they are
   * alive, and only p learns that this is decided. Then p, r and s are cut off from m and q, and
   * exclude one of them.
   */
  private void excludeAfterNewVoters(String excluded) {
    Node p = grid.start("p");
    Node m = grid.start("m");
    Node q = grid.start("q");
    grid.view(p, m, q);
    grid.settle();
    grid.advanceMillis(2_000);
    Node r = grid.start("r");
    Node s = grid.start("s");
    grid.cut(p, q);
    isolate(r, m, q);
    isolate(s, m, q);
    for (Node node : new Node[] {p, r, s}) {
      grid.network.showView(node.self, p.self, m.self, q.self, r.self, s.self);
    }
    for (int i = 0; i < 2_000 && m.current().members().size() < 5; i++) {
      grid.millisOrMessage();
    }
    assertThat(m.current().members()).hasSize(5);
    grid.loseMessages(
        sent ->
            sent.to().equals(m.self)
                && (sent.kind() == MessageKind.DECIDED || sent.kind() == MessageKind.TOPOLOGY));
    for (int i = 0; i < 2_000 && p.current().membership().voters().size() < 5; i++) {
      grid.millisOrMessage();
    }
    assertThat(p.current().membership().voters()).hasSize(5);
    assertThat(m.current().membership().voters()).hasSize(3);
    assertThat(q.current().membership().voters()).hasSize(3);
    grid.cut(p, m);
    // The transport reports one of the two gone, and rightly so.
    Node gone = excluded.equals("m") ? m : q;
    Node other = gone == m ? q : m;
    grid.network.showView(p.self, p.self, other.self, r.self, s.self);
    for (int i = 0; i < 8_000; i++) {
      grid.advanceMillis(1);
      if (!p.current().members().contains(gone.self)) {
        assertThat(gone.hasLease()).as("it was excluded by p, r and s").isFalse();
      }
    }
    assertThat(p.current().members()).doesNotContain(gone.self);
  }

  @Test
  void voterThatAcceptedAnExclusionGrantsTheExcludedNoLease() {
    // The eighth member is not a voter, so its exclusion leaves the voters as they are.
    Node[] nodes = new Node[8];
    for (int i = 0; i < 8; i++) {
      nodes[i] = grid.start("n" + i);
    }
    grid.view(nodes);
    grid.settle();
    assertAgreed(nodes);
    grid.advanceMillis(2_000);
    Node last = nodes[7];
    Node[] voters = Arrays.copyOf(nodes, 7);
    isolate(last, voters);
    grid.loseMessages(sent -> sent.kind() == MessageKind.ACCEPTED);
    grid.view(voters);
    grid.advanceMillis(1_600);
    assertThat(last.hasLease()).isFalse();
    // By now all voters have accepted, and none knows that. The excluded member is back.
    grid.heal();
    grid.loseMessages(sent -> sent.kind() == MessageKind.ACCEPTED);
    for (int i = 0; i < 2_000; i++) {
      grid.advanceMillis(1);
      assertThat(last.hasLease()).isFalse();
    }
    grid.heal();
    grid.advanceMillis(300);
    assertThat(nodes[0].adopted)
        .anySatisfy(topology -> assertThat(topology.members()).doesNotContain(last.self));
    grid.view(nodes);
    grid.awaitExclusions();
    assertAgreed(nodes);
  }

  @Test
  void renouncedLeaseReturnsIfTheExclusionIsNotDecided() {
    Node[] nodes = grid.startThree();
    Node d = grid.start("d");
    Node e = grid.start("e");
    Node[] all = {nodes[0], nodes[1], nodes[2], d, e};
    grid.view(all);
    grid.settle();
    assertAgreed(all);
    // Only the leader a believes that e is gone, and e learns that it is to be excluded. Then
    // another node leads that has nothing to decide.
    Node a = nodes[0];
    grid.network.showView(a.self, a.self, nodes[1].self, nodes[2].self, d.self);
    grid.loseMessages(
        sent ->
            (sent.from().equals(e.self) && sent.to().equals(a.self))
                || (sent.kind() == MessageKind.ACCEPT && !sent.to().equals(e.self)));
    for (int i = 0; i < 20_000 && e.hasLease(); i++) {
      grid.millisOrMessage();
    }
    grid.heal();
    assertThat(e.hasLease()).as("it is about to agree").isFalse();
    isolate(a, nodes[1], nodes[2], d, e);
    grid.loseMessages(sent -> sent.kind() == MessageKind.PROMISED && sent.from().equals(e.self));
    grid.advanceMillis(2_000);
    assertThat(a.driver.isLeading()).isFalse();
    grid.heal();
    grid.view(all);
    grid.awaitExclusions();
    assertAgreed(all);
    assertThat(e.hasLease()).isTrue();
  }
}
