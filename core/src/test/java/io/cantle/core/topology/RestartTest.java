package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.CacheConfig;
import io.cantle.core.agreement.AgreementJournal;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.topology.DriverGrid.Node;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes with stores restart as the voters they were. */
final class RestartTest {
  private final DriverGrid grid = new DriverGrid();
  private Node[] abc = new Node[0];
  private UUID gridId = new UUID(0, 0);

  @BeforeEach
  void threeWithStores() {
    abc = grid.startDurable("a", "b", "c");
    DriverGrid.assertAgreed(abc);
    abc[0].driver.reportWrite();
    abc[0].driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    grid.settle();
    assertThat(abc[2].current().cacheIndex("users")).isZero();
    gridId = abc[0].current().gridId();
  }

  private void crash(Node... some) {
    for (Node node : some) {
      grid.crash(node);
      grid.store(node.self.name()).losePending();
    }
  }

  private Node[] restart(String... names) {
    Node[] back = Arrays.stream(names).map(grid::restart).toArray(Node[]::new);
    grid.view(back);
    return back;
  }

  private static List<Member> voters(Node node) {
    return node.current().membership().voters();
  }

  @Test
  void gridContinuesAfterAFullRestart() {
    long number = abc[0].current().number();
    crash(abc);
    Node[] back = restart("c", "a", "b");
    grid.awaitExclusions();
    DriverGrid.assertAgreed(back);
    assertThat(back[0].current().gridId()).isEqualTo(gridId);
    assertThat(back[0].current().number()).isGreaterThan(number);
    assertThat(back[0].current().cacheIndex("users")).isZero();
    assertThat(back).allMatch(Node::hasLease);
    assertThat(voters(back[0])).containsExactlyInAnyOrder(back[0].self, back[1].self, back[2].self);
  }

  @Test
  void majorityOfVotersIsEnoughAfterARestart() {
    crash(abc);
    Node[] back = restart("c", "b");
    grid.awaitExclusions();
    DriverGrid.assertAgreed(back);
    assertThat(back[0].current().gridId()).isEqualTo(gridId);
    assertThat(back).allMatch(Node::hasLease);
  }

  @Test
  void minorityWaitsUntilMoreVotersReturn() {
    crash(abc);
    Node b = restart("b")[0];
    grid.advanceMillis(20_000);
    assertThat(b.current().gridId()).as("it founds no other").isEqualTo(gridId);
    assertThat(b.driver.problemText())
        .contains(
            "b was in grid "
                + gridId
                + " before it started, and waits for the majority of the voters",
            " of it, which are a, b, c; a, c do not answer: start them again with their stores, or",
            "If they are gone for good, ./cantle recover on the folder of b, once it has ended, goes")
        .as("it has no grid to call yet")
        .doesNotContain("Grid.recoverVoters");
    assertThat(b.hasLease()).isFalse();
    assertThat(b.current().members()).doesNotContain(b.self);
    Node a = grid.restart("a");
    grid.view(a, b);
    grid.awaitExclusions();
    DriverGrid.assertAgreed(a, b);
    assertThat(b.driver.problemText()).isEmpty();
    assertThat(a.current().gridId()).isEqualTo(gridId);
  }

  @Test
  void incarnationsOfOneNodeCountAsOneVoter() {
    crash(abc);
    Node one = restart("b")[0];
    grid.advanceMillis(2_000);
    crash(one);
    Node other = restart("b")[0];
    grid.awaitExclusions();
    assertThat(other.current().members()).doesNotContain(other.self, one.self);
    assertThat(other.hasLease()).isFalse();
  }

  @Test
  void successiveIncarnationsCountAsOnePromise() {
    DriverGrid five = new DriverGrid();
    Node[] all = five.startDurable("a", "b", "c", "d", "e");
    DriverGrid.assertAgreed(all);
    five.settle();
    assertThat(voters(all[0])).hasSize(5);
    for (Node node : all) {
      five.crash(node);
      five.store(node.self.name()).losePending();
    }
    Node a = five.restart("a");
    for (int life = 0; life < 4; life++) {
      Node b = five.restart("b");
      five.view(a, b);
      five.advanceMillis(1_600);
      five.crash(b);
      five.store("b").losePending();
    }
    assertThat(a.current().members()).as("two of five decide nothing").doesNotContain(a.self);
    assertThat(a.hasLease()).isFalse();
    assertThat(a.driver.isLeading()).isFalse();
  }

  @Test
  void newIncarnationReplacesTheFormer() {
    crash(abc[0]);
    Node a = grid.restart("a");
    grid.view(abc[1], abc[2], a);
    grid.advanceMillis(2_000);
    DriverGrid.assertAgreed(a, abc[1], abc[2]);
    assertThat(voters(a)).containsExactlyInAnyOrder(a.self, abc[1].self, abc[2].self);
    assertThat(a.current().membership().votersSinceNumber())
        .as("the voters are the same")
        .isEqualTo(1);
  }

