package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests values that are on disk only: eviction, loading, and which version readers get. */
final class ValueResidencyTest {
  private static final String LONG_VALUE = "v".repeat(200);

  /** The rounds of a sweep that is to evict everything, until its first step ends. */
  private static final int FIRST_ROUNDS = 4;

  private final ManualNodeStore disk = new ManualNodeStore();
  private final List<String> events = new ArrayList<>();
  private ManualReplica a = new ManualReplica(ManualNetwork.member("a"), disk);

  @BeforeEach
  void bound() {
    disk.maxMemoryBytes = 1_000;
    a = new ManualReplica(ManualNetwork.member("a"), disk);
    open(ownership(1, a), a);
    disk.flushPending();
  }

  private void fill(int keys) {
    for (int i = 0; i < keys; i++) {
      a.written("k" + i, LONG_VALUE + i);
    }
  }

  private Entry entry(String key) {
    byte[] bytes = ManualReplica.bytes(key);
    return Objects.requireNonNull(
        a.replica.entries().get(ManualReplica.hash(key), bytes, 0, bytes.length));
  }

  private Entry evicted(String key) {
    assertThat(entry(key).isEvicted()).as(key).isTrue();
    return entry(key);
  }

  private long inMemory() {
    return a.contents().stream().filter(text -> !text.endsWith("on disk")).count();
  }

  private long used() {
    return a.valueEvictor.usedBytes();
  }

  private static Member restart(int life) {
    UUID node = ManualNetwork.member("a").id();
    return new Member(ManualNetwork.member("a" + life).id(), node, "a");
  }

  // ------------------------------------------------------------------ eviction

  @Test
  void valuesBeyondTheBoundAreOnDiskOnly() {
    fill(20);
    disk.runAll(a.clock);
    assertThat(inMemory()).isZero();
    assertThat(used()).as("the keys do not fit").isGreaterThan(1_000);
    assertThat(a.contents()).hasSize(20);
    assertThat(entry("k7").valueLength()).isEqualTo(201);
    assertThat(a.peek("k7").status()).isEqualTo(LocalRead.Status.CLEAN);
  }

  @Test
  void nothingIsEvictedBelowTheBound() {
    disk.maxMemoryBytes = 20 * 400;
    a = new ManualReplica(ManualNetwork.member("b"), disk);
    open(ownership(1, a), a);
    fill(20);
    disk.runAll(a.clock);
    assertThat(inMemory()).isEqualTo(20);
    assertThat(a.clock.pendingTimers()).isZero();
  }

  @Test
  void evictionStopsJustBelowTheBound() {
    disk.maxMemoryBytes = 20 * 200;
    a = new ManualReplica(ManualNetwork.member("b"), disk);
    open(ownership(1, a), a);
    fill(20);
    disk.runAll(a.clock);
    assertThat(used()).isBetween(20L * 150, 20L * 200);
    assertThat(inMemory()).isBetween(3L, 17L);
  }

  /** The sweep takes two steps over these entries, and the lock is given up between batches. */
  @Test
  void manyValuesAreEvictedInStepsAndBatches() {
    int keys = 40_000;
    int firstStep = 32_768;
    fill(keys);
    disk.flushPending();
    a.clock.advance(1);
    assertThat(inMemory()).as("chosen, not evicted").isEqualTo(keys);
    int rewritten = 0;
    for (int i = 0; i < keys; i += 1_000, rewritten++) {
      a.written("k" + i, "new" + LONG_VALUE);
    }
    disk.flushPending(FIRST_ROUNDS);
    assertThat(inMemory()).isBetween((long) keys - firstStep, (long) keys - firstStep + rewritten);
    assertThat(used()).isEqualTo(a.takenBytes());
    for (int i = 0; i < keys; i += 1_000) {
      assertThat(entry("k" + i).isEvicted()).as("k" + i).isFalse();
    }
    disk.runAll(a.clock);
    assertThat(inMemory()).isZero();
    assertThat(used()).isEqualTo(a.takenBytes());
    assertThat(a.replica.entries().liveCount()).isEqualTo(keys);
  }

