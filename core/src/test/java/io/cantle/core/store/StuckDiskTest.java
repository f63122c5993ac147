package io.cantle.core.store;

import static io.cantle.core.store.StoredByHand.awaitKept;
import static io.cantle.core.store.StoredByHand.bytes;
import static io.cantle.core.store.StoredByHand.contents;
import static io.cantle.core.store.StoredByHand.entry;
import static io.cantle.core.store.StoredByHand.loaded;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.core.node.SystemWorld;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.FileOver;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a store whose disk is full, or does not answer. */
@Timeout(60)
final class StuckDiskTest {
  private static final UUID GRID = new UUID(7, 9);
  private static final Label LABEL = new Label(GRID, 3, -1);

  private final SystemWorld world = new SystemWorld("stuck");

  @TempDir Path folder;

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aNoteDoesNotStandBehindWhatASegmentWaitsFor() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean reads = new AtomicBoolean();
    CountDownLatch kept = new CountDownLatch(1);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store =
        loaded(hanging(new FileDisk(folder), new AtomicBoolean(), reads, answers), world.world())) {
      for (int segment = 0; segment < 2; segment++) {
        Shelf shelf = store.shelf(0, segment);
        shelf.label(LABEL, 3, 0);
        shelf.put(entry("a", "1", 3, 1));
        awaitKept(shelf);
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
  void whoeverClosesDoesNotWaitForADiskThatHangs() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    DiskStore store = loaded(hanging(new FileDisk(folder), hangs, hangs, answers), world.world());
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
    try (DiskStore store = loaded(filling(new FileDisk(folder), full), world.world())) {
      store.whenFailed(failures::add);
      Shelf shelf = store.shelf(0, 0);
      await(() -> shelf.room() == Shelf.Room.REMOVALS);
      assertThat(shelf.room()).isNotEqualTo(Shelf.Room.ALL);
      shelf.label(LABEL, 3, 0);
      shelf.put(entry("a", "1", 3, 1));
      awaitKept(shelf);
      byte[] large = new byte[8 << 20];
      for (int i = 1; i < 6; i++) {
        shelf.put(new Entry(7L * i, large, 4, 3, 1L + i, false));
      }
      awaitKept(shelf);
      assertThat(shelf.room()).as("the rest is for notes").isEqualTo(Shelf.Room.NONE);
      store.keep("vote", bytes("one"), () -> {});
      awaitKept(shelf);
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
    CountDownLatch given = new CountDownLatch(reads ? 3 : 0);
    ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    DiskStore store =
        DiskStore.open(hanging(new FileDisk(folder), hangs, hangs, answers), 1, clock, threads);
    store.whenFailed(told::complete);
    Shelf shelf = store.shelf(0, 0);
    shelf.label(LABEL, 3, 0);
    shelf.put(entry("b", "1", 3, 1));
    awaitKept(shelf);
    clock.advance(TimeUnit.SECONDS.toNanos(40));
    assertThat(told).as("nothing was to be written").isNotDone();
    assertThat(shelf.behindNanos()).isZero();
    hangs.set(true);
    AtomicBoolean kept = new AtomicBoolean();
    if (reads) {
      for (int i = 0; i < 2; i++) {
        shelf.read(List.of(entry("b", "", 3, 1)), found -> kept.set(true), given::countDown);
      }
    } else {
      shelf.put(entry("a", "1", 3, 1));
      shelf.then(() -> kept.set(true));
    }
    await(() -> store.waitsNanos() > 0);
    clock.advance(TimeUnit.SECONDS.toNanos(20));
    assertThat(told).isNotDone();
    if (!reads) {
      assertThat(Duration.ofNanos(shelf.behindNanos()))
          .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(40));
    }
    clock.advance(TimeUnit.SECONDS.toNanos(11));
    assertThat(told.get(20, TimeUnit.SECONDS)).hasMessageContaining("has not answered for 31");
    if (reads) {
      shelf.read(List.of(entry("b", "", 3, 1)), found -> kept.set(true), given::countDown);
    }
    assertThat(given.await(20, TimeUnit.SECONDS)).as("who waits is told at once").isTrue();
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
    return loaded(new FileDisk(folder), world.world());
  }
}
