package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.store.HandStore;
import io.cantle.core.transport.HandNetwork;
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

/** Values that are on disk only: when they go, how they come back, and who gets which. */
final class ValuesTest {
  private static final String LONG = "v".repeat(200);

  private final HandStore disk = new HandStore();
  private final List<String> events = new ArrayList<>();
  private HandReplica a = new HandReplica(HandNetwork.member("a"), disk);

  @BeforeEach
  void bound() {
    disk.memoryBytes = 1_000;
    a = new HandReplica(HandNetwork.member("a"), disk);
    open(ownership(1, a), a);
    disk.flush();
  }

  private void fill(int keys) {
    for (int i = 0; i < keys; i++) {
      a.written("k" + i, LONG + i);
    }
  }

  /** Lets the sweeper run and the disk write, until both have nothing to do. */
  private void settle() {
    for (int i = 0; i < 10; i++) {
      disk.flush();
      a.clock.advance(1);
    }
  }

  private Entry entry(String key) {
    byte[] bytes = HandReplica.bytes(key);
    return Objects.requireNonNull(
        a.replica.entries().find(HandReplica.hash(key), bytes, 0, bytes.length));
  }

  private Entry evicted(String key) {
    assertThat(entry(key).isEvicted()).as(key).isTrue();
    return entry(key);
  }

  private long inMemory() {
    return a.contents().stream().filter(text -> !text.endsWith("on disk")).count();
  }

  private long used() {
    return Objects.requireNonNull(a.eviction).usedBytes();
  }

  private static Member life(int life) {
    UUID node = HandNetwork.member("a").id();
    return new Member(HandNetwork.member("a" + life).id(), node, "a");
  }

  // ------------------------------------------------------------------ how they go

  @Test
  void whatDoesNotFitIsOnDiskOnly() {
    fill(20);
    settle();
    assertThat(inMemory()).isZero();
    assertThat(used()).as("the keys do not fit").isGreaterThan(1_000);
    assertThat(a.contents()).hasSize(20);
    assertThat(entry("k7").valueLength()).isEqualTo(201);
    assertThat(a.peek("k7").status()).isEqualTo(Peek.Status.CLEAN);
  }

  @Test
  void nothingGoesWhileThereIsRoom() {
    disk.memoryBytes = 20 * 400;
    a = new HandReplica(HandNetwork.member("b"), disk);
    open(ownership(1, a), a);
    fill(20);
    settle();
    assertThat(inMemory()).isEqualTo(20);
    assertThat(a.clock.timers()).isZero();
  }

  @Test
  void asMuchGoesAsHasToAndStaysBelowTheBound() {
    disk.memoryBytes = 20 * 200;
    a = new HandReplica(HandNetwork.member("b"), disk);
    open(ownership(1, a), a);
    fill(20);
    settle();
    assertThat(used()).isBetween(20L * 150, 20L * 200);
    assertThat(inMemory()).isBetween(3L, 17L);
  }

  @Test
  void nothingGoesBeforeItIsOnDisk() {
    fill(20);
    a.clock.advance(1);
    a.clock.advance(1);
    assertThat(inMemory()).isEqualTo(20);
    disk.flush();
    assertThat(inMemory()).isZero();
  }

  @Test
  void whatIsWrittenAgainBeforeItGoesStays() {
    fill(20);
    a.clock.advance(1);
    a.written("k3", "new" + LONG);
    disk.flush(30);
    assertThat(a.contents()).contains("k3=new" + LONG);
    disk.flush();
  }

  @Test
  void whatIsUsedStaysLongest() {
    disk.memoryBytes = 200 * 150;
    a = new HandReplica(HandNetwork.member("b"), disk);
    open(ownership(1, a), a);
    fill(20);
    for (int i = 20; i < 200; i++) {
      a.written("k" + i, LONG + i);
      a.peek("k3");
      a.peek("k4");
      if (i % 5 == 0) {
        settle();
      }
    }
    assertThat(a.contents()).contains("k3=" + LONG + "3", "k4=" + LONG + "4");
    assertThat(inMemory()).isLessThan(100);
  }

  @Test
  void whereKeysAloneAreTooManyEachWriteIsNotASweep() {
    fill(100);
    settle();
    a.written("more", "");
    assertThat(a.clock.timers()).isZero();
    for (int i = 0; i < 20; i++) {
      a.written("l" + i, LONG);
    }
    settle();
    assertThat(inMemory()).isLessThan(20);
  }

  @Test
  void whatIsDroppedIsCountedNoMore() {
    fill(20);
    settle();
    a.enter(ownership(2, new HandReplica("other")));
    assertThat(used()).isZero();
  }