  @Test
  void valueIsNotEvictedBeforeItIsOnDisk() {
    fill(20);
    a.clock.advance(1);
    a.clock.advance(1);
    assertThat(inMemory()).isEqualTo(20);
    disk.flushPending();
    assertThat(inMemory()).isZero();
  }

  @Test
  void valueRewrittenBeforeEvictionStays() {
    fill(20);
    a.clock.advance(1);
    a.written("k3", "new" + LONG_VALUE);
    disk.flushPending(30);
    assertThat(a.contents()).contains("k3=new" + LONG_VALUE);
    disk.flushPending();
  }

  @Test
  void recentlyUsedValuesStay() {
    disk.maxMemoryBytes = 200 * 150;
    a = new ManualReplica(ManualNetwork.member("b"), disk);
    open(ownership(1, a), a);
    fill(20);
    for (int i = 20; i < 200; i++) {
      a.written("k" + i, LONG_VALUE + i);
      a.peek("k3");
      a.peek("k4");
      if (i % 5 == 0) {
        disk.runAll(a.clock);
      }
    }
    assertThat(a.contents()).contains("k3=" + LONG_VALUE + "3", "k4=" + LONG_VALUE + "4");
    assertThat(inMemory()).isLessThan(100);
  }

  @Test
  void keysAloneExceedingTheBoundDoNotSweepOnEachWrite() {
    fill(100);
    disk.runAll(a.clock);
    a.written("more", "");
    assertThat(a.clock.pendingTimers()).isZero();
    for (int i = 0; i < 20; i++) {
      a.written("l" + i, LONG_VALUE);
    }
    disk.runAll(a.clock);
    assertThat(inMemory()).isLessThan(20);
  }

  @Test
  void droppedReplicaUsesNoMemory() {
    fill(20);
    disk.runAll(a.clock);
    a.enter(ownership(2, new ManualReplica("other")));
    assertThat(used()).isZero();
  }

  @Test
  void tombstonesAndExpiringEntriesKeepTheirMetadata() {
    fill(10);
    a.put("end", LONG_VALUE, new Lifetime(5, Lifetime.UNLIMITED.idleMillis()));
    disk.runAll(a.clock);
    evicted("end");
    assertThat(entry("end").expiresAtMillis())
        .isEqualTo(a.replica.entries().earliestExpiryMillis());
    execute("k1", removal("k1"));
    disk.runAll(a.clock);
    a.clock.advance(6_000_000);
    a.replica.expiry().writeTickIfDue();
    assertThat(a.contents())
        .noneMatch(text -> text.startsWith("end="))
        .noneMatch(text -> text.startsWith("k1="))
        .contains("k2=on disk");
  }

  // ------------------------------------------------------------------ loading

  @Test
  void loadedValueStaysInMemory() {
    fill(20);
    disk.runAll(a.clock);
    Entry evicted = evicted("k5");
    a.replica.valueResidency().load(evicted, read -> events.add("back"));
    assertThat(events).containsExactly("back");
    assertThat(a.contents()).contains("k5=" + LONG_VALUE + "5");
    assertThat(entry("k5").compareVersion(evicted)).isZero();
    assertThat(disk.readCount).isEqualTo(1);
    a.replica.valueResidency().load(evicted, read -> events.add("again"));
    assertThat(events)
        .as("it is not the current version any more")
        .containsExactly("back", "again");
    assertThat(entry("k5").isEvicted()).isFalse();
  }

  @Test
  void lateReadDoesNotReplaceALaterVersion() {
    fill(20);
    disk.runAll(a.clock);
    disk.slowReads = new ArrayList<>();
    a.replica.valueResidency().load(evicted("k5"), read -> events.add("back"));
    Entry five = evicted("k5");
    a.replica
        .valueResidency()
        .read(List.of(five), false, all -> events.add(all.size() + " whole"), () -> {});
    ExecuteResult written = put("k5", "newer");
    assertThat(written).isInstanceOf(ExecuteResult.ValueEvicted.class);
    assertThat(putQuietly("k5", "newer")).isInstanceOf(CommandOutcome.Written.class);
    disk.slowReads.forEach(Runnable::run);
    assertThat(events).containsExactly("back", "1 whole");
    assertThat(a.contents()).contains("k5=newer");
  }

