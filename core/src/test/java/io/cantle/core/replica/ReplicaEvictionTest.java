package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.WhenFull;
import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.SegmentShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests eviction: entries beyond the share go by writes of the primary, at all replicas alike. */
class ReplicaEvictionTest {
  private final ManualReplica a = new ManualReplica("a", WhenFull.EVICT);
  private final ManualReplica b = new ManualReplica("b", WhenFull.EVICT);

  private static List<String> live(ManualReplica replica) {
    return replica.contents().stream().filter(text -> !text.endsWith("-")).toList();
  }

  private static void share(long entries, ManualReplica... all) {
    for (ManualReplica one : all) {
      one.replica.eviction().setShare(new SegmentShare(entries, Long.MAX_VALUE));
    }
  }

  private static void put(ManualReplica primary, String key, ManualReplica... backups) {
    CommandOutcome.Written written = primary.written(key, "1");
    for (ManualReplica backup : backups) {
      send(written, backup);
    }
  }

  @Test
  void primaryEvictsWhatWasNotUsedAndEveryOwnerForgetsIt() {
    share(2, a, b);
    open(ownership(1, a, b), a, b);
    put(a, "x", b);
    put(a, "y", b);
    a.replica.onAck(b.self, 1, 2);
    assertThat(a.replica.eviction().isDue()).isFalse();
    a.peek("x");
    put(a, "z", b);
    List<PrimaryInitiatedWrite> evictions = a.replica.eviction().writeEvictions();
    assertThat(live(a)).containsExactlyInAnyOrder("x=1", "z=1");
    assertThat(a.replica.eviction().evictedCount()).isEqualTo(1);
    assertThat(a.peek("y").status()).as("not all owners know it").isEqualTo(LocalRead.Status.DIRTY);
    assertThat(live(b)).contains("y=1");
    evictions.forEach(eviction -> send(eviction, b));
    assertThat(live(b)).containsExactlyInAnyOrder("x=1", "z=1");
    a.replica.onAck(b.self, 1, 4);
    assertThat(a.peek("y").entry()).as("no tombstone is left").isNull();
  }

  @Test
  void backupNeverEvictsByItself() {
    share(1, a, b);
    open(ownership(1, a, b), a, b);
    put(a, "x", b);
    put(a, "y", b);
    assertThat(b.replica.eviction().isDue()).isTrue();
    assertThat(b.replica.eviction().writeEvictions()).isEmpty();
    assertThat(live(b)).hasSize(2);
    assertThat(a.replica.eviction().writeEvictions()).hasSize(1);
  }

  @Test
  void backupThatTakesOverEvictsInItsTurn() {
    share(2, a, b);
    open(ownership(1, a, b), a, b);
    put(a, "x", b);
    put(a, "y", b);
    open(ownership(2, b), b);
    b.peek("x");
    put(b, "z");
    b.replica.eviction().writeEvictions();
    assertThat(live(b)).containsExactlyInAnyOrder("x=1", "z=1");
  }

  @Test
  void evictedEntryStaysGoneAtASurvivorThatDidNotHearOfIt() {
    ManualReplica c = new ManualReplica("c", WhenFull.EVICT);
    share(1, a, b, c);
    open(ownership(1, a, b, c), a, b, c);
    put(a, "x", b, c);
    put(a, "y", b, c);
    a.replica.eviction().writeEvictions().forEach(eviction -> send(eviction, c));
    assertThat(live(b)).hasSize(2);
    open(ownership(2, b, c), b, c);
    assertThat(live(b)).containsExactly("y=1");
    assertThat(live(c)).containsExactly("y=1");
  }

  @Test
  void joinerGetsNoEvictedEntryBack() {
    share(1, a, b);
    open(ownership(1, a), a);
    put(a, "x");
    List<Entry> fetched = new ArrayList<>();
    a.replica
        .entries()
        .forEach(
            x ->
                fetched.add(
                    Entry.of(x.hash(), x.bytes(), x.keyLength(), 1, x.index(), false, 0, null)));
    open(ownership(2, List.of(a), List.of(b), 2), a, b);
    put(a, "y", b);
    a.replica.eviction().writeEvictions().forEach(eviction -> send(eviction, b));
    assertThat(b.transferred(2, 2, fetched, SegmentCursor.END)).isTrue();
    assertThat(live(b)).containsExactly("y=1");
  }

