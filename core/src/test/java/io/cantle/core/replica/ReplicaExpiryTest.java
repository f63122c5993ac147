package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests expiry: entries end by a tick, at all replicas alike, never early, under every primary. */
class ReplicaExpiryTest {
  private static final Lifetime SECOND_NANOS = new Lifetime(1_000, 0);

  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  private static void advanceTime(long millis, ManualReplica... all) {
    for (ManualReplica one : all) {
      one.clock.advance(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  private static PrimaryInitiatedWrite tick(ManualReplica primary) {
    return Objects.requireNonNull(primary.replica.expiry().writeTickIfDue());
  }

  private static List<String> live(ManualReplica replica) {
    return replica.contents().stream().filter(text -> !text.endsWith("-")).toList();
  }

  private static Entry entry(ManualReplica replica, String key) {
    return Objects.requireNonNull(replica.peek(key).entry());
  }

  @Test
  void tickExpiresDueEntriesOnAllReplicasAndIsDirtyUntilCommitted() {
    open(ownership(1, a, b), a, b);
    send(a.put("short", "1", SECOND_NANOS), b);
    send(a.put("long", "2", new Lifetime(60_000, 0)), b);
    send(a.written("forever", "3"), b);
    a.replica.onAck(b.self, 1, 3);
    advanceTime(1_000, a, b);
    assertThat(a.replica.expiry().writeTickIfDue()).as("not early").isNull();
    advanceTime(1, a, b);
    assertThat(b.replica.expiry().mayBeDue()).isTrue();
    assertThat(live(b)).as("a backup ends no entry itself").contains("short=1");
    PrimaryInitiatedWrite tick = tick(a);
    assertThat(a.replica.countLive()).isEqualTo(new LiveEntryCount(2, 1, 4, false));
    assertThat(a.peek("short").status()).isEqualTo(LocalRead.Status.DIRTY);
    assertThat(entry(a, "short").isTombstone()).isTrue();
    send(tick, b);
    assertThat(live(b)).containsExactlyInAnyOrder("long=2", "forever=3");
    assertThat(entry(b, "short").compareVersion(new Version(1, 4))).isZero();
    a.replica.onAck(b.self, 1, 4);
    assertThat(a.peek("short").entry()).as("the tombstone is no longer needed").isNull();
    assertThat(a.replica.expiry().writeTickIfDue()).isNull();
  }

  @Test
  void newPrimaryContinuesSegmentTimeAndExpiresNothingEarlyOrTwice() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", SECOND_NANOS), b);
    advanceTime(900, a, b);
    open(ownership(2, b), b);
    assertThat(b.replica.expiry().writeTickIfDue()).isNull();
    advanceTime(100, b);
    assertThat(b.replica.expiry().writeTickIfDue()).isNull();
    advanceTime(1, b);
    tick(b);
    assertThat(live(b)).isEmpty();
  }

  @Test
  void entriesExpiredAtOneSurvivorAreExpiredAtAll() {
    open(ownership(1, a, b, c), a, b, c);
    CommandOutcome.Written write = a.put("k", "1", SECOND_NANOS);
    send(write, b);
    send(write, c);
    advanceTime(1_001, a, b, c);
    send(tick(a), c);
    assertThat(live(b)).containsExactly("k=1");
    open(ownership(2, b, c), b, c);
    assertThat(live(b)).isEmpty();
    assertThat(live(c)).isEmpty();
    assertThat(b.replica.expiry().segmentMillis()).isGreaterThanOrEqualTo(1_001);
  }

  @Test
  void fastClockOfAReplicaThatIsBehindIsIgnored() {
    open(ownership(1, a, b, c), a, b, c);
    CommandOutcome.Written first = a.put("old", "1", new Lifetime(100_000_000, 0));
    send(first, b);
    send(first, c);
    advanceTime(100_000, a, b);
    advanceTime(100_500, c);
    CommandOutcome.Written second = a.put("new", "1", new Lifetime(100, 0));
    send(second, b);
    ReplicaLogSummary late =
        new ReplicaLogSummary(1, 1, 1, List.of(), c.replica.expiry().segmentMillis());
    b.enter(ownership(2, b, c));
    c.enter(ownership(2, b, c));
    b.replica.takeOverLog(2, Map.of(c.self, late));
    b.replica.serveEpoch(2);
    assertThat(b.replica.expiry().mayBeDue()).isFalse();
    assertThat(b.replica.expiry().segmentMillis()).isEqualTo(100_000);
  }

  @Test
  void backupWithLaterTimeFollowsItsPrimary() {
    open(ownership(1, a, b), a, b);
    send(a.put("old", "1", new Lifetime(100_000, 0)), b);
    // The time that b receives when it takes over was delayed for long.
    advanceTime(400, a);
    open(ownership(2, b, a), a, b);
    a.clock.advance(TimeUnit.MILLISECONDS.toNanos(5_000));
    long behind = b.replica.expiry().segmentMillis();
    assertThat(behind).isEqualTo(400);
    send(b.put("new", "1", SECOND_NANOS), a);
    assertThat(a.replica.expiry().segmentMillis()).isEqualTo(behind);
    open(ownership(3, a), a);
    advanceTime(1_000, a);
    assertThat(a.replica.expiry().writeTickIfDue()).as("a second has not passed").isNull();
    advanceTime(1, a);
    tick(a);
  }

  @Test
  void backupThatReceivesALateMessageLeavesWhatHadExpiredToThePrimary() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", SECOND_NANOS), b);
    advanceTime(500, a, b);
    CommandOutcome.Written delayed = a.put("other", "1", new Lifetime(60_000, 0));
    advanceTime(6_000, a, b);
    assertThat(b.replica.expiry().isCertainlyLive(entry(b, "k"))).isFalse();
    send(delayed, b);
    assertThat(b.replica.expiry().segmentMillis()).isEqualTo(500);
    assertThat(b.replica.expiry().isCertainlyLive(entry(b, "k"))).isFalse();
    assertThat(b.replica.expiry().isCertainlyLive(entry(b, "other"))).isTrue();
  }

  @Test
  void timeOfAnEquallyAdvancedReplicaIsTaken() {
    open(ownership(1, a, b, c), a, b, c);
    CommandOutcome.Written write = a.put("k", "1", SECOND_NANOS);
    send(write, c);
    advanceTime(400, a, b, c);
    // The message is late, and b takes the write for one made now.
    send(write, b);
    assertThat(b.replica.expiry().segmentMillis()).isZero();
    open(ownership(2, b, c), b, c);
    assertThat(b.replica.expiry().segmentMillis()).isEqualTo(400);
  }

  @Test
  void transferredEntryThatExpiredArrivesAsTombstone() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", SECOND_NANOS), b);
    send(a.put("l", "1", new Lifetime(5_000, 0)), b);
    a.replica.onAck(b.self, 1, 2);
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    List<Entry> under = new ArrayList<>();
    for (String key : List.of("k", "l")) {
      Entry read = entry(a, key);
      under.add(
          Entry.of(read.hash(), read.bytes(), 1, 1, read.index(), false, 0, read.expiryTime()));
    }
    advanceTime(1_001, a, b, c);
    PrimaryInitiatedWrite tick = tick(a);
    send(tick, b);
    send(tick, c);
    assertThat(
            c.replica
                .transfer()
                .apply(2, 0, under, SegmentCursor.END, a.replica.expiry().segmentMillis()))
        .isEqualTo(TransferResult.ADDED);
    assertThat(live(c)).containsExactly("l=1");
    assertThat(c.replica.entries().tombstoneCount()).isEqualTo(1);
    assertThat(c.replica.expiry().segmentMillis()).isEqualTo(1_001);
  }

