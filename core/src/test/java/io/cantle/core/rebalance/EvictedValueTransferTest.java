package io.cantle.core.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.Output;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.rebalance.RebalanceGrid.Node;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the recovery and transfer of segments whose values are on disk only. */
final class EvictedValueTransferTest {
  private static final CacheDefinition DURABLE =
      new CacheDefinition(
          "kept", CacheConfig.distributed().segments(2).durability(Durability.SYNC));

  /** The messages of recoveries; topologies are adopted by hand. */
  private static final Set<MessageKind> RECOVERY =
      EnumSet.of(
          MessageKind.ENTER_EPOCH,
          MessageKind.EPOCH_ENTERED,
          MessageKind.CATCH_UP,
          MessageKind.CAUGHT_UP);

  private final RebalanceGrid grid = new RebalanceGrid();
  private final ManualNodeStore diskOfA = new ManualNodeStore();
  private final ManualNodeStore diskOfB = new ManualNodeStore();
  private int reports;

  private void adopt(Node node, long number, List<Node> members, SegmentOwnership... segments) {
    Output out = new Output(64);
    TopologyFixture.of(
            number,
            3,
            members.stream().map(member -> member.self).toList(),
            List.of(new CacheOwnership(0, 0, DURABLE, List.of(segments))))
        .write(out);
    node.driver.onMessage(MessageKind.TOPOLOGY, members.getFirst().self, out.toInput());
  }

  private void adoptAll(long number, List<Node> members, SegmentOwnership... segments) {
    members.forEach(member -> adopt(member, number, members, segments));
  }

  private void topologiesByHand() {
    grid.lost =
        sent -> {
          reports += sent.kind() == MessageKind.REPORT ? 1 : 0;
          return !RECOVERY.contains(sent.kind());
        };
  }

  /**
   * Restarts all nodes. Each of two segments had twenty writes; one disk has five of them, the
   * other all. Little of that fits into memory.
   */
  private List<Node> restartAll(int valueLength) {
    topologiesByHand();
    grid.value = "v".repeat(valueLength);
    Node a = grid.start("a", diskOfA);
    Node b = grid.start("b", diskOfB);
    SegmentOwnership owned = TopologyFixture.owned(1, a.self, b.self);
    adoptAll(1, List.of(a, b), owned, owned);
    written(a, b, 0, 5);
    diskOfA.flushPending();
    written(a, b, 5, 20);
    diskOfB.flushPending();
    for (Node node : List.of(a, b)) {
      grid.crash(node);
    }
    diskOfA.cutPower();
    diskOfB.cutPower();
    diskOfB.maxMemoryBytes = 0;
    diskOfB.slowReads = new ArrayList<>();
    return List.of(grid.start("a again", diskOfA), grid.start("b again", diskOfB));
  }

  private void written(Node a, Node b, int from, int to) {
    recoverNow();
    for (int segment = 0; segment < 2; segment++) {
      for (int i = from; i < to; i++) {
        grid.write(a, segment, "k" + i, b);
      }
    }
  }

  /** Delivers messages and completes disk writes, but no time passes. */
  private void recoverNow() {
    for (int i = 0; i < 10; i++) {
      grid.network.inFlight.removeIf(grid.lost);
      while (grid.runOne() || grid.network.deliver()) {
        grid.network.inFlight.removeIf(grid.lost);
      }
      diskOfA.flushPending();
      diskOfB.flushPending();
    }
  }

  private void read() {
    List<Runnable> due = Objects.requireNonNull(diskOfB.slowReads);
    diskOfB.slowReads = new ArrayList<>();
    due.forEach(Runnable::run);
  }