  @Test
  void lateMessageOfAFormerIncarnationIsIgnored() {
    crash(abc[0]);
    Node a = grid.restart("a");
    grid.view(abc[1], abc[2], a);
    grid.advanceMillis(2_000);
    DriverGrid.assertAgreed(a, abc[1], abc[2]);
    grid.cut(a, abc[1]);
    grid.cut(a, abc[2]);
    grid.advanceMillis(300);
    for (Node leader : List.of(abc[1], abc[2])) {
      Output late = new Output(64);
      late.writeVarint(0);
      late.writeId(gridId);
      MemberCapacity.DEFAULT.write(late);
      late.writeEnum(PartitionHandling.STOP);
      byte[] body = late.toByteArray();
      int[] each = IntStream.range(0, body.length).map(place -> body[place]).toArray();
      grid.network.inFlight.add(
          new ManualNetwork.SentMessage(
              abc[0].self, leader.self, ManualNetwork.bytes(MessageKind.JOIN, each)));
    }
    grid.advanceMillis(1_200);
    assertThat(abc[1].current().members()).contains(a.self).doesNotContain(abc[0].self);
    grid.heal();
    grid.advanceMillis(1_000);
    DriverGrid.assertAgreed(a, abc[1], abc[2]);
  }

  @Test
  void formerIncarnationInTheViewIsGone() {
    crash(abc[0]);
    Node a = grid.restart("a");
    grid.view(abc[0], abc[1], abc[2], a);
    grid.advanceMillis(2_000);
    DriverGrid.assertAgreed(a, abc[1], abc[2]);
  }

  @Test
  void gridSurvivesTheRestartOfMostVoters() {
    crash(abc[0], abc[1]);
    Node a = grid.restart("a");
    Node b = grid.restart("b");
    grid.view(abc[2], a, b);
    grid.awaitExclusions();
    DriverGrid.assertAgreed(a, b, abc[2]);
    assertThat(a.current().gridId()).isEqualTo(gridId);
  }

  @Test
  void promiseIsSentOnlyOnceOnDisk() {
    grid.stores.values().forEach(ManualStableStore::stall);
    long number = abc[0].current().number();
    abc[1].driver.reportCacheRequested(
        new CacheDefinition("more", CacheConfig.distributed().segments(1)));
    grid.advanceMillis(500);
    assertThat(abc).allMatch(node -> node.current().number() == number);
    grid.stores.values().forEach(ManualStableStore::resume);
    grid.settle();
    assertThat(abc).allMatch(node -> node.current().cacheIndex("more") == 1);
  }

  @Test
  void repeatedPromiseWaitsForTheDisk() {
    Set<MessageKind> said = EnumSet.noneOf(MessageKind.class);
    grid.loseMessages(
        sent -> {
          said.add(sent.kind());
          return false;
        });
    crash(abc[0]);
    grid.stores.values().forEach(ManualStableStore::stall);
    grid.view(abc[1], abc[2]);
    grid.awaitExclusions();
    assertThat(said).contains(MessageKind.PREPARE).doesNotContain(MessageKind.PROMISED);
    grid.stores.values().forEach(ManualStableStore::resume);
    grid.awaitExclusions();
    assertThat(said).contains(MessageKind.PROMISED);
    DriverGrid.assertAgreed(abc[1], abc[2]);
  }

  @Test
  void acceptedTopologyIsDecidedAfterAFullRestart() {
    grid.loseMessages(
        sent -> sent.kind() == MessageKind.DECIDED || sent.kind() == MessageKind.TOPOLOGY);
    grid.loseMessages(sent -> sent.kind() == MessageKind.ACCEPTED);
    abc[1].driver.reportCacheRequested(
        new CacheDefinition("more", CacheConfig.distributed().segments(1)));
    grid.advanceMillis(100);
    assertThat(abc[1].current().cacheIndex("more")).isNegative();
    crash(abc);
    grid.heal();
    Node[] back = restart("b", "c");
    grid.awaitExclusions();
    DriverGrid.assertAgreed(back);
    assertThat(back[0].current().cacheIndex("more")).as("both had accepted it").isEqualTo(1);
  }

  @Test
  void nodeForgetsAGridItGaveUp() {
    DriverGrid two = new DriverGrid();
    Node[] ab = two.startDurable("a", "b", "c");
    assertThat(ab[0].current().gridDefinition().isWritten()).isFalse();
    UUID unused = ab[0].current().gridId();
    two.crash(ab[1]);
    two.crash(ab[2]);
    two.advanceMillis(12_000);
    Node d = two.start("d");
    Node e = two.start("e");
    two.view(d, e);
    two.settle();
    d.driver.reportWrite();
    two.settle();
    two.view(d, e, ab[0]);
    two.advanceMillis(5_000);
    DriverGrid.assertAgreed(d, e, ab[0]);
    assertThat(AgreementJournal.read(two.store("a")).currentTopology().gridId())
        .isEqualTo(d.current().gridId())
        .isNotEqualTo(unused);
  }

  @Test
  void unreadableRecordIsAClearError() {
    ManualStableStore notes = new ManualStableStore();
    notes.save(AgreementJournal.RECORD_NAME, new byte[] {9}, () -> {});
    grid.stores.put("z", notes);
    assertThatIllegalStateException()
        .isThrownBy(() -> grid.restart("z"))
        .withMessageContaining("format 9");
  }

  @Test
  void nodeNotYetAdmittedMayLeave() {
    crash(abc);
    Node b = restart("b")[0];
    grid.advanceMillis(100);
    b.driver.reportLeaving();
    grid.advanceMillis(300);
    assertThat(b.driver.hasLeft()).isTrue();
  }
}
