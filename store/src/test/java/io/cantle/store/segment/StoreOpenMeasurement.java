package io.cantle.store.segment;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.LogOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long a store takes to open. It fills a store with many small entries, closes it, and
 * opens it from its snapshot and without one. It also measures the memory of the index, and checks
 * a sample of the entries. The recipe is in {@code docs/decisions/store.md}.
 */
public final class StoreOpenMeasurement {
  private static final long TIMEOUT_NANOS = Duration.ofMinutes(2).toNanos();
  private static final int SEGMENT_COUNT = 256;
  private static final int VALUE_BYTES = 100;
  private static final int OPEN_WRITES = 20_000;

  private StoreOpenMeasurement() {}

  /**
   * Measures.
   *
   * @param arguments an empty directory and the number of entries
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    int entries = Integer.parseInt(arguments[1]);
    long start = System.nanoTime();
    try (SegmentStore store = open(directory)) {
      fill(store, entries);
      report("fillSeconds", seconds(start));
      start = System.nanoTime();
      store.compactionScheduler().compactAll();
      report("compactSeconds", seconds(start));
      start = System.nanoTime();
    }
    report("closeSeconds", seconds(start));
    measure(directory, entries, "Snapshot");
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".snap")).toList()) {
        Files.delete(file);
      }
    }
    measure(directory, entries, "Runs");
  }

  @SuppressWarnings("GuardedBy") // Nothing is written.
  private static void measure(Path directory, int entries, String from) throws Exception {
    long start = System.nanoTime();
    try (SegmentStore store = open(directory)) {
      report("openFrom" + from + "Seconds", seconds(start));
      System.out.println("opened: " + store.openReport());
      long slots =
          store.index().segments().stream().mapToLong(segment -> segment.table.slotCount()).sum();
      report("indexMiB", slots * 12 / (double) (1 << 20));
      long size = 0;
      for (int segment = 0; segment < SEGMENT_COUNT; segment++) {
        size += store.size(1, segment);
      }
      System.out.println("size: " + size);
      int missing = 0;
      for (int key = 0; key < entries; key += 997) {
        long hash = hash(key);
        if (store.get(1, segment(hash), hash, key(key)).isEmpty()) {
          missing++;
        }
      }
      System.out.println("missing: " + missing);
      if (missing > 0 || size != entries) {
        throw new IllegalStateException("something is missing");
      }
    }
  }

  private static void fill(SegmentStore store, int entries) throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    Deque<StoreWrite> writes = new ArrayDeque<>();
    for (int key = 0; key < entries; key++) {
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      long hash = hash(key);
      StoredEntry entry = StoredEntry.of(hash, key(key), 1, 1, value);
      writes.add(store.put(1, segment(hash), entry, TIMEOUT_NANOS));
      if (writes.size() > OPEN_WRITES) {
        writes.remove().await(TIMEOUT_NANOS);
      }
      if (key % 1_000_000 == 0) {
        System.out.println("written: " + key);
      }
    }
    while (!writes.isEmpty()) {
      writes.remove().await(TIMEOUT_NANOS);
    }
  }

  private static SegmentStore open(Path directory) throws IOException {
    return SegmentStore.open(
        new FileDisk(directory),
        StoreOptions.of(LogOptions.DEFAULT),
        17,
        new RealClock(),
        Thread.ofPlatform().daemon().factory());
  }

  private static byte[] key(int key) {
    return new byte[] {
      'k', 'e', 'y', ':', (byte) (key >>> 24), (byte) (key >>> 16), (byte) (key >>> 8), (byte) key
    };
  }

  private static long hash(int key) {
    long hash = (key + 1) * 0x9E37_79B9_7F4A_7C15L;
    hash = (hash ^ (hash >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    hash = (hash ^ (hash >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return hash ^ (hash >>> 31);
  }

  private static int segment(long hash) {
    return (int) (((hash & 0xFFFF_FFFFL) * SEGMENT_COUNT) >>> 32);
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static void report(String name, double value) {
    System.out.println(name + ": " + String.format(Locale.ROOT, "%.2f", value));
  }

  /** Real time. */
  static final class RealClock implements StoreClock {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      LockSupport.parkNanos(blocker, nanos);
    }
  }
}
