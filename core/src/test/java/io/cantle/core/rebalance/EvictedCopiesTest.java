package io.cantle.core.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.rebalance.RebalanceGrid.Node;
import io.cantle.core.store.HandStore;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.transport.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Segments on their way whose values are on disk only. */
final class EvictedCopiesTest {
  private static final CacheDefinition KEPT =
      new CacheDefinition(
          "kept", CacheConfig.distributed().segments(2).durability(Durability.SYNC));

  /** Those of openings: topologies are given by hand. */
  private static final Set<Kind> OPENING =
      EnumSet.of(Kind.ENTER, Kind.ENTERED, Kind.OPEN, Kind.OPENED);

  private final RebalanceGrid grid = new RebalanceGrid();
  private final HandStore diskOfA = new HandStore();
  private final HandStore diskOfB = new HandStore();
  private int reports;

  private void adopt(Node node, long number, List<Node> members, Ownership... segments) {
    Output out = new Output(64);
    HandTopology.of(
            number,
            3,
            members.stream().map(member -> member.self).toList(),
            List.of(new CacheOwnership(KEPT, List.of(segments))))
        .write(out);
    node.keeper.came(Kind.TOPOLOGY, members.getFirst().self, out.toInput());
  }

  private void adoptAll(long number, List<Node> members, Ownership... segments) {
    members.forEach(member -> adopt(member, number, members, segments));
  }

  private void topologiesByHand() {
    grid.lost =
        sent -> {
          reports += sent.kind() == Kind.REPORT ? 1 : 0;
          return !OPENING.contains(sent.kind());
        };
  }

  /**
   * All is down and starts again: of twenty writes to each of two segments one disk has five, the
   * other all; little of that fits into memory.
   */
  private List<Node> startedAgain(int valueLength) {
    topologiesByHand();
    grid.value = "v".repeat(valueLength);
    Node a = grid.start("a", diskOfA);
    Node b = grid.start("b", diskOfB);
    Ownership owned = HandTopology.owned(1, a.self, b.self);
    adoptAll(1, List.of(a, b), owned, owned);
    written(a, b, 0, 5);
    diskOfA.flush();
    written(a, b, 5, 20);
    diskOfB.flush();
    for (Node node : List.of(a, b)) {
      grid.crash(node);
    }
    diskOfA.cut();
    diskOfB.cut();
    diskOfB.memoryBytes = 0;
    diskOfB.slowReads = new ArrayList<>();
    return List.of(grid.start("a again", diskOfA), grid.start("b again", diskOfB));
  }

  private void written(Node a, Node b, int from, int to) {
    openNow();
    for (int segment = 0; segment < 2; segment++) {
      for (int i = from; i < to; i++) {
        grid.write(a, segment, "k" + i, b);
      }
    }
  }

  /** Messages arrive, and what is written comes to disk, but no time passes. */
  private void openNow() {
    for (int i = 0; i < 10; i++) {
      grid.network.underWay.removeIf(grid.lost);
      while (grid.runOne() || grid.network.deliver()) {
        grid.network.underWay.removeIf(grid.lost);
      }
      diskOfA.flush();
      diskOfB.flush();
    }
  }

  private void read() {
    List<Runnable> due = Objects.requireNonNull(diskOfB.slowReads);
    diskOfB.slowReads = new ArrayList<>();
    due.forEach(Runnable::run);
  }

  private static List<String> wholeContents(Node node, int segment) {
    List<String> lengths = new ArrayList<>();
    node.replica(segment)
        .values()
        .scan(
            Cursor.START,
            entry -> true,
            entry -> {
              lengths.add(name(entry) + ":" + (entry.bytes().length - entry.keyLength()));
              return Visit.NEXT;
            });
    return lengths;
  }

  private static String name(Entry entry) {
    return new String(entry.bytes(), 0, entry.keyLength(), java.nio.charset.StandardCharsets.UTF_8);
  }

  private static List<String> expected(int keys) {
    return Stream.iterate(0, i -> i + 1).limit(keys).map(i -> "k" + i + ":200").toList();
  }

  @Test
  void whatIsBeingReadForSomebodyIsNotReadAgain() {
    List<Node> both = startedAgain(200);
    Node a = both.get(0);
    Node b = both.get(1);
    reports = 0;
    // Of one segment a asks for what it lacks; of the other b hands it out.
    adoptAll(2, both, HandTopology.owned(2, a.self, b.self), HandTopology.owned(2, b.self, a.self));
    openNow();
    for (int i = 0; i < 25; i++) {
      grid.settle();
      openNow();
    }
    assertThat(diskOfB.reads).isEqualTo(2 * 15);
    assertThat(a.replica(0).state().leads()).isFalse();
    assertThat(b.replica(1).state().leads()).isFalse();
    assertThat(reports).as("nobody complains of one who reads").isZero();
    read();
    openNow();
    assertThat(a.replica(0).state().leads()).isTrue();
    assertThat(b.replica(1).state().leads()).isTrue();
    for (int segment = 0; segment < 2; segment++) {
      assertThat(wholeContents(a, segment)).containsExactlyInAnyOrderElementsOf(expected(20));
    }
  }