  @Test
  void removedKeysAndWhatEndsKeepTheirTerms() {
    fill(10);
    a.put("end", LONG, new Lifetime(5, Lifetime.UNLIMITED.idleMillis()));
    settle();
    evicted("end");
    assertThat(entry("end").deadlineMillis()).isEqualTo(a.replica.entries().earliestDeadline());
    execute("k1", removal("k1"));
    settle();
    a.clock.advance(6_000_000);
    a.replica.aging().tick();
    assertThat(a.contents())
        .noneMatch(text -> text.startsWith("end="))
        .noneMatch(text -> text.startsWith("k1="))
        .contains("k2=on disk");
  }

  // ------------------------------------------------------------------ how they come back

  @Test
  void aValueIsBroughtBackAndStaysForAWhile() {
    fill(20);
    settle();
    Entry evicted = evicted("k5");
    a.replica.values().bringBack(evicted, read -> events.add("back"));
    assertThat(events).containsExactly("back");
    assertThat(a.contents()).contains("k5=" + LONG + "5");
    assertThat(entry("k5").compareVersion(evicted.epoch(), evicted.index())).isZero();
    assertThat(disk.reads).isEqualTo(1);
    a.replica.values().bringBack(evicted, read -> events.add("again"));
    assertThat(events).as("it is not the present one any more").containsExactly("back", "again");
    assertThat(entry("k5").isEvicted()).isFalse();
  }

  @Test
  void whatWasReadTooLateIsNotPutInPlaceOfALaterVersion() {
    fill(20);
    settle();
    disk.slowReads = new ArrayList<>();
    a.replica.values().bringBack(evicted("k5"), read -> events.add("back"));
    Entry five = evicted("k5");
    a.replica.values().whole(List.of(five), all -> events.add(all.size() + " whole"));
    Attempt written = put("k5", "newer");
    assertThat(written).isInstanceOf(Attempt.Evicted.class);
    assertThat(putQuietly("k5", "newer")).isInstanceOf(Outcome.Written.class);
    disk.slowReads.forEach(Runnable::run);
    assertThat(events).containsExactly("back", "1 whole");
    assertThat(a.contents()).contains("k5=newer");
  }

  private Attempt put(String key, String value) {
    byte[] both = HandReplica.bytes(key + value);
    return execute(key, found -> Effect.put(both, Result.valueOf(found), true));
  }

  private Attempt putQuietly(String key, String value) {
    byte[] both = HandReplica.bytes(key + value);
    return execute(key, ignoring(Effect.put(both, Result.ABSENT, false)));
  }

  private Attempt execute(String key, Decision decision) {
    byte[] bytes = HandReplica.bytes(key);
    long hash = HandReplica.hash(key);
    Command command = a.nextCommand();
    return a.replica.execute(() -> true, 1, command, hash, bytes, 0, bytes.length, decision);
  }

  @Test
  void whoNeedsTheValueIsToldSoAndChangesNothing() {
    fill(20);
    settle();
    assertThat(put("k5", "new")).isEqualTo(new Attempt.Evicted(entry("k5")));
    assertThat(a.replica.values().awaitBack(entry("k5"))).isNotNull();
    assertThat(put("k5", "new"))
        .isInstanceOfSatisfying(
            Outcome.Written.class,
            written -> assertThat(HandReplica.text(written.item().result())).isEqualTo(LONG + "5"));
  }

  @Test
  void aDiskThatHasLostAValueHasFailed() {
    fill(20);
    settle();
    disk.whenFailed(why -> events.add(String.valueOf(why.getMessage())));
    disk.lose(0, 3, "k5");
    a.replica.values().bringBack(evicted("k5"), read -> events.add("back"));
    assertThat(events).singleElement().asString().startsWith("the disk has lost");
    events.clear();
    a.replica.values().whole(List.of(entry("k5")), all -> events.add("all"));
    assertThat(events).singleElement().asString().startsWith("the disk has lost");
  }

  @Test
  void aDiskThatDoesNotAnswerIsNotWaitedForForEver() {
    fill(20);
    settle();
    disk.slowReads = new ArrayList<>();
    assertThat(a.replica.values().awaitBack(evicted("k5"))).isNull();
    assertThat(a.replica.values().awaitWhole(List.of(entry("k5")))).isNull();
    assertThat(a.replica.values().scan(Cursor.START, entry -> true, entry -> Visit.NEXT))
        .isEqualTo(Cursor.START);
  }

  @Test
  void anEvictedEntryIsNeverWrittenDown() {
    fill(20);
    settle();
    Entry evicted = evicted("k5");
    assertThatIllegalStateException().isThrownBy(() -> Result.valueOf(evicted));
    assertThatIllegalStateException().isThrownBy(evicted::mustBeWhole);
    assertThatIllegalStateException().isThrownBy(() -> disk.shelf(0, 3).put(evicted));
  }

