package io.cantle.core.persistence;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreCursor;
import io.cantle.store.segment.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node's store on disk: entries, replica headers and records in one {@link SegmentStore}.
 *
 * <p>Callers must not wait, but the segmented store may read and wait. So a few write queues stand
 * between them. Each segment uses one of them, and records have a queue of their own. The queues
 * are not bounded themselves. They are bounded by {@link ReplicaStore#writeAdmission}: while it is
 * withheld, primaries accept no more writes and joiners fetch nothing. Callers whose write a backup
 * must store wait until it is on disk.
 *
 * <p>While the disk has no room for the log's next file, primaries accept only removals. Writes in
 * flight, and what a node must save to stay in its grid, go into the present file.
 *
 * <p>The log syncs groups of writes, whatever durability the caches ask for. A caller that needs no
 * durability does not wait for the sync, but its write reaches the disk soon all the same.
 *
 * <p><b>Threading:</b> any thread; {@link #load} is called by one thread, before any replica is
 * taken.
 */
public final class DiskStore implements NodeStore {
  /** The largest key and value together that a store accepts. */
  public static final int MAX_ENTRY_BYTES = 32 << 20;

  private static final System.Logger LOG = System.getLogger(DiskStore.class.getName());

  /** The number of write queues for segments. */
  private static final int SEGMENT_QUEUE_COUNT = 2;

  /**
   * The queue for records. Votes wait for records, which therefore must not wait behind entries
   * that a joiner fetches.
   */
  private static final int RECORD_QUEUE_INDEX = SEGMENT_QUEUE_COUNT;

  /** The number of threads that read; a disk works best with several requests at a time. */
  private static final int READER_COUNT = 4;

  /** How long closing waits for a disk that does not respond. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  /** How long a disk may not respond before an error is logged, and before it counts as failed. */
  private static final long WARN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long FAIL_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long MAX_PENDING_BYTES = 64L << 20;

  /** Room for two topologies, each four times as long as one may be when a cache is created. */
  private static final int MAX_RECORDS_BYTES = 16 << 20;

  /**
   * The part of a full disk reserved for records, headers and expiry: as much as all records need.
   */
  private static final long RESERVED_BYTES = 2L * MAX_RECORDS_BYTES;

  private static final Duration FOREVER = Duration.ofDays(1_000);

  /** How often a thread that should end is checked. */
  private static final long JOIN_POLL_NANOS = 1_000_000;

  /** What an entry costs in a queue besides its bytes. */
  private static final int TASK_OVERHEAD_BYTES = 200;

  private final SegmentStore store;
  private final Clock clock;
  private final ThreadFactory factory;
  private final String directory;
  private final AtomicLong pendingBytes = new AtomicLong();
  private final AtomicLong changes = new AtomicLong();
  private final LinkedBlockingQueue<Runnable> callbacks = new LinkedBlockingQueue<>();
  private final DiskWriteQueue[] writeQueues = new DiskWriteQueue[SEGMENT_QUEUE_COUNT + 1];
  private final DiskReadPool readPool;
  private final Map<Long, DiskReplicaStore> replicaStores = new ConcurrentHashMap<>();
  private final Map<Long, LoadedReplica> loadedReplicas = new ConcurrentHashMap<>();
  private final Map<String, byte[]> records = new ConcurrentHashMap<>();
  private final AtomicBoolean failing = new AtomicBoolean();
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final List<Thread> diskThreads = new ArrayList<>();
  private final Thread callbackThread;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile long memoryBytes = Long.MAX_VALUE;
  private volatile Runnable closedListener = () -> {};

  /** The number of bytes loaded; used by {@link #load} only. */
  private long loadedBytes;

  private volatile boolean callbacksEnded;

  /**
   * Opens the store of a disk, or creates one.
   *
   * @param identity a random number that identifies the store, used only if it is new
   * @param factory creates the store's threads, which must be platform threads
   * @throws IOException if the store cannot be read or written, or is damaged
   */
  public static DiskStore open(Disk disk, long identity, Clock clock, ThreadFactory factory)
      throws IOException {
    LogOptions usual = LogOptions.DEFAULT;
    LogOptions log =
        new LogOptions(
            usual.fileBytes(),
            usual.batchBytes(),
            MAX_ENTRY_BYTES + (1 << 20),
            2L * MAX_ENTRY_BYTES,
            usual.spareFiles(),
            usual.strategy(),
            usual.flushing());
    StoreOptions defaults = StoreOptions.of(log);
    StoreOptions options =
        new StoreOptions(
            log,
            defaults.tailBytes(),
            defaults.runBytes(),
            defaults.garbagePercent(),
            defaults.snapshotPeriodNanos(),
            MAX_RECORDS_BYTES);
    SegmentStore store =
        SegmentStore.open(disk, options, identity, new StoreClockAdapter(clock), factory);
    return new DiskStore(store, disk.location(), clock, factory);
  }

  private DiskStore(SegmentStore store, String directory, Clock clock, ThreadFactory factory) {
    this.store = store;
    this.directory = directory;
    this.clock = clock;
    this.factory = factory;
    store.allowWritesIntoLastFile();
    for (int queue = 0; queue <= RECORD_QUEUE_INDEX; queue++) {
      writeQueues[queue] =
          new DiskWriteQueue(store, clock, pendingBytes, callbacks::add, this::fail);
    }
    readPool = new DiskReadPool(store, clock, this::fail);
    for (int queue = 0; queue <= RECORD_QUEUE_INDEX; queue++) {
      diskThreads.add(startThread(factory, writeQueues[queue], "cantle-store-writer-" + queue));
    }
    callbackThread = startThread(factory, this::runCallbacks, "cantle-store-callbacks");
    for (int i = 1; i <= READER_COUNT; i++) {
      diskThreads.add(startThread(factory, readPool, "cantle-store-reader-" + i));
    }
    clock.schedule(CHECK_INTERVAL_NANOS, this::checkDisk);
  }

  /** Checks whether the disk has stopped responding, which nothing else would notice. */
  private void checkDisk() {
    if (closed.get() || failure.isDone()) {
      return;
    }
    clock.schedule(CHECK_INTERVAL_NANOS, this::checkDisk);
    long longest = stalledNanos();
    long millis = TimeUnit.NANOSECONDS.toMillis(longest);
    if (longest >= FAIL_AFTER_NANOS) {
      fail(
          new IOException(
              "the disk of the store in " + directory + " has not answered for " + millis + " ms"));
    } else if (longest < WARN_AFTER_NANOS) {
      warned.set(false);
    } else if (!warned.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the disk of the store in {0} has not answered for {1} ms; after {2} ms this node leaves",
          directory,
          millis,
          TimeUnit.NANOSECONDS.toMillis(FAIL_AFTER_NANOS));
    }
  }

  /**
   * How long the disk has completed nothing of some write queue, or no read, although work is
   * pending.
   */
  long stalledNanos() {
    long longestWrite =
        Stream.of(writeQueues).mapToLong(DiskWriteQueue::stalledNanos).max().orElse(0);
    return Math.max(longestWrite, readPool.stalledNanos());
  }

  private static Thread startThread(ThreadFactory factory, Runnable task, String name) {
    Thread thread = factory.newThread(task);
    thread.setName(name);
    thread.start();
    return thread;
  }

  /** Adapts the clock of the node to the store. */
  record StoreClockAdapter(Clock clock) implements StoreClock {
    @Override
    public long nanoTime() {
      return clock.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      clock.parkNanos(blocker, nanos);
    }
  }

  private void runCallbacks() {
    try {
      while (!callbacksEnded) {
        runCallback(callbacks.take());
      }
    } catch (InterruptedException e) {
      fail(e);
    }
  }

  /**
   * Runs a callback. Its failure fails the store, because a caller waits for it and would not be
   * notified otherwise.
   */
  private void runCallback(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      fail(e);
      LOG.log(System.Logger.Level.ERROR, "the callback of a disk write failed; the store stops", e);
    }
  }

  private void fail(Throwable cause) {
    if (failing.compareAndSet(false, true)) {
      for (DiskWriteQueue writeQueue : writeQueues) {
        writeQueue.abandon();
      }
      readPool.abandon();
      // Last, since a listener may close the store.
      failure.complete(cause);
    }
  }

  @Override
  public void onFailure(Consumer<Throwable> task) {
    var _ = failure.thenAccept(cause -> callbacks.add(() -> task.accept(cause)));
  }

  // ------------------------------------------------------------------ loading

  /**
   * Loads all replicas into memory, for {@link #takeLoadedReplica}. Logs the progress every two
   * seconds.
   *
   * @param memory how many bytes of entries may be in memory, now and later; the values of further
   *     entries are evicted
   * @param containers makes the empty container of a replica
   * @throws IOException if something cannot be read
   */
  public void load(long memory, Supplier<Container> containers) throws IOException {
    memoryBytes = memory;
    List<SegmentStore.SegmentSize> sizes =
        store.segments().stream().filter(size -> size.entryCount() > 0).toList();
    LoadProgress report = new LoadProgress(directory, sizes.size(), clock);
    for (SegmentStore.SegmentSize size : sizes) {
      long key = segmentKey(size.cache(), size.segment());
      replicaStores.put(key, new DiskReplicaStore(size.cache(), size.segment(), true));
      LoadedReplica loaded = loadReplica(size.cache(), size.segment(), containers, report);
      if (loaded != null) {
        loadedReplicas.put(key, loaded);
      }
      report.countSegment();
    }
    report.finish();
  }

  private @Nullable LoadedReplica loadReplica(
      int cache, int segment, Supplier<Container> containers, LoadProgress report)
      throws IOException {
    LoadedReplica[] replica = new LoadedReplica[1];
    StoreCursor end =
        store.scan(
            cache,
            segment,
            StoreCursor.START,
            stored -> {
              // The empty key comes first, with the lowest possible hash.
              if (StoredEntryCodec.isHeader(stored)) {
                replica[0] =
                    new LoadedReplica(StoredEntryCodec.decodeHeader(stored), containers.get());
              } else if (replica[0] != null) {
                Entry read = StoredEntryCodec.decodeEntry(stored);
                Entry kept = evictIfFull(read);
                report.countEntry(read.bytes().length, read.isTombstone(), kept != read);
                replica[0].add(kept);
              }
              return replica[0] != null;
            });
    return end.kind() == StoreCursor.StoreCursorKind.END ? replica[0] : null;
  }

  /** Returns the part of an entry to keep in memory: all of it while there is room. */
  private Entry evictIfFull(Entry read) {
    boolean fits = loadedBytes + read.sizeBytes() <= memoryBytes;
    Entry entry = fits || read.evictableBytes() == 0 ? read : read.withoutValue();
    loadedBytes += entry.sizeBytes();
    return entry;
  }

  @Override
  public @Nullable LoadedReplica takeLoadedReplica(int cache, int segment) {
    return loadedReplicas.remove(segmentKey(cache, segment));
  }

  // ------------------------------------------------------------------ writing

  @Override
  public boolean keepsEntries() {
    return true;
  }

  @Override
  public long maxMemoryBytes() {
    return memoryBytes;
  }

  private static long segmentKey(int cache, int segment) {
    return ((long) cache << Integer.SIZE) | segment;
  }

  @Override
  public ReplicaStore replicaStore(int cache, int segment) {
    return replicaStores.computeIfAbsent(
        segmentKey(cache, segment), key -> new DiskReplicaStore(cache, segment, false));
  }

  @Override
  public void dropReplicas(IntPredicate isDestroyed) {
    replicaStores
        .values()
        .removeIf(
            replicaStore -> {
              boolean isGone = isDestroyed.test(replicaStore.cache);
              if (isGone) {
                loadedReplicas.remove(segmentKey(replicaStore.cache, replicaStore.segment));
                replicaStore.drop();
              }
              return isGone;
            });
  }

  private final class DiskReplicaStore implements ReplicaStore {
    private final int cache;
    private final int segment;
    private final DiskWriteQueue writeQueue;

    /** Whether there may be something on disk; guarded by the caller. */
    private boolean written;

    DiskReplicaStore(int cache, int segment, boolean written) {
      this.cache = cache;
      this.segment = segment;
      this.written = written;
      this.writeQueue = writeQueues[segment % SEGMENT_QUEUE_COUNT];
    }

    @Override
    public WriteAdmission writeAdmission() {
      if (pendingBytes.get() > MAX_PENDING_BYTES) {
        return WriteAdmission.DELAYED;
      }
      if (store.shortage().isEmpty()) {
        return WriteAdmission.ALL;
      }
      return store.lastFileRoomBytes() > RESERVED_BYTES
          ? WriteAdmission.REMOVALS_ONLY
          : WriteAdmission.NONE;
    }

    @Override
    public long lagNanos() {
      return writeQueue.lagNanos();
    }

    @Override
    public void put(Entry entry) {
      changes.incrementAndGet();
      enqueue(
          entry.bytes().length,
          (to, timeout) -> to.put(cache, segment, StoredEntryCodec.encodeEntry(entry), timeout));
    }

    @Override
    public void purge(Entry removed) {
      enqueue(
          0,
          (to, timeout) ->
              to.remove(cache, segment, StoredEntryCodec.encodePurge(removed), timeout));
    }

    @Override
    public void writeHeader(ReplicaHeader header, int epoch, long index) {
      written = true;
      changes.incrementAndGet();
      enqueue(
          0,
          (to, timeout) ->
              to.put(cache, segment, StoredEntryCodec.encodeHeader(header, epoch, index), timeout));
    }

    @Override
    public void drop() {
      if (written) {
        written = false;
        changes.incrementAndGet();
        enqueue(0, (to, timeout) -> to.drop(cache, segment, timeout));
      }
    }

    private void enqueue(int bytes, DiskWriteQueue.WriteStep step) {
      writeQueue.enqueue(step, TASK_OVERHEAD_BYTES + bytes, null);
    }

    @Override
    public void read(
        List<Entry> evicted, Consumer<List<@Nullable Entry>> onRead, Runnable onAbandoned) {
      readPool.submit(cache, segment, evicted, onRead, onAbandoned);
    }

    @Override
    public void fail(Throwable failure) {
      DiskStore.this.fail(failure);
    }

    @Override
    public void runOnceOnDisk(Runnable task) {
      writeQueue.enqueue(task);
    }
  }

  @Override
  public byte @Nullable [] find(String name) {
    byte[] kept = records.get(name);
    return kept != null ? kept.clone() : store.note(name).orElse(null);
  }

  @Override
  public long changeCount() {
    return changes.get();
  }

  @Override
  public void save(String name, byte[] bytes, Runnable onDurable) {
    byte[] kept = bytes.clone();
    records.put(name, kept);
    writeQueues[RECORD_QUEUE_INDEX].enqueue(
        (to, timeout) -> to.note(name, kept, timeout),
        TASK_OVERHEAD_BYTES + kept.length,
        onDurable);
  }

  // ------------------------------------------------------------------ closing

  @Override
  public void close() {
    close(CLOSE_TIMEOUT, closedListener);
  }

  /**
   * Sets an action to run when the store is closed and nothing is written any more. If the disk
   * does not respond, {@link #close} returns after the usual timeout all the same, and the action
   * runs when the disk responds.
   */
  public void onClosed(Runnable action) {
    closedListener = action;
  }

  void close(Duration timeout, Runnable afterwards) {
    if (closed.getAndSet(true)) {
      return;
    }
    for (DiskWriteQueue writeQueue : writeQueues) {
      writeQueue.end();
    }
    readPool.end();
    boolean inCallbackThread = Thread.currentThread().equals(callbackThread);
    Thread closer =
        startThread(
            factory,
            () -> {
              closeStore(!inCallbackThread);
              afterwards.run();
            },
            "cantle-store-closer");
    if (!joinThread(closer, timeout)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the disk of the store in {0} has not answered for {1} ms: closing no longer waits, and"
              + " the store stays locked until the disk answers or this process ends",
          directory,
          timeout.toMillis());
    }
  }

  private void closeStore(boolean endCallbackThread) {
    diskThreads.forEach(thread -> joinThread(thread, FOREVER));
    try {
      store.close();
    } catch (IOException e) {
      LOG.log(
          failure.isDone() ? System.Logger.Level.DEBUG : System.Logger.Level.ERROR,
          "the store in " + directory + " could not be closed properly",
          e);
    }
    callbacks.add(() -> callbacksEnded = true);
    if (endCallbackThread) {
      joinThread(callbackThread, FOREVER);
    }
  }

  /** Waits for a thread even if this one is interrupted; returns whether the thread has ended. */
  private boolean joinThread(Thread thread, Duration timeout) {
    long begin = clock.nanoTime();
    boolean interrupted = Thread.interrupted();
    while (thread.isAlive() && clock.nanoTime() - begin < timeout.toNanos()) {
      clock.parkNanos(thread, JOIN_POLL_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
