package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.topology.RegisterGrid.Node;
import io.cantle.core.transport.HandNetwork.Sent;
import io.cantle.core.transport.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agreement on one topology after the other. */
final class RegisterTest {

  /** Two thousand schedules for each number of members; the failing one names its seed. */
  @ParameterizedTest(name = "{0} members")
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void topologiesOfOneNumberAreTheSameWhateverHappensToMessages(int members) {
    long most = 0;
    for (int seed = 0; seed < 1_000; seed++) {
      RegisterGrid grid = new RegisterGrid(seed * 31L + members, members, 3);
      try {
        for (int step = 0; step < 400; step++) {
          grid.happen();
        }
        int before = grid.decided.size();
        most = Math.max(most, before);
        grid.calm();
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

  private List<Sent> take(Kind kind) {
    List<Sent> taken = new ArrayList<>();
    for (Sent sent; (sent = grid.network.take(one -> one.kind() == kind)) != null; ) {
      taken.add(sent);
    }
    return taken;
  }

  private static Sent to(Node node, List<Sent> some) {
    return some.stream().filter(sent -> sent.to().equals(node.self)).findFirst().orElseThrow();
  }

  private void lead(Node node) {
    node.register.lead();
    grid.network.deliverAll();
    assertThat(node.register.ready()).isTrue();
  }

  @Test
  void aProposerIsReadyWhenAMajorityHasPromised() {
    a.register.lead();
    assertThat(a.register.leading()).isTrue();
    assertThat(a.register.ready()).as("only itself").isFalse();
    List<Sent> asked = take(Kind.PREPARE);
    assertThat(asked).hasSize(2);
    grid.network.deliver(asked.getFirst());
    grid.network.deliverAll();
    assertThat(a.register.ready()).isTrue();
  }

  @Test
  void aTopologyIsDecidedWhenAMajorityHasAcceptedIt() {
    lead(a);
    a.propose();
    List<Sent> asked = take(Kind.ACCEPT);
    assertThat(a.current().number()).isEqualTo(1);
    grid.network.deliver(to(b, asked));
    grid.network.deliverAll();
    assertThat(a.current().number()).isEqualTo(2);
    assertThat(b.current()).isEqualTo(a.current());
    assertThat(c.current()).as("it is told the whole").isEqualTo(a.current());
  }

  @Test
  void whoPromisedAHigherBallotAcceptsNothingOfALowerOne() {
    lead(a);
    a.propose();
    List<Sent> asked = take(Kind.ACCEPT);
    // The other two promise to obey b, which hears nothing of what a has accepted itself.
    b.register.lead();
    grid.network.underWay.removeIf(sent -> sent.to().equals(a.self));
    grid.network.deliverAll();
    assertThat(b.register.ready()).isTrue();
    asked.forEach(grid.network::deliver);
    grid.network.deliverAll();
    assertThat(a.current().number()).isEqualTo(1);
    assertThat(a.register.leading()).as("it was told that another leads").isFalse();
    b.propose();
    grid.network.deliverAll();
    assertThat(c.current().number()).isEqualTo(2);
    assertThat(c.current()).isEqualTo(b.current());
  }

  @Test
  void whatOneMayHaveAcceptedIsProposedBeforeAnythingElse() {
    lead(a);
    a.propose();
    grid.network.deliver(to(c, take(Kind.ACCEPT)));
    Topology accepted = grid.decided.get(2L);
    assertThat(accepted).as("two of three have accepted, and nobody knows").isNull();
    take(Kind.ACCEPTED);
    b.register.lead();
    grid.network.underWay.removeIf(sent -> sent.to().equals(a.self));
    grid.network.deliverAll();
    assertThat(b.current().number()).isEqualTo(2);
    long value = b.current().hashSeed();
    a.register.remind();
    grid.network.deliverAll();
    assertThat(a.current()).isEqualTo(b.current());
    assertThat(value).as("what a proposed").isEqualTo(1);
  }

  @Test
  void aPromiseOfAnEarlierRoundCountsOnInTheNext() {
    lead(a);
    for (int i = 0; i < 5; i++) {
      a.register.propose(HandTopology.next(a.current(), a.self, b.self, c.self));
      assertThat(take(Kind.PREPARE)).isEmpty();
      grid.network.deliverAll();
      assertThat(c.current().number()).isEqualTo(i + 2);
      assertThat(a.register.ready()).isTrue();
    }
  }

  @Test
  void newVotersArePreparedAndOldOnesDecideOnThem() {
    Node d = grid.nodes.get(3);
    lead(a);
    a.register.propose(HandTopology.next(a.current(), a.self, b.self, c.self, d.self));
    List<Sent> asked = take(Kind.ACCEPT);
    assertThat(asked).noneMatch(sent -> sent.to().equals(d.self));
    grid.network.deliver(to(c, asked));
    grid.network.deliverAll();
    assertThat(d.current().membership().voters()).hasSize(4);
    assertThat(d.current()).isEqualTo(a.current());
  }

  @Test
  void whoMissedATopologyIsToldBeforeItVotes() {
    lead(a);
    a.register.propose(HandTopology.next(a.current(), a.self, b.self, c.self));
    grid.network.underWay.removeIf(sent -> sent.to().equals(c.self));
    grid.network.deliver();
    grid.network.deliver();
    grid.network.underWay.removeIf(sent -> sent.to().equals(c.self));
    grid.network.deliverAll();
    assertThat(c.current().number()).isEqualTo(1);
    a.register.propose(HandTopology.next(a.current(), a.self, b.self, c.self));
    grid.network.underWay.removeIf(sent -> sent.to().equals(b.self));
    grid.network.deliverAll();
    assertThat(a.current().number()).isEqualTo(2);
    a.register.remind();
    grid.network.underWay.removeIf(sent -> sent.to().equals(b.self));
    grid.network.deliverAll();
    a.register.remind();
    grid.network.deliverAll();
    assertThat(a.current().number()).isEqualTo(3);
    assertThat(c.current()).isEqualTo(a.current());
  }

  @Test
  void whoIsNoVoterAnyMoreDoesNotLead() {
    lead(a);
    a.register.propose(HandTopology.next(a.current(), b.self, c.self));
    grid.network.deliverAll();
    assertThat(a.current().number()).isEqualTo(2);
    assertThat(a.register.leading()).isFalse();
  }
}