  // ------------------------------------------------------------------ scans

  @Test
  void aScanSeesAllValuesAndLeavesMemoryAsItIs() {
    fill(20);
    settle();
    long before = used();
    assertThat(scanned(entry -> true)).hasSize(20).doesNotContain("k5=on disk");
    assertThat(used()).isEqualTo(before);
    assertThat(inMemory()).isZero();
    assertThat(disk.reads).isEqualTo(20);
    assertThat(scanned(entry -> false)).hasSize(20).contains("k5=on disk");
    assertThat(disk.reads).isEqualTo(20);
  }

  private List<String> scanned(Predicate<Entry> wanted) {
    List<String> seen = new ArrayList<>();
    Cursor end = a.replica.values().scan(Cursor.START, wanted, entry -> seen(seen, entry));
    assertThat(end).isEqualTo(Cursor.END);
    return seen;
  }

  private static Visit seen(List<String> seen, Entry entry) {
    String key = new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
    seen.add(key + "=" + HandReplica.value(entry));
    return Visit.NEXT;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aScanStopsWhereItIsTold(boolean after) {
    fill(20);
    settle();
    a.replica.values().awaitBack(entry("k3"));
    a.replica.values().awaitBack(entry("k11"));
    List<String> all = scanned(entry -> true);
    for (int stop = 0; stop < 20; stop++) {
      int last = stop;
      List<String> seen = new ArrayList<>();
      Cursor cursor =
          a.replica
              .values()
              .scan(
                  Cursor.START,
                  entry -> true,
                  entry -> {
                    if (seen.size() == last && !after) {
                      return Visit.STOP_BEFORE;
                    }
                    seen(seen, entry);
                    return seen.size() == last + 1 && after ? Visit.STOP_AFTER : Visit.NEXT;
                  });
      a.replica.values().scan(cursor, entry -> true, entry -> seen(seen, entry));
      assertThat(seen).as("stopped at " + stop).isEqualTo(all);
    }
  }

  @Test
  void aScanSeesOneVersionOfWhatIsWrittenWhileTheDiskIsRead() {
    fill(20);
    settle();
    disk.slowReads = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    a.clock.whileParked.add(
        () -> {
          putQuietly("k5", "new");
          putQuietly("k6", "new");
          disk.flush();
          execute("k6", removal("k6"));
          settle();
          List<Runnable> due = List.copyOf(Objects.requireNonNull(disk.slowReads));
          disk.slowReads = null;
          due.forEach(Runnable::run);
        });
    a.replica.values().scan(Cursor.START, entry -> true, entry -> seen(seen, entry));
    assertThat(seen.stream().filter(text -> text.startsWith("k5=")))
        .singleElement()
        .isIn("k5=new", "k5=" + LONG + "5");
    assertThat(seen).hasSizeBetween(19, 20).doesNotContain("k6=on disk");
  }

  private static Decision removal(String key) {
    return ignoring(Effect.remove(HandReplica.bytes(key), Result.ABSENT, false));
  }

  /** What is the same whatever the value. */
  private static Decision ignoring(Effect effect) {
    return new Decision() {
      @Override
      public Effect on(@Nullable Entry found) {
        return effect;
      }

      @Override
      public boolean ignoresValue() {
        return true;
      }
    };
  }

  // ------------------------------------------------------------------ another life

  @Test
  void aCopyThatIsBackHasInMemoryWhatFits() {
    fill(20);
    disk.flush();
    disk.cut();
    disk.memoryBytes = 5 * 300;
    HandReplica back = new HandReplica(life(2), disk);
    open(ownership(2, List.of(back), List.of(), 1, 1), back);
    assertThat(back.contents()).hasSize(20);
    assertThat(back.contents().stream().filter(text -> text.endsWith("on disk")))
        .hasSizeBetween(12, 18);
    a = back;
    assertThat(scanned(entry -> true)).hasSize(20).noneMatch(text -> text.endsWith("on disk"));
  }

  @Test
  void whatIsLeftOfWritesIsHandedOverWithItsValues() {
    HandReplica b = new HandReplica(HandNetwork.member("b"), new HandStore());
    open(ownership(2, List.of(a, b), List.of(), 1, 1), a, b);
    disk.flush();
    List<Outcome.Written> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      all.add(a.written("k" + i, LONG + i));
    }
    all.subList(0, 5).forEach(written -> send(written, b));
    disk.flush();
    disk.cut();
    disk.memoryBytes = 0;
    HandReplica back = new HandReplica(life(2), disk);
    open(ownership(3, List.of(back, b), List.of(), 1, 1), back, b);
    assertThat(back.contents()).allMatch(text -> text.endsWith("on disk"));
    assertThat(b.contents()).hasSize(20).contains("k19=" + LONG + "19");
  }
}
