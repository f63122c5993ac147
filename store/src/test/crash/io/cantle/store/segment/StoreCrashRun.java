package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreException;
import io.cantle.store.disk.SimulatedDisk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.ThreadlessLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs one store through several incarnations on a simulated disk, beside a plain map of what it
 * must have. In each incarnation some operations happen. Then the store is closed, or killed, or
 * the power is cut, perhaps in the middle of a call and also while it is opened. Then it is opened
 * and compared.
 *
 * <p>For each key the model has the version that was acknowledged, and the versions that may be in
 * its place because the outcome of their write is unknown. What was found once must stay.
 *
 * <p>Everything is drawn from one seed: the options, the operations, the moment of the crash and
 * what of the unsynced bytes the disk keeps. So a run that fails is repeated by its seed.
 */
@SuppressWarnings("GuardedBy") // One thread does everything.
final class StoreCrashRun {
  private static final int FILE_BYTES = 32 << 10;
  private static final long TIMEOUT_NANOS = ThreadlessStore.TIMEOUT_NANOS;
  private static final int KEY_COUNT = 14;
  private static final int[][] SEGMENTS = {{1, 0}, {1, 7}, {40_000, 65_535}};

  final SimulatedDisk disk;
  private final Random random;
  private final StoreOptions options;
  private final Segment[] model = new Segment[SEGMENTS.length];
  private final List<Write> writes = new ArrayList<>();

  private @Nullable ThreadlessStore opened;
  private long version;
  private long acknowledgedNote;
  private long possibleNote;
  private boolean hasSnapshot;

  /** What a segment must hold. */
  private static final class Segment {
    final TreeMap<Integer, Key> keys = new TreeMap<>();
    boolean possiblyDropped;
  }

  /** What a key must hold. */
  private static final class Key {
    long acknowledged;
    boolean removed = true;
    final TreeMap<Long, Boolean> possibleVersions = new TreeMap<>();
  }

  /** A write that was not yet seen to end. */
  private record Write(Key key, long version, boolean removed, StoreWrite write) {}

  StoreCrashRun(long seed) {
    this.random = new Random(seed);
    this.options = options((int) (seed % 3));
    this.disk = new SimulatedDisk(new Random(seed + 1)).takeDurableWrites(seed / 3 % 2 == 0);
    for (int index = 0; index < model.length; index++) {
      model[index] = new Segment();
    }
  }

  private static StoreOptions options(int spareFiles) {
    LogOptions usual = LogOptions.DEFAULT.withFileBytes(FILE_BYTES);
    LogOptions log =
        new LogOptions(
            FILE_BYTES,
            usual.batchBytes(),
            usual.recordBytes(),
            usual.queueBytes(),
            spareFiles,
            usual.strategy(),
            true);
    return new StoreOptions(log, FILE_BYTES, 4L * FILE_BYTES, 35, 300_000_000, 2000);
  }

  /** Runs several incarnations. */
  void runIncarnations(int incarnations) throws Exception {
    for (int incarnation = 0; incarnation < incarnations; incarnation++) {
      switch (random.nextInt(8)) {
        case 0 -> {}
        case 1 -> disk.failAt(1 + random.nextInt(80));
        case 2 -> disk.setCapacity(disk.usedBytes() + random.nextInt(4 * FILE_BYTES));
        default -> disk.crashAt(1 + random.nextInt(150));
      }
      runIncarnation(10 + random.nextInt(60));
      disk.setCapacity(Long.MAX_VALUE);
    }
    open();
  }

  /**
   * Runs one incarnation up to a call, one that crashes while it is opened, and opens once more.
   */
  void crashAt(int call, int steps, int openingCall) throws Exception {
    disk.crashAt(call);
    runIncarnation(steps);
    if (openingCall > 0) {
      disk.crashAt(openingCall);
      runIncarnation(0);
    }
    open();
  }

  /** Runs an incarnation that ends well or not, and updates the model. */
  void runIncarnation(int steps) throws Exception {
    try {
      open();
      for (int step = 0; step < steps && store().failure().isEmpty(); step++) {
        performRandomStep();
        updateModel();
      }
      if (store().failure().isEmpty() && random.nextBoolean()) {
        store().close();
        hasSnapshot |= store().compactionScheduler().lastFailure().isEmpty();
      }
    } catch (SimulatedDisk.Crash _) {
      // The requested crash.
    } catch (DamagedException e) {
      throw e;
    } catch (IOException _) {
      // The requested failure, or the crash within the log's writer.
    }
    updateModel();
    writes.clear();
    if (random.nextBoolean()) {
      disk.cutPower();
    } else {
      disk.kill();
    }
  }

  private static void acknowledge(Key key, long version, boolean removed) {
    key.acknowledged = version;
    key.removed = removed;
    key.possibleVersions.headMap(version, true).clear();
  }

