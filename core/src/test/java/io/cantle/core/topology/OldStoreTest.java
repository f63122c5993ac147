package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.topology.KeeperGrid.Node;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node comes back with an old copy of its store. */
final class OldStoreTest {
  private final KeeperGrid grid = new KeeperGrid();
  private Node[] abc = new Node[0];
  private UUID gridId = new UUID(0, 0);

  @BeforeEach
  void threeWithStores() {
    abc = grid.durable("a", "b", "c");
    abc[0].keeper.reportUsed();
    abc[0].keeper.reportWanted(
        new CacheDefinition("users", CacheConfig.distributed().segments(6).owners(3)));
    grid.settle();
    gridId = abc[0].current().gridId();
    grid.millis(1_000);
  }

  private void write(String name) {
    grid.store(name).write();
    grid.millis(1_000);
  }

  private void crash(Node... some) {
    for (Node node : some) {
      grid.crash(node);
      grid.store(node.self.name()).lose();
    }
    grid.view(grid.nodes.values().toArray(Node[]::new));
  }

  private Node[] revive(String... names) {
    Node[] back = Arrays.stream(names).map(grid::revive).toArray(Node[]::new);
    grid.view(grid.nodes.values().toArray(Node[]::new));
    return back;
  }

  private static void assertRefused(Node node) {
    assertThat(node.leased()).isFalse();
    assertThat(node.current().members()).doesNotContain(node.self);
    assertThat(node.refusals)
        .isNotEmpty()
        .allMatch(refusal -> refusal.reason() == Refusal.Reason.OUTDATED);
  }

  @Test
  void aCopyFromAnEarlierLifeIsRefused() {
    HandNotes before = grid.store("c").copy();
    crash(abc[2]);
    Node c = revive("c")[0];
    grid.exclude();
    assertThat(c.leased()).isTrue();
    grid.millis(1_000);
    crash(c);
    grid.stores.put("c", before);
    Node old = revive("c")[0];
    grid.millis(4_000);
    assertRefused(old);
  }

  @Test
  void aCopyFromEarlierInTheLastLifeIsRefused() {
    HandNotes before = grid.store("c").copy();
    write("c");
    crash(abc[2]);
    grid.stores.put("c", before);
    Node old = revive("c")[0];
    grid.millis(4_000);
    assertRefused(old);
    assertThat(abc[0].current().members()).containsExactlyInAnyOrder(abc[0].self, abc[1].self);
  }

  @Test
  void itStaysOldHoweverOftenItStarts() {
    HandNotes before = grid.store("c").copy();
    write("c");
    crash(abc[2]);
    grid.stores.put("c", before);
    for (int i = 0; i < 5; i++) {
      Node old = revive("c")[0];
      write("c");
      write("c");
      assertRefused(old);
      crash(old);
    }
  }

  @Test
  void thePresentStoreIsWelcome() {
    write("c");
    write("c");
    crash(abc[2]);
    Node c = revive("c")[0];
    grid.exclude();
    KeeperGrid.assertAgreed(abc[0], abc[1], c);
    assertThat(c.refusals).isEmpty();
  }

  /** It believes that it is a member, and shows nothing to anybody. */
  @Test
  void whoWasExcludedAndDoesNotKnowIsTold() {
    grid.cut(abc[2], abc[0]);
    grid.cut(abc[2], abc[1]);
    grid.millis(5_000);
    assertThat(abc[0].current().members()).doesNotContain(abc[2].self);
    grid.heal();
    grid.millis(5_000);
    assertThat(abc[2].current().members()).contains(abc[2].self);
    assertThat(abc[2].leased()).isTrue();
  }

  @Test
  void afterAStopOfAllTheOthersRemember() {
    HandNotes before = grid.store("c").copy();
    write("c");
    crash(abc);
    grid.stores.put("c", before);
    Node[] back = revive("c", "a", "b");
    for (int i = 0; i < 8_000; i++) {
      grid.millis(1);
      assertThat(back[0].leased()).isFalse();
    }
    assertRefused(back[0]);
    assertThat(back[1].current().caches().getFirst().segments())
        .as("what was in memory only begins empty")
        .noneMatch(Ownership::lost);
    assertThat(back[1].leased()).isTrue();
    assertThat(back[1].current().gridId()).isEqualTo(gridId);
  }

  /** Neither could decide without it: it is for the operator to say which of them counts. */
  @Test
  void withoutAMajorityOfTheOthersItWaitsAndSaysWhy() {
    HandNotes before = grid.store("c").copy();
    write("c");
    crash(abc);
    grid.stores.put("c", before);
    Node[] back = revive("c", "a");
    grid.millis(8_000);
    assertThat(back).noneMatch(Node::leased);
    assertThat(back[0].refusals).isEmpty();
    assertThat(back[0].keeper.trouble()).contains("is an old copy", "--restored");
    Node b = revive("b")[0];
    grid.exclude();
    KeeperGrid.assertAgreed(back[1], b);
    assertRefused(back[0]);
  }

  @Test
  void allFromOneBackupComeBack() {
    HandNotes[] backup = new HandNotes[3];
    crash(abc);
    String[] names = {"a", "b", "c"};
    Arrays.setAll(backup, i -> grid.store(names[i]).copy());
    Node[] later = revive(names);
    grid.exclude();
    for (String name : names) {
      write(name);
    }
    crash(later);
    for (int i = 0; i < 3; i++) {
      grid.stores.put(names[i], backup[i]);
    }
    Node[] back = revive(names);
    grid.exclude();
    KeeperGrid.assertAgreed(back);
    assertThat(back).allMatch(Node::leased);
    assertThat(back[0].current().gridId()).isEqualTo(gridId);
  }

  @Test
  void thoseOfDifferentTimesComeBackOnceAnOperatorSaysSo() {
    HandNotes a = grid.store("a").copy();
    write("a");
    HandNotes b = grid.store("b").copy();
    write("b");
    HandNotes c = grid.store("c").copy();
    crash(abc);
    grid.stores.put("a", a);
    grid.stores.put("b", b);
    grid.stores.put("c", c);
    Node[] back = revive("a", "b", "c");
    grid.millis(8_000);
    assertThat(back).noneMatch(Node::leased);
    crash(back);
    for (String name : new String[] {"a", "b", "c"}) {
      StoreAges.forgetOthers(grid.store(name), () -> {});
    }
    Node[] again = revive("a", "b", "c");
    grid.exclude();
    KeeperGrid.assertAgreed(again);
    assertThat(again).allMatch(Node::leased);
  }
}
