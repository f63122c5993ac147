package io.cantle.core.store;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.SyncPolicy;
import io.cantle.store.segment.Durability;
import io.cantle.store.segment.ScanPlace;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store on a disk: entries, labels and notes in one {@link SegmentStore}.
 *
 * <p>Whoever hands something over must not wait, and the segmented store may read and wait. So a
 * few lanes stand between them, each segment in one, and notes in one of their own. They hold as
 * much as comes; what bounds them is that while there is no {@link Shelf#room} primaries take no
 * more writes, joiners fetch nothing, and whoever wrote what a backup has to keep waits until it is
 * on disk.
 *
 * <p>While the disk has no room for the log's next file primaries take nothing but removals. What
 * is on its way, and what a node has to keep to stay in its grid, goes into the file there is.
 *
 * <p>The log syncs groups, whatever the caches want: who needs not wait for it does not, and is on
 * disk soon all the same.
 *
 * <p><b>Threading:</b> any thread; {@link #load} one, before anything is taken.
 */
public final class DiskStore implements Store {
  /** The longest key and value together that a store keeps. */
  public static final int MOST_ENTRY_BYTES = 32 << 20;

  private static final System.Logger LOG = System.getLogger(DiskStore.class.getName());

  /** For the segments. */
  private static final int LANES = 2;

  /** For notes, which votes wait for: they do not stand behind what somebody fetches. */
  private static final int NOTES = LANES;

  private static final int TELLER = LANES + 1;

  /** Threads that read; a disk serves several at a time best. */
  private static final int READERS = 4;

  /** For how long whoever closes waits for a disk that does not answer. */
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(30);

  /** After how long a disk that does not answer is told of, and after how long it has failed. */
  private static final long COMPLAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long MOST_WAITING_BYTES = 64L << 20;

  /** Two topologies that are four times as long as they may be when a cache is founded. */
  private static final int NOTE_BYTES = 16 << 20;

  /** What is left of a full disk for notes, labels and ends of entries: as much as all notes. */
  private static final long RESERVED_BYTES = 2L * NOTE_BYTES;

  private static final Duration FOREVER = Duration.ofDays(1_000);

  /** How often a thread that is to end is looked at. */
  private static final long LOOK_AGAIN_NANOS = 1_000_000;

  /** What an entry costs in a queue besides its bytes. */
  private static final int TASK_BYTES = 200;

  private final SegmentStore store;
  private final Clock clock;
  private final ThreadFactory factory;
  private final String place;
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong changes = new AtomicLong();
  private final LinkedBlockingQueue<Runnable> told = new LinkedBlockingQueue<>();
  private final Lane[] lanes = new Lane[LANES + 1];
  private final Reader reader;
  private final Map<Long, DiskShelf> shelves = new ConcurrentHashMap<>();
  private final Map<Long, Copy> copies = new ConcurrentHashMap<>();
  private final Map<String, byte[]> notes = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable Consumer<Throwable>> failed = new AtomicReference<>();
  private final Thread[] threads = new Thread[TELLER + 1 + READERS];
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean complained = new AtomicBoolean();
  private volatile long memoryBytes = Long.MAX_VALUE;

  /** How much was loaded; for {@link #load} only. */
  private long loadedBytes;

  private volatile boolean toldAll;

  /**
   * Opens the store of a disk, or begins one.
   *
   * @param identity drawn for it, if it is a new one
   * @param factory makes its threads, platform threads
   * @throws IOException if it cannot be read or written, or is damaged
   */
  public static DiskStore open(Disk disk, long identity, Clock clock, ThreadFactory factory)
      throws IOException {
    LogOptions usual = LogOptions.of(SyncPolicy.GROUP);
    LogOptions log =
        new LogOptions(
            usual.policy(),
            usual.syncPeriodNanos(),
            usual.fileBytes(),
            usual.batchBytes(),
            MOST_ENTRY_BYTES + (1 << 20),
            2L * MOST_ENTRY_BYTES,
            usual.spareFiles());
    StoreOptions defaults = StoreOptions.of(log);
    StoreOptions options =
        new StoreOptions(
            log,
            defaults.tailBytes(),
            defaults.runBytes(),
            defaults.garbagePercent(),
            defaults.snapshotPeriodNanos(),
            NOTE_BYTES);
    SegmentStore store = SegmentStore.open(disk, options, identity, new StoreTime(clock), factory);
    return new DiskStore(store, disk.place(), clock, factory);
  }

  private DiskStore(SegmentStore store, String place, Clock clock, ThreadFactory factory) {
    this.store = store;
    this.place = place;
    this.clock = clock;
    this.factory = factory;
    store.useLastRoom();
    for (int lane = 0; lane <= NOTES; lane++) {
      lanes[lane] = new Lane(store, clock, waiting, told::add, this::fail);
    }
    reader = new Reader(store, clock, this::fail);
    for (int lane = 0; lane <= NOTES; lane++) {
      threads[lane] = started(factory, lanes[lane], "cantle-store-lane-" + lane);
    }
    threads[TELLER] = started(factory, this::tell, "cantle-store-teller");
    for (int i = 1; i <= READERS; i++) {
      threads[TELLER + i] = started(factory, reader, "cantle-store-reader-" + i);
    }
    clock.schedule(LOOK_NANOS, this::look);
  }

  /** Looks whether the disk does not answer any more: nothing else would notice. */
  private void look() {
    if (closed.get() || failure.get() != null) {
      return;
    }
    clock.schedule(LOOK_NANOS, this::look);
    long longest = waitsNanos();
    long millis = TimeUnit.NANOSECONDS.toMillis(longest);
    if (longest >= HANGS_NANOS) {
      fail(new IOException("the disk of " + place + " has not answered for " + millis + " ms"));
    } else if (longest < COMPLAIN_NANOS) {
      complained.set(false);
    } else if (!complained.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the disk of {0} has not answered for {1} ms; after {2} ms its node leaves",
          place,
          millis,
          TimeUnit.NANOSECONDS.toMillis(HANGS_NANOS));
    }
  }

  /** For how long the disk has ended nothing of what it has to do in some lane, or to read. */
  long waitsNanos() {
    long longest = reader.waitsNanos();
    for (Lane lane : lanes) {
      longest = Math.max(longest, lane.waitsNanos());
    }
    return longest;
  }

  private static Thread started(ThreadFactory factory, Runnable task, String name) {
    Thread thread = factory.newThread(task);
    thread.setName(name);
    thread.start();
    return thread;
  }

  /** The clock of the node, as the store wants it. */
  record StoreTime(Clock clock) implements StoreClock {
    @Override
    public long nanoTime() {
      return clock.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      clock.parkNanos(blocker, nanos);
    }
  }

  private void tell() {
    try {
      while (!toldAll) {
        tell(told.take());
      }
    } catch (InterruptedException e) {
      fail(e);
    }
  }

  /** What did not follow a write is waited for by somebody, and nobody else would tell him. */
  private void tell(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      fail(e);
      LOG.log(System.Logger.Level.ERROR, "what was to follow a write to disk failed", e);
    }
  }

  private void fail(Throwable why) {
    if (failure.compareAndSet(null, why)) {
      for (Lane lane : lanes) {
        lane.giveUp();
      }
      reader.giveUp();
      tellFailure();
    }
  }

  private void tellFailure() {
    Throwable why = failure.get();
    Consumer<Throwable> task = why == null ? null : failed.getAndSet(null);
    if (why != null && task != null) {
      told.add(() -> task.accept(why));
    }
  }

  @Override
  public void whenFailed(Consumer<Throwable> task) {
    failed.set(task);
    tellFailure();
  }

  // ------------------------------------------------------------------ what was left

  /**
   * Reads all copies into memory, for {@link #take}. Tells how far it has come every two seconds.
   *
   * @param memory how many bytes of entries may be there, now and later: what comes then is evicted
   * @throws IOException if something cannot be read
   */
  public void load(long memory) throws IOException {
    memoryBytes = memory;
    LoadingReport report = new LoadingReport(place, store.segments(), clock);
    for (SegmentStore.SegmentSize size : store.segments()) {
      if (size.entries() > 0) {
        diskShelf(size.cache(), size.segment()).used = true;
        Copy copy = read(size.cache(), size.segment(), report);
        if (copy != null) {
          copies.put(address(size.cache(), size.segment()), copy);
        }
      }
      report.segment();
    }
    report.end();
  }

  private @Nullable Copy read(int cache, int segment, LoadingReport report) throws IOException {
    Copy[] copy = new Copy[1];
    ScanPlace end =
        store.scan(
            cache,
            segment,
            ScanPlace.START,
            stored -> {
              // The empty key comes first, with the lowest hash there is.
              if (Kept.isLabel(stored)) {
                copy[0] = new Copy(Kept.label(stored));
              } else if (copy[0] != null) {
                Entry entry = Kept.entry(stored);
                report.entry(entry.bytes().length);
                copy[0].add(inMemory(entry));
              }
              return copy[0] != null;
            });
    return end.kind() == ScanPlace.Kind.END ? copy[0] : null;
  }

  /** What is to be kept of it in memory: all of it, as long as there is room. */
  private Entry inMemory(Entry read) {
    boolean fits = loadedBytes + read.sizeBytes() <= memoryBytes;
    Entry entry = fits || read.evictableBytes() == 0 ? read : read.evicted();
    loadedBytes += entry.sizeBytes();
    return entry;
  }

  @Override
  public @Nullable Copy take(int cache, int segment) {
    return copies.remove(address(cache, segment));
  }

  // ------------------------------------------------------------------ what is kept

  @Override
  public boolean keeps() {
    return true;
  }

  @Override
  public long memoryBytes() {
    return memoryBytes;
  }

  private static long address(int cache, int segment) {
    return ((long) cache << Integer.SIZE) | segment;
  }

  @Override
  public Shelf shelf(int cache, int segment) {
    return diskShelf(cache, segment);
  }

  private DiskShelf diskShelf(int cache, int segment) {
    return shelves.computeIfAbsent(
        address(cache, segment), a -> new DiskShelf(cache, segment, lanes[segment % LANES]));
  }

  private final class DiskShelf implements Shelf {
    private final int cache;
    private final int segment;
    private final Lane lane;

    /** Whether there may be something; guarded by whoever calls. */
    private boolean used;

    DiskShelf(int cache, int segment, Lane lane) {
      this.cache = cache;
      this.segment = segment;
      this.lane = lane;
    }

    @Override
    public Room room() {
      if (waiting.get() > MOST_WAITING_BYTES) {
        return Room.LATER;
      }
      if (store.shortage().isEmpty()) {
        return Room.ALL;
      }
      return store.lastRoomBytes() > RESERVED_BYTES ? Room.REMOVALS : Room.NONE;
    }

    @Override
    public long behindNanos() {
      return lane.behindNanos();
    }

    @Override
    public void put(Entry entry) {
      changes.incrementAndGet();
      lane.add(
          (to, timeout) -> to.put(cache, segment, Kept.entry(entry), Durability.POLICY, timeout),
          TASK_BYTES + entry.bytes().length,
          null);
    }

    @Override
    public void purge(Entry removed) {
      lane.add(
          (to, timeout) ->
              to.remove(cache, segment, Kept.purged(removed), Durability.POLICY, timeout),
          TASK_BYTES,
          null);
    }

    @Override
    public void label(Label label, int epoch, long index) {
      used = true;
      changes.incrementAndGet();
      lane.add(
          (to, timeout) ->
              to.put(cache, segment, Kept.label(label, epoch, index), Durability.POLICY, timeout),
          TASK_BYTES,
          null);
    }

    @Override
    public void drop() {
      if (used) {
        used = false;
        changes.incrementAndGet();
        lane.add(
            (to, timeout) -> to.drop(cache, segment, Durability.POLICY, timeout), TASK_BYTES, null);
      }
    }

    @Override
    public void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> then, Runnable over) {
      reader.add(cache, segment, evicted, then, over);
    }

    @Override
    public void fail(Throwable why) {
      DiskStore.this.fail(why);
    }

    @Override
    public void then(Runnable task) {
      lane.add(task);
    }
  }

  @Override
  public byte @Nullable [] find(String name) {
    byte[] kept = notes.get(name);
    return kept != null ? kept.clone() : store.note(name).orElse(null);
  }

  @Override
  public long changes() {
    return changes.get();
  }

  @Override
  public void keep(String name, byte[] bytes, Runnable then) {
    byte[] kept = bytes.clone();
    notes.put(name, kept);
    lanes[NOTES].add(
        (to, timeout) -> to.note(name, kept, Durability.POLICY, timeout),
        TASK_BYTES + kept.length,
        then);
  }

  // ------------------------------------------------------------------ the end

  @Override
  public void close() {
    close(CLOSE_PATIENCE, () -> {});
  }

  /**
   * Ends, and has something run afterwards, when nothing is written any more. The disk may not
   * answer: this returns after the usual time all the same, and that is run when it does.
   */
  public void close(Runnable afterwards) {
    close(CLOSE_PATIENCE, afterwards);
  }

  void close(Duration patience, Runnable afterwards) {
    if (closed.getAndSet(true)) {
      return;
    }
    for (Lane lane : lanes) {
      lane.end();
    }
    reader.end();
    boolean told = Thread.currentThread().equals(threads[TELLER]);
    Thread closer =
        started(
            factory,
            () -> {
              finish(!told);
              afterwards.run();
            },
            "cantle-store-closer");
    if (!joined(closer, patience)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the disk of the store in {0} has not answered for {1} ms: it is left as it is, and"
              + " locked until it does or this process ends",
          place,
          patience.toMillis());
    }
  }

  private void finish(boolean endTeller) {
    for (int i = 0; i < threads.length; i++) {
      if (i != TELLER) {
        joined(threads[i], FOREVER);
      }
    }
    try {
      store.close();
    } catch (IOException e) {
      LOG.log(
          failure.get() == null ? System.Logger.Level.ERROR : System.Logger.Level.DEBUG,
          "the store in " + place + " did not close as it should",
          e);
    }
    told.add(() -> toldAll = true);
    if (endTeller) {
      joined(threads[TELLER], FOREVER);
    }
  }

  /** Waits for a thread, whatever this one is interrupted for; returns whether it has ended. */
  private boolean joined(Thread thread, Duration patience) {
    long begin = clock.nanoTime();
    boolean interrupted = Thread.interrupted();
    while (thread.isAlive() && clock.nanoTime() - begin < patience.toNanos()) {
      clock.parkNanos(thread, LOOK_AGAIN_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