  private void performRandomStep() throws Exception {
    switch (random.nextInt(30)) {
      case 0 -> log().prepare();
      case 1, 2, 3, 4, 5 -> {
        boolean _ = log().writeOnce();
      }
      case 6 -> drop();
      case 7 ->
          runCompaction(
              () -> {
                boolean _ = store().compactionScheduler().flushLog(store().appliedLsn());
              });
      case 8 ->
          runCompaction(
              () -> {
                boolean _ = store().compactionScheduler().mergeRuns();
              });
      case 9 -> runCompaction(() -> store().compactionScheduler().writeSnapshot());
      case 10 -> {
        if (random.nextInt(3) == 0) {
          runCompaction(() -> store().compactionScheduler().compactAll());
        }
      }
      case 11 -> compare(random.nextInt(model.length), false);
      case 12 -> note();
      case 13 -> writeStale();
      case 14, 15, 16 -> write(true);
      case 17 -> applyLate();
      case 18 ->
          runCompaction(
              () -> {
                boolean _ = store().compactionScheduler().runStep();
              });
      default -> write(false);
    }
  }

  /** Something that may fail and be tried again. */
  private interface Attempt {
    void run() throws IOException, InterruptedException;
  }

  private void runCompaction(Attempt attempt) throws Exception {
    boolean snapshots = false;
    try {
      attempt.run();
      snapshots = true;
    } catch (StoreException.Failed | StoreException.AppendRefused e) {
      throw e;
    } catch (DamagedException e) {
      throw new AssertionError("damaged while it runs", e);
    } catch (IOException _) {
      // It is tried again.
    }
    hasSnapshot |= snapshots && disk.names().stream().anyMatch(name -> name.endsWith(".snap"));
  }

  private void write(boolean remove) throws Exception {
    int place = random.nextInt(model.length);
    int number = random.nextInt(KEY_COUNT);
    Key key = model[place].keys.computeIfAbsent(number, _ -> new Key());
    write(place, number, key, ++version, remove);
  }

  /** Writes a version that is older than the present one. */
  private void writeStale() throws Exception {
    int place = random.nextInt(model.length);
    int number = random.nextInt(KEY_COUNT);
    Key key = model[place].keys.get(number);
    // The store may have forgotten the version of a removed key.
    if (key != null && !key.removed && key.possibleVersions.isEmpty()) {
      long older = Math.max(1, key.acknowledged - random.nextInt(3));
      try {
        store()
            .put(cache(place), segment(place), ModelEntryCodec.entry(number, older), TIMEOUT_NANOS)
            .await(TIMEOUT_NANOS);
      } catch (StoreException.Full _) {
        return;
      }
    }
  }

  /** Writes a version that is older than one under way, so that it comes into the log after it. */
  private void applyLate() throws Exception {
    if (writes.isEmpty()) {
      return;
    }
    Write newer = writes.get(random.nextInt(writes.size()));
    Key key = newer.key;
    long older = newer.version - 1;
    if (older > key.acknowledged && !key.possibleVersions.containsKey(older)) {
      for (int place = 0; place < model.length; place++) {
        for (Map.Entry<Integer, Key> entry : model[place].keys.entrySet()) {
          if (entry.getValue() == key) {
            write(place, entry.getKey(), key, older, false);
            return;
          }
        }
      }
    }
  }

  private void write(int place, int number, Key key, long newVersion, boolean remove)
      throws Exception {
    StoredEntry entry =
        remove
            ? ModelEntryCodec.tombstone(number, newVersion)
            : ModelEntryCodec.entry(number, newVersion);
    key.possibleVersions.put(newVersion, remove);
    StoreWrite write;
    try {
      write =
          remove
              ? store().remove(cache(place), segment(place), entry, TIMEOUT_NANOS)
              : store().put(cache(place), segment(place), entry, TIMEOUT_NANOS);
    } catch (StoreException.Full _) {
      key.possibleVersions.remove(newVersion);
      return;
    }
    writes.add(new Write(key, newVersion, remove, write));
  }

  private void drop() throws Exception {
    if (random.nextInt(3) > 0) {
      return;
    }
    int place = random.nextInt(model.length);
    Segment segment = model[place];
    // A write under way may come into the old incarnation or be dropped with it.
    while (writes.stream().anyMatch(write -> !write.write().isDone()) && log().writeOnce()) {
      updateModel();
    }
    updateModel();
    segment.possiblyDropped = true;
    try {
      StoreWrite write = store().drop(cache(place), segment(place), TIMEOUT_NANOS);
      write.await(TIMEOUT_NANOS);
    } catch (StoreException.Full _) {
      segment.possiblyDropped = false;
      return;
    }
    segment.possiblyDropped = false;
    segment.keys.clear();
  }

  private void note() throws Exception {
    long next = ++version;
    possibleNote = next;
    try {
      store()
          .note("note", Long.toString(next).getBytes(StandardCharsets.UTF_8), TIMEOUT_NANOS)
          .await(TIMEOUT_NANOS);
    } catch (StoreException.Full _) {
      return;
    }
    acknowledgedNote = next;
  }

