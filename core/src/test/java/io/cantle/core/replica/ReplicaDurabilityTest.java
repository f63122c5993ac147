package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.base.WriteProvenance;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.persistence.ReplicaHeader;
import io.cantle.core.persistence.ReplicaStore;
import io.cantle.core.replica.LocalRead.Status;
import io.cantle.core.replica.ReplicaLogSummary.MissingWrites;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a durable replica: what counts before it is on disk, and what survives a restart.
 *
 * <p>The disk is a {@link ManualNodeStore}: a write reaches it only when the test says so, and the
 * power can be cut at any moment. A restarted replica starts from what the disk then holds.
 *
 * <p>The tests ask four questions. Which writes count as held before they are on disk? Which
 * replicas start from their disk after a restart, and which are dropped? What do restarted owners
 * send each other? And which commands and expired entries does a restarted replica still know?
 */
final class ReplicaDurabilityTest {
  private static final long MILLI_NANOS = 1_000_000;

  private final ManualNodeStore disk = new ManualNodeStore();
  private final ManualNodeStore otherDisk = new ManualNodeStore();
  private final ManualReplica a = restart("a", 1, disk);
  private final ManualReplica b = restart("b", 1, otherDisk);
  private final List<String> events = new ArrayList<>();

  private static ManualReplica restart(String node, int life, ManualNodeStore store) {
    UUID id = ManualNetwork.member(node).id();
    Member self = new Member(ManualNetwork.member(node + life).id(), id, node);
    return new ManualReplica(self, store);
  }

  private void flush() {
    disk.flushPending();
    otherDisk.flushPending();
  }

  // ------------------------------------------------------------------ what counts

  @Test
  void writeOfASoleOwnerCommitsOnceOnDisk() {
    open(ownership(1, a), a);
    CommandOutcome.Written written = a.written("k", "v");
    assertThat(written.committed()).isZero();
    assertThat(a.peek("k").status()).isEqualTo(Status.DIRTY);
    a.replica.notifyOnceCommitted(
        1, 1, isCommitted -> events.add(isCommitted ? "told" : "refused"));
    assertThat(events).isEmpty();
    disk.flushPending();
    assertThat(events).containsExactly("told");
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(disk.contents(0, 3)).containsExactly("k=v");
  }

  @Test
  void primaryCountsItsOwnDiskLikeABackup() {
    open(ownership(1, a, b), a, b);
    flush();
    a.written("k", "1");
    a.written("k", "2");
    a.replica.onAck(b.self, 1, 2);
    assertThat(a.peek("k").status()).isEqualTo(Status.DIRTY);
    disk.flushPending();
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    a.written("k", "3");
    disk.flushPending();
    assertThat(a.peek("k").status()).as("the backup is behind").isEqualTo(Status.DIRTY);
    assertThat(a.replica.progress().findUnacknowledged(10)).isEmpty();
    assertThat(a.replica.progress().findUnacknowledged(10))
        .singleElement()
        .extracting(MissingWrites::member)
        .isEqualTo(b.self);
  }

  @Test
  void backupAcknowledgesOnlyWhatIsOnItsDisk() {
    open(ownership(1, a, b), a, b);
    flush();
    send(a.written("k", "1"), b);
    assertThat(b.replica.progress().appliedAsWriter(1)).isZero();
    b.replica.barrier().runOnceHeld(() -> events.add("held"));
    assertThat(events).isEmpty();
    otherDisk.flushPending();
    assertThat(events).containsExactly("held");
    assertThat(b.replica.progress().appliedAsWriter(1)).isEqualTo(1);
    assertThat(b.replica.progress().appliedAsWriter(2)).isEqualTo(-1);
  }

  @Test
  void diskProgressOfAPastEpochCommitsNothing() {
    open(ownership(1, a), a);
    disk.flushPending();
    a.written("k", "1");
    a.written("k", "2");
    open(ownership(2, a), a);
    a.written("l", "1");
    CommandOutcome.Written last = a.written("l", "2");
    assertThat(last.committed()).isZero();
    disk.flushPending();
    assertThat(a.peek("l").status()).isEqualTo(Status.CLEAN);
  }

