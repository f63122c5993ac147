package io.cantle.core.persistence;

import static io.cantle.core.persistence.DiskStoreFixture.awaitOnDisk;
import static io.cantle.core.persistence.DiskStoreFixture.bytes;
import static io.cantle.core.persistence.DiskStoreFixture.contents;
import static io.cantle.core.persistence.DiskStoreFixture.entry;
import static io.cantle.core.persistence.DiskStoreFixture.hash;
import static io.cantle.core.persistence.DiskStoreFixture.loaded;
import static io.cantle.core.persistence.DiskStoreFixture.removed;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Version;
import io.cantle.core.base.WriteProvenance;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.node.SystemEnvironment;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was stored is found after a restart, and nothing else. */
@Timeout(60)
final class DiskStoreTest {
  private static final UUID GRID = new UUID(7, 9);

  private static ReplicaHeader header(int sinceEpoch, long segmentMillis) {
    return new ReplicaHeader(GRID, sinceEpoch, segmentMillis, ReplicaHeader.LastTick.NONE, 0);
  }

  private static final ReplicaHeader HEADER = header(3, -1);

  private final SystemEnvironment environment = new SystemEnvironment("store");

  @TempDir Path folder;

  @AfterEach
  void close() {
    environment.close();
  }

  @Test
  void replicaIsReloadedUnchanged() throws Exception {
    ExpiryTime expiryTime = new ExpiryTime(900, 50, 70);
    try (DiskStore store = open()) {
      ReplicaStore replicaStore = store.replicaStore(2, 5);
      replicaStore.writeHeader(HEADER, 3, 0);
      replicaStore.put(entry("a", "1", 3, 1));
      replicaStore.put(entry("b", "2", 3, 2));
      replicaStore.put(entry("a", "3", 4, 1));
      replicaStore.put(removed("b", 4, 2));
      replicaStore.put(Entry.of(hash("c"), bytes("c4"), 1, 4, 3, false, 77, expiryTime));
      awaitOnDisk(replicaStore);
    }
    try (DiskStore store = open()) {
      LoadedReplica loaded = Objects.requireNonNull(store.takeLoadedReplica(2, 5));
      assertThat(store.takeLoadedReplica(2, 5)).as("taken once").isNull();
      assertThat(store.takeLoadedReplica(2, 6)).isNull();
      assertThat(loaded.header()).isEqualTo(HEADER);
      assertThat(contents(loaded)).containsExactly("a=3@4/1", "b-@4/2", "c=4@4/3");
      assertThat(loaded.tombstones()).hasSize(1);
      assertThat(loaded.lastVersion()).isEqualTo(new Version(4, 3));
      assertThat(loaded.segmentMillis()).isEqualTo(70);
      Entry lasting = Objects.requireNonNull(loaded.entries().get(hash("c"), bytes("c"), 0, 1));
      assertThat(lasting.expiryTime()).isEqualTo(expiryTime);
      assertThat(lasting.markedStamp()).isEqualTo(77);
      assertThat(lasting.provenance()).isEqualTo(WriteProvenance.of(77));
    }
  }

  @Test
  void entriesDueAtTheLastTickAreExpiredOnLoad() throws Exception {
    ReplicaHeader ticked =
        new ReplicaHeader(GRID, 3, 70, new ReplicaHeader.LastTick(new Version(4, 9), 70), 0);
    try (DiskStore store = open()) {
      ReplicaStore replicaStore = store.replicaStore(2, 5);
      replicaStore.writeHeader(HEADER, 3, 0);
      replicaStore.put(withLifetime("due", 4, 3, 70));
      replicaStore.put(withLifetime("later", 4, 4, 71));
      replicaStore.writeHeader(ticked, 3, 1);
      replicaStore.put(withLifetime("new", 4, 10, 70));
      awaitOnDisk(replicaStore);
    }
    try (DiskStore store = open()) {
      LoadedReplica loaded = Objects.requireNonNull(store.takeLoadedReplica(2, 5));
      assertThat(loaded.header()).isEqualTo(ticked);
      assertThat(contents(loaded)).containsExactly("due-@4/9", "later=1@4/4", "new=1@4/10");
      assertThat(loaded.expiredEntries()).hasSize(1);
    }
  }

