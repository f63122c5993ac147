package io.cantle.core.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.rebalance.RebalanceGrid.Node;
import io.cantle.core.replica.ReplicaLogSummary;
import io.cantle.core.replica.ReplicaRole;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests moving segments: epochs are recovered, logs completed, entries fetched.
 *
 * <p>The nodes of a {@link RebalanceGrid} have everything that moves segments and nothing above it.
 * Topologies, messages and time are driven by the test, in one thread, so a test can delay or lose
 * any message at any moment.
 *
 * <p>The first tests recover epochs with and without all members. The next ones transfer entries to
 * joiners, with refused pulls, silent primaries and writes that never arrive. The last ones lose
 * messages and lose whole segments.
 */
final class RebalanceTest {
  private final RebalanceGrid grid = new RebalanceGrid();

  private Node[] two() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    return new Node[] {a, b};
  }

  private Node primary(Node any, int segment) {
    SegmentOwnership ownership = any.ownership(segment);
    return Objects.requireNonNull(grid.nodes.get(ownership.primary().name()));
  }

  private static Node other(Node[] nodes, Node one) {
    return nodes[0] == one ? nodes[1] : nodes[0];
  }

  @Test
  void epochIsServedOnceAllMembersEnteredIt() {
    Node[] nodes = two();
    for (int segment = 0; segment < 4; segment++) {
      Node primary = primary(nodes[0], segment);
      assertThat(primary.replica(segment).state().isActivePrimary()).isTrue();
      assertThat(other(nodes, primary).replica(segment).state().role())
          .isEqualTo(ReplicaRole.BACKUP);
    }
  }

  @Test
  void epochIsNotServedWhileAMemberHasNotEntered() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    List<SentMessage> held = holdReports(a, b);
    for (int segment = 0; segment < 4; segment++) {
      assertThat(primary(a, segment).replica(segment).state().isServing()).isFalse();
    }
    held.forEach(grid.network::deliver);
    for (int segment = 0; segment < 4; segment++) {
      assertThat(primary(a, segment).replica(segment).state().isActivePrimary()).isTrue();
    }
  }

  @Test
  void reportThatNamesAnUnknownSegmentIsRefusedWhole() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    List<SentMessage> held = holdReports(a, b);
    Output unknown = new Output(64);
    new EpochEntryReport.SegmentLog(
            new SegmentEpoch(0, 99, 1), new ReplicaLogSummary(0, 0, 0, List.of(), -1))
        .write(unknown);
    for (SentMessage sent : held) {
      Output longer = new Output(64);
      longer.write(sent.bytes());
      longer.write(unknown.toByteArray());
      grid.network.deliver(new SentMessage(sent.from(), sent.to(), longer.toByteArray()));
    }
    for (int segment = 0; segment < 4; segment++) {
      assertThat(primary(a, segment).replica(segment).state().isServing()).isFalse();
    }
    grid.settle();
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(primary(a, segment).replica(segment).state().isActivePrimary()).isTrue();
    }
  }

  /** Has two nodes create a cache, and returns their reports of the first epochs. */
  private List<SentMessage> holdReports(Node a, Node b) {
    grid.view(a, b);
    grid.settle();
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    List<SentMessage> held = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      SentMessage sent = grid.network.takeFirst(one -> one.kind() == MessageKind.EPOCH_ENTERED);
      if (sent != null) {
        held.add(sent);
      } else if (!grid.network.deliver() && !grid.runOne()) {
        grid.clock.advance(100_000);
      }
    }
    assertThat(held).isNotEmpty();
    return held;
  }

  @Test
  void excludedMemberIsNotAwaited() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    Node c = grid.start("c");
    grid.view(a, b, c);
    grid.settle();
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    grid.network.inFlight.clear();
    grid.crash(b);
    grid.view(a, c);
    grid.exclude();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(a.ownership(segment).owners()).containsExactlyInAnyOrder(a.self, c.self);
      assertThat(primary(a, segment).replica(segment).state().isActivePrimary()).isTrue();
    }
  }

  @Test
  void writeHeldByOneBackupReachesAllOwners() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    Node c = grid.start("c");
    grid.view(a, b, c);
    grid.settle();
    a.driver.reportCacheRequested(
        new io.cantle.core.ownership.CacheDefinition(
            "users", io.cantle.CacheConfig.distributed().segments(4).owners(3)));
    grid.settle();
    Node[] all = {a, b, c};
    for (int segment = 0; segment < 4; segment++) {
      Node primary = primary(a, segment);
      List<Node> backups = new ArrayList<>(List.of(all));
      backups.remove(primary);
      grid.write(primary, segment, "everywhere" + segment, backups.toArray(new Node[0]));
      SegmentOwnership ownership = a.ownership(segment);
      Node last = Objects.requireNonNull(grid.nodes.get(ownership.owners().get(2).name()));
      grid.write(primary, segment, "last" + segment, last);
    }
    grid.crash(a);
    grid.view(b, c);
    grid.exclude();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(b.contents(segment)).isEqualTo(c.contents(segment));
      assertThat(b.contents(segment)).contains("everywhere" + segment);
      if (primary(b, segment).replica(segment).state().isActivePrimary()) {
        continue;
      }
      throw new AssertionError("segment " + segment + " is not served");
    }
    // In the segment whose primary was a, only the last of the three had the write, and had to send
    // it to the others.
    assertThat(List.of(0, 1, 2, 3)).anyMatch(segment -> b.contents(segment).size() == 2);
  }

  @Test
  void joinerFetchesAllEntries() {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      for (int i = 0; i < 500; i++) {
        grid.write(a, segment, "k" + segment + "/" + i);
      }
    }
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(b.ownership(segment).owners()).contains(a.self, b.self);
      assertThat(b.ownership(segment).isSteady()).isTrue();
      assertThat(b.contents(segment)).hasSize(500).isEqualTo(a.contents(segment));
    }
  }

  @Test
  void memoryOfALongEntryIsReservedBeforeItIsSent() {
    grid.transferBytes = 1 << 20;
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    grid.value = "v".repeat(3 << 20);
    for (int i = 0; i < 3; i++) {
      grid.write(a, 0, "k" + i);
    }
    a.transferMemory.reserve(1);
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    assertThat(b.ownership(0).joiners()).isNotEmpty();
    assertThat(b.contents(0)).as("others have memory reserved").isEmpty();
    assertThat(a.transferMemory.mostReservedBytes()).isLessThanOrEqualTo(1 << 20);
    a.transferMemory.release(1);
    grid.settle();
    assertThat(b.contents(0)).containsExactly("k0", "k1", "k2");
    assertThat(a.transferMemory.mostReservedBytes()).isBetween(6L << 20, (6L << 20) + 4_096);
    assertThat(a.transferMemory.reservedBytes()).isZero();
  }

  @Test
  void transferPausesWhileDiskIsBehind() {
    ManualNodeStore disk = new ManualNodeStore();
    ManualNodeStore behind = new ManualNodeStore();
    Node a = grid.start("a", disk);
    grid.view(a);
    a.driver.reportCacheRequested(
        new CacheDefinition(
            "users",
            CacheConfig.distributed()
                .segments(4)
                .durability(Durability.periodic(Duration.ofMillis(20)))));
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      grid.write(a, segment, "k" + segment);
    }
    Node b = grid.start("b", behind);
    behind.diskFull = true;
    grid.view(a, b);
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(b.ownership(segment).joiners()).isNotEmpty();
      assertThat(b.contents(segment)).isEmpty();
    }
    behind.diskFull = false;
    grid.settle();
    behind.flushPending();
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(b.contents(segment)).containsExactly("k" + segment);
    }
  }

  @Test
  void transferInAFormerGridIsNotReportedInTheNextGrid() {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    grid.write(a, 0, "k");
    Node b = grid.start("b");
    int[] reports = new int[1];
    // Everything is fetched, but the reports are lost.
    grid.lost = sent -> sent.kind() == MessageKind.REPORT && ++reports[0] > 0;
    grid.view(a, b);
    grid.settle();
    grid.settle();
    assertThat(reports[0]).isPositive();
    b.replicas.leaveGrid(Topology.NONE);
    b.replicas.adopt(b.driver.current(), Topology.NONE, b.self);
    reports[0] = 0;
    grid.exclude();
    assertThat(reports[0]).isZero();
  }

  @Test
  void refusedOrLostPullIsRetried() {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      grid.write(a, segment, "k" + segment);
    }
    Node b = grid.start("b");
    grid.view(a, b);
    for (int i = 0; i < 200; i++) {
      // The messages that open an epoch are delayed, so that the first pulls arrive before it is
      // served.
      SentMessage entered =
          grid.network.takeFirst(sent -> sent.kind() == MessageKind.EPOCH_ENTERED);
      if (entered != null) {
        grid.network.inFlight.addLast(entered);
      }
      if (!grid.network.deliver()) {
        grid.clock.advance(100_000);
      }
    }
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(b.contents(segment)).containsExactly("k" + segment);
      assertThat(b.ownership(segment).owners()).contains(b.self);
    }
  }

  @Test
  void silentPrimaryDoesNotDelayOtherTransfers() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    a.driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(32).owners(1)));
    grid.settle();
    for (int segment = 0; segment < 32; segment++) {
      grid.write(primary(a, segment), segment, "k" + segment);
    }
    long[] until = {Long.MAX_VALUE};
    List<Runnable> aside = new ArrayList<>();
    Set<Integer> ofA = new TreeSet<>();
    Set<Integer> ofB = new TreeSet<>();
    Set<Integer> fetched = new TreeSet<>();
    Node c = grid.start("c");
    grid.lost =
        sent -> {
          boolean mute = sent.kind() == MessageKind.TRANSFER && sent.to().equals(a.self);
          if (sent.kind() == MessageKind.TRANSFER && until[0] == Long.MAX_VALUE) {
            // One worker is enough: of several on the one stack of a test only the last one
            // continues.
            aside.addAll(grid.threads);
            grid.threads.clear();
            until[0] = grid.clock.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            for (int segment = 0; segment < 32; segment++) {
              SegmentOwnership ownership = c.ownership(segment);
              if (!ownership.joiners().isEmpty()) {
                (ownership.primary().equals(a.self) ? ofA : ofB).add(segment);
              }
            }
          }
          if (grid.clock.nanoTime() - until[0] < 0) {
            ofB.stream().filter(one -> !c.contents(one).isEmpty()).forEach(fetched::add);
            return mute;
          }
          grid.threads.addAll(aside);
          aside.clear();
          return false;
        };
    grid.view(a, b, c);
    grid.exclude();
    assertThat(ofA).as("there are more segments than are fetched at once").hasSizeGreaterThan(4);
    assertThat(ofB).isNotEmpty();
    assertThat(fetched).as("the segments fetched while a was silent").isEqualTo(ofB);
    for (int segment : ofA) {
      assertThat(c.contents(segment)).containsExactly("k" + segment);
    }
  }

  @Test
  void transferAwaitingWritesDoesNotDelayOthers() {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(32).owners(2)));
    grid.settle();
    for (int segment = 0; segment < 32; segment++) {
      grid.write(a, segment, "k" + segment);
    }
    Set<Integer> ahead = new TreeSet<>();
    grid.lost =
        sent -> {
          for (int segment = 0; sent.kind() == MessageKind.TRANSFER && segment < 12; segment++) {
            if (a.replica(segment).state().isActivePrimary() && ahead.add(segment)) {
              // What is fetched from now on depends on this write, which never arrives.
              grid.write(a, segment, "late");
            }
          }
          return false;
        };
    Node b = grid.start("b");
    grid.view(a, b);
    grid.settle();
    assertThat(ahead).as("there are more segments than are fetched at once").hasSize(12);
    for (int segment = 0; segment < 32; segment++) {
      if (ahead.contains(segment)) {
        assertThat(b.contents(segment)).isEmpty();
      } else {
        assertThat(b.contents(segment)).containsExactly("k" + segment);
      }
    }
  }

  @Test
  void leavingMemberHandsOverAllSegments() {
    Node[] nodes = two();
    Node c = grid.start("c");
    grid.view(nodes[0], nodes[1], c);
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      Node primary = primary(c, segment);
      Node[] backups =
          c.ownership(segment).owners().stream()
              .filter(owner -> !owner.equals(primary.self))
              .map(owner -> grid.nodes.get(owner.name()))
              .toArray(Node[]::new);
      grid.write(primary, segment, "k" + segment, backups);
    }
    nodes[1].driver.reportLeaving();
    grid.exclude();
    assertThat(nodes[1].driver.hasLeft()).isTrue();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(c.ownership(segment).owners()).containsExactlyInAnyOrder(nodes[0].self, c.self);
      assertThat(nodes[0].contents(segment)).containsExactly("k" + segment);
      assertThat(c.contents(segment)).containsExactly("k" + segment);
      assertThat(nodes[1].contents(segment)).as("the leaving member keeps no entries").isEmpty();
    }
  }

  @Test
  void transferWithWrongChecksumIsRejected() {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(RebalanceGrid.USERS);
    grid.settle();
    for (int segment = 0; segment < 4; segment++) {
      grid.write(a, segment, "k" + segment);
    }
    Node b = grid.start("b");
    grid.view(a, b);
    int[] changed = new int[1];
    for (int i = 0; i < 3_000; i++) {
      grid.clock.whileParked.add(
          () -> {
            SentMessage sent = grid.network.takeFirst(one -> true);
            if (sent == null) {
              Runnable task = grid.threads.poll();
              if (task != null) {
                task.run();
              } else {
                grid.clock.advance(100_000);
              }
              return;
            }
            if (sent.kind() == MessageKind.RESPONSE && sent.to().equals(b.self) && changed[0] < 2) {
              byte[] bytes = sent.bytes().clone();
              for (int at = 1; at < bytes.length; at++) {
                if (bytes[at - 1] == 'k' && bytes[at] >= '0' && bytes[at] <= '3') {
                  bytes[at] ^= 4;
                  changed[0]++;
                }
              }
              sent = new SentMessage(sent.from(), sent.to(), bytes);
            }
            grid.network.deliver(sent);
          });
    }
    for (int i = 0; i < 100; i++) {
      if (!grid.network.deliver()) {
        Runnable task = grid.threads.poll();
        if (task != null) {
          task.run();
        }
        grid.clock.advance(1_000_000);
      }
    }
    grid.clock.whileParked.clear();
    grid.settle();
    assertThat(changed[0]).isPositive();
    for (int segment = 0; segment < 4; segment++) {
      assertThat(b.contents(segment)).containsExactly("k" + segment);
      assertThat(b.ownership(segment).owners()).contains(b.self);
    }
  }

  /** What surrounds a block is not in its checksum, so it is compared with what is. */
  @ParameterizedTest
  @ValueSource(strings = {"count", "cursor"})
  void transferWithAWrongCountOrCursorIsRejected(String field) {
    Node a = grid.start("a");
    grid.view(a);
    a.driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(1)));
    grid.settle();
    grid.value = "x".repeat(100 << 10);
    for (int i = 0; i < 5; i++) {
      grid.write(a, 0, "k" + i);
    }
    Node b = grid.start("b");
    boolean[] damaged = new boolean[1];
    grid.lost =
        sent -> {
          if (sent.kind() == MessageKind.RESPONSE
              && sent.bytes().length > 100 << 10
              && !damaged[0]) {
            damaged[0] = true;
            if (field.equals("count")) {
              damageCount(sent.bytes());
            } else {
              damageCursor(sent.bytes());
            }
          }
          return false;
        };
    grid.view(a, b);
    grid.settle();
    assertThat(damaged[0]).isTrue();
    assertThat(b.contents(0)).isEqualTo(a.contents(0)).hasSize(5);
    assertThat(b.ownership(0).owners()).contains(b.self);
  }

  /** Subtracts one from the number of elements of the first block. */
  private static void damageCount(byte[] response) {
    int body = 2;
    while (response[body++] < 0) {
      // The number of the request goes on.
    }
    int lowByte = body + 2 + Integer.BYTES - 1;
    assertThat(response[lowByte]).isPositive();
    response[lowByte]--;
  }

  /** Moves the cursor of the last block behind all entries. */
  private static void damageCursor(byte[] response) {
    int blockEnd = response.length - 1;
    int hash = blockEnd - "k0".length() - 1 - Long.BYTES;
    Arrays.fill(response, hash, hash + Long.BYTES, (byte) 0xff);
  }

  // ------------------------------------------------------------------ message loss

  /** Loses the first ten messages of one kind. */
  @ParameterizedTest
  @EnumSource(
      names = {
        "ENTER_EPOCH",
        "EPOCH_ENTERED",
        "CATCH_UP",
        "CAUGHT_UP",
        "TRANSFER",
        "RESPONSE",
        "REPORT"
      })
  void lostMessagesOfARebalanceAreResent(MessageKind kind) {
    List<Node> nodes = new ArrayList<>(List.of(threeWithThreeOwners()));
    Node crashing = primary(nodes.getFirst(), 1);
    for (int segment = 0; segment < 4; segment++) {
      // Only one of two backups has the write: the next primary, which sends it to the other, or
      // the other one.
      Member has = crashing.ownership(segment).owners().get(segment == 1 ? 1 : 2);
      Node backup = Objects.requireNonNull(grid.nodes.get(has.name()));
      grid.write(primary(crashing, segment), segment, "k" + segment, backup);
    }
    int[] left = {10};
    grid.lost = sent -> sent.kind() == kind && left[0]-- > 0;
    Node d = grid.start("d");
    grid.crash(crashing);
    nodes.remove(crashing);
    grid.view(nodes.get(0), nodes.get(1), d);
    grid.exclude();
    grid.exclude();
    assertThat(left[0]).as("some messages were lost").isLessThan(10);
    for (int segment = 0; segment < 4; segment++) {
      assertThat(d.ownership(segment).isSteady()).isTrue();
      assertThat(primary(d, segment).replica(segment).state().isActivePrimary()).isTrue();
      assertThat(d.contents(segment)).isEqualTo(nodes.getFirst().contents(segment));
    }
    assertThat(d.contents(1)).containsExactly("k1");
  }

  private static Member lastOwner(Node any, int segment) {
    return any.ownership(segment).owners().getLast();
  }

  private Node[] threeWithThreeOwners() {
    Node a = grid.start("a");
    Node b = grid.start("b");
    Node c = grid.start("c");
    grid.view(a, b, c);
    grid.settle();
    a.driver.reportCacheRequested(
        new CacheDefinition("users", CacheConfig.distributed().segments(4).owners(3)));
    grid.settle();
    return new Node[] {a, b, c};
  }

  @Test
  void lostSegmentReturnsWithItsEntries() {
    Node[] nodes = new Node[5];
    for (int i = 0; i < 5; i++) {
      nodes[i] = grid.start("n" + i);
    }
    grid.view(nodes);
    grid.settle();
    nodes[0].driver.reportCacheRequested(RebalanceGrid.USERS);
    nodes[0].driver.reportWrite();
    grid.settle();
    SegmentOwnership held = nodes[0].ownership(0);
    Node primary = primary(nodes[0], 0);
    Node backup = Objects.requireNonNull(grid.nodes.get(lastOwner(nodes[0], 0).name()));
    grid.write(primary, 0, "k", backup);
    // Both are cut off for so long that they are excluded.
    grid.lost = sent -> held.owners().contains(sent.from()) ^ held.owners().contains(sent.to());
    grid.exclude();
    grid.exclude();
    Node other =
        Arrays.stream(nodes).filter(n -> n != primary && n != backup).findFirst().orElseThrow();
    assertThat(other.ownership(0).isLost()).isTrue();
    assertThat(other.ownership(0).lastOwners()).isEqualTo(held.owners());

    grid.lost = sent -> held.owners().contains(sent.from()) && sent.from().equals(primary.self);
    grid.exclude();
    grid.exclude();
    assertThat(other.ownership(0).owners()).contains(backup.self).hasSize(2);
    assertThat(primary(other, 0).contents(0)).containsExactly("k");
    assertThat(primary(other, 0).replica(0).state().isActivePrimary()).isTrue();
    grid.lost = sent -> false;
    grid.exclude();
    grid.exclude();
    assertThat(primary.driver.current()).isEqualTo(other.driver.current());
  }
}