  private ExecuteResult put(String key, String value) {
    byte[] both = ManualReplica.bytes(key + value);
    return execute(key, found -> CommandEffect.put(both, OperationResult.valueOf(found), true));
  }

  private ExecuteResult putQuietly(String key, String value) {
    byte[] both = ManualReplica.bytes(key + value);
    return execute(key, ignoring(CommandEffect.put(both, OperationResult.ABSENT, false)));
  }

  private ExecuteResult execute(String key, CommandDecision decision) {
    byte[] bytes = ManualReplica.bytes(key);
    long hash = ManualReplica.hash(key);
    CommandId command = a.nextCommand();
    return a.replica.execute(() -> true, 1, command, hash, bytes, 0, bytes.length, decision);
  }

  @Test
  void commandNeedingAnEvictedValueChangesNothing() {
    fill(20);
    disk.runAll(a.clock);
    assertThat(put("k5", "new")).isEqualTo(new ExecuteResult.ValueEvicted(entry("k5")));
    assertThat(a.replica.valueResidency().awaitLoaded(List.of(entry("k5")))).isNotNull();
    assertThat(put("k5", "new"))
        .isInstanceOfSatisfying(
            CommandOutcome.Written.class,
            written ->
                assertThat(ManualReplica.text(written.write().result()))
                    .isEqualTo(LONG_VALUE + "5"));
  }

  @Test
  void lostValueFailsTheStore() {
    fill(20);
    disk.runAll(a.clock);
    disk.onFailure(why -> events.add(String.valueOf(why.getMessage())));
    disk.loseValue(0, 3, "k5");
    a.replica.valueResidency().load(evicted("k5"), read -> events.add("back"));
    assertThat(events).singleElement().asString().startsWith("the disk has lost");
    events.clear();
    a.replica
        .valueResidency()
        .read(List.of(entry("k5")), false, all -> events.add("all"), () -> {});
    assertThat(events).singleElement().asString().startsWith("the disk has lost");
  }

  @Test
  void unresponsiveDiskIsAwaitedForLimitedTime() {
    fill(20);
    disk.runAll(a.clock);
    disk.slowReads = new ArrayList<>();
    assertThat(a.replica.valueResidency().awaitLoaded(List.of(evicted("k5")))).isNull();
    assertThat(a.replica.valueResidency().awaitRead(List.of(entry("k5")), false, 2_000_000_000L))
        .isNull();
    assertThat(
            a.replica
                .valueResidency()
                .scan(SegmentCursor.START, entry -> true, entry -> VisitResult.CONTINUE))
        .isEqualTo(SegmentCursor.START);
  }

  @Test
  void evictedEntryIsNeverWrittenToDisk() {
    fill(20);
    disk.runAll(a.clock);
    Entry evicted = evicted("k5");
    assertThatIllegalStateException().isThrownBy(() -> OperationResult.valueOf(evicted));
    assertThatIllegalStateException().isThrownBy(evicted::requireValue);
    assertThatIllegalStateException().isThrownBy(() -> disk.replicaStore(0, 3).put(evicted));
  }

  // ------------------------------------------------------------------ scans

  @Test
  void scanReadsEvictedValuesWithoutLoadingThem() {
    fill(20);
    disk.runAll(a.clock);
    long before = used();
    assertThat(scanKeys(entry -> true)).hasSize(20).doesNotContain("k5=on disk");
    assertThat(used()).isEqualTo(before);
    assertThat(inMemory()).isZero();
    assertThat(disk.readCount).isEqualTo(20);
    assertThat(scanKeys(entry -> false)).hasSize(20).contains("k5=on disk");
    assertThat(disk.readCount).isEqualTo(20);
  }

  private List<String> scanKeys(Predicate<Entry> wanted) {
    List<String> seen = new ArrayList<>();
    SegmentCursor end =
        a.replica.valueResidency().scan(SegmentCursor.START, wanted, entry -> seenBy(seen, entry));
    assertThat(end).isEqualTo(SegmentCursor.END);
    return seen;
  }

