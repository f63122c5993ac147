package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The one that writes: takes what was handed over, writes as much as makes one frame, has it made
 * durable as the policy says, and tells those who wait. It alone touches the file that is written
 * to, so that no interrupt of a caller can close it, and so that there is nothing between two syncs
 * but copying.
 *
 * <p>The first failure is the last thing it does. After a sync that failed the system may call the
 * lost pages clean and let the next sync succeed; so there is no next one.
 *
 * <p><b>Threading:</b> one thread, the log's writer; {@link #durable}, {@link #end} and {@link
 * #failure} are for any.
 */
final class LogWriter {
  /** Full files that were not forced yet, where the policy wants no sync: no more than these. */
  static final int MOST_UNFORCED = 8;

  private static final byte[] ZEROS = new byte[Disk.BLOCK];

  private static final long FOREVER = Long.MAX_VALUE;

  private final LogOptions options;
  private final StoreClock clock;
  private final LogFiles files;
  private final Handover handover;
  private final Watch watch;
  private final Gather gather;
  private final CRC32C crc = new CRC32C();
  private final Deque<DiskFile> unforced = new ArrayDeque<>();

  private DiskFile file;
  private long fileId;
  private long place = Disk.BLOCK;
  private ByteBuffer buffer;
  private @Nullable Append first;
  private @Nullable Append last;
  private int waiting;
  private long forcedNanos;

  private final LongAdder records = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder batches = new LongAdder();
  private final LongAdder syncs = new LongAdder();
  private volatile long durable;
  private volatile long end;
  private volatile boolean closing;
  private volatile @Nullable Throwable failure;
  private volatile boolean ended;

  LogWriter(
      LogOptions options,
      StoreClock clock,
      LogFiles files,
      LogFiles.Prepared active,
      Handover handover,
      Watch watch) {
    this.options = options;
    this.clock = clock;
    this.files = files;
    this.handover = handover;
    this.watch = watch;
    this.gather = new Gather(handover, clock);
    this.file = active.file();
    this.fileId = active.id();
    this.buffer = files.disk().buffer((int) Frame.toBlock(options.batchBytes()));
    this.durable = Lsn.of(fileId, place);
    this.end = durable;
    this.forcedNanos = clock.nanoTime();
  }

  Gather gather() {
    return gather;
  }

  /** Everything before this number is durable. */
  long durable() {
    return durable;
  }

  /** Everything before this number was written. */
  long end() {
    return end;
  }

  LogStatistics statistics() {
    return new LogStatistics(
        records.sum(), bytes.sum(), batches.sum(), syncs.sum(), handover.bytes());
  }

  /** Why nothing is written any more; null while that is not so. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Whether the writer is through, having failed or not. */
  boolean isEnded() {
    return ended;
  }

  /** Has it write what was handed over and end. */
  void close() {
    closing = true;
    handover.wake();
  }

  /** Writes until it is closed or fails. */
  void run() {
    while (step()) {
      if (first == null && handover.size() == 0 && !closing) {
        idle();
      }
    }
  }

  /**
   * Writes one batch, if there is something to write; or ends.
   *
   * @return whether there will be another step
   */
  boolean step() {
    if (ended) {
      return false;
    }
    try {
      add(closing ? handover.shut() : handover.take());
      if (first != null) {
        if (options.policy() == SyncPolicy.GROUP) {
          gather.awaitOthers(waiting);
          add(closing ? handover.shut() : handover.take());
        }
        writeBatch();
        if (watch.isSlow()) {
          add(closing ? handover.shut() : handover.take());
          Append.giveTimers(first);
        }
      } else if (closing) {
        finish();
        return false;
      } else if (isDue()) {
        watch.begin(null);
        long start = clock.nanoTime();
        forceAll(SyncPoint.BATCH);
        watch.end(clock.nanoTime() - start);
      }
      return true;
    } catch (Throwable e) {
      fail(e);
      return false;
    }
  }

  private void idle() {
    if (options.policy() == SyncPolicy.GROUP) {
      gather.awaitFirst();
    }
    boolean mustSync = options.policy() == SyncPolicy.PERIODIC && durable < end;
    handover.sleep(
        mustSync ? options.syncPeriodNanos() - (clock.nanoTime() - forcedNanos) : FOREVER);
  }

  private boolean isDue() {
    return options.policy() == SyncPolicy.PERIODIC
        && durable < end
        && clock.nanoTime() - forcedNanos >= options.syncPeriodNanos();
  }

  private void add(@Nullable Append taken) {
    if (taken == null) {
      return;
    }
    if (last == null) {
      first = taken;
    } else {
      last.next = taken;
    }
    Append at = taken;
    waiting++;
    while (at.next != null) {
      at = at.next;
      waiting++;
    }
    last = at;
  }

