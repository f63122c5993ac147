package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The thread that writes the log. It takes what was handed over, writes as much as makes one frame,
 * makes it durable, and completes the appends. It alone touches the active file. So no interrupt of
 * a caller can close that file, and there is only copying between two syncs.
 *
 * <p>It stops at the first failure. After a sync that failed, the system may call the lost pages
 * clean and let the next sync succeed; therefore there is no next sync.
 *
 * <p><b>Threading:</b> one thread, the log's writer; {@link #endLsn} and {@link #failure} are for
 * any.
 */
final class LogWriter {
  private static final byte[] ZEROS = new byte[Disk.BLOCK_BYTES];

  private final LogOptions options;
  private final StoreClock clock;
  private final LogFiles files;
  private final AppendQueue queue;
  private final GroupCommitDelay groupCommitDelay;

  private DiskFile file;
  private long fileId;
  private long fileOffset = Disk.BLOCK_BYTES;
  private ByteBuffer buffer;
  private final ArrayDeque<PendingAppend> pending = new ArrayDeque<>();

  private volatile long endLsn;
  private volatile boolean closing;
  private volatile @Nullable Throwable failure;
  private volatile boolean ended;

  LogWriter(
      LogOptions options,
      StoreClock clock,
      LogFiles files,
      LogFiles.PreparedFile active,
      AppendQueue queue) {
    this.options = options;
    this.clock = clock;
    this.files = files;
    this.queue = queue;
    this.groupCommitDelay = new GroupCommitDelay(queue, clock);
    this.file = active.file();
    this.fileId = active.id();
    this.buffer = files.disk().allocateBuffer((int) LogFrame.roundUpToBlock(options.batchBytes()));
    this.endLsn = Lsn.toLsn(fileId, fileOffset);
  }

  GroupCommitDelay groupCommitDelay() {
    return groupCommitDelay;
  }

  /** The LSN before which everything is in the log, and durable. */
  long endLsn() {
    return endLsn;
  }

  /** What ended the log; null while it works. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Whether the writer has ended, with a failure or without. */
  boolean isEnded() {
    return ended;
  }

  /** Tells the writer to write what was handed over and end. */
  void close() {
    closing = true;
    queue.wakeWriter();
  }

  /** Writes until it is closed or fails. */
  void run() {
    while (step()) {
      if (pending.isEmpty() && queue.depth() == 0 && !closing) {
        groupCommitDelay.awaitFirst();
        queue.parkWriter();
      }
    }
  }

  /**
   * Writes one batch if there is something to write, or ends.
   *
   * @return whether there will be another step
   */
  boolean step() {
    if (ended) {
      return false;
    }
    try {
      takePending();
      if (pending.isEmpty()) {
        if (closing) {
          writeClosed();
        }
        return !closing;
      }
      groupCommitDelay.awaitOthers(pending.size());
      takePending();
      writeBatch();
      return true;
    } catch (Throwable e) {
      fail(e);
      return false;
    }
  }

  private void takePending() {
    addPending(closing ? queue.close() : queue.takeAll());
  }

  private void addPending(@Nullable PendingAppend taken) {
    for (PendingAppend at = taken; at != null; ) {
      PendingAppend next = at.nextInQueue;
      at.nextInQueue = null;
      pending.add(at);
      at = next;
    }
  }

  private void writeBatch() throws IOException {
    long start = clock.nanoTime();
    long room = options.fileBytes() - Disk.BLOCK_BYTES - fileOffset;
    int length = LogFrame.HEADER_BYTES;
    int appends = 0;
    for (PendingAppend append : pending) {
      long with = (long) length + append.byteCount;
      if (with > room || (appends > 0 && with > options.batchBytes())) {
        break;
      }
      length = (int) with;
      appends++;
    }
    if (appends == 0) {
      rollFile();
      return;
    }
    long lsn = Lsn.toLsn(fileId, fileOffset);
    encodeFrame(lsn, length, appends);
    writeFrame(SyncPoint.BATCH);
    long nanos = clock.nanoTime() - start;
    // Counted before any append completes, so that a thread that returns at once is not counted
    // twice.
    int others = pending.size() - appends + queue.depth();
    long at = lsn + LogFrame.HEADER_BYTES;
    for (int completed = 0; completed < appends; completed++) {
      PendingAppend append = pending.remove();
      append.onDurable.accept(at);
      at += append.byteCount;
    }
    queue.release(length - LogFrame.HEADER_BYTES);
    groupCommitDelay.recordBatch(appends, others, nanos);
  }

  /** Puts a frame of the first appends into the buffer. */
  private void encodeFrame(long lsn, int length, int count) {
    int padded = (int) LogFrame.roundUpToBlock(length);
    if (padded > buffer.capacity()) {
      buffer = files.disk().allocateBuffer(padded);
    }
    buffer.clear().limit(padded);
    int at = LogFrame.HEADER_BYTES;
    for (PendingAppend append : pending) {
      if (at == length) {
        break;
      }
      RecordView.write(append.record, append.checksum, lsn + at, buffer, at);
      at += append.byteCount;
    }
    buffer.put(at, ZEROS, 0, padded - at);
    new LogFrame(LogFrame.FrameKind.RECORDS, lsn, lsn, 0, length, count).writeHeader(buffer, 0);
  }

  /** Writes the contents of the buffer to the end of the file, and makes them durable. */
  private void writeFrame(SyncPoint syncPoint) throws IOException {
    int length = buffer.limit();
    file.writeDurably(buffer, fileOffset, syncPoint);
    fileOffset += length;
    endLsn = Lsn.toLsn(fileId, fileOffset);
  }

  private void writeEmptyFrame(LogFrame.FrameKind kind, long next, SyncPoint syncPoint)
      throws IOException {
    buffer.clear().limit(Disk.BLOCK_BYTES).put(0, ZEROS);
    new LogFrame(kind, endLsn, endLsn, next, LogFrame.HEADER_BYTES, 0).writeHeader(buffer, 0);
    writeFrame(syncPoint);
  }

  /** Continues in the next file, after a durable seal in this one. */
  private void rollFile() throws IOException {
    LogFiles.PreparedFile next = files.takeNext();
    writeEmptyFrame(LogFrame.FrameKind.SEAL, next.id(), SyncPoint.SEAL);
    file.close();
    file = next.file();
    fileId = next.id();
    fileOffset = Disk.BLOCK_BYTES;
    endLsn = Lsn.toLsn(fileId, fileOffset);
  }

  private void writeClosed() throws IOException {
    if (fileOffset + 2L * Disk.BLOCK_BYTES <= options.fileBytes()) {
      writeEmptyFrame(LogFrame.FrameKind.CLOSED, 0, SyncPoint.CLOSED);
    }
    file.close();
    files.close();
    end();
  }

  private void end() {
    ended = true;
    queue.wakeRoomWaiters();
  }

  private void fail(Throwable cause) {
    FailureMarker.create(files.disk(), cause);
    failure = cause;
    addPending(queue.close());
    for (PendingAppend append; (append = pending.poll()) != null; ) {
      append.onFailure.accept(cause);
    }
    end();
    try {
      file.close();
      files.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