  @Test
  void whatIsLostOnItsWayIsReadAgain() {
    List<Node> both = startedAgain(200);
    Node a = both.get(0);
    Node b = both.get(1);
    diskOfB.slowReads = null;
    int[] left = {2};
    adoptAll(2, both, HandTopology.owned(2, a.self, b.self), HandTopology.owned(2, b.self, a.self));
    grid.lost =
        sent ->
            !OPENING.contains(sent.kind())
                || ((sent.kind() == Kind.ENTERED || sent.kind() == Kind.OPEN)
                    && sent.from().equals(b.self)
                    && left[0]-- > 0);
    for (int i = 0; i < 5; i++) {
      grid.settle();
      openNow();
    }
    assertThat(left[0]).isNegative();
    assertThat(a.replica(0).state().leads()).isTrue();
    assertThat(b.replica(1).state().leads()).isTrue();
    assertThat(diskOfB.reads).isGreaterThan(2 * 15);
  }

  @Test
  void whatIsThereNoMoreSilencesNothingElse() {
    List<Node> both = startedAgain(200);
    Node a = both.get(0);
    Node b = both.get(1);
    Ownership second = HandTopology.owned(2, a.self, b.self);
    adoptAll(2, both, second, second);
    openNow();
    assertThat(diskOfB.reads).as("of both segments").isEqualTo(2 * 15);
    adopt(b, 3, both, second, HandTopology.owned(3, a.self));
    diskOfB.flush();
    read();
    openNow();
    assertThat(a.replica(0).state().leads()).isTrue();
    assertThat(wholeContents(a, 0)).containsExactlyInAnyOrderElementsOf(expected(20));
    assertThat(a.replica(1).state().leads()).isFalse();
  }

  @Test
  void aLongAnswerIsReadAndToldInParts() {
    List<Node> both = startedAgain(100_000);
    Node a = both.get(0);
    Node b = both.get(1);
    Ownership second = HandTopology.owned(2, a.self, b.self);
    adoptAll(2, both, second, second);
    openNow();
    List<Runnable> due = Objects.requireNonNull(diskOfB.slowReads);
    assertThat(due).hasSize(2);
    due.getFirst().run();
    openNow();
    assertThat(a.replica(0).state().leads()).isTrue();
    assertThat(a.replica(1).state().leads()).isFalse();
    due.getLast().run();
    openNow();
    assertThat(a.replica(1).state().leads()).isTrue();
  }

  @Test
  void whoJoinsFetchesValuesThatAreOnDiskOnly() {
    diskOfA.memoryBytes = 1_000;
    grid.value = "v".repeat(200);
    Node a = grid.start("a", diskOfA);
    grid.view(a);
    a.keeper.reportWanted(KEPT);
    grid.settle();
    diskOfA.flush();
    grid.settle();
    for (int segment = 0; segment < 2; segment++) {
      for (int i = 0; i < 50; i++) {
        grid.write(a, segment, "k" + i);
      }
    }
    for (int i = 0; i < 10; i++) {
      diskOfA.flush();
      grid.settle();
    }
    assertThat(a.contents(0)).hasSize(50);
    long before = diskOfA.reads;
    diskOfA.slowReads = new ArrayList<>();
    Node b = grid.start("b", diskOfB);
    grid.view(a, b);
    for (int i = 0; i < 20; i++) {
      diskOfB.flush();
      diskOfA.flush();
      grid.clock.schedule(1, this::readOfA);
      grid.settle();
    }
    assertThat(diskOfA.reads - before).isGreaterThanOrEqualTo(90);
    for (int segment = 0; segment < 2; segment++) {
      assertThat(b.ownership(segment).steady()).isTrue();
      assertThat(wholeContents(b, segment)).containsExactlyInAnyOrderElementsOf(expected(50));
    }
  }

  private void readOfA() {
    List<Runnable> due = List.copyOf(Objects.requireNonNull(diskOfA.slowReads));
    Objects.requireNonNull(diskOfA.slowReads).clear();
    due.forEach(Runnable::run);
    grid.clock.schedule(5_000_000, this::readOfA);
  }
}