  private void writeBatch() throws IOException {
    watch.begin(first);
    long start = clock.nanoTime();
    long room = options.fileBytes() - Disk.BLOCK - place;
    int length = Frame.HEAD_BYTES;
    int appends = 0;
    int count = 0;
    boolean mustSync = false;
    Append beyond = first;
    for (; beyond != null; beyond = beyond.next) {
      long with = (long) length + beyond.bytes;
      boolean isAlone = options.policy() == SyncPolicy.ALWAYS;
      if (with > room || (appends > 0 && (isAlone || with > options.batchBytes()))) {
        break;
      }
      length = (int) with;
      appends++;
      count += beyond.records.length;
      mustSync |= beyond.mustSync;
    }
    if (appends == 0) {
      roll();
      watch.end(clock.nanoTime() - start);
      return;
    }
    long lsn = Lsn.of(fileId, place);
    if (count > 0) {
      fill(lsn, length, count, beyond);
      writeFrame(SyncPoint.BATCH);
      records.add(count);
      batches.increment();
    }
    if (durable < end
        && (mustSync || isDue() || (options.policy().isDurable() && !file.isDurable()))) {
      forceAll(SyncPoint.BATCH);
    }
    long nanos = clock.nanoTime() - start;
    watch.end(nanos);
    // Before anybody is told: who comes back at once is not one more.
    int others = waiting - appends + handover.size();
    long released = end(lsn + Frame.HEAD_BYTES, beyond);
    handover.release(released);
    gather.wrote(appends, others, nanos);
  }

  /** Puts a frame of all appends before one into the buffer. */
  private void fill(long lsn, int length, int count, @Nullable Append beyond) {
    int padded = (int) Frame.toBlock(length);
    if (padded > buffer.capacity()) {
      buffer = files.disk().buffer(padded);
    }
    buffer.clear().limit(padded);
    int at = Frame.HEAD_BYTES;
    for (Append append = first; append != null && append != beyond; append = append.next) {
      for (int index = 0; index < append.records.length; index++) {
        LogRecord record = append.records[index];
        RecordView.write(record, append.checksums[index], lsn + at, buffer, at, crc);
        at += (int) record.length();
      }
    }
    buffer.put(at, ZEROS, 0, padded - at);
    new Frame(Frame.Kind.RECORDS, lsn, durable, 0, length, count).write(buffer, 0, crc);
  }

  /** Writes what is in the buffer to the end of the file. */
  private void writeFrame(SyncPoint why) throws IOException {
    int length = buffer.limit();
    file.writeFully(buffer, place, why);
    place += length;
    bytes.add(length);
    end = Lsn.of(fileId, place);
    if (file.isDurable()) {
      durable = end;
      syncs.increment();
    }
  }

  private void writeEmptyFrame(Frame.Kind kind, long next, SyncPoint why) throws IOException {
    buffer.clear().limit(Disk.BLOCK);
    for (int at = 0; at < Disk.BLOCK; at += Long.BYTES) {
      buffer.putLong(at, 0);
    }
    new Frame(kind, Lsn.of(fileId, place), durable, next, Frame.HEAD_BYTES, 0)
        .write(buffer, 0, crc);
    writeFrame(why);
  }

  private void forceAll(SyncPoint why) throws IOException {
    for (DiskFile old; (old = unforced.peek()) != null; unforced.remove()) {
      old.force(why);
      old.close();
    }
    file.force(why);
    syncs.increment();
    durable = end;
    forcedNanos = clock.nanoTime();
  }

  /** Goes on in the next file, after this one says so durably. */
  private void roll() throws IOException {
    LogFiles.Prepared next = files.take();
    writeEmptyFrame(Frame.Kind.SEAL, next.id(), SyncPoint.SEAL);
    if (!options.policy().isDurable()) {
      unforced.add(file);
      if (unforced.size() > MOST_UNFORCED) {
        DiskFile old = unforced.remove();
        old.force(SyncPoint.SEAL);
        old.close();
      }
    } else {
      if (!file.isDurable()) {
        file.force(SyncPoint.SEAL);
      }
      file.close();
    }
    file = next.file();
    fileId = next.id();
    place = Disk.BLOCK;
    end = Lsn.of(fileId, place);
    if (options.policy().isDurable()) {
      durable = end;
    }
  }

  /** Tells all appends before one that they are in the log; how many bytes they were. */
  private long end(long firstLsn, @Nullable Append beyond) {
    long lsn = firstLsn;
    long released = 0;
    while (first != null && first != beyond) {
      Append append = first;
      first = append.next;
      waiting--;
      append.next = null;
      append.end(lsn, null);
      lsn += append.bytes;
      released += append.bytes;
    }
    if (first == null) {
      last = null;
    }
    return released;
  }

  private void finish() throws IOException {
    if (place + 2L * Disk.BLOCK <= options.fileBytes()) {
      if (durable < end) {
        forceAll(SyncPoint.CLOSED);
      }
      writeEmptyFrame(Frame.Kind.CLOSED, 0, SyncPoint.CLOSED);
    }
    if (durable < end) {
      forceAll(SyncPoint.CLOSED);
    }
    file.close();
    files.close();
    ended = true;
    watch.close();
    handover.wakeWanting();
  }

  private void fail(Throwable cause) {
    FailureMark.leave(files.disk(), cause);
    failure = cause;
    add(handover.shut());
    for (Append append = first; append != null; ) {
      Append next = append.next;
      append.next = null;
      append.end(0, cause);
      append = next;
    }
    first = null;
    last = null;
    waiting = 0;
    ended = true;
    watch.close();
    handover.wakeWanting();
    try {
      file.close();
      files.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
