package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.CacheConfig;
import io.cantle.core.base.Output;
import io.cantle.core.segment.Seat;
import io.cantle.core.topology.KeeperGrid.Node;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes with stores come back as the voters they were. */
final class RestartTest {
  private final KeeperGrid grid = new KeeperGrid();
  private Node[] abc = new Node[0];
  private UUID gridId = new UUID(0, 0);

  @BeforeEach
  void threeWithStores() {
    abc = grid.durable("a", "b", "c");
    KeeperGrid.assertAgreed(abc);
    abc[0].keeper.reportUsed();
    abc[0].keeper.reportWanted(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    grid.settle();
    assertThat(abc[2].current().cache("users")).isZero();
    gridId = abc[0].current().gridId();
  }

  private void crash(Node... some) {
    for (Node node : some) {
      grid.crash(node);
      grid.store(node.self.name()).lose();
    }
  }

  private Node[] revive(String... names) {
    Node[] back = Arrays.stream(names).map(grid::revive).toArray(Node[]::new);
    grid.view(back);
    return back;
  }

  private static List<Member> voters(Node node) {
    return node.current().membership().voters();
  }

  @Test
  void aWholeGridStopsAndGoesOnAsTheSame() {
    long number = abc[0].current().number();
    crash(abc);
    Node[] back = revive("c", "a", "b");
    grid.exclude();
    KeeperGrid.assertAgreed(back);
    assertThat(back[0].current().gridId()).isEqualTo(gridId);
    assertThat(back[0].current().number()).isGreaterThan(number);
    assertThat(back[0].current().cache("users")).isZero();
    assertThat(back).allMatch(Node::leased);
    assertThat(voters(back[0])).containsExactlyInAnyOrder(back[0].self, back[1].self, back[2].self);
  }

  @Test
  void aMajorityOfTheVotersIsEnough() {
    crash(abc);
    Node[] back = revive("c", "b");
    grid.exclude();
    KeeperGrid.assertAgreed(back);
    assertThat(back[0].current().gridId()).isEqualTo(gridId);
    assertThat(back).allMatch(Node::leased);
  }

  @Test
  void withFewerNothingHappensUntilMoreAreBack() {
    crash(abc);
    Node b = revive("b")[0];
    grid.millis(20_000);
    assertThat(b.current().gridId()).as("it founds no other").isEqualTo(gridId);
    assertThat(b.keeper.trouble()).contains("of a, b, c are missing a, c");
    assertThat(b.leased()).isFalse();
    assertThat(b.current().members()).doesNotContain(b.self);
    Node a = grid.revive("a");
    grid.view(a, b);
    grid.exclude();
    KeeperGrid.assertAgreed(a, b);
    assertThat(b.keeper.trouble()).isEmpty();
    assertThat(a.current().gridId()).isEqualTo(gridId);
  }

  @Test
  void twoLivesOfOneNodeAreOneVoter() {
    crash(abc);
    Node one = revive("b")[0];
    grid.millis(2_000);
    crash(one);
    Node other = revive("b")[0];
    grid.exclude();
    assertThat(other.current().members()).doesNotContain(other.self, one.self);
    assertThat(other.leased()).isFalse();
  }

  @Test
  void lifeAfterLifeOfOneNodeIsOneVoterToWhoWantsToLead() {
    KeeperGrid five = new KeeperGrid();
    Node[] all = five.durable("a", "b", "c", "d", "e");
    KeeperGrid.assertAgreed(all);
    five.settle();
    assertThat(voters(all[0])).hasSize(5);
    for (Node node : all) {
      five.crash(node);
      five.store(node.self.name()).lose();
    }
    Node a = five.revive("a");
    for (int life = 0; life < 4; life++) {
      Node b = five.revive("b");
      five.view(a, b);
      five.millis(1_600);
      five.crash(b);
      five.store("b").lose();
    }
    assertThat(a.current().members()).as("two of five decide nothing").doesNotContain(a.self);
    assertThat(a.leased()).isFalse();
    assertThat(a.keeper.leads()).isFalse();
  }

  @Test
  void whoStartsAgainTakesThePlaceOfItsFormerLife() {
    crash(abc[0]);
    Node a = grid.revive("a");
    grid.view(abc[1], abc[2], a);
    grid.millis(2_000);
    KeeperGrid.assertAgreed(a, abc[1], abc[2]);
    assertThat(voters(a)).containsExactlyInAnyOrder(a.self, abc[1].self, abc[2].self);
    assertThat(a.current().membership().votersSince()).as("the voters are the same").isEqualTo(1);
  }

  @Test
  void whatAFormerLifeSaidComesLateAndDoesNotTakeThePlaceOfTheNext() {
    crash(abc[0]);
    Node a = grid.revive("a");
    grid.view(abc[1], abc[2], a);
    grid.millis(2_000);
    KeeperGrid.assertAgreed(a, abc[1], abc[2]);
    grid.cut(a, abc[1]);
    grid.cut(a, abc[2]);
    grid.millis(300);
    for (Node leader : List.of(abc[1], abc[2])) {
      Output late = new Output(64);
      late.writeVarint(0);
      late.writeId(gridId);
      Seat.USUAL.write(late);
      late.writeByte(Mode.STOP.code());
      byte[] body = late.toByteArray();
      int[] each = IntStream.range(0, body.length).map(place -> body[place]).toArray();
      grid.network.underWay.add(
          new HandNetwork.Sent(abc[0].self, leader.self, HandNetwork.bytes(Kind.JOIN, each)));
    }
    grid.millis(1_200);
    assertThat(abc[1].current().members()).contains(a.self).doesNotContain(abc[0].self);
    grid.heal();
    grid.millis(1_000);
    KeeperGrid.assertAgreed(a, abc[1], abc[2]);
  }

  @Test
  void aFormerLifeThatTheViewStillShowsIsGoneAllTheSame() {
    crash(abc[0]);
    Node a = grid.revive("a");
    grid.view(abc[0], abc[1], abc[2], a);
    grid.millis(2_000);
    KeeperGrid.assertAgreed(a, abc[1], abc[2]);
  }

  @Test
  void theGridOutlivesTheLossOfMostOfItsVotersAtOnce() {
    crash(abc[0], abc[1]);
    Node a = grid.revive("a");
    Node b = grid.revive("b");
    grid.view(abc[2], a, b);
    grid.exclude();
    KeeperGrid.assertAgreed(a, b, abc[2]);
    assertThat(a.current().gridId()).isEqualTo(gridId);
  }

  @Test
  void nothingIsPromisedOrAcceptedThatIsNotOnDisk() {
    grid.stores.values().forEach(HandNotes::stall);
    long number = abc[0].current().number();
    abc[1].keeper.reportWanted(new CacheDefinition("more", CacheConfig.distributed().segments(1)));
    grid.millis(500);
    assertThat(abc).allMatch(node -> node.current().number() == number);
    grid.stores.values().forEach(HandNotes::goOn);
    grid.settle();
    assertThat(abc).allMatch(node -> node.current().cache("more") == 1);
  }

  @Test
  void nothingIsSaidToBePromisedThatIsNotOnDisk() {
    Set<Kind> said = EnumSet.noneOf(Kind.class);
    grid.lose(
        sent -> {
          said.add(sent.kind());
          return false;
        });
    crash(abc[0]);
    grid.stores.values().forEach(HandNotes::stall);
    grid.view(abc[1], abc[2]);
    grid.exclude();
    assertThat(said).contains(Kind.PREPARE).doesNotContain(Kind.PROMISED);
    grid.stores.values().forEach(HandNotes::goOn);
    grid.exclude();
    assertThat(said).contains(Kind.PROMISED);
    KeeperGrid.assertAgreed(abc[1], abc[2]);
  }

  @Test
  void whatAMajorityAcceptedIsDecidedAfterAllHaveStopped() {
    grid.lose(sent -> sent.kind() == Kind.DECIDED || sent.kind() == Kind.TOPOLOGY);
    grid.lose(sent -> sent.kind() == Kind.ACCEPTED);
    abc[1].keeper.reportWanted(new CacheDefinition("more", CacheConfig.distributed().segments(1)));
    grid.millis(100);
    assertThat(abc[1].current().cache("more")).isNegative();
    crash(abc);
    grid.heal();
    Node[] back = revive("b", "c");
    grid.exclude();
    KeeperGrid.assertAgreed(back);
    assertThat(back[0].current().cache("more")).as("both had accepted it").isEqualTo(1);
  }

  @Test
  void anExclusionIsAcceptedOnlyWhenLeasesOfTheFormerLifeAreOver() {
    Grants grants = new Grants(grid.clock);
    grants.restarted();
    grants.adopted(abc[0].current().membership());
    List<Member> excluded = List.of(abc[2].self);
    assertThat(grants.waitNanos(excluded)).isEqualTo(Grants.WAIT_NANOS);
    grid.clock.advance(Grants.WAIT_NANOS);
    assertThat(grants.waitNanos(excluded)).isLessThanOrEqualTo(0);
  }

  @Test
  void whoGaveItsGridUpForgetsIt() {
    KeeperGrid two = new KeeperGrid();
    Node[] ab = two.durable("a", "b", "c");
    assertThat(ab[0].current().charter().used()).isFalse();
    UUID unused = ab[0].current().gridId();
    two.crash(ab[1]);
    two.crash(ab[2]);
    two.millis(12_000);
    Node d = two.start("d");
    Node e = two.start("e");
    two.view(d, e);
    two.settle();
    d.keeper.reportUsed();
    two.settle();
    two.view(d, e, ab[0]);
    two.millis(5_000);
    KeeperGrid.assertAgreed(d, e, ab[0]);
    Ledger.Page page = new Ledger(two.store("a"), two.world, new ReentrantLock()).found();
    assertThat(page.current().gridId()).isEqualTo(d.current().gridId()).isNotEqualTo(unused);
  }

  @Test
  void aNoteThatCannotBeReadIsAClearError() {
    HandNotes notes = new HandNotes();
    notes.keep(Ledger.NAME, new byte[] {9}, () -> {});
    grid.stores.put("z", notes);
    assertThatIllegalStateException()
        .isThrownBy(() -> grid.revive("z"))
        .withMessageContaining("format 9");
  }

  @Test
  void whoWasNotLetInYetMayGo() {
    crash(abc);
    Node b = revive("b")[0];
    grid.millis(100);
    b.keeper.reportLeaving();
    grid.millis(300);
    assertThat(b.keeper.left()).isTrue();
  }
}
