package io.cantle.store.log;

import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes appends as frames to the end of the active file, makes them durable if the log flushes,
 * and continues in the next file when this one is full. A file is durable from end to end before
 * anything is written to the next one, also in a log that does not flush.
 *
 * <p>It stops at the first failure. After a sync that failed, the system may call the lost pages
 * clean and let the next sync succeed; therefore there is no next sync.
 *
 * <p><b>Threading:</b> one thread at a time, which the {@link LogWriter} sees to; {@link #endLsn},
 * {@link #failure}, {@link #isEnded} and {@link #syncCount} are for any.
 */
final class FrameWriter {
  private static final byte[] ZEROS = new byte[Disk.BLOCK_BYTES];

  private final LogOptions options;
  private final LogFiles files;
  private final AtomicLong syncs = new AtomicLong();

  private DiskFile file;
  private long fileId;
  private long fileOffset = Disk.BLOCK_BYTES;
  private ByteBuffer buffer;

  /** The LSN of the first record of the last frame. */
  private long firstLsn;

  /** Everything before this LSN is durable. */
  private long durableLsn;

  private volatile long endLsn;
  private volatile @Nullable Throwable failure;
  private volatile boolean ended;

  FrameWriter(LogOptions options, LogFiles files, LogFiles.PreparedFile active) {
    this.options = options;
    this.files = files;
    this.file = active.file();
    this.fileId = active.id();
    this.buffer = files.disk().allocateBuffer((int) LogFrame.roundUpToBlock(options.batchBytes()));
    this.endLsn = Lsn.toLsn(fileId, fileOffset);
    this.durableLsn = endLsn;
  }

  /** The LSN before which everything is in the log, and durable if the log flushes. */
  long endLsn() {
    return endLsn;
  }

  /** What ended the log; null while it works. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Whether nothing more will be written, after a failure or without. */
  boolean isEnded() {
    return ended;
  }

  /** How often records were made durable. */
  long syncCount() {
    return syncs.get();
  }

  /** Writes all appends and completes them. If something fails, those not yet completed fail. */
  void writeAll(ArrayDeque<PendingAppend> pending) {
    try {
      while (!pending.isEmpty()) {
        completeWritten(pending, writeFrame(pending));
      }
    } catch (Throwable e) {
      fail(e, pending);
    }
  }

  /**
   * Writes one frame of the first appends. If the first has no room in this file, it continues in
   * the next file instead.
   *
   * @return how many appends were written; {@link #completeWritten} is to complete them
   */
  int writeFrame(ArrayDeque<PendingAppend> pending) throws IOException {
    requireWorking();
    long room = options.fileBytes() - Disk.BLOCK_BYTES - fileOffset;
    int length = LogFrame.HEADER_BYTES;
    int appends = 0;
    int records = 0;
    for (PendingAppend append : pending) {
      long with = (long) length + append.byteCount;
      if (with > room || (records > 0 && with > options.batchBytes())) {
        break;
      }
      length = (int) with;
      appends++;
      records += append.isBarrier() ? 0 : 1;
    }
    if (appends == 0) {
      rollFile();
      return 0;
    }
    firstLsn = endLsn + LogFrame.HEADER_BYTES;
    if (records > 0) {
      encodeFrame(pending, length, records);
      writeBuffer(options.flushing(), SyncPoint.BATCH);
    }
    if (appends > records) {
      makeDurable();
    }
    return appends;
  }

  private void requireWorking() throws IOException {
    Throwable cause = failure;
    if (cause != null) {
      throw new IOException("the log failed before: " + cause.getMessage(), cause);
    }
  }

  /** Completes the appends that were written last, in order; returns how many bytes they had. */
  int completeWritten(ArrayDeque<PendingAppend> pending, int count) {
    long at = firstLsn;
    for (int completed = 0; completed < count; completed++) {
      PendingAppend append = pending.remove();
      append.complete(at);
      at += append.byteCount;
    }
    return count == 0 ? 0 : (int) (at - firstLsn);
  }

  /** Puts a frame of the first records into the buffer. */
  private void encodeFrame(ArrayDeque<PendingAppend> pending, int length, int count) {
    int padded = (int) LogFrame.roundUpToBlock(length);
    if (padded > buffer.capacity()) {
      buffer = files.disk().allocateBuffer(padded);
    }
    buffer.clear().limit(padded);
    long lsn = endLsn;
    int at = LogFrame.HEADER_BYTES;
    for (PendingAppend append : pending) {
      if (at == length) {
        break;
      }
      if (!append.isBarrier()) {
        RecordView.write(append.record, append.checksum, lsn + at, buffer, at);
        at += append.byteCount;
      }
    }
    buffer.put(at, ZEROS, 0, padded - at);
    new LogFrame(LogFrame.FrameKind.RECORDS, lsn, durableLsn, 0, length, count)
        .writeHeader(buffer, 0);
  }

  /** Writes the contents of the buffer to the end of the file. */
  private void writeBuffer(boolean durably, SyncPoint syncPoint) throws IOException {
    int length = buffer.limit();
    if (durably) {
      file.writeDurably(buffer, fileOffset, syncPoint);
      syncs.incrementAndGet();
    } else {
      file.writeFully(buffer, fileOffset, syncPoint);
    }
    fileOffset += length;
    endLsn = Lsn.toLsn(fileId, fileOffset);
    if (durably) {
      durableLsn = endLsn;
    }
  }

  /** Makes durable what was written without. */
  private void makeDurable() throws IOException {
    if (durableLsn < endLsn) {
      file.force(SyncPoint.BATCH);
      syncs.incrementAndGet();
      durableLsn = endLsn;
    }
  }

  /** Writes a frame that says that everything before it is durable. */
  private void writeEmptyFrame(LogFrame.FrameKind kind, long next, SyncPoint syncPoint)
      throws IOException {
    makeDurable();
    buffer.clear().limit(Disk.BLOCK_BYTES).put(0, ZEROS);
    new LogFrame(kind, endLsn, endLsn, next, LogFrame.HEADER_BYTES, 0).writeHeader(buffer, 0);
    writeBuffer(true, syncPoint);
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
    durableLsn = endLsn;
  }

  /** Records that the log was closed, and closes the files; if that fails, the log has failed. */
  void close() {
    if (ended) {
      return;
    }
    try {
      makeDurable();
      if (fileOffset + 2L * Disk.BLOCK_BYTES <= options.fileBytes()) {
        writeEmptyFrame(LogFrame.FrameKind.CLOSED, 0, SyncPoint.CLOSED);
      }
      file.close();
      files.close();
      ended = true;
    } catch (Throwable e) {
      fail(e, new ArrayDeque<>());
    }
  }

  /** From now on the log counts as failed; returns the first cause. */
  Throwable recordFailure(Throwable cause) {
    Throwable first = failure;
    if (first != null) {
      return first;
    }
    FailureMarker.create(files.disk(), cause);
    failure = cause;
    return cause;
  }

  /** Ends the log, and fails appends with the first cause. */
  void fail(Throwable cause, ArrayDeque<PendingAppend> pending) {
    Throwable first = recordFailure(cause);
    for (PendingAppend append; (append = pending.poll()) != null; ) {
      append.fail(first);
    }
    if (!ended) {
      ended = true;
      try {
        file.close();
        files.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }
}
