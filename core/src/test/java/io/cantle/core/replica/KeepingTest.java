package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Origin;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.Peek.Status;
import io.cantle.core.store.HandStore;
import io.cantle.core.store.Label;
import io.cantle.core.store.Shelf;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Descent;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A copy that is kept on disk: what counts before it is there, and what comes back. */
final class KeepingTest {
  private static final long MILLI = 1_000_000;

  private final HandStore disk = new HandStore();
  private final HandStore otherDisk = new HandStore();
  private final HandReplica a = life("a", 1, disk);
  private final HandReplica b = life("b", 1, otherDisk);
  private final List<String> events = new ArrayList<>();

  private static HandReplica life(String node, int life, HandStore store) {
    UUID id = HandNetwork.member(node).id();
    Member self = new Member(HandNetwork.member(node + life).id(), id, node);
    return new HandReplica(self, store);
  }

  private void flush() {
    disk.flush();
    otherDisk.flush();
  }

  // ------------------------------------------------------------------ what counts

  @Test
  void aWriteOfOneAloneIsCommittedOnceItIsOnDisk() {
    open(ownership(1, a), a);
    Outcome.Written written = a.written("k", "v");
    assertThat(written.committed()).isZero();
    assertThat(a.peek("k").status()).isEqualTo(Status.DIRTY);
    a.replica.whenCommitted(1, 1, () -> events.add("told"), () -> events.add("refused"));
    assertThat(events).isEmpty();
    disk.flush();
    assertThat(events).containsExactly("told");
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(disk.contents(0, 3)).containsExactly("k=v");
  }

  @Test
  void aPrimaryCountsItselfBesideItsBackups() {
    open(ownership(1, a, b), a, b);
    flush();
    a.written("k", "1");
    a.written("k", "2");
    a.replica.acked(b.self, 1, 2);
    assertThat(a.peek("k").status()).isEqualTo(Status.DIRTY);
    disk.flush();
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    a.written("k", "3");
    disk.flush();
    assertThat(a.peek("k").status()).as("the backup is behind").isEqualTo(Status.DIRTY);
    assertThat(a.replica.behind(10)).isEmpty();
    assertThat(a.replica.behind(10)).singleElement().extracting(Behind::member).isEqualTo(b.self);
  }

  @Test
  void aBackupVouchesForWhatIsOnItsDisk() {
    open(ownership(1, a, b), a, b);
    flush();
    send(a.written("k", "1"), b);
    assertThat(b.replica.appliedAsWriter(1)).isZero();
    b.replica.whenHeld(() -> events.add("held"));
    assertThat(events).isEmpty();
    otherDisk.flush();
    assertThat(events).containsExactly("held");
    assertThat(b.replica.appliedAsWriter(1)).isEqualTo(1);
    assertThat(b.replica.appliedAsWriter(2)).isEqualTo(-1);
  }

  @Test
  void whatIsOnDiskOfAnEpochThatIsOverCommitsNothing() {
    open(ownership(1, a), a);
    disk.flush();
    a.written("k", "1");
    a.written("k", "2");
    open(ownership(2, a), a);
    a.written("l", "1");
    Outcome.Written last = a.written("l", "2");
    assertThat(last.committed()).isZero();
    disk.flush();
    assertThat(a.peek("l").status()).isEqualTo(Status.CLEAN);
  }

  @Test
  void aFullStoreRefusesAndTakesTheNextTry() {
    open(ownership(1, a), a);
    disk.flush();
    disk.full = true;
    Command command = a.nextCommand();
    assertThat(a.put(command, "k", "v")).isInstanceOf(Outcome.Refused.class);
    disk.full = false;
    assertThat(a.put(command, "k", "v")).as("promised not to").isInstanceOf(Outcome.Ignored.class);
    Command again =
        new Command(command.session(), command.sequence(), command.lowest(), command.request(), 2);
    assertThat(a.put(again, "k", "v")).isInstanceOf(Outcome.Written.class);
  }

  @Test
  void onAFullDiskThereAreReadsAndRemovalsWhileTheseHaveRoom() {
    open(ownership(1, a), a);
    a.written("k", "v");
    a.written("l", "v");
    disk.flush();
    disk.room = Shelf.Room.REMOVALS;
    Command command = a.nextCommand();
    assertThat(a.put(command, "k", "2")).isInstanceOf(Outcome.DiskFull.class);
    assertThat(a.put(command, "k", "2")).as("promised not to").isInstanceOf(Outcome.Ignored.class);
    assertThat(a.look("k")).isInstanceOf(Outcome.Answer.class);
    assertThat(a.peek("k").status()).isEqualTo(Status.CLEAN);
    assertThat(a.remove("k")).isInstanceOf(Outcome.Written.class);
    disk.room = Shelf.Room.NONE;
    assertThat(a.remove("l")).isInstanceOf(Outcome.DiskFull.class);
    assertThat(a.peek("l").status()).isEqualTo(Status.CLEAN);
    disk.room = Shelf.Room.ALL;
    assertThat(a.put("l", "2")).isInstanceOf(Outcome.Written.class);
  }