  private static VisitResult seenBy(List<String> seen, Entry entry) {
    String key = new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
    seen.add(key + "=" + ManualReplica.value(entry));
    return VisitResult.CONTINUE;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void scanStopsWhereTheVisitorStops(boolean after) {
    fill(20);
    disk.runAll(a.clock);
    a.replica.valueResidency().awaitLoaded(List.of(entry("k3")));
    a.replica.valueResidency().awaitLoaded(List.of(entry("k11")));
    List<String> all = scanKeys(entry -> true);
    for (int stop = 0; stop < 20; stop++) {
      int last = stop;
      List<String> seen = new ArrayList<>();
      SegmentCursor cursor =
          a.replica
              .valueResidency()
              .scan(
                  SegmentCursor.START,
                  entry -> true,
                  entry -> {
                    if (seen.size() == last && !after) {
                      return VisitResult.STOP_BEFORE;
                    }
                    seenBy(seen, entry);
                    return seen.size() == last + 1 && after
                        ? VisitResult.STOP_AFTER
                        : VisitResult.CONTINUE;
                  });
      a.replica.valueResidency().scan(cursor, entry -> true, entry -> seenBy(seen, entry));
      assertThat(seen).as("stopped at " + stop).isEqualTo(all);
    }
  }

  @Test
  void scanSeesOneVersionOfAConcurrentlyWrittenKey() {
    fill(20);
    disk.runAll(a.clock);
    disk.slowReads = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    a.clock.whileParked.add(
        () -> {
          putQuietly("k5", "new");
          putQuietly("k6", "new");
          disk.flushPending();
          execute("k6", removal("k6"));
          disk.runAll(a.clock);
          List<Runnable> due = List.copyOf(Objects.requireNonNull(disk.slowReads));
          disk.slowReads = null;
          due.forEach(Runnable::run);
        });
    a.replica
        .valueResidency()
        .scan(SegmentCursor.START, entry -> true, entry -> seenBy(seen, entry));
    assertThat(seen.stream().filter(text -> text.startsWith("k5=")))
        .singleElement()
        .isIn("k5=new", "k5=" + LONG_VALUE + "5");
    assertThat(seen).hasSizeBetween(19, 20).doesNotContain("k6=on disk");
  }

  private static CommandDecision removal(String key) {
    return ignoring(CommandEffect.remove(ManualReplica.bytes(key), OperationResult.ABSENT, false));
  }

  /** A decision that is the same for every value. */
  private static CommandDecision ignoring(CommandEffect effect) {
    return new CommandDecision() {
      @Override
      public CommandEffect decide(@Nullable Entry found) {
        return effect;
      }

      @Override
      public boolean ignoresValue() {
        return true;
      }
    };
  }

  // ------------------------------------------------------------------ restart

  @Test
  void restoredReplicaLoadsOnlyWhatFits() {
    fill(20);
    disk.flushPending();
    disk.cutPower();
    disk.maxMemoryBytes = 5 * 300;
    ManualReplica back = new ManualReplica(restart(2), disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).hasSize(20);
    assertThat(back.contents().stream().filter(text -> text.endsWith("on disk")))
        .hasSizeBetween(12, 18);
    a = back;
    assertThat(scanKeys(entry -> true)).hasSize(20).noneMatch(text -> text.endsWith("on disk"));
  }

  @Test
  void retainedVersionsAreHandedOverWithTheirValues() {
    ManualReplica b = new ManualReplica(ManualNetwork.member("b"), new ManualNodeStore());
    open(ownership(2, List.of(a, b), List.of(), 1, 1), a, b);
    disk.flushPending();
    List<CommandOutcome.Written> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(a.written("k" + i, LONG_VALUE + i));
    }
    all.subList(0, 5).forEach(written -> send(written, b));
    disk.flushPending();
    disk.cutPower();
    disk.maxMemoryBytes = 0;
    ManualReplica back = new ManualReplica(restart(2), disk);
    open(ownership(3, List.of(back, b), List.of(), 1, 1), back, b);
    assertThat(back.contents()).allMatch(text -> text.endsWith("on disk"));
    assertThat(b.contents()).hasSize(20).contains("k19=" + LONG_VALUE + "19");
  }
}
