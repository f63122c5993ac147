package io.cantle.core.persistence;

import static io.cantle.core.persistence.DiskStoreFixture.awaitOnDisk;
import static io.cantle.core.persistence.DiskStoreFixture.bytes;
import static io.cantle.core.persistence.DiskStoreFixture.contents;
import static io.cantle.core.persistence.DiskStoreFixture.entry;
import static io.cantle.core.persistence.DiskStoreFixture.loaded;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.core.node.SystemEnvironment;
import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.FileDisk;
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

/** A store whose disk is full, or does not respond. */
@Timeout(60)
final class StuckDiskTest {
  private static final UUID GRID = new UUID(7, 9);
  private static final ReplicaHeader HEADER =
      new ReplicaHeader(GRID, 3, -1, ReplicaHeader.LastTick.NONE, 0);

  private final SystemEnvironment environment = new SystemEnvironment("stuck");

  @TempDir Path folder;

  @AfterEach
  void close() {
    environment.close();
  }

  @Test
  void notesDoNotQueueBehindSegments() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean reads = new AtomicBoolean();
    CountDownLatch kept = new CountDownLatch(1);
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store =
        loaded(
            hangingDisk(new FileDisk(folder), new AtomicBoolean(), reads, answers),
            environment.environment())) {
      for (int segment = 0; segment < 2; segment++) {
        ReplicaStore replicaStore = store.replicaStore(0, segment);
        replicaStore.writeHeader(HEADER, 3, 0);
        replicaStore.put(entry("a", "1", 3, 1));
        awaitOnDisk(replicaStore);
      }
      // An overwritten entry is read first, by the queue's thread.
      reads.set(true);
      for (int segment = 0; segment < 2; segment++) {
        ReplicaStore replicaStore = store.replicaStore(0, segment);
        replicaStore.put(entry("a", "2", 3, 2));
        replicaStore.runOnceOnDisk(() -> order.add("entry"));
      }
      store.save(
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
  void closeDoesNotWaitForAHangingDisk() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    DiskStore store =
        loaded(hangingDisk(new FileDisk(folder), hangs, hangs, answers), environment.environment());
    hangs.set(true);
    ReplicaStore replicaStore = store.replicaStore(0, 0);
    replicaStore.writeHeader(HEADER, 3, 0);
    replicaStore.put(entry("a", "1", 3, 1));
    store.close(Duration.ofMillis(50), over::countDown);
    assertThat(over.getCount()).as("the disk may still be written to").isEqualTo(1);
    answers.countDown();
    over.await();
    try (DiskStore again = open()) {
      assertThat(contents(again.takeLoadedReplica(0, 0))).containsExactly("a=1@3/1");
    }
  }

  @Test
  void fullDiskTakesReservedWritesAndReportsShortage() throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store =
        loaded(fullDisk(new FileDisk(folder), full), environment.environment())) {
      store.onFailure(failures::add);
      ReplicaStore replicaStore = store.replicaStore(0, 0);
      await(() -> replicaStore.writeAdmission() == ReplicaStore.WriteAdmission.REMOVALS_ONLY);
      assertThat(replicaStore.writeAdmission()).isNotEqualTo(ReplicaStore.WriteAdmission.ALL);
      replicaStore.writeHeader(HEADER, 3, 0);
      replicaStore.put(entry("a", "1", 3, 1));
      awaitOnDisk(replicaStore);
      byte[] large = new byte[8 << 20];
      for (int i = 1; i < 6; i++) {
        replicaStore.put(Entry.of(7L * i, large, 4, 3, 1L + i, false, 0, null));
      }
      awaitOnDisk(replicaStore);
      assertThat(replicaStore.writeAdmission())
          .as("the rest is reserved for records")
          .isEqualTo(ReplicaStore.WriteAdmission.NONE);
      store.save("vote", bytes("one"), () -> {});
      awaitOnDisk(replicaStore);
      full.set(false);
      await(() -> replicaStore.writeAdmission() == ReplicaStore.WriteAdmission.ALL);
    }
    assertThat(failures).isEmpty();
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isEqualTo(bytes("one"));
      assertThat(Objects.requireNonNull(store.takeLoadedReplica(0, 0)).entries().liveCount())
          .isEqualTo(6);
    }
  }

  private void await(BooleanSupplier condition) {
    Clock clock = environment.environment().clock();
    long begin = clock.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(clock.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(20));
      clock.parkNanos(this, 1_000_000);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void unresponsiveDiskFailsAfterATimeout(boolean reads) throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    AtomicBoolean hangs = new AtomicBoolean();
    ShiftedClock clock = new ShiftedClock(environment.environment().clock());
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch given = new CountDownLatch(reads ? 3 : 0);
    ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    DiskStore store =
        DiskStore.open(hangingDisk(new FileDisk(folder), hangs, hangs, answers), 1, clock, threads);
    store.onFailure(told::complete);
    ReplicaStore replicaStore = store.replicaStore(0, 0);
    replicaStore.writeHeader(HEADER, 3, 0);
    replicaStore.put(entry("b", "1", 3, 1));
    awaitOnDisk(replicaStore);
    clock.advance(TimeUnit.SECONDS.toNanos(40));
    assertThat(told).as("nothing was to be written").isNotDone();
    assertThat(replicaStore.lagNanos()).isZero();
    hangs.set(true);
    AtomicBoolean kept = new AtomicBoolean();
    if (reads) {
      for (int i = 0; i < 2; i++) {
        replicaStore.read(List.of(entry("b", "", 3, 1)), found -> kept.set(true), given::countDown);
      }
    } else {
      replicaStore.put(entry("a", "1", 3, 1));
      replicaStore.runOnceOnDisk(() -> kept.set(true));
    }
    await(() -> store.stalledNanos() > 0);
    clock.advance(TimeUnit.SECONDS.toNanos(20));
    assertThat(told).isNotDone();
    if (!reads) {
      assertThat(Duration.ofNanos(replicaStore.lagNanos()))
          .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(40));
    }
    clock.advance(TimeUnit.SECONDS.toNanos(11));
    assertThat(told.get(20, TimeUnit.SECONDS)).hasMessageContaining("has not answered for 31");
    if (reads) {
      replicaStore.read(List.of(entry("b", "", 3, 1)), found -> kept.set(true), given::countDown);
    }
    assertThat(given.await(20, TimeUnit.SECONDS))
        .as("waiting callers are notified at once")
        .isTrue();
    store.close(Duration.ofMillis(50), over::countDown);
    answers.countDown();
    over.await();
    assertThat(kept).isFalse();
  }

  /** A running clock that a test can also advance; scheduled tasks run when it is advanced. */
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

  /** A disk with room for the first file of a log, and for a second one when it is not full. */
  private static Disk fullDisk(Disk disk, AtomicBoolean full) {
    AtomicInteger files = new AtomicInteger();
    return new DelegatingDisk(disk) {
      @Override
      public DiskFile create(String name, FileAccess access) throws IOException {
        boolean isOfLog = name.endsWith(".new") && !name.startsWith("catalog");
        if (isOfLog && files.get() > 0 && full.get()) {
          throw new IOException("No space left on device");
        }
        files.addAndGet(isOfLog ? 1 : 0);
        return super.create(name, access);
      }
    };
  }

  /** A disk whose files can neither be written nor read while it hangs. */
  private static Disk hangingDisk(
      Disk disk, AtomicBoolean writes, AtomicBoolean reads, CountDownLatch answers) {
    return new DelegatingDisk(disk) {
      @Override
      public DiskFile create(String name, FileAccess access) throws IOException {
        return hanging(super.create(name, access));
      }

      @Override
      public DiskFile open(String name, FileAccess access) throws IOException {
        return hanging(super.open(name, access));
      }

      private DiskFile hanging(DiskFile file) {
        return new DelegatingFile(file) {
          @Override
          public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
            hang(writes);
            return super.write(from, place, syncPoint);
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
    return loaded(new FileDisk(folder), environment.environment());
  }
}