  private static List<String> allContents(Node node, int segment) {
    List<String> lengths = new ArrayList<>();
    node.replica(segment)
        .valueResidency()
        .scan(
            SegmentCursor.START,
            entry -> true,
            entry -> {
              lengths.add(name(entry) + ":" + (entry.bytes().length - entry.keyLength()));
              return VisitResult.CONTINUE;
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
  void valuesBeingReadForAMemberAreNotReadTwice() {
    List<Node> both = restartAll(200);
    Node a = both.get(0);
    Node b = both.get(1);
    reports = 0;
    // Node a requests what it lacks of one segment; node b sends what a lacks of the other.
    adoptAll(
        2,
        both,
        TopologyFixture.owned(2, a.self, b.self),
        TopologyFixture.owned(2, b.self, a.self));
    recoverNow();
    for (int i = 0; i < 25; i++) {
      grid.settle();
      recoverNow();
    }
    assertThat(diskOfB.readCount).isEqualTo(2 * 15);
    assertThat(a.replica(0).state().isActivePrimary()).isFalse();
    assertThat(b.replica(1).state().isActivePrimary()).isFalse();
    assertThat(reports).as("a member that is reading is not reported as unresponsive").isZero();
    read();
    recoverNow();
    assertThat(a.replica(0).state().isActivePrimary()).isTrue();
    assertThat(b.replica(1).state().isActivePrimary()).isTrue();
    for (int segment = 0; segment < 2; segment++) {
      assertThat(allContents(a, segment)).containsExactlyInAnyOrderElementsOf(expected(20));
    }
  }

  @Test
  void valuesAreReadAgainAfterMessageLoss() {
    List<Node> both = restartAll(200);
    Node a = both.get(0);
    Node b = both.get(1);
    diskOfB.slowReads = null;
    int[] left = {2};
    adoptAll(
        2,
        both,
        TopologyFixture.owned(2, a.self, b.self),
        TopologyFixture.owned(2, b.self, a.self));
    grid.lost =
        sent ->
            !RECOVERY.contains(sent.kind())
                || ((sent.kind() == MessageKind.EPOCH_ENTERED
                        || sent.kind() == MessageKind.CATCH_UP)
                    && sent.from().equals(b.self)
                    && left[0]-- > 0);
    for (int i = 0; i < 5; i++) {
      grid.settle();
      recoverNow();
    }
    assertThat(left[0]).isNegative();
    assertThat(a.replica(0).state().isActivePrimary()).isTrue();
    assertThat(b.replica(1).state().isActivePrimary()).isTrue();
    assertThat(diskOfB.readCount).isGreaterThan(2 * 15);
  }

  @Test
  void missingVersionDoesNotSuppressOtherReplies() {
    List<Node> both = restartAll(200);
    Node a = both.get(0);
    Node b = both.get(1);
    SegmentOwnership second = TopologyFixture.owned(2, a.self, b.self);
    adoptAll(2, both, second, second);
    recoverNow();
    assertThat(diskOfB.readCount).as("reads for both segments").isEqualTo(2 * 15);
    adopt(b, 3, both, second, TopologyFixture.owned(3, a.self));
    diskOfB.flushPending();
    read();
    recoverNow();
    assertThat(a.replica(0).state().isActivePrimary()).isTrue();
    assertThat(allContents(a, 0)).containsExactlyInAnyOrderElementsOf(expected(20));
    assertThat(a.replica(1).state().isActivePrimary()).isFalse();
  }

  @Test
  void longReplyIsReadAndSentInParts() {
    List<Node> both = restartAll(100_000);
    Node a = both.get(0);
    Node b = both.get(1);
    SegmentOwnership second = TopologyFixture.owned(2, a.self, b.self);
    adoptAll(2, both, second, second);
    recoverNow();
    List<Runnable> due = Objects.requireNonNull(diskOfB.slowReads);
    assertThat(due).hasSize(2);
    due.getFirst().run();
    recoverNow();
    assertThat(a.replica(0).state().isActivePrimary()).isTrue();
    assertThat(a.replica(1).state().isActivePrimary()).isFalse();
    due.getLast().run();
    recoverNow();
    assertThat(a.replica(1).state().isActivePrimary()).isTrue();
  }

  @Test
  void joinerFetchesValuesThatAreOnlyOnDisk() {
    diskOfA.maxMemoryBytes = 1_000;
    grid.value = "v".repeat(200);
    Node a = grid.start("a", diskOfA);
    grid.view(a);
    a.driver.reportCacheRequested(DURABLE);
    grid.settle();
    diskOfA.flushPending();
    grid.settle();
    for (int segment = 0; segment < 2; segment++) {
      for (int i = 0; i < 50; i++) {
        grid.write(a, segment, "k" + i);
      }
    }
    for (int i = 0; i < 10; i++) {
      diskOfA.flushPending();
      grid.settle();
    }
    assertThat(a.contents(0)).hasSize(50);
    long before = diskOfA.readCount;
    diskOfA.slowReads = new ArrayList<>();
    Node b = grid.start("b", diskOfB);
    grid.view(a, b);
    for (int i = 0; i < 20; i++) {
      diskOfB.flushPending();
      diskOfA.flushPending();
      grid.clock.schedule(1, this::readOfA);
      grid.settle();
    }
    assertThat(diskOfA.readCount - before).isGreaterThanOrEqualTo(90);
    for (int segment = 0; segment < 2; segment++) {
      assertThat(b.ownership(segment).isSteady()).isTrue();
      assertThat(allContents(b, segment)).containsExactlyInAnyOrderElementsOf(expected(50));
    }
  }

  private void readOfA() {
    List<Runnable> due = List.copyOf(Objects.requireNonNull(diskOfA.slowReads));
    Objects.requireNonNull(diskOfA.slowReads).clear();
    due.forEach(Runnable::run);
    grid.clock.schedule(5_000_000, this::readOfA);
  }
}
