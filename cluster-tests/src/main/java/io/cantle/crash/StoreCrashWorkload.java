package io.cantle.crash;

import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreCursor;
import io.cantle.store.segment.StoreOptions;
import io.cantle.store.segment.StoreWrite;
import io.cantle.store.segment.StoredEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The workload of a store. Several threads put and remove versions of keys, each thread in a
 * segment of its own, which it drops now and then. Everything is small, so that runs and snapshots
 * are made all the time.
 *
 * <p><b>Threading:</b> as {@link CrashWorkload} says.
 */
final class StoreCrashWorkload implements CrashWorkload {
  private static final int CACHE = 3;
  private static final int KEY_COUNT = 60;
  private static final long IDENTITY = 43;
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(30).toNanos();

  private static final long FULL_WAIT_NANOS = Duration.ofMillis(20).toNanos();

  /** Reported instead of a key when the segment is dropped. */
  private static final int ALL_KEYS = KEY_COUNT;

  private static final StoreOptions OPTIONS = options();

  private static StoreOptions options() {
    LogOptions log = LogOptions.DEFAULT.withFileBytes(1 << 18);
    return new StoreOptions(log, 3 << 18, 1 << 22, 35, Duration.ofMillis(150).toNanos(), 1 << 12);
  }

  @Override
  public void runWriter(Disk disk, long first, WriterOutput output)
      throws IOException, InterruptedException {
    SegmentStore store = open(disk);
    output.writeLine(WriterOutput.OPENED);
    AtomicLong versions = new AtomicLong(first);
    List<Thread> threads = new ArrayList<>();
    for (int index = 0; index < THREADS; index++) {
      int segment = index;
      threads.add(Thread.ofVirtual().start(() -> writeChanges(store, segment, versions, output)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int again = 0; again < 2; again++) {
      writeChanges(store, 0, versions, output);
    }
  }

  /**
   * Changes keys of a segment until that fails. A change is reported as the key, then 0, or 1 if it
   * was removed.
   */
  private static void writeChanges(
      SegmentStore store, int segment, AtomicLong versions, WriterOutput output) {
    Random random = new Random(versions.get() * 31 + segment);
    try {
      while (true) {
        long version = versions.getAndIncrement();
        int key = random.nextInt(400) == 0 ? ALL_KEYS : random.nextInt(KEY_COUNT);
        boolean removes = key == ALL_KEYS || random.nextInt(5) == 0;
        String change = " " + version + " " + segment + " " + key + " " + (removes ? 1 : 0);
        output.writeLine(WriterOutput.BEGUN + change);
        try {
          writeChanges(store, segment, key, version, removes).await(TIMEOUT_NANOS);
          output.writeLine(WriterOutput.ACKED + change);
        } catch (StoreException.Full _) {
          // The next file could not be created. That is no failure, and is tried again.
          LockSupport.parkNanos(FULL_WAIT_NANOS);
        }
      }
    } catch (IOException e) {
      output.writeLine(WriterOutput.FAILED + " " + e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static StoreWrite writeChanges(
      SegmentStore store, int segment, int key, long version, boolean removes)
      throws IOException, InterruptedException {
    if (key == ALL_KEYS) {
      return store.drop(CACHE, segment, TIMEOUT_NANOS);
    }
    if (removes) {
      StoredEntry gone = StoredEntry.of(hash(key), key(key), 1, version, new byte[0]);
      return store.remove(CACHE, segment, gone, TIMEOUT_NANOS);
    }
    return store.put(CACHE, segment, entry(key, version), TIMEOUT_NANOS);
  }

  private static SegmentStore open(Disk disk) throws IOException {
    return SegmentStore.open(
        disk, OPTIONS, IDENTITY, new SystemStoreClock(), Thread.ofPlatform().daemon().factory());
  }

  private static byte[] key(int key) {
    return new byte[] {(byte) key, 7};
  }

  private static long hash(int key) {
    return (key + 1) * 0x9E37_79B9_7F4A_7C15L;
  }

  private static StoredEntry entry(int key, long version) {
    // Mixed, because neighbouring seeds begin alike.
    Random random = new Random(version * 0x9E37_79B9_7F4A_7C15L);
    byte[] value = new byte[random.nextInt(random.nextInt(8) == 0 ? 30_000 : 2_000)];
    random.nextBytes(value);
    byte[] metadata = new byte[(int) (version % 3)];
    return new StoredEntry(hash(key), key(key), 1, version, 0, metadata, value);
  }

  @Override
  public WriterLedger ledger() {
    return new StoreLedger();
  }

  /** What is known of a key. */
  private static final class ExpectedKey {
    long version;
    boolean present;
    final Map<Long, Boolean> begunVersions = new TreeMap<>();

    void recordAck(long newVersion, boolean removed) {
      version = newVersion;
      present = !removed;
      begunVersions.keySet().removeIf(known -> known <= newVersion);
    }

    /** Returns whether a version is possible; 0 means absent. */
    boolean isPossible(long found) {
      if (found == 0) {
        return !present || begunVersions.containsValue(true);
      }
      return (present && found == version) || Boolean.FALSE.equals(begunVersions.get(found));
    }
  }

  /** The ledger of what was reported of changes. */
  private static final class StoreLedger implements WriterLedger {
    private final ExpectedKey[][] keys = new ExpectedKey[THREADS][KEY_COUNT];
    private final Set<Long> late = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();
    private long next = 1;
    private long acks;
    private boolean failed;

    StoreLedger() {
      for (ExpectedKey[] segment : keys) {
        for (int key = 0; key < KEY_COUNT; key++) {
          segment[key] = new ExpectedKey();
        }
      }
    }

    @Override
    public void onLine(String line) {
      if (line.charAt(0) == WriterOutput.FAILED) {
        failed = true;
        return;
      }
      String[] words = line.split(" ", -1);
      long version = Long.parseLong(words[1]);
      ExpectedKey[] segment = keys[Integer.parseInt(words[2])];
      int number = Integer.parseInt(words[3]);
      boolean removes = words[4].equals("1");
      List<ExpectedKey> changed = number == ALL_KEYS ? List.of(segment) : List.of(segment[number]);
      if (line.charAt(0) == WriterOutput.BEGUN) {
        next = Math.max(next, version + 1);
        changed.forEach(key -> key.begunVersions.put(version, removes));
        if (failed) {
          late.add(version);
        }
      } else {
        acks++;
        changed.forEach(key -> key.recordAck(version, removes));
        if (late.contains(version)) {
          wrong.add("version " + version);
        }
      }
    }

    @Override
    public long nextNumber() {
      return next;
    }

    @Override
    public void check(Disk disk, CrashVerdict verdict) throws IOException {
      verdict.addAcked(acks);
      wrong.forEach(verdict::recordAckAfterFailure);
      try (SegmentStore store = open(disk)) {
        for (int segment = 0; segment < THREADS; segment++) {
          check(store, segment, verdict);
        }
      }
      late.clear();
      wrong.clear();
      acks = 0;
      failed = false;
    }

    private void check(SegmentStore store, int segment, CrashVerdict verdict) throws IOException {
      Map<Integer, Long> found = new HashMap<>();
      StoreCursor from = StoreCursor.START;
      while (from.kind() != StoreCursor.StoreCursorKind.END) {
        from =
            store.scan(CACHE, segment, from, entry -> visitEntry(entry, segment, found, verdict));
      }
      if (store.size(CACHE, segment) != found.size()) {
        verdict.recordTorn("segment " + segment + " has another size than entries");
      }
      for (int number = 0; number < KEY_COUNT; number++) {
        ExpectedKey key = keys[segment][number];
        long there = found.getOrDefault(number, 0L);
        String what =
            "key " + number + " of segment " + segment + " is " + there + ", not " + key.version;
        if (!key.isPossible(there)) {
          if (there > key.version || (there != 0 && !key.present)) {
            verdict.recordTorn(what);
          } else {
            verdict.recordLost(what);
          }
        }
        key.present = there != 0;
        key.version = there == 0 ? key.version : there;
        key.begunVersions.clear();
      }
    }

    private static boolean visitEntry(
        StoredEntry entry, int segment, Map<Integer, Long> found, CrashVerdict verdict) {
      int number = entry.key()[0];
      if (!entry.equals(entry(number, entry.index()))) {
        verdict.recordTorn("segment " + segment + " has other bytes in " + entry);
      }
      if (found.put(number, entry.index()) != null) {
        verdict.recordTorn("segment " + segment + " has twice " + entry);
      }
      return true;
    }
  }
}