  /** Finds out which writes were acknowledged. */
  private void updateModel() {
    for (Write write : List.copyOf(writes)) {
      if (write.write.isDone()) {
        writes.remove(write);
        if (write.write.failure().isEmpty()) {
          Key key = write.key;
          if (write.version > key.acknowledged) {
            acknowledge(key, write.version, write.removed);
          }
        }
      }
    }
  }

  private void open() throws IOException {
    opened = null;
    ThreadlessStore idle = ThreadlessStore.open(disk, options);
    opened = idle;
    SegmentStore store = idle.store();
    if (hasSnapshot) {
      require(store.openReport().fromSnapshot(), "no snapshot: " + store.openReport());
    }
    require(store.openReport().snapshotProblem().isEmpty(), "trouble " + store.openReport());
    for (int place = 0; place < model.length; place++) {
      compare(place, true);
    }
    long note =
        store
            .note("note")
            .map(bytes -> Long.parseLong(new String(bytes, StandardCharsets.UTF_8)))
            .orElse(0L);
    require(note == acknowledgedNote || note == possibleNote, "note " + note);
    acknowledgedNote = note;
    possibleNote = note;
  }

  /** Compares a segment by scan, by size and key by key. */
  private void compare(int place, boolean isNew) throws IOException {
    updateModel();
    Segment segment = model[place];
    Map<Integer, Long> found = scanKeys(place);
    if (segment.possiblyDropped && found.isEmpty()) {
      segment.keys.clear();
    }
    segment.possiblyDropped = false;
    for (int number = 0; number < KEY_COUNT; number++) {
      Key key = segment.keys.get(number);
      Long there = found.get(number);
      if (key == null) {
        require(there == null, "key " + number + " was never written");
        continue;
      }
      compare(key, number, there == null ? 0 : there, isNew);
    }
    long live = segment.keys.values().stream().filter(key -> !key.removed).count();
    long size = store().size(cache(place), segment(place));
    require(size == live, "size " + size + " instead of " + live);
    for (int number = 0; number < KEY_COUNT; number++) {
      Long there = found.get(number);
      require(
          store()
              .get(
                  cache(place),
                  segment(place),
                  ModelEntryCodec.hash(number),
                  ModelEntryCodec.key(number))
              .equals(
                  there == null
                      ? Optional.empty()
                      : Optional.of(ModelEntryCodec.entry(number, there))),
          "get of " + number + " differs from scan");
    }
  }

  private void compare(Key key, int number, long seen, boolean isNew) {
    long acknowledged = key.removed ? 0 : key.acknowledged;
    if (seen != acknowledged) {
      boolean maybe =
          seen == 0
              ? key.possibleVersions.containsValue(true)
              : Boolean.FALSE.equals(key.possibleVersions.get(seen));
      require(
          isNew && maybe,
          "key "
              + number
              + " is "
              + seen
              + " instead of "
              + acknowledged
              + " or "
              + key.possibleVersions);
      key.acknowledged = seen == 0 ? newestPossibleRemoval(key) : seen;
      key.removed = seen == 0;
    }
    if (isNew) {
      // What was found once must stay, and what was not found must not appear.
      key.possibleVersions.clear();
    }
  }

  private static long newestPossibleRemoval(Key key) {
    return key.possibleVersions.entrySet().stream()
        .filter(Map.Entry::getValue)
        .mapToLong(Map.Entry::getKey)
        .max()
        .orElseThrow();
  }

  /** All versions of a segment by key, from a scan that pauses at random. */
  private Map<Integer, Long> scanKeys(int place) throws IOException {
    Map<Integer, Long> found = new TreeMap<>();
    List<StoredEntry> shown = new ArrayList<>();
    StoreCursor from = StoreCursor.START;
    while (from.kind() != StoreCursor.StoreCursorKind.END) {
      from =
          store()
              .scan(
                  cache(place),
                  segment(place),
                  from,
                  entry -> {
                    shown.add(entry);
                    return random.nextInt(4) > 0;
                  });
    }
    for (int index = 0; index < shown.size(); index++) {
      StoredEntry entry = shown.get(index);
      require(
          index == 0 || shown.get(index - 1).compareOrder(entry.hash(), entry.key()) < 0,
          "out of order");
      int number = entry.key()[0];
      require(
          entry.equals(ModelEntryCodec.entry(number, entry.index())), "other bytes in " + entry);
      found.put(number, entry.index());
    }
    return found;
  }

  private SegmentStore store() {
    return Objects.requireNonNull(opened).store();
  }

  private ThreadlessLog log() {
    return Objects.requireNonNull(opened).log();
  }

  private static int cache(int place) {
    return SEGMENTS[place][0];
  }

  private static int segment(int place) {
    return SEGMENTS[place][1];
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
