package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.WhenCut;
import io.cantle.core.topology.DriverGrid.Node;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Two processes of the same node, and cases that are wrongly taken for that. */
final class DuplicateProcessDetectorTest {
  private static final String SAID = "is a member already";

  private final DriverGrid grid = new DriverGrid();

  /** Asserts that none of the nodes is ever told that its former incarnation is running. */
  private void assertNoneIsTold(long millis, Node... nodes) {
    for (int i = 0; i < millis; i++) {
      grid.advanceMillis(1);
      assertThat(Stream.of(nodes).map(node -> node.driver.problemText()))
          .noneMatch(trouble -> trouble.contains(SAID));
    }
  }

  @Test
  void formerIncarnationsDoNotCountAsRunningAfterAFullStop() {
    grid.crashAll(grid.startDurable("a", "b", "c"));
    Node[] back = grid.restartAll("a", "b", "c");
    assertNoneIsTold(5_000, back);
    DriverGrid.assertAgreed(back);
    assertThat(back).allMatch(Node::hasLease);
  }

  /**
   * Each restarted node believes that all members on its disk are present, and the others meet it.
   */
  @Test
  void formerIncarnationsDoNotCountAsRunningWhileNodesStartOneByOne() {
    grid.crashAll(grid.startDurable("a", "b", "c", "d", "e"));
    for (String name : List.of("a", "b", "c", "d", "e")) {
      Node[] _ = grid.restartAll(name);
      assertNoneIsTold(400, grid.nodes.values().toArray(Node[]::new));
    }
    Node[] all = grid.nodes.values().toArray(Node[]::new);
    assertNoneIsTold(5_000, all);
    DriverGrid.assertAgreed(all);
  }

  @Test
  void formerIncarnationDoesNotCountAsRunningWhenItsNodeRestartsAtOnce() {
    Node[] abc = grid.startDurable("a", "b", "c");
    grid.advanceMillis(1_000);
    grid.crashAll(abc[2]);
    Node c = grid.restartAll("c")[0];
    assertNoneIsTold(5_000, abc[0], abc[1], c);
    DriverGrid.assertAgreed(abc[0], abc[1], c);
  }

  @Test
  void copyOfAStoreIsNotLetInBesideItsOriginal() {
    for (int original = 0; original < 3; original++) {
      String name = List.of("a", "b", "c").get(original);
      DriverGrid its = new DriverGrid();
      Node[] abc = its.startDurable("a", "b", "c");
      its.advanceMillis(1_000);
      its.stores.put(name, its.store(name).copy());
      Node copy = its.restart(name);
      its.view(abc[0], abc[1], abc[2], copy);
      for (int i = 0; i < 5_000; i++) {
        its.advanceMillis(1);
        assertThat(copy.hasLease() || copy.driver.isLeading()).isFalse();
      }
      assertThat(copy.driver.problemText()).contains(SAID);
      DriverGrid.assertAgreed(abc);
      assertThat(abc).allMatch(Node::hasLease);
    }
  }

  @Test
  void copyOfTheOnlyVotersStoreDecidesNothingThoughItSeesOnlyTheOther() {
    Node[] ab = pair();
    grid.stores.put("a", grid.store("a").copy());
    Node copy = oneOfTwo("a");
    grid.cut(ab[0], copy);
    grid.view(ab[0], ab[1], copy);
    for (int i = 0; i < 5_000; i++) {
      grid.advanceMillis(1);
      assertThat(copy.hasLease() || copy.driver.isLeading()).isFalse();
    }
    assertThat(copy.driver.problemText()).contains(SAID);
    DriverGrid.assertAgreed(ab);
    assertThat(ab).allMatch(Node::hasLease);
  }

  // ------------------------------------------------------------------ the only voter restarts

  private Node oneOfTwo(String name) {
    return grid.restart(name, 2, WhenCut.oldestDecides());
  }

  private Node[] pair() {
    Node[] ab = {oneOfTwo("a"), oneOfTwo("b")};
    grid.view(ab);
    grid.settle();
    grid.advanceMillis(1_000);
    assertThat(ab[0].current().membership().voters()).containsExactly(ab[0].self);
    return ab;
  }

  @Test
  void onlyVoterWithAnOldStoreWaitsForTheOtherToSayIt() {
    Node[] ab = pair();
    ManualStableStore before = grid.store("a").copy();
    grid.store("a").write();
    grid.advanceMillis(1_000);
    grid.crashAll(ab[0]);
    grid.stores.put("a", before);
    Node old = oneOfTwo("a");
    // It sees the other node half a second later.
    grid.view(old);
    grid.advanceMillis(500);
    grid.view(old, ab[1]);
    for (int i = 0; i < 8_000; i++) {
      grid.advanceMillis(1);
      assertThat(old.hasLease() || old.driver.isLeading()).isFalse();
    }
    assertThat(old.driver.problemText()).contains("is an old copy");
  }

  @Test
  void onlyVoterGoesOnWithoutTheOtherWithinHalfItsTimeout() {
    grid.crashAll(pair());
    Node a = oneOfTwo("a");
    grid.view(a);
    grid.advanceMillis(DriverGrid.TIMEOUT.toMillis() / 2 + 1_000);
    assertThat(a.driver.isLeading()).isTrue();
  }
}
