package io.cantle.core.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.agreement.RegisterGrid.Node;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agreement on one topology after another. */
final class TopologyRegisterTest {

  /** Runs two thousand schedules for each number of members; a failing one names its seed. */
  @ParameterizedTest(name = "{0} members")
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void topologiesOfOneNumberAgreeDespiteMessageFaults(int members) {
    long most = 0;
    for (int seed = 0; seed < 1_000; seed++) {
      RegisterGrid grid = new RegisterGrid(seed * 31L + members, members, 3);
      try {
        for (int step = 0; step < 400; step++) {
          grid.performRandomEvent();
        }
        int before = grid.decided.size();
        most = Math.max(most, before);
        grid.quiet();
        assertThat(grid.decided.size()).as("it goes on").isGreaterThan(before + 2);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ", " + members + " members", e);
      }
    }
    assertThat(most).as("something was decided in the storm").isGreaterThan(5);
  }

  // ------------------------------------------------------------------ step by step

  private final RegisterGrid grid = new RegisterGrid(1, 3, 1);
  private final Node a = grid.nodes.get(0);
  private final Node b = grid.nodes.get(1);
  private final Node c = grid.nodes.get(2);

  private List<SentMessage> take(MessageKind kind) {
    List<SentMessage> taken = new ArrayList<>();
    for (SentMessage sent; (sent = grid.network.takeFirst(one -> one.kind() == kind)) != null; ) {
      taken.add(sent);
    }
    return taken;
  }

  private static SentMessage to(Node node, List<SentMessage> some) {
    return some.stream().filter(sent -> sent.to().equals(node.self)).findFirst().orElseThrow();
  }

  private void lead(Node node) {
    node.startLeading();
    grid.network.deliverAll();
    assertThat(node.register.isReady()).isTrue();
  }

  @Test
  void proposerIsReadyAfterAMajorityPromised() {
    a.startLeading();
    assertThat(a.register.isLeading()).isTrue();
    assertThat(a.register.isReady()).as("only itself").isFalse();
    List<SentMessage> asked = take(MessageKind.PREPARE);
    assertThat(asked).hasSize(2);
    grid.network.deliver(asked.getFirst());
    grid.network.deliverAll();
    assertThat(a.register.isReady()).isTrue();
  }

  @Test
  void topologyIsDecidedAfterAMajorityAccepted() {
    lead(a);
    a.propose();
    List<SentMessage> asked = take(MessageKind.ACCEPT);
    assertThat(a.currentTopology().number()).isEqualTo(1);
    grid.network.deliver(to(b, asked));
    grid.network.deliverAll();
    assertThat(a.currentTopology().number()).isEqualTo(2);
    assertThat(b.currentTopology()).isEqualTo(a.currentTopology());
    assertThat(c.currentTopology()).as("it is told the whole").isEqualTo(a.currentTopology());
  }

  @Test
  void voterRejectsLowerBallotAfterPromisingAHigher() {
    lead(a);
    a.propose();
    List<SentMessage> asked = take(MessageKind.ACCEPT);
    // The other two promise to obey b, which does not hear what a has accepted itself.
    b.startLeading();
    grid.network.inFlight.removeIf(sent -> sent.to().equals(a.self));
    grid.network.deliverAll();
    assertThat(b.register.isReady()).isTrue();
    asked.forEach(grid.network::deliver);
    grid.network.deliverAll();
    assertThat(a.currentTopology().number()).isEqualTo(1);
    assertThat(a.register.isLeading()).as("it was told that another leads").isFalse();
    b.propose();
    grid.network.deliverAll();
    assertThat(c.currentTopology().number()).isEqualTo(2);
    assertThat(c.currentTopology()).isEqualTo(b.currentTopology());
  }

  @Test
  void possiblyAcceptedTopologyIsProposedFirst() {
    lead(a);
    a.propose();
    grid.network.deliver(to(c, take(MessageKind.ACCEPT)));
    Topology accepted = grid.decided.get(2L);
    assertThat(accepted).as("two of three have accepted, and nobody knows").isNull();
    take(MessageKind.ACCEPTED);
    b.startLeading();
    grid.network.inFlight.removeIf(sent -> sent.to().equals(a.self));
    grid.network.deliverAll();
    assertThat(b.currentTopology().number()).isEqualTo(2);
    long value = b.currentTopology().hashSeed();
    a.resend();
    grid.network.deliverAll();
    assertThat(a.currentTopology()).isEqualTo(b.currentTopology());
    assertThat(value).as("what a proposed").isEqualTo(1);
  }

  @Test
  void promiseCarriesOverToTheNextRound() {
    lead(a);
    for (int i = 0; i < 5; i++) {
      a.propose(TopologyFixture.next(a.currentTopology(), a.self, b.self, c.self));
      assertThat(take(MessageKind.PREPARE)).isEmpty();
      grid.network.deliverAll();
      assertThat(c.currentTopology().number()).isEqualTo(i + 2);
      assertThat(a.register.isReady()).isTrue();
    }
  }

  @Test
  void oldVotersDecideOnNewVoters() {
    Node d = grid.nodes.get(3);
    lead(a);
    a.propose(TopologyFixture.next(a.currentTopology(), a.self, b.self, c.self, d.self));
    List<SentMessage> asked = take(MessageKind.ACCEPT);
    assertThat(asked).noneMatch(sent -> sent.to().equals(d.self));
    grid.network.deliver(to(c, asked));
    grid.network.deliverAll();
    assertThat(d.currentTopology().membership().voters()).hasSize(4);
    assertThat(d.currentTopology()).isEqualTo(a.currentTopology());
  }

  @Test
  void voterThatMissedATopologyIsToldBeforeVoting() {
    lead(a);
    a.propose(TopologyFixture.next(a.currentTopology(), a.self, b.self, c.self));
    grid.network.inFlight.removeIf(sent -> sent.to().equals(c.self));
    grid.network.deliver();
    grid.network.deliver();
    grid.network.inFlight.removeIf(sent -> sent.to().equals(c.self));
    grid.network.deliverAll();
    assertThat(c.currentTopology().number()).isEqualTo(1);
    a.propose(TopologyFixture.next(a.currentTopology(), a.self, b.self, c.self));
    grid.network.inFlight.removeIf(sent -> sent.to().equals(b.self));
    grid.network.deliverAll();
    assertThat(a.currentTopology().number()).isEqualTo(2);
    a.resend();
    grid.network.inFlight.removeIf(sent -> sent.to().equals(b.self));
    grid.network.deliverAll();
    a.resend();
    grid.network.deliverAll();
    assertThat(a.currentTopology().number()).isEqualTo(3);
    assertThat(c.currentTopology()).isEqualTo(a.currentTopology());
  }

  @Test
  void formerVoterDoesNotLead() {
    lead(a);
    a.propose(TopologyFixture.next(a.currentTopology(), b.self, c.self));
    grid.network.deliverAll();
    assertThat(a.currentTopology().number()).isEqualTo(2);
    assertThat(a.register.isLeading()).isFalse();
  }
}