  @Test
  void whoDoesNotWaitForTheDiskDoesSoWhileItIsBehind() {
    HandStore store = new HandStore();
    HandReplica c = new HandReplica(HandNetwork.member("c"), store, false);
    open(ownership(1, a, c), a, c);
    flush();
    send(a.written("k", "1"), c);
    c.replica.whenHeld(() -> events.add("at once"));
    assertThat(events).containsExactly("at once");
    assertThat(c.replica.isFull()).isFalse();
    store.full = true;
    assertThat(c.replica.isFull()).isTrue();
    c.replica.whenHeld(() -> events.add("held"));
    Replicas.whenHeld(List.of(c.replica), () -> events.add("both"));
    assertThat(events).containsExactly("at once");
    store.flush();
    assertThat(events).containsExactly("at once", "held", "both");
  }

  @Test
  void whatIsNotOnDiskWithinItsPeriodIsWaitedFor() {
    HandStore store = new HandStore();
    HandReplica c = new HandReplica(HandNetwork.member("c"), store, false);
    open(ownership(1, c), c);
    store.flush();
    store.behindNanos = 50 * MILLI;
    assertThat(c.put("k", "1")).isInstanceOf(Outcome.Written.class);
    assertThat(c.replica.holdsLater()).isFalse();
    store.behindNanos = 51 * MILLI;
    assertThat(c.replica.holdsLater()).isTrue();
    assertThat(c.put("k", "2")).isInstanceOf(Outcome.Refused.class);
    disk.behindNanos = Long.MAX_VALUE;
    open(ownership(1, a), a);
    assertThat(a.put("k", "1")).as("who waits anyway").isInstanceOf(Outcome.Written.class);
  }

  // ------------------------------------------------------------------ what comes back

  @Test
  void whatWasOnDiskIsThereForTheNextLifeAndNothingElse() {
    open(ownership(1, a), a);
    a.written("k", "1");
    a.written("l", "1");
    a.written("l", "2");
    a.remove("k");
    disk.flush();
    a.written("m", "lost");
    disk.cut();

    HandReplica back = life("a", 2, disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).contains("l=2").doesNotContain("m=lost", "k=1");
    assertThat(back.peek("l").status()).isEqualTo(Status.CLEAN);
    assertThat(back.written("n", "3").item().index()).isEqualTo(1);
  }

  @Test
  void whatIsWrittenAfterwardsIsStampedAsLater() {
    long stamp = a.stamps.next() + (1_000_000L << 16);
    byte[] both = HandReplica.bytes("kv");
    Shelf shelf = disk.shelf(0, 3);
    shelf.label(new Label(new UUID(0, 0), 1, -1), 1, 0);
    shelf.put(Entry.of(HandReplica.hash("k"), both, 1, 1, 1, false, Origin.HERE.mark(stamp), null));
    disk.flush();
    assertThat(life("a", 2, disk).stamps.next()).isGreaterThan(stamp);
  }

