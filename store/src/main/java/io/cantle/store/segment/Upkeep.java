package io.cantle.store.segment;

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
 * Keeps the store short: sorts what the log has into runs, copies runs that hold much that is not
 * wanted any more, and writes the index down.
 *
 * <p>What is new is published in two steps. First the new run is durable, its name too; then a
 * manifest that names it is durable in the log. Only then does the index point into it, and only
 * then do the files go in whose place it is. After a crash before the manifest the new run is an
 * unknown file; after it, the old ones are.
 *
 * <p>Which runs are copied is decided by what is won, the share that is not wanted, over what it
 * costs, reading all and writing what is wanted; the older a run, the more, because what is old is
 * seldom written again.
 *
 * <p><b>Threading:</b> one thread of its own, or a caller's for {@link #compactAll}; {@code work}
 * lets one of them at a time, while it waits for the disk too.
 */
final class Upkeep {
  private static final System.Logger LOGGER = System.getLogger(Upkeep.class.getName());
  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(60).toNanos();

  /** More runs than these and the shortest of them are put together. */
  private static final int MOST_RUNS = 64;

  private static final int SHORTEST_RUNS = 16;

  private final SegmentStore store;
  private final Disk disk;
  private final StoreOptions options;
  private final long identity;
  private final StoreClock clock;
  private final Pace pace;
  private final Compaction compaction;
  private final ReentrantLock work = new ReentrantLock();
  private final Set<Integer> spoiled = new HashSet<>();

  private Manifest manifest;
  private int nextRun;
  private long snapshotLsn;
  private long snapshotNanos;
  private volatile boolean closed;
  private volatile @Nullable Thread thread;
  private volatile @Nullable Throwable trouble;
  private volatile @Nullable Throwable shortage;

  Upkeep(
      SegmentStore store,
      Disk disk,
      StoreOptions options,
      long identity,
      StoreClock clock,
      Pace pace,
      Manifest manifest) {
    this.store = store;
    this.disk = disk;
    this.options = options;
    this.identity = identity;
    this.clock = clock;
    this.pace = pace;
    this.manifest = manifest;
    this.nextRun = manifest.nextRun();
    this.compaction = new Compaction(disk, identity, store.contents(), pace);
    this.snapshotNanos = clock.nanoTime();
  }

  void start(ThreadFactory threads) {
    Thread made = threads.newThread(this::run);
    made.setName("cantle-store-upkeep");
    made.start();
  }

  private void run() {
    thread = Thread.currentThread();
    while (!closed && store.failure().isEmpty()) {
      boolean worked = false;
      try {
        worked = step();
        trouble = null;
      } catch (IOException | RuntimeException e) {
        note(e);
      } catch (InterruptedException e) {
        note(e);
        return;
      }
      if (!worked && !closed) {
        clock.parkNanos(this, PAUSE_NANOS);
      }
    }
  }

