package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.WhenCut;
import io.cantle.core.topology.KeeperGrid.Node;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An operator gives up voters that are gone for good. */
final class RecoveryTest {
  private final KeeperGrid grid = new KeeperGrid();

  private void use(Node first) {
    use(first, 2);
  }

  private void use(Node first, int owners) {
    first.keeper.reportUsed();
    first.keeper.reportWanted(
        new CacheDefinition(
            "users",
            CacheConfig.distributed()
                .segments(6)
                .owners(owners)
                .durability(first.self.durable() ? Durability.SYNC : Durability.NONE)));
    grid.settle();
    assertThat(first.current().cache("users")).isZero();
  }

  private void crash(Node... some) {
    for (Node node : some) {
      grid.crash(node);
      grid.store(node.self.name()).lose();
    }
    Node[] left = grid.nodes.values().toArray(Node[]::new);
    grid.view(left);
  }

  private Node[] revive(String... names) {
    Node[] back = Arrays.stream(names).map(grid::revive).toArray(Node[]::new);
    grid.view(grid.nodes.values().toArray(Node[]::new));
    return back;
  }

  @Test
  void theLastOfFiveGoesOnWithWhatItHolds() {
    Node[] five = grid.of("a", "b", "c", "d", "e");
    use(five[0]);
    UUID before = five[4].current().gridId();
    crash(five[0], five[1], five[2], five[3]);
    grid.millis(5_000);
    assertThat(five[4].leased()).isFalse();
    assertThat(five[4].keeper.trouble()).contains("Grid.recoverVoters");
    five[4].keeper.recoverVoters(List.of("a", "b", "c", "d"));
    grid.millis(4_000);
    Topology now = five[4].current();
    assertThat(five[4].leased()).isTrue();
    assertThat(now.gridId()).isNotEqualTo(before);
    assertThat(now.charter().continues(before)).isTrue();
    assertThat(now.members()).containsExactly(five[4].self);
    assertThat(now.caches().getFirst().segments())
        .allMatch(segment -> segment.lost() || segment.owners().equals(now.members()))
        .anyMatch(Ownership::lost)
        .anyMatch(segment -> !segment.lost())
        .noneMatch(Ownership::vacant);
  }

  @Test
  void theYoungerOfTwoGoesOnWhenItIsTold() {
    Node a = grid.start("a", WhenCut.oldestDecides());
    grid.view(a);
    Node b = grid.start("b", WhenCut.oldestDecides());
    grid.view(a, b);
    grid.settle();
    use(a);
    crash(a);
    grid.millis(10_000);
    assertThat(b.leased()).isFalse();
    b.keeper.recoverVoters(List.of("a"));
    grid.millis(3_000);
    assertThat(b.leased()).isTrue();
    assertThat(b.current().caches().getFirst().segments()).noneMatch(Ownership::lost);
  }

  @Test
  void whoIsLeftAndWasNotGivenUpFollowsWithItsCopies() {
    Node[] five = grid.of("a", "b", "c", "d", "e");
    use(five[0]);
    crash(five[0], five[1], five[2]);
    grid.millis(4_000);
    five[4].keeper.recoverVoters(List.of("a", "b", "c"));
    grid.millis(4_000);
    KeeperGrid.assertAgreed(five[3], five[4]);
    assertThat(five).filteredOn(Node::leased).contains(five[3], five[4]);
    List<Ownership> segments = five[3].current().caches().getFirst().segments();
    assertThat(segments.stream().flatMap(segment -> segment.owners().stream()))
        .contains(five[3].self, five[4].self);
    grid.settle();
    assertThat(five[3].current().membership().voters()).hasSize(2);
  }

