package io.cantle.store.segment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.store.DamagedException;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.Lsn;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the work that keeps the store's files short: it sorts records of the log into runs,
 * compacts runs of which much is garbage, and writes snapshots of the index.
 *
 * <p>A new run is published in two steps. First the run and its name are made durable. Then a
 * manifest that names it is made durable in the log. Only then does the index point into the run,
 * and only then are the replaced files deleted. After a crash before the manifest, the new run is
 * an unknown file; after a crash behind it, the old ones are.
 *
 * <p>Runs are chosen by benefit, the share that is garbage, over cost, which is reading everything
 * and writing what is live. An older run has a higher benefit, because old records are seldom
 * written again.
 *
 * <p><b>Threading:</b> one thread of its own, or a caller's for {@link #compactAll}. {@code
 * workLock} admits one of them at a time, also while it waits for the disk.
 */
final class CompactionScheduler {
  private static final System.Logger LOGGER = System.getLogger(CompactionScheduler.class.getName());
  private static final long IDLE_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(60).toNanos();

  /** If there are more runs than these, the shortest of them are merged. */
  private static final int MAX_RUNS = 64;

  private static final int MERGED_SHORT_RUNS = 16;

  private final SegmentStore store;
  private final Disk disk;
  private final StoreOptions options;
  private final long identity;
  private final StoreClock clock;
  private final CompactionThrottle throttle;
  private final ReentrantLock workLock = new ReentrantLock();

  @GuardedBy("workLock")
  private final Set<Integer> damagedRunIds = new HashSet<>();

  @GuardedBy("workLock")
  private Manifest manifest;

  @GuardedBy("workLock")
  private int nextRunId;

  @GuardedBy("workLock")
  private long snapshotLsn;

  @GuardedBy("workLock")
  private long snapshotNanos;

  private volatile boolean closed;
  private volatile @Nullable Thread thread;
  private volatile @Nullable Throwable lastFailure;
  private volatile @Nullable Throwable logShortage;

  CompactionScheduler(
      SegmentStore store,
      Disk disk,
      StoreOptions options,
      long identity,
      StoreClock clock,
      CompactionThrottle throttle,
      Manifest manifest) {
    this.store = store;
    this.disk = disk;
    this.options = options;
    this.identity = identity;
    this.clock = clock;
    this.throttle = throttle;
    this.manifest = manifest;
    this.nextRunId = manifest.nextRunId();
    this.snapshotNanos = clock.nanoTime();
  }

  void start(ThreadFactory threads) {
    Thread made = threads.newThread(this::run);
    made.setName("cantle-store-compactor");
    made.start();
  }

  private void run() {
    thread = Thread.currentThread();
    while (!closed && store.failure().isEmpty()) {
      boolean worked = false;
      try {
        worked = runStep();
        lastFailure = null;
      } catch (IOException | RuntimeException e) {
        logFailure(e);
      } catch (InterruptedException e) {
        logFailure(e);
        return;
      }
      if (!worked && !closed) {
        clock.parkNanos(this, IDLE_PAUSE_NANOS);
      }
    }
  }