  @Test
  void fullWriteQueueRefusesAndAcceptsTheRetry() {
    open(ownership(1, a), a);
    disk.flushPending();
    disk.diskFull = true;
    CommandId command = a.nextCommand();
    assertThat(a.put(command, "k", "v")).isInstanceOf(CommandOutcome.Refused.class);
    disk.diskFull = false;
    assertThat(a.put(command, "k", "v"))
        .as("the refused attempt is not executed later")
        .isInstanceOf(CommandOutcome.Ignored.class);
    CommandId again =
        new CommandId(
            command.session(),
            command.sequence(),
            command.lowestUnanswered(),
            command.requestId(),
            2);
    assertThat(a.put(again, "k", "v")).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void fullDiskAllowsReadsAndRemovalsWhileTheyFit() {
    open(ownership(1, a), a);
    a.written("k", "v");
    a.written("l", "v");
    disk.flushPending();
    disk.admission = ReplicaStore.WriteAdmission.REMOVALS_ONLY;
    CommandId command = a.nextCommand();
    assertThat(a.put(command, "k", "2")).isInstanceOf(CommandOutcome.NoRoom.class);
    assertThat(a.put(command, "k", "2"))
        .as("the refused attempt is not executed later")
        .isInstanceOf(CommandOutcome.Ignored.class);
    assertThat(a.readValue("k")).isInstanceOf(CommandOutcome.ResultOnly.class);
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(a.remove("k")).isInstanceOf(CommandOutcome.Written.class);
    disk.admission = ReplicaStore.WriteAdmission.NONE;
    assertThat(a.remove("l")).isInstanceOf(CommandOutcome.NoRoom.class);
    assertThat(a.peek("l").status()).isEqualTo(Status.CLEAN);
    disk.admission = ReplicaStore.WriteAdmission.ALL;
    assertThat(a.put("l", "2")).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void asynchronousWritesWaitWhileTheDiskIsBehind() {
    ManualNodeStore store = new ManualNodeStore();
    ManualReplica c = new ManualReplica(ManualNetwork.member("c"), store, false);
    open(ownership(1, a, c), a, c);
    flush();
    send(a.written("k", "1"), c);
    c.replica.barrier().runOnceHeld(() -> events.add("at once"));
    assertThat(events).containsExactly("at once");
    assertThat(c.replica.barrier().isFull()).isFalse();
    store.diskFull = true;
    assertThat(c.replica.barrier().isFull()).isTrue();
    c.replica.barrier().runOnceHeld(() -> events.add("held"));
    DurabilityBarrier.whenAllHeld(List.of(c.replica), () -> events.add("both"));
    assertThat(events).containsExactly("at once");
    store.flushPending();
    assertThat(events).containsExactly("at once", "held", "both");
  }

  @Test
  void periodicWritesWaitOnceTheirPeriodIsExceeded() {
    ManualNodeStore store = new ManualNodeStore();
    ManualReplica c = new ManualReplica(ManualNetwork.member("c"), store, false);
    open(ownership(1, c), c);
    store.flushPending();
    store.lagNanos = 50 * MILLI_NANOS;
    assertThat(c.put("k", "1")).isInstanceOf(CommandOutcome.Written.class);
    assertThat(c.replica.barrier().isDelayed()).isFalse();
    store.lagNanos = 51 * MILLI_NANOS;
    assertThat(c.replica.barrier().isDelayed()).isTrue();
    assertThat(c.put("k", "2")).isInstanceOf(CommandOutcome.Refused.class);
    disk.lagNanos = Long.MAX_VALUE;
    open(ownership(1, a), a);
    assertThat(a.put("k", "1"))
        .as("a caller that waits for the disk anyway")
        .isInstanceOf(CommandOutcome.Written.class);
  }

  // ------------------------------------------------------------------ restart

  @Test
  void exactlyWhatWasOnDiskSurvivesARestart() {
    open(ownership(1, a), a);
    a.written("k", "1");
    a.written("l", "1");
    a.written("l", "2");
    a.remove("k");
    disk.flushPending();
    a.written("m", "lost");
    disk.cutPower();

    ManualReplica back = restart("a", 2, disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).contains("l=2").doesNotContain("m=lost", "k=1");
    assertThat(back.peek("l").status()).isEqualTo(Status.CLEAN);
    assertThat(back.written("n", "3").write().index()).isEqualTo(1);
  }

  @Test
  void writesAfterARestartHaveLaterStamps() {
    long stamp = a.stampClock.next() + (1_000_000L << 16);
    byte[] both = ManualReplica.bytes("kv");
    ReplicaStore replicaStore = disk.replicaStore(0, 3);
    replicaStore.writeHeader(
        new ReplicaHeader(new UUID(0, 0), 1, -1, ReplicaHeader.LastTick.NONE, 0), 1, 0);
    replicaStore.put(
        Entry.of(
            ManualReplica.hash("k"),
            both,
            1,
            1,
            1,
            false,
            WriteProvenance.LOCAL.markStamp(stamp),
            null));
    disk.flushPending();
    assertThat(restart("a", 2, disk).stampClock.next()).isGreaterThan(stamp);
  }

  @Test
  void replicaWaitsWhileItsFormerIncarnationIsTheOwner() {
    open(ownership(1, a), a);
    a.written("k", "1");
    disk.flushPending();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    back.enter(ownership(1, a));
    assertThat(back.replica.state().role()).isEqualTo(ReplicaRole.FORMER_OWNER);
    back.enter(
        new SegmentOwnership(2, 1, List.of(), List.of(), List.of(), List.of(), List.of(a.self)));
    assertThat(back.replica.state().role()).isEqualTo(ReplicaRole.FORMER_OWNER);
    assertThat(back.contents()).containsExactly("k=1");
    open(ownership(3, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).containsExactly("k=1");
  }

  @Test
  void replicaWaitsWhileTheTopologyIsOlderThanItsData() {
    open(ownership(3, List.of(b), List.of(a), 3), b, a);
    assertThat(a.transferred(3, 0, List.of(ManualReplica.entry("k", "1", 1, 1)), SegmentCursor.END))
        .isTrue();
    open(ownership(4, List.of(a), List.of(), 1, 1), a, b);
    disk.flushPending();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    back.enter(ownership(2, b));
    assertThat(back.replica.state().role()).isEqualTo(ReplicaRole.FORMER_OWNER);
    back.enter(ownership(3, List.of(b), List.of(a), 3));
    assertThat(back.replica.state().role())
        .as("the epoch in which it joined")
        .isEqualTo(ReplicaRole.FORMER_OWNER);
    open(ownership(5, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).containsExactly("k=1");
  }

  @Test
  void replicaThatOthersLeftBehindIsDropped() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    flush();
    disk.cutPower();
    open(ownership(2, b), b);
    ManualReplica back = restart("a", 2, disk);
    back.enter(ownership(2, b));
    assertThat(back.replica.state().role()).isEqualTo(ReplicaRole.NONE);
    assertThat(back.contents()).isEmpty();
    disk.flushPending();
    assertThat(disk.contents(0, 3)).isEmpty();
  }

  @Test
  void participatingReplicaStaysWhenMistakenForItsFormerIncarnation() {
    open(ownership(1, a, b), a, b);
    flush();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    open(ownership(2, back, b), back, b);
    send(back.written("k", "1"), b);
    flush();
    back.enter(ownership(3, a, b));
    assertThat(back.replica.state().role()).isEqualTo(ReplicaRole.FORMER_OWNER);
    assertThat(back.contents()).containsExactly("k=1");
    back.enter(ownership(4, back));
    assertThat(back.contents()).containsExactly("k=1");
  }

  @Test
  void restoredJoinerStartsEmpty() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    flush();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    back.enter(ownership(1, a, b));
    open(ownership(2, List.of(b), List.of(back), 2), b, back);
    assertThat(back.contents()).isEmpty();
    assertThat(back.replica.summarizeLog(0, 0).sinceEpoch()).isEqualTo(2);
    disk.flushPending();
    assertThat(disk.contents(0, 3)).isEmpty();
    send(b.written("l", "2"), back);
    disk.flushPending();
    disk.cutPower();
    assertThat(disk.contents(0, 3)).containsExactly("l=2");
  }

  @Test
  void replicaOlderThanItsEmptiedSegmentIsDropped() {
    open(ownership(1, a), a);
    a.written("k", "1");
    disk.flushPending();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    open(ownership(5, List.of(back), List.of(), 1, 4), back);
    assertThat(back.contents()).isEmpty();
  }

  @Test
  void replicaOfAnotherGridIsDropped() {
    open(ownership(1, a), a);
    a.written("k", "1");
    disk.flushPending();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    GridDefinition other =
        new GridDefinition(
            new UUID(8, 8), 1, 1, PartitionHandling.STOP, GridLineage.NONE, true, false, false);
    back.replica.enterEpoch(ownership(2, back), back.self, other, true);
    assertThat(back.contents()).isEmpty();
  }

  // ------------------------------------------------------------------ missing writes

  @Test
  void restoredReplicaWithMoreWritesSendsThem() {
    open(ownership(1, a, b), a, b);
    flush();
    send(a.written("k", "1"), b);
    flush();
    a.written("k", "2");
    a.written("l", "1");
    a.remove("l");
    a.written("k", "3");
    disk.flushPending();
    disk.cutPower();
    otherDisk.cutPower();

    ManualReplica first = restart("b", 2, otherDisk);
    ManualReplica second = restart("a", 2, disk);
    open(ownership(2, List.of(first, second), List.of(), 1, 1), first, second);
    assertThat(first.contents()).containsExactly("k=3");
    assertThat(second.contents()).containsExactly("k=3", "l-");
  }

  @Test
  void restoredReplicaWithFewerWritesReceivesThem() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    flush();
    for (int i = 2; i < 9; i++) {
      a.written("k" + i % 3, "v" + i);
    }
    disk.flushPending();
    disk.cutPower();
    otherDisk.cutPower();

    ManualReplica first = restart("a", 2, disk);
    ManualReplica second = restart("b", 2, otherDisk);
    open(ownership(2, List.of(first, second), List.of(), 1, 1), first, second);
    assertThat(second.contents()).isEqualTo(first.contents()).hasSize(4);
  }

  @Test
  void survivingReplicaSendsWritesNoLongerInItsLog() {
    open(ownership(1, a, b), a, b);
    flush();
    send(a.written("k", "1"), b);
    send(a.written("l", "1"), b);
    send(
        a.remove("l") instanceof CommandOutcome.Written removed ? removed : a.written("x", "x"), b);
    flush();
    a.replica.onAck(b.self, 1, 3);
    disk.flushPending();
    disk.cutPower();
    // On the disk of a the removal is purged, so a does not know how far it had come.
    ManualReplica back = restart("a", 2, disk);
    send(a.written("m", "1"), b, 3);
    open(ownership(2, List.of(b, back), List.of(), 1, 1), b, back);
    assertThat(back.contents()).isEqualTo(b.contents()).contains("k=1", "m=1");
  }

  // ------------------------------------------------------------------ commands and time

  @Test
  void commandFromBeforeARestartIsNotExecutedTwice() {
    open(ownership(1, a), a);
    CommandId command = a.command(1, 1);
    a.put(command, "k", "1");
    disk.flushPending();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    CommandId old = new CommandId(command.session(), 1, 1, 1_001, 2, 1);
    assertThat(back.put(old, "k", "again")).isInstanceOf(CommandOutcome.InDoubt.class);
    CommandId young = new CommandId(command.session(), 2, 1, 1_002, 1, 2);
    assertThat(back.put(young, "k", "2")).isInstanceOf(CommandOutcome.Written.class);
    assertThat(back.put(young, "k", "2")).isInstanceOf(CommandOutcome.ResultOnly.class);

    // A joiner that receives the results of commands from this replica knows as little.
    ManualReplica joiner = new ManualReplica("joiner");
    open(ownership(3, List.of(back), List.of(joiner), 3), back, joiner);
    Output out = new Output(64);
    back.replica.transfer().writeSessions(out);
    assertThat(joiner.replica.transfer().mergeSessions(3, out.toInput())).isTrue();
    open(ownership(4, joiner), joiner, back);
    assertThat(joiner.put(old, "k", "again")).isInstanceOf(CommandOutcome.InDoubt.class);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, true", "0, true", "1, true", "2, true", "3, true", "4, true",
    "-1, false", "0, false", "1, false", "2, false", "3, false", "4, false"
  })
  void tickIsAtomicOnDisk(int records, boolean firstLeads) {
    withLifetime("x", "y", "z");
    PrimaryInitiatedWrite tick = Objects.requireNonNull(a.replica.expiry().writeTickIfDue());
    disk.flushPending();
    if (records >= 0) {
      send(tick, b);
      otherDisk.flushPending(records);
    }
    cutPower();
    ManualReplica first = restart("a", 2, disk);
    ManualReplica second = restart("b", 2, otherDisk);
    leadAlone(2, firstLeads ? List.of(first, second) : List.of(second, first));
    assertThat(live(first)).isEmpty();
    assertThat(live(second)).isEmpty();
    assertThat(second.replica.expiry().segmentMillis()).isGreaterThanOrEqualTo(61_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void handedOverTickIsAtomic(int records) {
    withLifetime("x", "y", "z");
    assertThat(a.replica.expiry().writeTickIfDue()).isNotNull();
    a.put("t", "1", new Lifetime(1_000, 0));
    a.put("u", "1", new Lifetime(1_000, 0));
    a.clock.advance(2_000 * MILLI_NANOS);
    assertThat(a.replica.expiry().writeTickIfDue()).isNotNull();
    disk.flushPending();
    cutPower();
    ManualReplica first = restart("a", 2, disk);
    ManualReplica second = restart("b", 2, otherDisk);
    leadAlone(2, List.of(first, second));
    otherDisk.flushPending(records);
    disk.flushPending();
    cutPower();
    first = restart("a", 3, disk);
    second = restart("b", 3, otherDisk);
    leadAlone(3, List.of(first, second));
    assertThat(live(first)).isEmpty();
    assertThat(live(second)).isEmpty();
    flush();
    cutPower();
    second = restart("b", 4, otherDisk);
    leadAlone(4, List.of(second));
    assertThat(live(second)).isEmpty();
  }

  /** Makes both replicas hold entries that are due. */
  private void withLifetime(String... keys) {
    open(ownership(1, a, b), a, b);
    for (String key : keys) {
      send(a.put(key, "1", new Lifetime(60_000, 0)), b);
    }
    flush();
    a.replica.onAck(b.self, 1, keys.length);
    a.clock.advance(61_000 * MILLI_NANOS);
  }

  private void cutPower() {
    disk.cutPower();
    otherDisk.cutPower();
  }

  private static void leadAlone(int epoch, List<ManualReplica> all) {
    open(ownership(epoch, all, List.of(), 1, 1), all.toArray(ManualReplica[]::new));
  }

  private static List<String> live(ManualReplica replica) {
    return replica.contents().stream().filter(text -> text.contains("=")).toList();
  }

  @Test
  void expiredEntriesStayExpiredAndTimeContinuesAfterARestart() {
    open(ownership(1, a), a);
    a.put("short", "1", new Lifetime(100, 0));
    a.put("long", "2", new Lifetime(10_000, 0));
    a.clock.advance(200 * MILLI_NANOS);
    assertThat(a.replica.expiry().writeTickIfDue()).isNotNull();
    disk.flushPending();
    disk.cutPower();
    ManualReplica back = restart("a", 2, disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).contains("long=2").doesNotContain("short=1");
    assertThat(back.replica.expiry().segmentMillis()).isGreaterThanOrEqualTo(200);
    back.clock.advance(9_900 * MILLI_NANOS);
    assertThat(back.replica.expiry().writeTickIfDue()).isNotNull();
    assertThat(back.contents()).doesNotContain("long=2");
  }
}