  @Test
  void noLeaseIsLeftWhenItGoesOn() {
    Node[] four = grid.of("a", "b", "c", "d");
    use(four[0]);
    // d hears nobody, and the others go on; then all of them but c die, which d does not hear.
    grid.cut(four[3], four[0]);
    grid.cut(four[3], four[1]);
    grid.cut(four[3], four[2]);
    grid.millis(10_000);
    assertThat(four[2].leased()).isTrue();
    grid.view(four[3]);
    grid.crash(four[0]);
    grid.crash(four[1]);
    four[3].keeper.recoverVoters(List.of("a", "b"));
    for (int i = 0; i < 4_000; i++) {
      grid.millis(1);
      assertThat(four[2].leased() && four[3].leased()).as("both after %s ms", i).isFalse();
    }
    assertThat(four[3].leased()).isTrue();
  }

  @Test
  void whoHearsAMajorityHasNothingToRecover() {
    Node[] three = grid.three();
    use(three[0]);
    crash(three[0]);
    grid.millis(4_000);
    assertThatThrownBy(() -> three[1].keeper.recoverVoters(List.of("a")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nothing to recover");
  }

  @Test
  void namesMustBeRightAndEnough() {
    Node[] five = grid.of("a", "b", "c", "d", "e");
    use(five[0]);
    crash(five[0], five[1], five[2]);
    grid.millis(4_000);
    TopologyKeeper keeper = five[4].keeper;
    assertThatThrownBy(() -> keeper.recoverVoters(List.of("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"x\" is no member of the grid: those are a, b, c, d, e");
    assertThatThrownBy(() -> keeper.recoverVoters(List.of("a")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too few");
    assertThatThrownBy(() -> keeper.recoverVoters(List.of("a", "b", "c", "d")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("d is in sight");
    assertThatThrownBy(() -> keeper.recoverVoters(List.of("a", "b", "c", "e")))
        .hasMessageContaining("e is this node");
  }

  @Test
  void twoSidesThatBothGoOnAreTwoGridsOfWhichOneRefuses() {
    Node[] four = grid.of("a", "b", "c", "d");
    use(four[0]);
    for (Node one : List.of(four[0], four[1])) {
      grid.cut(one, four[2]);
      grid.cut(one, four[3]);
    }
    grid.millis(4_000);
    grid.network.view(four[0].self, four[0].self, four[1].self);
    grid.network.view(four[1].self, four[0].self, four[1].self);
    grid.network.view(four[2].self, four[2].self, four[3].self);
    grid.network.view(four[3].self, four[2].self, four[3].self);
    four[0].keeper.recoverVoters(List.of("c", "d"));
    four[2].keeper.recoverVoters(List.of("a", "b"));
    grid.millis(4_000);
    assertThat(four).allMatch(Node::leased);
    UUID one = four[0].current().gridId();
    UUID other = four[2].current().gridId();
    assertThat(one).isNotEqualTo(other);
    grid.heal();
    grid.view(four);
    grid.millis(4_000);
    assertThat(four[0].current().gridId()).isEqualTo(one);
    assertThat(four[2].current().gridId()).isEqualTo(other);
    assertThat(four[0].foreign + four[1].foreign > 0)
        .as("one side refuses")
        .isNotEqualTo(four[2].foreign + four[3].foreign > 0);
  }

  // ------------------------------------------------------------------ with stores

  private Node[] threeWithStores() {
    Node[] abc = grid.durable("a", "b", "c");
    use(abc[0], 3);
    return abc;
  }

  @Test
  void whoWasGivenUpAndComesBackWithItsStoreIsRefusedAndDecidesNothing() {
    Node[] abc = threeWithStores();
    crash(abc[0], abc[1]);
    grid.millis(4_000);
    abc[2].keeper.recoverVoters(List.of("a", "b"));
    grid.millis(4_000);
    UUID now = abc[2].current().gridId();
    assertThat(abc[2].leased()).isTrue();
    // Most of the voters of the former grid.
    Node[] back = revive("a", "b");
    for (int i = 0; i < 10_000; i++) {
      grid.millis(1);
      assertThat(back).noneMatch(Node::leased);
    }
    assertThat(back)
        .allSatisfy(
            node -> {
              assertThat(node.current().gridId()).isNotEqualTo(now);
              assertThat(node.refusals).isNotEmpty().allMatch(Refusal::makesStoreWorthless);
            });
    assertThat(abc[2].current().gridId()).isEqualTo(now);
    assertThat(abc[2].current().members()).containsExactly(abc[2].self);
  }

  @Test
  void whoMayHoldWhatIsLostKeepsItUntilThatIsAccepted() {
    Node[] abc = grid.durable("a", "b", "c");
    use(abc[0], 1);
    crash(abc[0], abc[1]);
    grid.millis(5_000);
    abc[2].keeper.recoverVoters(List.of("a", "b"));
    grid.millis(4_000);
    Node a = revive("a")[0];
    grid.millis(3_000);
    assertThat(a.refusals).isEmpty();
    assertThat(a.leased()).isFalse();
    assertThat(a.keeper.trouble()).contains("may hold what is lost there");
    Topology now = abc[2].current();
    for (int segment = 0; segment < 6; segment++) {
      if (now.ownership(0, segment).lost()) {
        abc[2].keeper.reportLossAccepted(0, segment, now.ownership(0, segment).epoch());
      }
    }
    grid.millis(3_000);
    assertThat(a.refusals).isNotEmpty().allMatch(Refusal::makesStoreWorthless);
  }

  @Test
  void whoWasNotGivenUpComesBackWithItsStoreAndItsCopies() {
    Node[] five = grid.durable("a", "b", "c", "d", "e");
    use(five[0]);
    crash(five);
    Node e = revive("e")[0];
    grid.millis(4_000);
    e.keeper.recoverVoters(List.of("a", "b", "c"));
    grid.millis(6_000);
    assertThat(e.leased()).isTrue();
    assertThat(e.current().members()).contains(e.self);
    Node d = revive("d")[0];
    grid.exclude();
    KeeperGrid.assertAgreed(d, e);
    assertThat(d.leased()).isTrue();
  }

  @Test
  void aRecoveryIsKnownAfterARestart() {
    Node[] abc = threeWithStores();
    crash(abc[0], abc[1]);
    grid.millis(4_000);
    abc[2].keeper.recoverVoters(List.of("a", "b"));
    grid.millis(4_000);
    UUID now = abc[2].current().gridId();
    crash(abc[2]);
    Node c = revive("c")[0];
    grid.exclude();
    assertThat(c.current().gridId()).isEqualTo(now);
    assertThat(c.leased()).isTrue();
    assertThat(c.current().charter().isGivenUp(abc[0].self)).isTrue();
  }

  @Test
  void aStoppedNodeGoesOnWithoutTheOthersWhenItStarts() {
    Node[] abc = threeWithStores();
    UUID before = abc[2].current().gridId();
    crash(abc);
    HandNotes notes = grid.store("c");
    StoppedGrid stopped = StoppedGrid.of(notes, abc[2].self.node());
    assertThat(stopped.grid()).isEqualTo(before);
    assertThat(stopped.voters()).containsExactly("a", "b", "c");
    assertThat(stopped.name()).isEqualTo("c");
    assertThatThrownBy(() -> stopped.recover(List.of(), new UUID(7, 7), notes, () -> {}))
        .hasMessageContaining("too few");
    stopped.recover(List.of("a", "b"), new UUID(7, 7), notes, () -> {});
    Node c = revive("c")[0];
    grid.exclude();
    assertThat(c.current().gridId()).isEqualTo(new UUID(7, 7));
    assertThat(c.leased()).isTrue();
    assertThat(c.current().members()).containsExactly(c.self);
    Node a = revive("a")[0];
    grid.exclude();
    assertThat(a.refusals).isNotEmpty();
    assertThat(a.leased()).isFalse();
  }
}