  private void logFailure(Throwable e) {
    Throwable before = lastFailure;
    lastFailure = e;
    if (before == null || !String.valueOf(before.getMessage()).equals(e.getMessage())) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "{0}: compaction or a snapshot of the index failed and will be tried again: {1}",
          disk.location(),
          e);
    }
  }

  /** What failed the last time; empty if nothing did. */
  Optional<Throwable> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /** Why there is no room for the log; null while there is. */
  @Nullable Throwable logShortage() {
    return logShortage;
  }

  /**
   * Does the most urgent piece of work.
   *
   * @return whether there was any
   */
  boolean runStep() throws IOException, InterruptedException {
    logShortage = store.index().log().shortage().orElse(null);
    workLock.lock();
    try {
      if (logTailBytes() >= options.tailBytes()) {
        return flushLog(store.appliedLsn());
      }
      return mergeRuns() || snapshotIfDue();
    } finally {
      workLock.unlock();
    }
  }

  /** About how many bytes of the log are newer than all runs. */
  @GuardedBy("workLock")
  private long logTailBytes() {
    long from = Math.max(manifest.neededFromLsn(), Lsn.toLsn(1, 0));
    long end = store.appliedLsn();
    return (Lsn.fileId(end) - Lsn.fileId(from)) * options.log().fileBytes()
        + Lsn.offset(end)
        - Lsn.offset(from);
  }

  /** Copies the live records of the log, up to an LSN, into one or more runs. */
  @GuardedBy("workLock")
  boolean flushLog(long until) throws IOException, InterruptedException {
    boolean isUrgent = logTailBytes() >= 2 * options.tailBytes();
    try (var _ = throttle.beginCompaction(isUrgent)) {
      while (manifest.neededFromLsn() < until && !closed) {
        long before = manifest.neededFromLsn();
        try (Compaction compaction = newCompaction(List.of())) {
          publish(compaction, compaction.flush(before, until, options.tailBytes()));
        }
      }
      return true;
    }
  }

  @GuardedBy("workLock")
  private Compaction newCompaction(List<RunFile> replaced) {
    if (nextRunId > RecordLocation.MAX_RUN_ID) {
      throw new IllegalStateException(
          "the store has used up all run numbers; the next would be " + nextRunId);
    }
    return new Compaction(disk, identity, store.index(), throttle, nextRunId++, replaced);
  }

  /** Compacts the runs with the most benefit; returns whether there were any. */
  @GuardedBy("workLock")
  boolean mergeRuns() throws IOException, InterruptedException {
    List<RunFile> victims = chooseRuns();
    if (victims.isEmpty()) {
      return false;
    }
    try (var _ = throttle.beginCompaction(false);
        Compaction compaction = newCompaction(victims)) {
      compaction.merge();
      publish(compaction, manifest.neededFromLsn());
    } catch (DamagedException e) {
      for (RunFile victim : victims) {
        if (victim.name().equals(e.damage().file())) {
          damagedRunIds.add(victim.id());
        }
      }
      throw e;
    }
    return true;
  }

  @GuardedBy("workLock")
  private List<RunFile> chooseRuns() {
    Set<Integer> damaged = damagedRunIds;
    List<RunFile> runs =
        store.index().runs().allRuns().stream().filter(run -> !damaged.contains(run.id())).toList();
    Map<RunFile, Double> benefits = new HashMap<>();
    for (RunFile run : runs) {
      long wanted = Math.max(0, run.liveBytes() - Compaction.removableBytes(store.index(), run));
      if (100 * (run.dataBytes() - wanted) >= options.garbagePercent() * run.dataBytes()) {
        benefits.put(run, benefit(run, wanted));
      }
    }
    List<RunFile> paying =
        benefits.keySet().stream().sorted(Comparator.comparing(benefits::get).reversed()).toList();
    if (paying.isEmpty() && runs.size() > MAX_RUNS) {
      paying =
          runs.stream()
              .sorted(Comparator.comparingLong(RunFile::liveBytes))
              .limit(MERGED_SHORT_RUNS)
              .toList();
    }
    List<RunFile> victims = new ArrayList<>();
    long bytes = 0;
    for (RunFile run : paying) {
      bytes += run.liveBytes();
      if (victims.isEmpty() || bytes <= options.runBytes()) {
        victims.add(run);
      }
    }
    return victims;
  }

  @GuardedBy("workLock")
  private double benefit(RunFile run, long wantedBytes) {
    double wanted = run.dataBytes() == 0 ? 0 : (double) wantedBytes / run.dataBytes();
    return (1 - wanted) * (nextRunId - run.id()) / (1 + wanted);
  }

  @GuardedBy("workLock")
  private void publish(Compaction compaction, long neededFromLsn)
      throws IOException, InterruptedException {
    RunFile run = compaction.newRun();
    Set<Integer> runs = new TreeSet<>(manifest.runIds());
    compaction.replacedRuns().forEach(replaced -> runs.remove(replaced.id()));
    if (run != null) {
      runs.add(run.id());
    }
    Manifest next = newManifest(neededFromLsn, List.copyOf(runs));
    try {
      store.appendManifest(next, TIMEOUT_NANOS);
    } catch (Throwable e) {
      if (run != null) {
        // The manifest may be in the log, so the file stays until the store is opened again.
        run.close();
      }
      throw e;
    }
    manifest = next;
    if (run != null) {
      store.index().runs().add(run);
    }
    compaction.applyToIndex();
    for (RunFile replaced : compaction.replacedRuns()) {
      store.index().runs().remove(replaced);
      disk.delete(replaced.name());
    }
    dropLogFiles(neededFromLsn);
  }

  @GuardedBy("workLock")
  private Manifest newManifest(long neededFromLsn, List<Integer> runIds) {
    return new Manifest(
        neededFromLsn, nextRunId, runIds, incarnations(), Map.copyOf(store.index().notes()));
  }

  private Map<Integer, Long> incarnations() {
    Map<Integer, Long> incarnations = new HashMap<>();
    for (StoredSegment segment : store.index().segments()) {
      synchronized (segment) {
        if (segment.incarnation > 0) {
          incarnations.put(segment.address(), segment.incarnation);
        }
      }
    }
    return incarnations;
  }

  private void dropLogFiles(long from) throws IOException {
    List<Long> files = store.index().log().fileIds();
    for (long file : files.subList(0, files.size() - 1)) {
      if (file < Lsn.fileId(from)) {
        store.index().log().dropFile(file);
      }
    }
  }

  @GuardedBy("workLock")
  private boolean snapshotIfDue() throws IOException, InterruptedException {
    if (clock.nanoTime() - snapshotNanos < options.snapshotPeriodNanos()
        || store.appliedLsn() == snapshotLsn) {
      return false;
    }
    try (var _ = throttle.beginCompaction(false)) {
      writeSnapshot();
    }
    return true;
  }

  @GuardedBy("workLock")
  void writeSnapshot() throws IOException, InterruptedException {
    OptionalInt last = IndexSnapshot.newestNumber(disk.names());
    long lsn = store.appliedLsn();
    Manifest now = newManifest(manifest.neededFromLsn(), manifest.runIds());
    IndexSnapshot.write(disk, last.orElse(0) + 1, identity, store, now, throttle);
    snapshotLsn = lsn;
    snapshotNanos = clock.nanoTime();
  }

  /** Does all copying that is possible now. */
  void compactAll() throws IOException, InterruptedException {
    workLock.lock();
    try {
      flushLog(store.appliedLsn());
      while (mergeRuns()) {
        // Until no run has that much garbage any more.
      }
      writeSnapshot();
    } finally {
      workLock.unlock();
    }
  }

  /** Stops the thread and writes a snapshot of the index. */
  void close() {
    closed = true;
    Thread running = thread;
    if (running != null) {
      LockSupport.unpark(running);
    }
    workLock.lock();
    try {
      if (store.failure().isEmpty()) {
        writeSnapshot();
      }
    } catch (IOException | RuntimeException e) {
      // A snapshot only saves reading, and the log still has to be closed.
      logFailure(e);
    } catch (InterruptedException e) {
      logFailure(e);
      Thread.currentThread().interrupt();
    } finally {
      workLock.unlock();
    }
  }
}
