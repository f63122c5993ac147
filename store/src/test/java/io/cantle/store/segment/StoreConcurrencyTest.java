package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.LogOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests threads that write, read and scan while the store is compacted all the time. */
class StoreConcurrencyTest {
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(20).toNanos();
  private static final int WRITER_COUNT = 12;
  private static final int KEY_COUNT = 60;

  @TempDir private Path directory = Path.of("");

  @Test
  void keepsWritesOfAllThreadsDuringCompaction() throws Exception {
    List<Map<Integer, Long>> models = new ArrayList<>();
    try (SegmentStore store = open();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      AtomicBoolean done = new AtomicBoolean();
      Future<Integer> compacting =
          threads.submit(
              () -> {
                int times = 0;
                while (!done.get()) {
                  store.compactionScheduler().compactAll();
                  times++;
                }
                return times;
              });
      Future<?> scanning =
          threads.submit(
              () -> {
                while (!done.get()) {
                  scan(store);
                }
                return null;
              });
      List<Future<Map<Integer, Long>>> writing = new ArrayList<>();
      for (int writer = 0; writer < WRITER_COUNT; writer++) {
        int number = writer;
        writing.add(threads.submit(() -> write(store, number)));
      }
      for (Future<Map<Integer, Long>> writer : writing) {
        models.add(writer.get());
      }
      done.set(true);
      assertThat(compacting.get()).isPositive();
      scanning.get();
      compare(store, models);
    }
    try (SegmentStore store = open()) {
      compare(store, models);
    }
  }

  /** Writes keys that no other writer has, in segments that all writers share. */
  private static Map<Integer, Long> write(SegmentStore store, int writer) throws Exception {
    SplittableRandom random = new SplittableRandom(writer);
    Map<Integer, Long> model = new TreeMap<>();
    for (long version = 1; version <= 400; version++) {
      int key = writer * KEY_COUNT + random.nextInt(KEY_COUNT);
      if (random.nextInt(4) == 0) {
        StoredEntry entry = StoredEntry.of(hash(key), key(key), 1, version, new byte[0]);
        store.remove(1, key % 3, entry, TIMEOUT_NANOS).await(TIMEOUT_NANOS);
        model.remove(key);
      } else {
        // Two at once, in either order of the log.
        StoreWrite older = put(store, key, version++, random);
        StoreWrite newer = put(store, key, version, random);
        newer.await(TIMEOUT_NANOS);
        older.await(TIMEOUT_NANOS);
        model.put(key, version);
      }
      int read = writer * KEY_COUNT + random.nextInt(KEY_COUNT);
      assertThat(store.get(1, read % 3, hash(read), key(read)).map(StoredEntry::index).orElse(null))
          .isEqualTo(model.get(read));
    }
    return model;
  }

  private static StoreWrite put(SegmentStore store, int key, long version, SplittableRandom random)
      throws IOException, InterruptedException {
    StoredEntry entry =
        StoredEntry.of(hash(key), key(key), 1, version, new byte[random.nextInt(400)]);
    return store.put(1, key % 3, entry, TIMEOUT_NANOS);
  }

  private static void scan(SegmentStore store) throws IOException {
    for (int segment = 0; segment < 3; segment++) {
      List<StoredEntry> shown = new ArrayList<>();
      store.scan(1, segment, StoreCursor.START, shown::add);
      for (int index = 1; index < shown.size(); index++) {
        StoredEntry entry = shown.get(index);
        assertThat(shown.get(index - 1).compareOrder(entry.hash(), entry.key())).isNegative();
      }
    }
  }

  private static void compare(SegmentStore store, List<Map<Integer, Long>> models)
      throws IOException {
    Map<Integer, Long> expected = new TreeMap<>();
    models.forEach(expected::putAll);
    Map<Integer, Long> found = new TreeMap<>();
    long size = 0;
    for (int segment = 0; segment < 3; segment++) {
      size += store.size(1, segment);
      store.scan(
          1,
          segment,
          StoreCursor.START,
          entry -> {
            found.put(((entry.key()[0] & 0xFF) << 8) | (entry.key()[1] & 0xFF), entry.index());
            return true;
          });
    }
    assertThat(found).isEqualTo(expected);
    assertThat(size).isEqualTo(expected.size());
  }

  private SegmentStore open() throws IOException {
    return SegmentStore.open(
        new FileDisk(directory.resolve("store")),
        StoreOptions.of(LogOptions.DEFAULT.withFileBytes(1 << 17)),
        17,
        new StoreOpenMeasurement.RealClock(),
        Thread.ofPlatform().daemon().factory());
  }

  private static byte[] key(int key) {
    return new byte[] {(byte) (key >>> 8), (byte) key};
  }

  /** Uses few different high halves, so that keys can only be told apart by reading them. */
  private static long hash(int key) {
    return ((key % 97 * 0x9E37_79B9L) << 32) | key;
  }
}