  private static Entry withLifetime(String key, int epoch, long index, long endMillis) {
    ExpiryTime expiryTime = new ExpiryTime(endMillis, 0, 10);
    return Entry.of(hash(key), bytes(key + 1), key.length(), epoch, index, false, 0, expiryTime);
  }

  @Test
  void replicasOfDestroyedCachesAreGoneAlsoThoseThatNobodyTook() throws Exception {
    try (DiskStore store = open()) {
      for (int cache = 0; cache < 3; cache++) {
        ReplicaStore replicaStore = store.replicaStore(cache, 5);
        replicaStore.writeHeader(HEADER, 3, 0);
        replicaStore.put(entry("a", "1", 3, 1));
        awaitOnDisk(replicaStore);
      }
      store.dropReplicas(cache -> cache == 0);
    }
    try (DiskStore store = open()) {
      assertThat(store.takeLoadedReplica(0, 5)).isNull();
      store.dropReplicas(cache -> cache == 1);
      assertThat(store.takeLoadedReplica(1, 5)).as("also in memory").isNull();
    }
    try (DiskStore store = open()) {
      assertThat(store.takeLoadedReplica(1, 5)).isNull();
      assertThat(store.takeLoadedReplica(2, 5)).isNotNull();
    }
  }

  @Test
  void purgeRemovesTombstonesButNotLaterWrites() throws Exception {
    try (DiskStore store = open()) {
      ReplicaStore replicaStore = store.replicaStore(0, 0);
      replicaStore.writeHeader(HEADER, 3, 0);
      replicaStore.put(removed("a", 3, 1));
      replicaStore.put(removed("b", 3, 2));
      replicaStore.put(entry("b", "new", 3, 3));
      replicaStore.purge(removed("a", 3, 1));
      replicaStore.purge(removed("b", 3, 2));
      awaitOnDisk(replicaStore);
    }
    try (DiskStore store = open()) {
      assertThat(contents(store.takeLoadedReplica(0, 0))).containsExactly("b=new@3/3");
    }
  }

  @Test
  void dropRemovesOnlyEarlierWrites() throws Exception {
    try (DiskStore store = open()) {
      ReplicaStore replicaStore = store.replicaStore(1, 1);
      replicaStore.writeHeader(HEADER, 3, 0);
      replicaStore.put(entry("a", "1", 3, 1));
      ReplicaStore other = store.replicaStore(1, 3);
      other.writeHeader(HEADER, 3, 0);
      other.put(entry("x", "1", 3, 1));
      replicaStore.drop();
      replicaStore.writeHeader(header(8, 12), 8, 0);
      replicaStore.put(entry("b", "1", 8, 1));
      awaitOnDisk(replicaStore);
      awaitOnDisk(other);
    }
    try (DiskStore store = open()) {
      LoadedReplica loaded = Objects.requireNonNull(store.takeLoadedReplica(1, 1));
      assertThat(loaded.header()).isEqualTo(header(8, 12));
      assertThat(loaded.segmentMillis()).isEqualTo(12);
      assertThat(contents(loaded)).containsExactly("b=1@8/1");
      assertThat(contents(store.takeLoadedReplica(1, 3))).containsExactly("x=1@3/1");
      store.replicaStore(1, 3).drop();
    }
    try (DiskStore store = open()) {
      assertThat(store.takeLoadedReplica(1, 3)).isNull();
      assertThat(store.takeLoadedReplica(1, 1)).isNotNull();
    }
  }