  private void note(Throwable e) {
    Throwable before = trouble;
    trouble = e;
    if (before == null || !String.valueOf(before.getMessage()).equals(e.getMessage())) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "{0} cannot be compacted or written down, which is tried again: {1}",
          disk.place(),
          e);
    }
  }

  /** What went wrong the last time; empty if nothing did. */
  Optional<Throwable> trouble() {
    return Optional.ofNullable(trouble);
  }

  /** Why there is no room for the log; null while there is. */
  @Nullable Throwable shortage() {
    return shortage;
  }

  /**
   * Does what is due most.
   *
   * @return whether there was something
   */
  boolean step() throws IOException, InterruptedException {
    shortage = store.contents().log().shortage().orElse(null);
    work.lock();
    try {
      if (tailBytes() >= options.tailBytes()) {
        return flush(store.applied());
      }
      return merge() || snapshotIfDue();
    } finally {
      work.unlock();
    }
  }

  /** How much of the log is newer than all runs, about. */
  private long tailBytes() {
    long from = Math.max(manifest.from(), Lsn.of(1, 0));
    long end = store.applied();
    return (Lsn.file(end) - Lsn.file(from)) * options.log().fileBytes()
        + Lsn.offset(end)
        - Lsn.offset(from);
  }

  /** Copies what is in the log, all of it that is in the index now, into one or more runs. */
  private boolean flush(long until) throws IOException, InterruptedException {
    pace.begin(tailBytes() >= 2 * options.tailBytes());
    try {
      while (manifest.from() < until && !closed) {
        long before = manifest.from();
        try (Compaction.Result result =
            compaction.flush(takeRun(), before, until, options.tailBytes())) {
          publish(result);
        }
      }
      return true;
    } finally {
      pace.end();
    }
  }

  private int takeRun() {
    if (nextRun > Location.LAST_RUN) {
      throw new IllegalStateException("the store has used up all numbers of runs, " + nextRun);
    }
    return nextRun++;
  }

  /** Copies the runs that pay most; whether there were any. */
  private boolean merge() throws IOException, InterruptedException {
    List<RunFile> victims = victims();
    if (victims.isEmpty()) {
      return false;
    }
    pace.begin(false);
    try (Compaction.Result result = compaction.merge(takeRun(), manifest.from(), victims)) {
      publish(result);
    } catch (DamagedException e) {
      victims.stream()
          .filter(victim -> victim.name().equals(e.file()))
          .forEach(victim -> spoiled.add(victim.id()));
      throw e;
    } finally {
      pace.end();
    }
    return true;
  }

  private List<RunFile> victims() {
    List<RunFile> runs =
        store.contents().runs().all().stream().filter(run -> !spoiled.contains(run.id())).toList();
    Map<RunFile, Double> benefits = new HashMap<>();
    for (RunFile run : runs) {
      long wanted = Math.max(0, run.liveBytes() - compaction.removableBytes(run));
      if (100 * (run.dataBytes() - wanted) >= options.garbagePercent() * run.dataBytes()) {
        benefits.put(run, benefit(run, wanted));
      }
    }
    List<RunFile> paying =
        benefits.keySet().stream().sorted(Comparator.comparing(benefits::get).reversed()).toList();
    if (paying.isEmpty() && runs.size() > MOST_RUNS) {
      paying =
          runs.stream()
              .sorted(Comparator.comparingLong(RunFile::liveBytes))
              .limit(SHORTEST_RUNS)
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

  private double benefit(RunFile run, long wantedBytes) {
    double wanted = run.dataBytes() == 0 ? 0 : (double) wantedBytes / run.dataBytes();
    return (1 - wanted) * (nextRun - run.id()) / (1 + wanted);
  }

  private void publish(Compaction.Result result) throws IOException, InterruptedException {
    Contents contents = store.contents();
    RunFile run = result.run();
    Set<Integer> runs = new TreeSet<>(manifest.runs());
    result.replaced().forEach(replaced -> runs.remove(replaced.id()));
    if (run != null) {
      runs.add(run.id());
    }
    Manifest next =
        new Manifest(
            result.from(),
            nextRun,
            List.copyOf(runs),
            incarnations(),
            Map.copyOf(contents.notes()));
    boolean published = false;
    try {
      store.append(next, TIMEOUT_NANOS);
      published = true;
    } finally {
      if (!published && run != null) {
        // The manifest may be in the log: the file stays until the store is opened again.
        run.close();
      }
    }
    manifest = next;
    if (run != null) {
      contents.runs().add(run);
    }
    result.moves().apply();
    for (RunFile replaced : result.replaced()) {
      contents.runs().remove(replaced);
      disk.delete(replaced.name());
    }
    dropLogFiles(result.from());
  }

  private Map<Integer, Long> incarnations() {
    Map<Integer, Long> incarnations = new HashMap<>();
    for (StoredSegment segment : store.contents().segments()) {
      segment.lock.lock();
      try {
        if (segment.incarnation > 0) {
          incarnations.put(segment.address(), segment.incarnation);
        }
      } finally {
        segment.lock.unlock();
      }
    }
    return incarnations;
  }

  private void dropLogFiles(long from) throws IOException {
    List<Long> files = store.contents().log().files();
    for (long file : files.subList(0, files.size() - 1)) {
      if (file < Lsn.file(from)) {
        store.contents().log().drop(file);
      }
    }
  }

  private boolean snapshotIfDue() throws IOException, InterruptedException {
    if (clock.nanoTime() - snapshotNanos < options.snapshotPeriodNanos()
        || store.applied() == snapshotLsn) {
      return false;
    }
    pace.begin(false);
    try {
      snapshot();
    } finally {
      pace.end();
    }
    return true;
  }

  private void snapshot() throws IOException, InterruptedException {
    OptionalInt last = Snapshot.newest(disk.names());
    long lsn = store.applied();
    Manifest now =
        new Manifest(
            manifest.from(),
            nextRun,
            manifest.runs(),
            incarnations(),
            Map.copyOf(store.contents().notes()));
    Snapshot.write(
        disk,
        last.orElse(0) + 1,
        identity,
        store,
        now,
        pace,
        () -> {
          if (!options.log().policy().isDurable()) {
            store.contents().log().sync(TIMEOUT_NANOS);
          }
        });
    snapshotLsn = lsn;
    snapshotNanos = clock.nanoTime();
  }

  /** Writes the index down now. */
  void snapshotNow() throws IOException, InterruptedException {
    work.lock();
    try {
      snapshot();
    } finally {
      work.unlock();
    }
  }

  /** Copies all there is to copy now. */
  void compactAll() throws IOException, InterruptedException {
    work.lock();
    try {
      flush(store.applied());
      while (merge()) {
        // Until no run has so much garbage any more.
      }
      snapshot();
    } finally {
      work.unlock();
    }
  }

  /** Copies what the log has now. */
  void flushNow() throws IOException, InterruptedException {
    work.lock();
    try {
      boolean _ = flush(store.applied());
    } finally {
      work.unlock();
    }
  }

  /** Copies some runs now, if any are worth it. */
  boolean mergeNow() throws IOException, InterruptedException {
    work.lock();
    try {
      return merge();
    } finally {
      work.unlock();
    }
  }

  /** Ends the thread and writes the index down. */
  void close() {
    closed = true;
    Thread running = thread;
    if (running != null) {
      LockSupport.unpark(running);
    }
    work.lock();
    try {
      if (store.failure().isEmpty()) {
        snapshot();
      }
    } catch (IOException | RuntimeException e) {
      // It only spares reading, and the log is to be closed.
      note(e);
    } catch (InterruptedException e) {
      note(e);
      Thread.currentThread().interrupt();
    } finally {
      work.unlock();
    }
  }
}
