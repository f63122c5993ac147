package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.discovery.DiscoveryMessage.JoinRefusal;
import io.cantle.core.discovery.StoreHistoryTable;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.topology.DriverGrid.Node;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node restarts with an old copy of its store. */
final class OldStoreTest {
  private final DriverGrid grid = new DriverGrid();
  private Node[] abc = new Node[0];
  private UUID gridId = new UUID(0, 0);

  @BeforeEach
  void threeWithStores() {
    abc = grid.startDurable("a", "b", "c");
    abc[0].driver.reportWrite();
    abc[0].driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(6).owners(3)));
    grid.settle();
    gridId = abc[0].current().gridId();
    grid.advanceMillis(1_000);
  }

  private void write(String name) {
    grid.store(name).write();
    grid.advanceMillis(1_000);
  }

  private static void assertRefused(Node node) {
    assertThat(node.hasLease()).isFalse();
    assertThat(node.current().members()).doesNotContain(node.self);
    assertThat(node.refusals)
        .isNotEmpty()
        .allMatch(refusal -> refusal.reason() == JoinRefusal.Reason.OUTDATED);
  }

  @Test
  void copyFromAnEarlierIncarnationIsRefused() {
    ManualStableStore before = grid.store("c").copy();
    grid.crashAll(abc[2]);
    Node c = grid.restartAll("c")[0];
    grid.awaitExclusions();
    assertThat(c.hasLease()).isTrue();
    grid.advanceMillis(1_000);
    grid.crashAll(c);
    grid.stores.put("c", before);
    Node old = grid.restartAll("c")[0];
    grid.advanceMillis(4_000);
    assertRefused(old);
  }

  @Test
  void copyFromEarlierInTheLastIncarnationIsRefused() {
    ManualStableStore before = grid.store("c").copy();
    write("c");
    grid.crashAll(abc[2]);
    grid.stores.put("c", before);
    Node old = grid.restartAll("c")[0];
    grid.advanceMillis(4_000);
    assertRefused(old);
    assertThat(abc[0].current().members()).containsExactlyInAnyOrder(abc[0].self, abc[1].self);
  }

  /** A store remembers 64 incarnations: the last one has forgotten the first when it is copied. */
  @ParameterizedTest
  @ValueSource(ints = {1, 63, 70})
  void oldCopyIsRefusedHoweverManyIncarnationsCameBefore(int before) {
    Node c = abc[2];
    for (int life = 1; life < before; life++) {
      c = reviveAtOnce(c);
    }
    ManualStableStore copy = grid.store("c").copy();
    c = reviveAtOnce(c);
    assertThat(c.hasLease()).isTrue();
    grid.advanceMillis(1_000);
    grid.crashAll(c);
    grid.stores.put("c", copy);
    Node old = grid.restartAll("c")[0];
    grid.advanceMillis(4_000);
    assertRefused(old);
  }

  private Node reviveAtOnce(Node node) {
    grid.crashAll(node);
    Node next = grid.restartAll(node.self.name())[0];
    grid.awaitExclusions();
    return next;
  }

  @Test
  void oldCopyStaysRefusedAfterRestarts() {
    ManualStableStore before = grid.store("c").copy();
    write("c");
    grid.crashAll(abc[2]);
    grid.stores.put("c", before);
    for (int i = 0; i < 5; i++) {
      Node old = grid.restartAll("c")[0];
      write("c");
      write("c");
      assertRefused(old);
      grid.crashAll(old);
    }
  }

  @Test
  void thePresentStoreIsWelcome() {
    write("c");
    write("c");
    grid.crashAll(abc[2]);
    Node c = grid.restartAll("c")[0];
    grid.awaitExclusions();
    DriverGrid.assertAgreed(abc[0], abc[1], c);
    assertThat(c.refusals).isEmpty();
  }

  /** The node believes that it is a member, and shows its history to none of the others. */
  @Test
  void unawareExcludedMemberIsTold() {
    grid.cut(abc[2], abc[0]);
    grid.cut(abc[2], abc[1]);
    grid.advanceMillis(5_000);
    assertThat(abc[0].current().members()).doesNotContain(abc[2].self);
    grid.heal();
    grid.advanceMillis(5_000);
    assertThat(abc[2].current().members()).contains(abc[2].self);
    assertThat(abc[2].hasLease()).isTrue();
  }

  @Test
  void afterAStopOfAllTheOthersRemember() {
    ManualStableStore before = grid.store("c").copy();
    write("c");
    grid.crashAll(abc);
    grid.stores.put("c", before);
    Node[] back = grid.restartAll("c", "a", "b");
    for (int i = 0; i < 8_000; i++) {
      grid.advanceMillis(1);
      assertThat(back[0].hasLease()).isFalse();
    }
    assertRefused(back[0]);
    assertThat(back[1].current().caches().getFirst().segments())
        .as("what was in memory only begins empty")
        .noneMatch(SegmentOwnership::isLost);
    assertThat(back[1].hasLease()).isTrue();
    assertThat(back[1].current().gridId()).isEqualTo(gridId);
  }

  /** The others could not decide without this node, so the operator must say which store counts. */
  @Test
  void withoutAMajorityOfTheOthersItWaitsAndSaysWhy() {
    ManualStableStore before = grid.store("c").copy();
    write("c");
    grid.crashAll(abc);
    grid.stores.put("c", before);
    Node[] back = grid.restartAll("c", "a");
    grid.advanceMillis(8_000);
    assertThat(back).noneMatch(Node::hasLease);
    assertThat(back[0].refusals).isEmpty();
    assertThat(back[0].driver.problemText()).contains("is an old copy", "--restored");
    Node b = grid.restartAll("b")[0];
    grid.awaitExclusions();
    DriverGrid.assertAgreed(back[1], b);
    assertRefused(back[0]);
  }

  @Test
  void allFromOneBackupComeBack() {
    ManualStableStore[] backup = new ManualStableStore[3];
    grid.crashAll(abc);
    String[] names = {"a", "b", "c"};
    Arrays.setAll(backup, i -> grid.store(names[i]).copy());
    Node[] later = grid.restartAll(names);
    grid.awaitExclusions();
    for (String name : names) {
      write(name);
    }
    grid.crashAll(later);
    for (int i = 0; i < 3; i++) {
      grid.stores.put(names[i], backup[i]);
    }
    Node[] back = grid.restartAll(names);
    grid.awaitExclusions();
    DriverGrid.assertAgreed(back);
    assertThat(back).allMatch(Node::hasLease);
    assertThat(back[0].current().gridId()).isEqualTo(gridId);
  }

  @Test
  void thoseOfDifferentTimesComeBackOnceAnOperatorSaysSo() {
    ManualStableStore a = grid.store("a").copy();
    write("a");
    ManualStableStore b = grid.store("b").copy();
    write("b");
    ManualStableStore c = grid.store("c").copy();
    grid.crashAll(abc);
    grid.stores.put("a", a);
    grid.stores.put("b", b);
    grid.stores.put("c", c);
    Node[] back = grid.restartAll("a", "b", "c");
    grid.advanceMillis(8_000);
    assertThat(back).noneMatch(Node::hasLease);
    grid.crashAll(back);
    for (String name : new String[] {"a", "b", "c"}) {
      StoreHistoryTable.forgetOthers(grid.store(name), () -> {});
    }
    Node[] again = grid.restartAll("a", "b", "c");
    grid.awaitExclusions();
    DriverGrid.assertAgreed(again);
    assertThat(again).allMatch(Node::hasLease);
  }

  // ------------------------------------------------------------------ members that it never knew

  private void joinOthers(String... names) {
    for (String name : names) {
      grid.restartAll(name);
      settleLong();
    }
  }

  private void leave(Node... some) {
    for (Node node : some) {
      node.driver.reportLeaving();
      settleLong();
      assertThat(node.driver.hasLeft()).isTrue();
      grid.crashAll(node);
      settleLong();
    }
  }

  private void restartOneByOne(Node... some) {
    for (Node node : some) {
      grid.crashAll(node);
      grid.awaitExclusions();
      grid.restartAll(node.self.name());
      settleLong();
    }
  }

  private void settleLong() {
    for (int i = 0; i < 6; i++) {
      grid.settle();
    }
    grid.advanceMillis(1_000);
  }

  private Node leader() {
    return grid.nodes.values().stream()
        .filter(node -> node.driver.isLeading())
        .findFirst()
        .orElseThrow();
  }

  private void assertRefusedFor(UUID store, Node old) {
    assertRefused(old);
    assertThat(old.refusals)
        .allMatch(JoinRefusal::isFinal)
        .allMatch(refusal -> refusal.nodeId().equals(store));
    assertThat(leader().current().members()).noneMatch(old.self::isSameNode);
  }

  @Test
  void copyIsRefusedByMembersThatJoinedAfterItWasMade() {
    ManualStableStore copy = grid.store("c").copy();
    joinOthers("d", "e");
    leave(abc[0], abc[1]);
    write("c");
    grid.crashAll(abc[2]);
    grid.awaitExclusions();
    grid.stores.put("c", copy);
    Node old = grid.restartAll("c")[0];
    grid.advanceMillis(4_000);
    assertRefusedFor(abc[2].self.nodeId(), old);
  }

  @Test
  void copyIsRefusedByALeaderThatJoinedAfterItWasMade() {
    ManualStableStore copy = grid.store("c").copy();
    joinOthers("d", "e");
    restartOneByOne(abc[0], abc[1]);
    write("c");
    grid.crashAll(abc[2]);
    grid.awaitExclusions();
    assertThat(leader().self.name()).isIn("d", "e");
    grid.stores.put("c", copy);
    Node old = grid.restartAll("c")[0];
    grid.advanceMillis(4_000);
    assertRefusedFor(abc[2].self.nodeId(), old);
  }

  /** They are a majority of the voters that they know. */
  @Test
  void twoCopiesGetNoLeaseWhileMembersServeThatTheyNeverKnew() {
    ManualStableStore copyOfA = grid.store("a").copy();
    ManualStableStore copyOfC = grid.store("c").copy();
    joinOthers("d", "e");
    write("a");
    write("c");
    leave(abc[0], abc[1]);
    grid.crashAll(abc[2]);
    grid.awaitExclusions();
    grid.stores.put("a", copyOfA);
    grid.stores.put("c", copyOfC);
    Node[] old = grid.restartAll("a", "c");
    for (int i = 0; i < 1_000; i++) {
      grid.advanceMillis(1);
      assertThat(old).noneMatch(Node::hasLease);
    }
    assertRefusedFor(abc[0].self.nodeId(), old[0]);
    assertRefusedFor(abc[2].self.nodeId(), old[1]);
    for (int i = 0; i < 10_000; i++) {
      grid.advanceMillis(1);
      assertThat(old).noneMatch(Node::hasLease);
    }
  }
}