  @Test
  void aCopyWaitsAsLongAsItsFormerLifeIsTheOwner() {
    open(ownership(1, a), a);
    a.written("k", "1");
    disk.flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    back.enter(ownership(1, a));
    assertThat(back.replica.state().role()).isEqualTo(Role.KEEPER);
    back.enter(new Ownership(2, 1, List.of(), List.of(), List.of(), List.of(), List.of(a.self)));
    assertThat(back.replica.state().role()).isEqualTo(Role.KEEPER);
    assertThat(back.contents()).containsExactly("k=1");
    open(ownership(3, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).containsExactly("k=1");
  }

  @Test
  void aCopyWaitsWhereTheTopologyIsOlderThanItIs() {
    open(ownership(3, List.of(b), List.of(a), 3), b, a);
    assertThat(a.transferred(3, 0, List.of(HandReplica.entry("k", "1", 1, 1)), Cursor.END))
        .isTrue();
    open(ownership(4, List.of(a), List.of(), 1, 1), a, b);
    disk.flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    back.enter(ownership(2, b));
    assertThat(back.replica.state().role()).isEqualTo(Role.KEEPER);
    back.enter(ownership(3, List.of(b), List.of(a), 3));
    assertThat(back.replica.state().role()).as("it joined then").isEqualTo(Role.KEEPER);
    open(ownership(5, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).containsExactly("k=1");
  }

  @Test
  void aCopyOthersHaveGoneOnWithoutIsDroppedWhole() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    flush();
    disk.cut();
    open(ownership(2, b), b);
    HandReplica back = life("a", 2, disk);
    back.enter(ownership(2, b));
    assertThat(back.replica.state().role()).isEqualTo(Role.NONE);
    assertThat(back.contents()).isEmpty();
    disk.flush();
    assertThat(disk.contents(0, 3)).isEmpty();
  }

  @Test
  void aCopyThatTookPartStaysWhileAFormerLifeIsTakenForThisOne() {
    open(ownership(1, a, b), a, b);
    flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    open(ownership(2, back, b), back, b);
    send(back.written("k", "1"), b);
    flush();
    back.enter(ownership(3, a, b));
    assertThat(back.replica.state().role()).isEqualTo(Role.KEEPER);
    assertThat(back.contents()).containsExactly("k=1");
    back.enter(ownership(4, back));
    assertThat(back.contents()).containsExactly("k=1");
  }

  @Test
  void aCopyThatJoinsBeginsAnew() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    back.enter(ownership(1, a, b));
    open(ownership(2, List.of(b), List.of(back), 2), b, back);
    assertThat(back.contents()).isEmpty();
    assertThat(back.replica.log(0, 0).since()).isEqualTo(2);
    disk.flush();
    assertThat(disk.contents(0, 3)).isEmpty();
    send(b.written("l", "2"), back);
    disk.flush();
    disk.cut();
    assertThat(disk.contents(0, 3)).containsExactly("l=2");
  }

  @Test
  void aCopyFromBeforeItsSegmentBeganEmptyIsWorthless() {
    open(ownership(1, a), a);
    a.written("k", "1");
    disk.flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    open(ownership(5, List.of(back), List.of(), 1, 4), back);
    assertThat(back.contents()).isEmpty();
  }

  @Test
  void aCopyOfAnotherGridIsWorthless() {
    open(ownership(1, a), a);
    a.written("k", "1");
    disk.flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    Charter other = new Charter(new UUID(8, 8), 1, 1, Mode.STOP, Descent.NONE, true, false, false);
    back.replica.enter(ownership(2, back), back.self, other);
    assertThat(back.contents()).isEmpty();
  }

  // ------------------------------------------------------------------ what others lack

  @Test
  void whoComesBackWithMoreGivesItToWhoHasLess() {
    open(ownership(1, a, b), a, b);
    flush();
    send(a.written("k", "1"), b);
    flush();
    a.written("k", "2");
    a.written("l", "1");
    a.remove("l");
    a.written("k", "3");
    disk.flush();
    disk.cut();
    otherDisk.cut();

    HandReplica first = life("b", 2, otherDisk);
    HandReplica second = life("a", 2, disk);
    open(ownership(2, List.of(first, second), List.of(), 1, 1), first, second);
    assertThat(first.contents()).containsExactly("k=3");
    assertThat(second.contents()).containsExactly("k=3", "l-");
  }

  @Test
  void whoComesBackWithLessIsGivenItByWhoHasMore() {
    open(ownership(1, a, b), a, b);
    send(a.written("k", "1"), b);
    flush();
    for (int i = 2; i < 9; i++) {
      a.written("k" + i % 3, "v" + i);
    }
    disk.flush();
    disk.cut();
    otherDisk.cut();

    HandReplica first = life("a", 2, disk);
    HandReplica second = life("b", 2, otherDisk);
    open(ownership(2, List.of(first, second), List.of(), 1, 1), first, second);
    assertThat(second.contents()).isEqualTo(first.contents()).hasSize(4);
  }

  @Test
  void whoLivedOnGivesWhatItForgotToSend() {
    open(ownership(1, a, b), a, b);
    flush();
    send(a.written("k", "1"), b);
    send(a.written("l", "1"), b);
    send(a.remove("l") instanceof Outcome.Written removed ? removed : a.written("x", "x"), b);
    flush();
    a.replica.acked(b.self, 1, 3);
    disk.flush();
    disk.cut();
    // On its disk the removal is purged: it does not know how far it had come.
    HandReplica back = life("a", 2, disk);
    send(a.written("m", "1"), b, 3);
    open(ownership(2, List.of(b, back), List.of(), 1, 1), b, back);
    assertThat(back.contents()).isEqualTo(b.contents()).contains("k=1", "m=1");
  }