  @Test
  void olderVersionChangesNothingAndCompletesInOrder() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    try (DiskStore store = open()) {
      ReplicaStore replicaStore = store.replicaStore(0, 0);
      replicaStore.writeHeader(HEADER, 3, 0);
      for (int i = 0; i < 200; i++) {
        String name = "w" + i;
        replicaStore.put(entry("k" + i, "late", 5, i + 1L));
        replicaStore.put(entry("k" + i, "early", 4, i + 1L));
        replicaStore.runOnceOnDisk(() -> order.add(name));
      }
      awaitOnDisk(replicaStore);
      assertThat(order).hasSize(200);
      for (int i = 0; i < 200; i++) {
        assertThat(order.get(i)).isEqualTo("w" + i);
      }
    }
    try (DiskStore store = open()) {
      assertThat(contents(store.takeLoadedReplica(0, 0)))
          .hasSize(200)
          .allMatch(text -> text.contains("late"));
    }
  }

  @Test
  void lastNoteOfANameIsVisibleAtOnceAndAfterARestart() throws Exception {
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isNull();
      CountDownLatch kept = new CountDownLatch(2);
      store.save("vote", bytes("one"), kept::countDown);
      store.save("vote", bytes("two"), kept::countDown);
      assertThat(store.find("vote")).isEqualTo(bytes("two"));
      kept.await();
    }
    try (DiskStore store = open()) {
      assertThat(store.find("vote")).isEqualTo(bytes("two"));
    }
  }

  @Test
  void failureIsReportedOnceAndStopsWrites() throws Exception {
    List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch failed = new CountDownLatch(1);
    AtomicReference<@Nullable String> after = new AtomicReference<>();
    try (DiskStore store = open()) {
      store.onFailure(
          why -> {
            told.add(why);
            failed.countDown();
          });
      ReplicaStore replicaStore = store.replicaStore(0, 0);
      replicaStore.put(
          Entry.of(1, new byte[DiskStore.MAX_ENTRY_BYTES * 2], 4, 1, 1, false, 0, null));
      replicaStore.runOnceOnDisk(() -> after.set("told"));
      replicaStore.put(
          Entry.of(2, new byte[DiskStore.MAX_ENTRY_BYTES * 2], 4, 1, 2, false, 0, null));
      failed.await();
    }
    assertThat(told).singleElement().asString().contains("recordBytes");
    assertThat(after.get()).isNull();
  }

  @Test
  void failingCallbackEndsTheStore() throws Exception {
    CompletableFuture<Throwable> told = new CompletableFuture<>();
    try (DiskStore store = open()) {
      store.onFailure(told::complete);
      ReplicaStore replicaStore = store.replicaStore(0, 0);
      replicaStore.runOnceOnDisk(
          () -> {
            throw new OutOfMemoryError("of a test");
          });
      assertThat(told.get(20, TimeUnit.SECONDS)).hasMessageContaining("of a test");
    }
  }

  @Test
  void failingWriteQueueReportsAndStops() throws Exception {
    List<String> told = new ArrayList<>();
    try (SegmentStore store =
        SegmentStore.open(
            new FileDisk(folder),
            StoreOptions.of(LogOptions.DEFAULT),
            1,
            new DiskStore.StoreClockAdapter(environment.environment().clock()),
            Thread.ofPlatform().daemon().factory())) {
      DiskWriteQueue writeQueue =
          new DiskWriteQueue(
              store,
              environment.environment().clock(),
              new AtomicLong(),
              Runnable::run,
              why -> told.add(String.valueOf(why.getMessage())));
      writeQueue.enqueue(
          (to, timeout) -> {
            throw new OutOfMemoryError("of a test");
          },
          1,
          null);
      writeQueue.enqueue(() -> told.add("what comes after it"));
      writeQueue.end();
      writeQueue.run();
    }
    assertThat(told).containsExactly("of a test");
  }

  private DiskStore open() throws IOException {
    return loaded(new FileDisk(folder), environment.environment());
  }
}