  @Test
  void bytesAreBoundedToo() {
    open(ownership(1, a), a);
    put(a, "x");
    int bytes = Objects.requireNonNull(a.peek("x").entry()).sizeBytes();
    a.replica.eviction().setShare(new SegmentShare(Long.MAX_VALUE, 10L * bytes));
    for (int i = 0; i < 100; i++) {
      put(a, "key" + i);
      a.replica.eviction().writeEvictions();
      assertThat(a.replica.eviction().isDue()).isFalse();
    }
    assertThat(live(a)).hasSizeBetween(8, 10);
  }

  @Test
  void replacingAndRemovingKeepTheAccount() {
    share(2, a);
    open(ownership(1, a), a);
    for (int i = 0; i < 1_000; i++) {
      put(a, "x");
      put(a, "y");
      a.remove("y");
      assertThat(a.replica.eviction().isDue()).isFalse();
    }
    put(a, "y");
    put(a, "z");
    assertThat(a.replica.eviction().writeEvictions()).hasSize(1);
  }

  @Test
  void smallerShareEvictsAtOnceAndInBatches() {
    open(ownership(1, a), a);
    for (int i = 0; i < 1_000; i++) {
      put(a, "key" + i);
    }
    share(100, a);
    int evicted = 0;
    int batches = 0;
    while (a.replica.eviction().isDue()) {
      evicted += a.replica.eviction().writeEvictions().size();
      batches++;
    }
    assertThat(evicted).as("a little more than is needed, for the next writes").isEqualTo(901);
    assertThat(batches).isBetween(2, 10);
  }

  @Test
  void observersAreToldTheCause() {
    List<CommittedChange.Cause> causes = new ArrayList<>();
    share(1, a);
    open(ownership(1, a), a);
    put(a, "x");
    a.replica.observe(
        new ChangeObserver() {
          @Override
          public boolean observes(Entry after) {
            return true;
          }

          @Override
          public void onReset() {}

          @Override
          public void onCommitted(List<CommittedChange> changes) {
            changes.forEach(change -> causes.add(change.cause()));
          }
        },
        Runnable::run,
        Version.NONE);
    a.replica.performEffects();
    causes.clear();
    put(a, "y");
    a.replica.eviction().writeEvictions();
    a.replica.performEffects();
    assertThat(causes)
        .containsExactly(CommittedChange.Cause.COMMAND, CommittedChange.Cause.EVICTION);
  }

  @Test
  void cacheThatRefusesLosesNothing() {
    ManualReplica full = new ManualReplica("full", WhenFull.REFUSE);
    share(2, full);
    open(ownership(1, full), full);
    put(full, "x");
    put(full, "y");
    CommandId command = full.nextCommand();
    assertThat(full.put(command, "z", "1"))
        .isEqualTo(
            new CommandOutcome.NoRoom(new WriteRefusal(WriteRefusal.Shortage.ENTRIES_FULL, 2, 2)));
    assertThat(full.put(command, "z", "1"))
        .as("the same attempt never has an effect later")
        .isInstanceOf(CommandOutcome.Ignored.class);
    assertThat(full.replica.eviction().isDue()).isFalse();
    put(full, "x");
    full.remove("y");
    put(full, "z");
    assertThat(live(full)).containsExactlyInAnyOrder("x=1", "z=1");
  }

  @Test
  void entryLongerThanTheShareIsRefusedAndEvictsNothing() {
    open(ownership(1, a), a);
    put(a, "x");
    int bytes = Objects.requireNonNull(a.peek("x").entry()).sizeBytes();
    a.replica.eviction().setShare(new SegmentShare(Long.MAX_VALUE, bytes));
    assertThat(a.put("long", "a value of more than eight bytes"))
        .isInstanceOfSatisfying(
            CommandOutcome.NoRoom.class,
            full ->
                assertThat(full.refusal().shortage())
                    .isEqualTo(WriteRefusal.Shortage.ENTRY_TOO_LONG));
    assertThat(live(a)).containsExactly("x=1");
  }
}