  // ------------------------------------------------------------------ commands and time

  @Test
  void aCommandFromBeforeIsNotCarriedOutTwice() {
    open(ownership(1, a), a);
    Command command = a.command(1, 1);
    a.put(command, "k", "1");
    disk.flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    Command old = new Command(command.session(), 1, 1, 1_001, 2, 1);
    assertThat(back.put(old, "k", "again")).isInstanceOf(Outcome.InDoubt.class);
    Command young = new Command(command.session(), 2, 1, 1_002, 1, 2);
    assertThat(back.put(young, "k", "2")).isInstanceOf(Outcome.Written.class);
    assertThat(back.put(young, "k", "2")).isInstanceOf(Outcome.Answer.class);

    // Whoever learns from it what was commanded knows as little.
    HandReplica joiner = new HandReplica("joiner");
    open(ownership(3, List.of(back), List.of(joiner), 3), back, joiner);
    Output out = new Output(64);
    back.replica.writeSessions(out);
    assertThat(joiner.replica.mergeSessions(3, out.toInput())).isTrue();
    open(ownership(4, joiner), joiner, back);
    assertThat(joiner.put(old, "k", "again")).isInstanceOf(Outcome.InDoubt.class);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, true", "0, true", "1, true", "2, true", "3, true", "4, true",
    "-1, false", "0, false", "1, false", "2, false", "3, false", "4, false"
  })
  void aTickIsOnDiskWholeOrNotAtAll(int records, boolean firstLeads) {
    lasting("x", "y", "z");
    Ordered tick = Objects.requireNonNull(a.replica.aging().tick());
    disk.flush();
    if (records >= 0) {
      send(tick, b);
      otherDisk.flush(records);
    }
    cut();
    HandReplica first = life("a", 2, disk);
    HandReplica second = life("b", 2, otherDisk);
    lead(2, firstLeads ? List.of(first, second) : List.of(second, first));
    assertThat(live(first)).isEmpty();
    assertThat(live(second)).isEmpty();
    assertThat(second.replica.aging().segmentMillis()).isGreaterThanOrEqualTo(61_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
  void whatIsHandedOverOfATickIsTornByNothing(int records) {
    lasting("x", "y", "z");
    assertThat(a.replica.aging().tick()).isNotNull();
    a.put("t", "1", new Lifetime(1_000, 0));
    a.put("u", "1", new Lifetime(1_000, 0));
    a.clock.advance(2_000 * MILLI);
    assertThat(a.replica.aging().tick()).isNotNull();
    disk.flush();
    cut();
    HandReplica first = life("a", 2, disk);
    HandReplica second = life("b", 2, otherDisk);
    lead(2, List.of(first, second));
    otherDisk.flush(records);
    disk.flush();
    cut();
    first = life("a", 3, disk);
    second = life("b", 3, otherDisk);
    lead(3, List.of(first, second));
    assertThat(live(first)).isEmpty();
    assertThat(live(second)).isEmpty();
    flush();
    cut();
    second = life("b", 4, otherDisk);
    lead(4, List.of(second));
    assertThat(live(second)).isEmpty();
  }

  /** Both have entries that are due. */
  private void lasting(String... keys) {
    open(ownership(1, a, b), a, b);
    for (String key : keys) {
      send(a.put(key, "1", new Lifetime(60_000, 0)), b);
    }
    flush();
    a.replica.acked(b.self, 1, keys.length);
    a.clock.advance(61_000 * MILLI);
  }

  private void cut() {
    disk.cut();
    otherDisk.cut();
  }

  private static void lead(int epoch, List<HandReplica> all) {
    open(ownership(epoch, all, List.of(), 1, 1), all.toArray(HandReplica[]::new));
  }

  private static List<String> live(HandReplica replica) {
    return replica.contents().stream().filter(text -> text.contains("=")).toList();
  }

  @Test
  void whatHasEndedHasEndedAndTimeGoesOn() {
    open(ownership(1, a), a);
    a.put("short", "1", new Lifetime(100, 0));
    a.put("long", "2", new Lifetime(10_000, 0));
    a.clock.advance(200 * MILLI);
    assertThat(a.replica.aging().tick()).isNotNull();
    disk.flush();
    disk.cut();
    HandReplica back = life("a", 2, disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).contains("long=2").doesNotContain("short=1");
    assertThat(back.replica.aging().segmentMillis()).isGreaterThanOrEqualTo(200);
    back.clock.advance(9_900 * MILLI);
    assertThat(back.replica.aging().tick()).isNotNull();
    assertThat(back.contents()).doesNotContain("long=2");
  }
}
