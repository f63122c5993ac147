package io.cantle.core.persistence;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.SyncPolicy;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreCursor;
import io.cantle.store.segment.StoreOptions;
import io.cantle.store.segment.WriteDurability;
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
 * much as comes; what bounds them is that while there is no {@link ReplicaStore#writeAdmission}
 * primaries take no more writes, joiners fetch nothing, and whoever wrote what a backup has to keep
 * waits until it is on disk.
 *
 * <p>While the disk has no room for the log's next file primaries take nothing but removals. What
 * is on its way, and what a node has to keep to stay in its grid, goes into the file there is.
 *
 * <p>The log syncs groups, whatever the caches want: who needs not wait for it does not, and is on
 * disk soon all the same.
 *
 * <p><b>Threading:</b> any thread; {@link #load} one, before anything is taken.
 */
public final class DiskStore implements NodeStore {
  /** The longest key and value together that a store keeps. */
  public static final int MAX_ENTRY_BYTES = 32 << 20;

  private static final System.Logger LOG = System.getLogger(DiskStore.class.getName());

  /** For the segments. */
  private static final int SEGMENT_QUEUE_COUNT = 2;

  /** For notes, which votes wait for: they do not stand behind what somebody fetches. */
  private static final int NOTE_QUEUE_INDEX = SEGMENT_QUEUE_COUNT;

  private static final int CALLBACK_THREAD_INDEX = SEGMENT_QUEUE_COUNT + 1;

  /** Threads that read; a disk serves several at a time best. */
  private static final int READER_COUNT = 4;

  /** For how long whoever closes waits for a disk that does not answer. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  /** After how long a disk that does not answer is told of, and after how long it has failed. */
  private static final long WARN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long FAIL_AFTER_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long MAX_PENDING_BYTES = 64L << 20;

  /** Two topologies that are four times as long as they may be when a cache is founded. */
  private static final int MAX_NOTE_BYTES = 16 << 20;

  /** What is left of a full disk for notes, labels and ends of entries: as much as all notes. */
  private static final long RESERVED_BYTES = 2L * MAX_NOTE_BYTES;

  private static final Duration FOREVER = Duration.ofDays(1_000);

  /** How often a thread that is to end is looked at. */
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
  private final Map<String, byte[]> notes = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable Consumer<Throwable>> failureListener =
      new AtomicReference<>();
  private final Thread[] threads = new Thread[CALLBACK_THREAD_INDEX + 1 + READER_COUNT];
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile long memoryBytes = Long.MAX_VALUE;

  /** How much was loaded; for {@link #load} only. */
  private long loadedBytes;

  private volatile boolean callbacksEnded;

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
            MAX_ENTRY_BYTES + (1 << 20),
            2L * MAX_ENTRY_BYTES,
            usual.spareFiles());
    StoreOptions defaults = StoreOptions.of(log);
    StoreOptions options =
        new StoreOptions(
            log,
            defaults.tailBytes(),
            defaults.runBytes(),
            defaults.garbagePercent(),
            defaults.snapshotPeriodNanos(),
            MAX_NOTE_BYTES);
    SegmentStore store =
        SegmentStore.open(disk, options, identity, new StoreClockAdapter(clock), factory);
    return new DiskStore(store, disk.location(), clock, factory);
  }

  private DiskStore(SegmentStore store, String directory, Clock clock, ThreadFactory factory) {
    this.store = store;
    this.directory = directory;
    this.clock = clock;
    this.factory = factory;
    store.allowLastRoom();
    for (int lane = 0; lane <= NOTE_QUEUE_INDEX; lane++) {
      writeQueues[lane] =
          new DiskWriteQueue(store, clock, pendingBytes, callbacks::add, this::fail);
    }
    readPool = new DiskReadPool(store, clock, this::fail);
    for (int lane = 0; lane <= NOTE_QUEUE_INDEX; lane++) {
      threads[lane] = startThread(factory, writeQueues[lane], "cantle-store-lane-" + lane);
    }
    threads[CALLBACK_THREAD_INDEX] =
        startThread(factory, this::runCallbacks, "cantle-store-teller");
    for (int i = 1; i <= READER_COUNT; i++) {
      threads[CALLBACK_THREAD_INDEX + i] =
          startThread(factory, readPool, "cantle-store-reader-" + i);
    }
    clock.schedule(CHECK_INTERVAL_NANOS, this::checkDisk);
  }

  /** Looks whether the disk does not answer any more: nothing else would notice. */
  private void checkDisk() {
    if (closed.get() || failure.get() != null) {
      return;
    }
    clock.schedule(CHECK_INTERVAL_NANOS, this::checkDisk);
    long longest = stalledNanos();
    long millis = TimeUnit.NANOSECONDS.toMillis(longest);
    if (longest >= FAIL_AFTER_NANOS) {
      fail(new IOException("the disk of " + directory + " has not answered for " + millis + " ms"));
    } else if (longest < WARN_AFTER_NANOS) {
      warned.set(false);
    } else if (!warned.getAndSet(true)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the disk of {0} has not answered for {1} ms; after {2} ms its node leaves",
          directory,
          millis,
          TimeUnit.NANOSECONDS.toMillis(FAIL_AFTER_NANOS));
    }
  }

  /** For how long the disk has ended nothing of what it has to do in some lane, or to read. */
  long stalledNanos() {
    long longest = readPool.stalledNanos();
    for (DiskWriteQueue writeQueue : writeQueues) {
      longest = Math.max(longest, writeQueue.stalledNanos());
    }
    return longest;
  }

  private static Thread startThread(ThreadFactory factory, Runnable task, String name) {
    Thread thread = factory.newThread(task);
    thread.setName(name);
    thread.start();
    return thread;
  }

  /** The clock of the node, as the store wants it. */
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

  /** What did not follow a write is waited for by somebody, and nobody else would tell him. */
  private void runCallback(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      fail(e);
      LOG.log(System.Logger.Level.ERROR, "what was to follow a write to disk failed", e);
    }
  }

  private void fail(Throwable cause) {
    if (failure.compareAndSet(null, cause)) {
      for (DiskWriteQueue writeQueue : writeQueues) {
        writeQueue.abandon();
      }
      readPool.abandon();
      notifyFailure();
    }
  }

  private void notifyFailure() {
    Throwable cause = failure.get();
    Consumer<Throwable> task = cause == null ? null : failureListener.getAndSet(null);
    if (cause != null && task != null) {
      callbacks.add(() -> task.accept(cause));
    }
  }

  @Override
  public void onFailure(Consumer<Throwable> task) {
    failureListener.set(task);
    notifyFailure();
  }

  // ------------------------------------------------------------------ what was left

  /**
   * Reads all copies into memory, for {@link #takeLoadedReplica}. Tells how far it has come every
   * two seconds.
   *
   * @param memory how many bytes of entries may be there, now and later: what comes then is evicted
   * @throws IOException if something cannot be read
   */
  public void load(long memory) throws IOException {
    memoryBytes = memory;
    LoadProgress report = new LoadProgress(directory, store.segments(), clock);
    for (SegmentStore.SegmentSize size : store.segments()) {
      if (size.entryCount() > 0) {
        diskReplicaStore(size.cache(), size.segment()).written = true;
        LoadedReplica loaded = loadReplica(size.cache(), size.segment(), report);
        if (loaded != null) {
          loadedReplicas.put(segmentKey(size.cache(), size.segment()), loaded);
        }
      }
      report.countSegment();
    }
    report.finish();
  }

  private @Nullable LoadedReplica loadReplica(int cache, int segment, LoadProgress report)
      throws IOException {
    LoadedReplica[] copy = new LoadedReplica[1];
    StoreCursor end =
        store.scan(
            cache,
            segment,
            StoreCursor.START,
            stored -> {
              // The empty key comes first, with the lowest hash there is.
              if (StoredEntryCodec.isHeader(stored)) {
                copy[0] = new LoadedReplica(StoredEntryCodec.decodeHeader(stored));
              } else if (copy[0] != null) {
                Entry entry = StoredEntryCodec.decodeEntry(stored);
                report.countEntry(entry.bytes().length);
                copy[0].add(evictIfFull(entry));
              }
              return copy[0] != null;
            });
    return end.kind() == StoreCursor.Kind.END ? copy[0] : null;
  }

  /** What is to be kept of it in memory: all of it, as long as there is room. */
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

  // ------------------------------------------------------------------ what is kept

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
    return diskReplicaStore(cache, segment);
  }

  private DiskReplicaStore diskReplicaStore(int cache, int segment) {
    return replicaStores.computeIfAbsent(
        segmentKey(cache, segment),
        a -> new DiskReplicaStore(cache, segment, writeQueues[segment % SEGMENT_QUEUE_COUNT]));
  }

  private final class DiskReplicaStore implements ReplicaStore {
    private final int cache;
    private final int segment;
    private final DiskWriteQueue writeQueue;

    /** Whether there may be something; guarded by whoever calls. */
    private boolean written;

    DiskReplicaStore(int cache, int segment, DiskWriteQueue writeQueue) {
      this.cache = cache;
      this.segment = segment;
      this.writeQueue = writeQueue;
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
      writeQueue.enqueue(
          (to, timeout) ->
              to.put(
                  cache,
                  segment,
                  StoredEntryCodec.encodeEntry(entry),
                  WriteDurability.POLICY,
                  timeout),
          TASK_OVERHEAD_BYTES + entry.bytes().length,
          null);
    }

    @Override
    public void purge(Entry removed) {
      writeQueue.enqueue(
          (to, timeout) ->
              to.remove(
                  cache,
                  segment,
                  StoredEntryCodec.encodePurge(removed),
                  WriteDurability.POLICY,
                  timeout),
          TASK_OVERHEAD_BYTES,
          null);
    }

    @Override
    public void writeHeader(ReplicaHeader header, int epoch, long index) {
      written = true;
      changes.incrementAndGet();
      writeQueue.enqueue(
          (to, timeout) ->
              to.put(
                  cache,
                  segment,
                  StoredEntryCodec.encodeHeader(header, epoch, index),
                  WriteDurability.POLICY,
                  timeout),
          TASK_OVERHEAD_BYTES,
          null);
    }

    @Override
    public void drop() {
      if (written) {
        written = false;
        changes.incrementAndGet();
        writeQueue.enqueue(
            (to, timeout) -> to.drop(cache, segment, WriteDurability.POLICY, timeout),
            TASK_OVERHEAD_BYTES,
            null);
      }
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
    public void whenOnDisk(Runnable task) {
      writeQueue.enqueue(task);
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
  public void save(String name, byte[] bytes, Runnable onDurable) {
    byte[] kept = bytes.clone();
    notes.put(name, kept);
    writeQueues[NOTE_QUEUE_INDEX].enqueue(
        (to, timeout) -> to.note(name, kept, WriteDurability.POLICY, timeout),
        TASK_OVERHEAD_BYTES + kept.length,
        onDurable);
  }

  // ------------------------------------------------------------------ the end

  @Override
  public void close() {
    close(CLOSE_TIMEOUT, () -> {});
  }

  /**
   * Ends, and has something run afterwards, when nothing is written any more. The disk may not
   * answer: this returns after the usual time all the same, and that is run when it does.
   */
  public void close(Runnable afterwards) {
    close(CLOSE_TIMEOUT, afterwards);
  }

  void close(Duration timeout, Runnable afterwards) {
    if (closed.getAndSet(true)) {
      return;
    }
    for (DiskWriteQueue writeQueue : writeQueues) {
      writeQueue.end();
    }
    readPool.end();
    boolean inCallbackThread = Thread.currentThread().equals(threads[CALLBACK_THREAD_INDEX]);
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
          "the disk of the store in {0} has not answered for {1} ms: it is left as it is, and"
              + " locked until it does or this process ends",
          directory,
          timeout.toMillis());
    }
  }

  private void closeStore(boolean endTeller) {
    for (int i = 0; i < threads.length; i++) {
      if (i != CALLBACK_THREAD_INDEX) {
        joinThread(threads[i], FOREVER);
      }
    }
    try {
      store.close();
    } catch (IOException e) {
      LOG.log(
          failure.get() == null ? System.Logger.Level.ERROR : System.Logger.Level.DEBUG,
          "the store in " + directory + " did not close as it should",
          e);
    }
    callbacks.add(() -> callbacksEnded = true);
    if (endTeller) {
      joinThread(threads[CALLBACK_THREAD_INDEX], FOREVER);
    }
  }

  /** Waits for a thread, whatever this one is interrupted for; returns whether it has ended. */
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