  @Test
  void readIsRecordedOnlyOccasionallyAndOnlyForCurrentVersion() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", new Lifetime(0, 800)), b);
    advanceTime(100, a, b);
    assertThat(a.replica.expiry().writeTouch(entry(a, "k"))).isNull();
    advanceTime(1, a, b);
    Entry read = entry(a, "k");
    PrimaryInitiatedWrite touch = Objects.requireNonNull(a.replica.expiry().writeTouch(read));
    send(touch, b);
    assertThat(a.replica.expiry().writeTouch(read)).as("another version by now").isNull();
    advanceTime(801, a, b);
    assertThat(a.replica.expiry().writeTickIfDue()).isNull();
    assertThat(b.replica.expiry().isCertainlyLive(entry(b, "k")))
        .as("its reads are recorded")
        .isFalse();
    advanceTime(100, a, b);
    send(tick(a), b);
    assertThat(live(b)).isEmpty();
    assertThat(live(a)).isEmpty();
  }

  @Test
  void writeResetsLifetimeAndEntryWithoutOneReadsNoClock() {
    open(ownership(1, a), a);
    a.clock.onNextReading.add(
        () -> {
          throw new AssertionError("the clock was read although no entry expires");
        });
    a.written("k", "1");
    assertThat(a.replica.expiry().mayBeDue()).isFalse();
    assertThat(a.replica.expiry().writeTickIfDue()).isNull();
    assertThat(a.replica.expiry().isCertainlyLive(entry(a, "k"))).isTrue();
    a.clock.onNextReading.clear();
    a.put("k", "2", SECOND_NANOS);
    assertThat(a.replica.entries().earliestExpiryMillis()).isEqualTo(1_001);
    advanceTime(500, a);
    a.put("k", "3", SECOND_NANOS);
    assertThat(a.replica.entries().earliestExpiryMillis()).isEqualTo(1_501);
    a.written("k", "4");
    assertThat(a.replica.entries().earliestExpiryMillis()).isEqualTo(ExpiryTime.NEVER);
  }

  @Test
  void timeOfDayIsIrrelevant() {
    open(ownership(1, a), a);
    a.put("k", "1", SECOND_NANOS);
    a.clock.wallOffsetMillis = TimeUnit.HOURS.toMillis(1);
    advanceTime(1_000, a);
    assertThat(a.replica.expiry().mayBeDue()).isFalse();
    a.clock.wallOffsetMillis = -TimeUnit.HOURS.toMillis(1);
    advanceTime(1, a);
    assertThat(a.replica.expiry().mayBeDue()).isTrue();
  }

  @Test
  void ticksTouchesAndExpiringEntriesRoundTrip() {
    open(ownership(1, a), a);
    OrderedWrite.CommandWrite write = a.put("k", "1", new Lifetime(1_000, 500)).write();
    OrderedWrite read = ManualReplica.throughTheWire(List.of(write)).getFirst();
    assertThat(((OrderedWrite.CommandWrite) read).entry().expiryTime())
        .isEqualTo(write.entry().expiryTime());
    assertThat(read.segmentMillis()).isZero();
    advanceTime(70, a);
    OrderedWrite touch =
        Objects.requireNonNull(a.replica.expiry().writeTouch(entry(a, "k"))).write();
    OrderedWrite.TouchWrite touched =
        (OrderedWrite.TouchWrite) ManualReplica.throughTheWire(List.of(touch)).getFirst();
    assertThat(touched.entry().expiryTime()).isEqualTo(new ExpiryTime(1_001, 500, 70));
    assertThat(touched.segmentMillis()).isEqualTo(70);
    assertThat(ManualReplica.value(touched.entry())).isEqualTo("1");
    OrderedWrite.ExpiryTick tick = new OrderedWrite.ExpiryTick(1, 9, 12_345);
    assertThat(ManualReplica.throughTheWire(List.of(tick))).containsExactly(tick);
  }
}
