package io.cantle.store.segment;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.Lsn;
import io.cantle.store.log.RecordVisitor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Predicate;

/**
 * A store for the entries of any number of caches, by segment, over one log: one group commit
 * serves them all. The index is in memory. The entries are in the log and, once that has grown, in
 * runs, which are sorted by segment.
 *
 * <p>The version decides: writing a version that is not newer than the present or removed one
 * changes nothing and ends at once. Reads return what was acknowledged. The log's own thread puts
 * the records of the log into the index, in the order of the log. So at any time there is one LSN
 * before which everything is in the index.
 *
 * <p>The first failure of the log ends the store: every write that has not ended fails, and so does
 * every later call. If the disk has no room for another log file, the store refuses writes until
 * there is room.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class SegmentStore implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(60);

  private final StoreOptions options;
  private final StoreClock clock;
  private final AppendLog log;
  private final StoreIndex index;
  private final IndexedAppend indexedAppend;
  private final OpenReport openReport;
  private final CompactionScheduler compactionScheduler;

  private volatile boolean closed;
  private volatile boolean lastFileWritable;

  /** Opens the log of a store. */
  @FunctionalInterface
  interface LogOpener {
    /** Opens it and shows the visitor its records from an LSN on. */
    AppendLog open(long from, RecordVisitor visitor) throws IOException;
  }

  /**
   * What was found when a store was opened.
   *
   * @param fromSnapshot whether the index was read from a snapshot; otherwise it was read from all
   *     files
   * @param snapshotProblem what was wrong with the snapshot; empty if nothing was
   */
  record OpenReport(boolean fromSnapshot, Optional<String> snapshotProblem) {}

  private SegmentStore(
      Disk disk, StoreOptions options, long identity, StoreClock clock, StoreRecovery recovery) {
    this.options = options;
    this.clock = clock;
    this.index = recovery.index();
    this.log = index.log();
    this.openReport = recovery.report();
    CompactionThrottle throttle = new CompactionThrottle(clock);
    this.indexedAppend = new IndexedAppend(index.log(), clock, throttle, recovery.appliedLsn());
    this.compactionScheduler =
        new CompactionScheduler(
            this, disk, options, identity, clock, throttle, recovery.manifest());
  }

  /**
   * Opens the store of a disk, or begins one.
   *
   * @param identity a number drawn for the store if it is a new one, and the same number later
   * @param threads makes the threads that write and compact; platform threads, except in tests
   * @throws DamagedException if a run is not as it was written
   * @throws DamagedException if the log is not as it was acknowledged
   * @throws IOException if the disk cannot be read or written
   */
  public static SegmentStore open(
      Disk disk, StoreOptions options, long identity, StoreClock clock, ThreadFactory threads)
      throws IOException {
    SegmentStore store =
        openIdle(
            disk,
            options,
            identity,
            clock,
            (from, visitor) ->
                AppendLog.open(disk, options.log(), identity, clock, threads, from, visitor));
    store.compactionScheduler.start(threads);
    return store;
  }

  /** Opens a store whose compaction is driven by the caller. */
  static SegmentStore openIdle(
      Disk disk, StoreOptions options, long identity, StoreClock clock, LogOpener log)
      throws IOException {
    return new SegmentStore(
        disk, options, identity, clock, StoreRecovery.open(disk, identity, log));
  }

  /** What was found when the store was opened. */
  OpenReport openReport() {
    return openReport;
  }

  /**
   * Writes a version of a key.
   *
   * @param cache the number of the cache, 0 to 65,535
   * @param segment the segment, 0 to 65,535
   * @param timeoutNanos how long to wait for room in the log's queue
   * @throws IllegalArgumentException if it is longer than a record of the log may be
   * @throws StoreException if the store is closed, failed, or has no room; the version is not in
   *     the store
   * @throws IOException if an older version cannot be read, or the log refuses it
   * @throws InterruptedException if the thread was interrupted; the version is not in the store
   */
  public StoreWrite put(int cache, int segment, StoredEntry entry, long timeoutNanos)
      throws IOException, InterruptedException {
    return writeVersion(StoreRecordCodec.PUT, cache, segment, entry, timeoutNanos);
  }

  /**
   * Writes a version of a key that says that the key was removed.
   *
   * @param entry its value is empty
   * @throws IllegalArgumentException if there is a value
   * @throws IOException as from {@link #put}
   * @throws InterruptedException as from {@link #put}
   */
  public StoreWrite remove(int cache, int segment, StoredEntry entry, long timeoutNanos)
      throws IOException, InterruptedException {
    if (entry.value().length > 0) {
      throw new IllegalArgumentException("a removal must have no value, but was given " + entry);
    }
    return writeVersion(StoreRecordCodec.REMOVE, cache, segment, entry, timeoutNanos);
  }

  private StoreWrite writeVersion(
      byte type, int cache, int segment, StoredEntry entry, long timeoutNanos)
      throws IOException, InterruptedException {
    requireWritable();
    StoredSegment in = index.getOrCreateSegment(cache, segment);
    InFlightKey known = index.claimKey(in, entry);
    if (known == null) {
      StoreWrite write = new StoreWrite(clock);
      write.complete(null);
      return write;
    }
    LogRecord record =
        StoreRecordCodec.entryRecord(type, cache, segment, known.identity.incarnation(), entry);
    boolean isRemoved = type == StoreRecordCodec.REMOVE;
    return indexedAppend.submit(
        record,
        timeoutNanos,
        lsn ->
            in.applyWrite(
                known, entry, RecordLocation.inLog(lsn, isRemoved), record.paddedLength()),
        () -> StoreIndex.releaseKey(in, known));
  }

  /**
   * Drops everything a segment holds, with one record: the segment begins a new incarnation, to
   * which all later writes belong. If the drop fails but something was written to the segment
   * meanwhile, that write drops the old contents too.
   *
   * @throws StoreException as from {@link #put}
   * @throws IOException as from {@link #put}
   * @throws InterruptedException as from {@link #put}
   */
  public StoreWrite drop(int cache, int segment, long timeoutNanos)
      throws IOException, InterruptedException {
    requireWritable();
    StoredSegment in = index.getOrCreateSegment(cache, segment);
    long incarnation;
    synchronized (in) {
      in.wantedIncarnation++;
      incarnation = in.wantedIncarnation;
    }
    return indexedAppend.submit(
        StoreRecordCodec.dropRecord(cache, segment, incarnation),
        timeoutNanos,
        _ -> in.applyDrop(incarnation),
        () -> in.abandonIncarnation(incarnation));
  }

  /**
   * Stores a note: some bytes under a name, beside the entries. It replaces the note of that name.
   *
   * @throws IllegalArgumentException if all notes together were longer than {@link
   *     StoreOptions#noteBytes}
   * @throws StoreException as from {@link #put}
   * @throws IOException as from {@link #put}
   * @throws InterruptedException as from {@link #put}
   */
  public StoreWrite note(String name, byte[] bytes, long timeoutNanos)
      throws IOException, InterruptedException {
    requireWritable();
    byte[] key = name.getBytes(StandardCharsets.UTF_8);
    long length = key.length + (long) bytes.length;
    for (Map.Entry<String, byte[]> note : index.notes().entrySet()) {
      if (!note.getKey().equals(name)) {
        length += note.getKey().getBytes(StandardCharsets.UTF_8).length;
        length += note.getValue().length;
      }
    }
    if (length > options.noteBytes()) {
      throw new IllegalArgumentException(
          "all notes together would take %s bytes, more than noteBytes, %s"
              .formatted(length, options.noteBytes()));
    }
    return indexedAppend.submit(
        LogRecord.of(StoreRecordCodec.NOTE, key, bytes.clone()),
        timeoutNanos,
        _ -> index.notes().put(name, bytes.clone()),
        () -> {});
  }

  /** The bytes of the note with this name. */
  public Optional<byte[]> note(String name) {
    return Optional.ofNullable(index.notes().get(name)).map(byte[]::clone);
  }

  /** Writes a manifest and waits until it is durable. */
  void appendManifest(Manifest manifest, long timeoutNanos)
      throws IOException, InterruptedException {
    requireWorking();
    indexedAppend
        .submit(
            LogRecord.of(StoreRecordCodec.MANIFEST, new byte[0], manifest.encode()),
            timeoutNanos,
            _ -> {},
            () -> {})
        .await(timeoutNanos);
  }

  /** The LSN before which the whole log is in the index. */
  long appliedLsn() {
    return indexedAppend.appliedLsn();
  }

  StoreIndex index() {
    return index;
  }

  /**
   * The newest version of a key; empty if there is none, or it was removed. The caller must check
   * whether it has expired.
   *
   * @throws DamagedException if it is not as it was written
   * @throws IOException if it cannot be read
   */
  public Optional<StoredEntry> get(int cache, int segment, long hash, byte[] key)
      throws IOException {
    requireReadable();
    StoredSegment in = index.findSegment(cache, segment);
    StoredRecord stored = in == null ? null : index.get(in, hash, key);
    return stored == null ? Optional.empty() : Optional.of(stored.entry());
  }

  /**
   * Shows the visitor the entries of a segment in the order of hash and key. An entry that is
   * present throughout is shown exactly once. An entry that comes, goes or changes meanwhile is
   * shown once or not at all.
   *
   * @param visitor returns whether to go on; after {@code false} the scan returns the cursor after
   *     that entry
   * @param from where to begin: {@link StoreCursor#START}, or where another scan ended
   * @return where the scan ended: {@link StoreCursor#END} if there are no more entries
   * @throws DamagedException if an entry is not as it was written
   * @throws IOException if it cannot be read
   */
  public StoreCursor scan(int cache, int segment, StoreCursor from, Predicate<StoredEntry> visitor)
      throws IOException {
    requireReadable();
    StoredSegment in = index.findSegment(cache, segment);
    return in == null ? StoreCursor.END : new StoreScan(index, in, from).run(visitor);
  }

  /** How many keys a segment has, without looking at them. */
  public long size(int cache, int segment) {
    StoredSegment in = index.findSegment(cache, segment);
    if (in == null) {
      return 0;
    }
    synchronized (in) {
      return in.keyCount;
    }
  }

  /**
   * What is known of a segment without reading it.
   *
   * @param cache the number of the cache
   * @param segment the segment
   * @param incarnation how often it was dropped
   * @param entryCount how many keys it has
   */
  public record SegmentSize(int cache, int segment, long incarnation, long entryCount) {}

  /** All segments that were ever written to, in order. */
  public List<SegmentSize> segments() {
    List<SegmentSize> sizes = new ArrayList<>();
    for (StoredSegment segment : index.segments()) {
      synchronized (segment) {
        sizes.add(
            new SegmentSize(
                segment.cacheId, segment.segmentId, segment.incarnation, segment.keyCount));
      }
    }
    return sizes;
  }

  /** What ended the store; empty while it works, and after it was closed normally. */
  Optional<Throwable> failure() {
    return Optional.ofNullable(indexedAppend.failure()).or(log::failure);
  }

  /**
   * Why the log could not prepare its next file, perhaps because the disk is full. It is tried
   * again.
   */
  public Optional<IOException> shortage() {
    return log.shortage();
  }

  /** How much room the log's active file has left, not counting appends that are under way. */
  public long lastFileRoomBytes() {
    return options.log().fileBytes() - Lsn.offset(indexedAppend.appliedLsn());
  }

  /**
   * From now on accepts writes while the active file has room, although there is no next one. The
   * caller must watch {@link #shortage} itself. When the file is full, the store fails.
   */
  public void allowWritesIntoLastFile() {
    lastFileWritable = true;
  }

  /** The part that compacts and writes snapshots. */
  CompactionScheduler compactionScheduler() {
    return compactionScheduler;
  }

  private void requireReadable() throws StoreException {
    if (closed) {
      throw new StoreException.Closed();
    }
    requireWorking();
  }

  private void requireWorking() throws StoreException {
    Throwable failure = indexedAppend.failure();
    if (failure != null) {
      throw new StoreException.Failed("the store failed before: " + failure.getMessage(), failure);
    }
  }

  private void requireWritable() throws StoreException {
    requireReadable();
    Throwable shortage = compactionScheduler.logShortage();
    if (shortage != null && !lastFileWritable) {
      throw new StoreException.Full(
          "the disk has no room for the log's next file: " + shortage.getMessage(), shortage);
    }
  }

  /**
   * Stops compaction, writes a snapshot of the index, and closes the log.
   *
   * @throws IOException if the log failed, now or before; what was acknowledged is there
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    compactionScheduler.close();
    try {
      log.close(CLOSE_TIMEOUT.toNanos());
    } finally {
      index.close();
    }
  }
}
