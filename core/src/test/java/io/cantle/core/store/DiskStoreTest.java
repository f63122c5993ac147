package io.cantle.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Origin;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.node.SystemWorld;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.FileOver;
import io.cantle.store.disk.SyncPoint;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.SyncPolicy;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was kept is there in the next life of the node, and nothing else. */
@Timeout(60)
final class DiskStoreTest {
  private static final UUID GRID = new UUID(7, 9);
  private static final Label LABEL = new Label(GRID, 3, -1);

  private final SystemWorld world = new SystemWorld("store");

  @TempDir Path folder;

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aCopyComesBackAsItWas() throws Exception {
    Deadline deadline = new Deadline(900, 50, 70);
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(2, 5);
      shelf.label(LABEL, 3, 0);
      shelf.put(entry("a", "1", 3, 1));
      shelf.put(entry("b", "2", 3, 2));
      shelf.put(entry("a", "3", 4, 1));
      shelf.put(removed("b", 4, 2));
      shelf.put(Entry.of(hash("c"), bytes("c4"), 1, 4, 3, false, 77, deadline));
      await(shelf);
    }
    try (DiskStore store = open()) {
      Copy copy = Objects.requireNonNull(store.take(2, 5));
      assertThat(store.take(2, 5)).as("taken once").isNull();
      assertThat(store.take(2, 6)).isNull();
      assertThat(copy.label()).isEqualTo(LABEL);
      assertThat(contents(copy)).containsExactly("a=3@4/1", "b-@4/2", "c=4@4/3");
      assertThat(copy.removed()).hasSize(1);
      assertThat(copy.epoch()).isEqualTo(4);
      assertThat(copy.applied()).isEqualTo(3);
      assertThat(copy.segmentMillis()).isEqualTo(70);
      Entry lasting = Objects.requireNonNull(copy.entries().find(hash("c"), bytes("c"), 0, 1));
      assertThat(lasting.deadline()).isEqualTo(deadline);
      assertThat(lasting.markedStamp()).isEqualTo(77);
      assertThat(lasting.origin()).isEqualTo(Origin.of(77));
    }
  }

  @Test
  void whatWasDueByTheLastTickHasEndedThoughNoKeyIsRemoved() throws Exception {
    Label ticked = new Label(GRID, 3, 70, new Label.Tick(4, 9, 70), 0);
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(2, 5);
      shelf.label(LABEL, 3, 0);
      shelf.put(lasting("due", 4, 3, 70));
      shelf.put(lasting("later", 4, 4, 71));
      shelf.label(ticked, 3, 1);
      shelf.put(lasting("new", 4, 10, 70));
      await(shelf);
    }
    try (DiskStore store = open()) {
      Copy copy = Objects.requireNonNull(store.take(2, 5));
      assertThat(copy.label()).isEqualTo(ticked);
      assertThat(contents(copy)).containsExactly("due-@4/9", "later=1@4/4", "new=1@4/10");
      assertThat(copy.ended()).hasSize(1);
    }
  }

  private static Entry lasting(String key, int epoch, long index, long endMillis) {
    Deadline deadline = new Deadline(endMillis, 0, 10);
    return Entry.of(hash(key), bytes(key + 1), key.length(), epoch, index, false, 0, deadline);
  }

  @Test
  void whatIsPurgedIsGoneAndLaterWritesAreNot() throws Exception {
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(0, 0);
      shelf.label(LABEL, 3, 0);
      shelf.put(removed("a", 3, 1));
      shelf.put(removed("b", 3, 2));
      shelf.put(entry("b", "new", 3, 3));
      shelf.purge(removed("a", 3, 1));
      shelf.purge(removed("b", 3, 2));
      await(shelf);
    }
    try (DiskStore store = open()) {
      assertThat(contents(store.take(0, 0))).containsExactly("b=new@3/3");
    }
  }

  @Test
  void aDropEndsWhatWasBeforeAndNothingElse() throws Exception {
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(1, 1);
      shelf.label(LABEL, 3, 0);
      shelf.put(entry("a", "1", 3, 1));
      Shelf other = store.shelf(1, 3);
      other.label(LABEL, 3, 0);
      other.put(entry("x", "1", 3, 1));
      shelf.drop();
      shelf.label(new Label(GRID, 8, 12), 8, 0);
      shelf.put(entry("b", "1", 8, 1));
      await(shelf);
      await(other);
    }
    try (DiskStore store = open()) {
      Copy copy = Objects.requireNonNull(store.take(1, 1));
      assertThat(copy.label()).isEqualTo(new Label(GRID, 8, 12));
      assertThat(copy.segmentMillis()).isEqualTo(12);
      assertThat(contents(copy)).containsExactly("b=1@8/1");
      assertThat(contents(store.take(1, 3))).containsExactly("x=1@3/1");
      store.shelf(1, 3).drop();
    }
    try (DiskStore store = open()) {
      assertThat(store.take(1, 3)).isNull();
      assertThat(store.take(1, 1)).isNotNull();
    }
  }

  @Test
  void anEarlierVersionChangesNothingAndIsToldInItsTurn() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store = open()) {
      Shelf shelf = store.shelf(0, 0);
      shelf.label(LABEL, 3, 0);
      for (int i = 0; i < 200; i++) {
        String name = "w" + i;
        shelf.put(entry("k" + i, "late", 5, i + 1L));
        shelf.put(entry("k" + i, "early", 4, i + 1L));
        shelf.then(() -> order.add(name));
      }
      await(shelf);
      assertThat(order).hasSize(200);
      for (int i = 0; i < 200; i++) {
        assertThat(order.get(i)).isEqualTo("w" + i);
      }
    }
    try (DiskStore store = open()) {
      assertThat(contents(store.take(0, 0))).hasSize(200).allMatch(text -> text.contains("late"));
    }
  }

  @Test
  void theLastNoteOfANameIsFoundAtOnceAndLater() throws Exception {
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isNull();
      CountDownLatch kept = new CountDownLatch(2);
      store.keep("vote", bytes("one"), kept::countDown);
      store.keep("vote", bytes("two"), kept::countDown);
      assertThat(store.find("vote")).isEqualTo(bytes("two"));
      kept.await();
    }
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isEqualTo(bytes("two"));
    }
  }

  @Test
  void aNoteDoesNotStandBehindWhatASegmentWaitsFor() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean reads = new AtomicBoolean();
    CountDownLatch kept = new CountDownLatch(1);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store =
        open(hanging(new FileDisk(folder), new AtomicBoolean(), reads, answers))) {
      for (int segment = 0; segment < 2; segment++) {
        Shelf shelf = store.shelf(0, segment);
        shelf.label(LABEL, 3, 0);
        shelf.put(entry("a", "1", 3, 1));
        await(shelf);
      }
      // What is overwritten is read first, by the lane.
      reads.set(true);
      for (int segment = 0; segment < 2; segment++) {
        Shelf shelf = store.shelf(0, segment);
        shelf.put(entry("a", "2", 3, 2));
        shelf.then(() -> order.add("entry"));
      }
      store.keep(
          "vote",
          bytes("one"),
          () -> {
            order.add("note");
            kept.countDown();
          });
      boolean inTime = kept.await(20, TimeUnit.SECONDS);
      answers.countDown();
      assertThat(inTime).isTrue();
    }
    assertThat(order).containsExactly("note", "entry", "entry");
  }

  @Test
  void aFailureIsToldOnceAndNothingIsKeptAfterIt() throws Exception {
    List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch failed = new CountDownLatch(1);
    AtomicReference<@Nullable String> after = new AtomicReference<>();
    try (DiskStore store = open()) {
      store.whenFailed(
          why -> {
            told.add(why);
            failed.countDown();
          });
      Shelf shelf = store.shelf(0, 0);
      shelf.put(new Entry(1, new byte[DiskStore.MOST_ENTRY_BYTES * 2], 4, 1, 1, false));
      shelf.then(() -> after.set("told"));
      shelf.put(new Entry(2, new byte[DiskStore.MOST_ENTRY_BYTES * 2], 4, 1, 2, false));
      failed.await();
    }
    assertThat(told).singleElement().asString().contains("recordBytes");
    assertThat(after.get()).isNull();
  }

  @Test
  void anErrorOfWhatFollowsEndsTheStore() throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    try (DiskStore store = open()) {
      store.whenFailed(told::complete);
      Shelf shelf = store.shelf(0, 0);
      shelf.then(
          () -> {
            throw new OutOfMemoryError("of a test");
          });
      assertThat(told.get(20, TimeUnit.SECONDS)).hasMessageContaining("of a test");
    }
  }

  @Test
  void anErrorOfALaneIsToldAndTheLaneCarriesNothingOutAfterIt() throws Exception {
    List<String> told = new ArrayList<>();
    try (SegmentStore store =
        SegmentStore.open(
            new FileDisk(folder),
            StoreOptions.of(LogOptions.of(SyncPolicy.GROUP)),
            1,
            new DiskStore.StoreTime(world.world().clock()),
            Thread.ofPlatform().daemon().factory())) {
      Lane lane =
          new Lane(
              store,
              world.world().clock(),
              new AtomicLong(),
              Runnable::run,
              why -> told.add(String.valueOf(why.getMessage())));
      lane.add(
          (to, timeout) -> {
            throw new OutOfMemoryError("of a test");
          },
          1,
          null);
      lane.add(() -> told.add("what comes after it"));
      lane.end();
      lane.run();
    }
    assertThat(told).containsExactly("of a test");
  }

  @Test
  void whoeverClosesDoesNotWaitForADiskThatHangs() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    DiskStore store = open(hanging(new FileDisk(folder), hangs, hangs, answers));
    hangs.set(true);
    Shelf shelf = store.shelf(0, 0);
    shelf.label(LABEL, 3, 0);
    shelf.put(entry("a", "1", 3, 1));
    store.close(Duration.ofMillis(50), over::countDown);
    assertThat(over.getCount()).as("it may still be written to").isEqualTo(1);
    answers.countDown();
    over.await();
    try (DiskStore again = open()) {
      assertThat(contents(again.take(0, 0))).containsExactly("a=1@3/1");
    }
  }

  @Test
  void aFullDiskTakesWhatMustBeKeptAndSaysThatThereIsNoRoom() throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store = open(filling(new FileDisk(folder), full))) {
      store.whenFailed(failures::add);
      Shelf shelf = store.shelf(0, 0);
      await(() -> shelf.room() == Shelf.Room.REMOVALS);
      assertThat(shelf.isFull()).isTrue();
      shelf.label(LABEL, 3, 0);
      shelf.put(entry("a", "1", 3, 1));
      await(shelf);
      byte[] large = new byte[8 << 20];
      for (int i = 1; i < 6; i++) {
        shelf.put(new Entry(7L * i, large, 4, 3, 1L + i, false));
      }
      await(shelf);
      assertThat(shelf.room()).as("the rest is for notes").isEqualTo(Shelf.Room.NONE);
      store.keep("vote", bytes("one"), () -> {});
      await(shelf);
      full.set(false);
      await(() -> shelf.room() == Shelf.Room.ALL);
    }
    assertThat(failures).isEmpty();
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isEqualTo(bytes("one"));
      assertThat(Objects.requireNonNull(store.take(0, 0)).entries().liveCount()).isEqualTo(6);
    }
  }

  private void await(BooleanSupplier condition) {
    Clock clock = world.world().clock();
    long begin = clock.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(clock.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(20));
      clock.parkNanos(this, 1_000_000);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDiskThatDoesNotAnswerHasFailedAfterAWhile(boolean reads) throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    ShiftedClock clock = new ShiftedClock(world.world().clock());
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    DiskStore store =
        DiskStore.open(hanging(new FileDisk(folder), hangs, hangs, answers), 1, clock, threads);
    store.whenFailed(told::complete);
    Shelf shelf = store.shelf(0, 0);
    shelf.label(LABEL, 3, 0);
    shelf.put(entry("b", "1", 3, 1));
    await(shelf);
    clock.advance(TimeUnit.SECONDS.toNanos(40));
    assertThat(told).as("nothing was to be written").isNotDone();
    hangs.set(true);
    AtomicBoolean kept = new AtomicBoolean();
    if (reads) {
      shelf.read(List.of(entry("b", "", 3, 1)), found -> kept.set(!told.isDone()));
    } else {
      shelf.put(entry("a", "1", 3, 1));
      shelf.then(() -> kept.set(true));
    }
    await(() -> store.waitsNanos() > 0);
    clock.advance(TimeUnit.SECONDS.toNanos(20));
    assertThat(told).isNotDone();
    clock.advance(TimeUnit.SECONDS.toNanos(11));
    assertThat(told.get(20, TimeUnit.SECONDS)).hasMessageContaining("has not answered for 31");
    store.close(Duration.ofMillis(50), over::countDown);
    answers.countDown();
    over.await();
    assertThat(kept).isFalse();
  }

  /** A clock that goes, and can be moved forward too; what is scheduled runs when it is moved. */
  private static final class ShiftedClock implements Clock {
    private final Clock clock;
    private final AtomicLong shift = new AtomicLong();
    private final ConcurrentLinkedQueue<Runnable> scheduled = new ConcurrentLinkedQueue<>();

    ShiftedClock(Clock clock) {
      this.clock = clock;
    }

    void advance(long nanos) {
      shift.addAndGet(nanos);
      for (int left = scheduled.size(); left > 0; left--) {
        Objects.requireNonNull(scheduled.poll()).run();
      }
    }

    @Override
    public long nanoTime() {
      return clock.nanoTime() + shift.get();
    }

    @Override
    public long wallMillis() {
      return clock.wallMillis();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      clock.parkNanos(blocker, nanos);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      scheduled.add(task);
      return () -> {};
    }
  }

  /** One that has room for the first file of a log, and for a second one when it is not full. */
  private static Disk filling(Disk disk, AtomicBoolean full) {
    AtomicInteger files = new AtomicInteger();
    return new DiskOver(disk) {
      @Override
      public DiskFile create(String name, Access access) throws IOException {
        boolean isOfLog = name.endsWith(".new") && !name.startsWith("catalog");
        if (isOfLog && files.get() > 0 && full.get()) {
          throw new IOException("No space left on device");
        }
        files.addAndGet(isOfLog ? 1 : 0);
        return super.create(name, access);
      }
    };
  }

  /** One whose files are neither written nor read while it is to hang. */
  private static Disk hanging(
      Disk disk, AtomicBoolean writes, AtomicBoolean reads, CountDownLatch answers) {
    return new DiskOver(disk) {
      @Override
      public DiskFile create(String name, Access access) throws IOException {
        return hanging(super.create(name, access));
      }

      @Override
      public DiskFile open(String name, Access access) throws IOException {
        return hanging(super.open(name, access));
      }

      private DiskFile hanging(DiskFile file) {
        return new FileOver(file) {
          @Override
          public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
            hang(writes);
            return super.write(from, place, why);
          }

          @Override
          public int read(ByteBuffer into, long place) throws IOException {
            hang(reads);
            return super.read(into, place);
          }

          private void hang(AtomicBoolean hangs) throws IOException {
            if (hangs.get()) {
              try {
                answers.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            }
          }
        };
      }
    };
  }

  private DiskStore open() throws IOException {
    return open(new FileDisk(folder));
  }

  private DiskStore open(Disk disk) throws IOException {
    DiskStore store =
        DiskStore.open(disk, 1, world.world().clock(), Thread.ofPlatform().daemon().factory());
    store.load(Long.MAX_VALUE);
    return store;
  }

  private static void await(Shelf shelf) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    shelf.then(done::countDown);
    done.await();
  }

  private static List<String> contents(@Nullable Copy copy) {
    List<String> contents = new ArrayList<>();
    Objects.requireNonNull(copy)
        .entries()
        .scan(
            Cursor.START,
            entry -> {
              String key = new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8);
              String value =
                  new String(
                      entry.bytes(),
                      entry.valueOffset(),
                      entry.valueLength(),
                      StandardCharsets.UTF_8);
              contents.add(
                  key
                      + (entry.tombstone() ? "-" : "=" + value)
                      + "@"
                      + entry.epoch()
                      + "/"
                      + entry.index());
              return Visit.NEXT;
            });
    contents.sort(null);
    return contents;
  }

  private static Entry entry(String key, String value, int epoch, long index) {
    return new Entry(hash(key), bytes(key + value), key.length(), epoch, index, false);
  }

  private static Entry removed(String key, int epoch, long index) {
    return new Entry(hash(key), bytes(key), key.length(), epoch, index, true);
  }

  private static long hash(String key) {
    return key.hashCode() * 0x9E3779B97F4A7C15L;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
