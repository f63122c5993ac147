package io.cantle.store.log;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileWindow;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A log that any number of threads append records to. After any crash it has what it acknowledged,
 * in order, and nothing that was not appended.
 *
 * <p>By default one thread writes. The others hand their records over and wait or get a callback.
 * Whatever arrived while the disk was busy is written and synced together. No setting depends on
 * the number of appending threads. Another {@link LogStrategy} may be chosen. A thread of the log
 * prepares files.
 *
 * <p>The first failure of a write or a sync ends the log: everything that waits fails with it, and
 * so does every later call. Only opening the log again shows what the disk has.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class AppendLog implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final LogOptions options;
  private final LogFiles files;
  private final FrameWriter frames;
  private final LogWriter writer;

  private AppendLog(LogOptions options, StoreClock clock, LogRecovery.RecoveredLog recovered) {
    this.options = options;
    this.files = recovered.files();
    this.frames = new FrameWriter(options, files, recovered.active());
    AppendQueue queue = new AppendQueue(options.queueBytes(), clock);
    this.writer = LogWriter.of(options, frames, queue, clock);
  }

  /**
   * Opens the log of a disk, or begins one, and shows the visitor what is in it.
   *
   * @param identity a number drawn for the log if it is a new one; each of its files has it
   * @param threads makes the threads that write and prepare; platform threads, except in tests
   * @param from the first LSN to show; files before the one it is in are not read. 0 for all
   * @param visitor gets every record from there on, in order, on this thread
   * @throws DamagedException if something that was acknowledged as durable is missing; nothing was
   *     changed, except that unfinished files were deleted
   * @throws IOException if the disk cannot be read or written
   */
  public static AppendLog open(
      Disk disk,
      LogOptions options,
      long identity,
      StoreClock clock,
      ThreadFactory threads,
      long from,
      RecordVisitor visitor)
      throws IOException {
    AppendLog log = openIdle(disk, options, identity, clock, from, visitor);
    log.writer.start(threads);
    Thread preparer = threads.newThread(log.files::runPreparer);
    preparer.setName("cantle-log-preparer");
    preparer.start();
    return log;
  }

  /** Opens a log whose {@link #writer} and {@link #logFiles} are driven by the caller. */
  static AppendLog openIdle(
      Disk disk,
      LogOptions options,
      long identity,
      StoreClock clock,
      long from,
      RecordVisitor visitor)
      throws IOException {
    return new AppendLog(
        options, clock, LogRecovery.recover(disk, options, clock, from, visitor, identity));
  }

  LogWriter writer() {
    return writer;
  }

  LogFiles logFiles() {
    return files;
  }

  /**
   * Hands over a record. This call waits only for room in the queue, except where the {@link
   * LogStrategy} has callers write: there it returns when the record has been written.
   *
   * @param timeoutNanos the longest wait for room, or for the turn to write
   * @param onDurable gets the LSN of the record once it is in the log, and durable if the log
   *     flushes, on the thread that writes; it must neither wait nor throw
   * @param onFailure gets the cause instead if the log failed, so that the record may not be in the
   *     log
   * @throws IllegalArgumentException if it is longer than {@link LogOptions#recordBytes}
   * @throws StoreException.AppendRefused if the log is closed, or there was no room in time
   * @throws StoreException.Failed if the log failed; neither callback runs then
   * @throws InterruptedException if the thread was interrupted; unless callers write, nothing was
   *     handed over
   */
  public void submit(
      LogRecord record, long timeoutNanos, LongConsumer onDurable, Consumer<Throwable> onFailure)
      throws StoreException, InterruptedException {
    PendingAppend append = new PendingAppend(record, checkLength(record), onDurable, onFailure);
    submit(append, timeoutNanos);
    if (options.strategy() instanceof LogStrategy.Waiting) {
      boolean _ = writer.awaitEnd(append, Long.MAX_VALUE);
    }
  }

  /**
   * Appends a record and waits until it is in the log, and durable if the log flushes.
   *
   * @param timeoutNanos the longest wait; {@link Long#MAX_VALUE} for as long as the log works,
   *     which on virtual threads is cheaper because no timer is set
   * @return its LSN
   * @throws IllegalArgumentException if it is longer than {@link LogOptions#recordBytes}
   * @throws StoreException.AppendRefused if it was not handed over in time; it is not in the log
   * @throws StoreException.TimedOut if it was not done in time; it may come into the log later
   * @throws StoreException.Failed if the log failed; the record may be in it
   * @throws InterruptedException if the thread was interrupted; the record may be in the log
   */
  public long append(LogRecord record, long timeoutNanos)
      throws StoreException, InterruptedException {
    return submitAndAwait(PendingAppend.of(record, checkLength(record)), timeoutNanos);
  }

  /**
   * Waits until everything that was handed over before is durable, also in a log that does not
   * flush.
   *
   * @return the LSN before which everything is durable
   * @throws StoreException as {@link #append} throws it
   * @throws InterruptedException if the thread was interrupted
   */
  public long sync(long timeoutNanos) throws StoreException, InterruptedException {
    return submitAndAwait(PendingAppend.barrier(), timeoutNanos);
  }

  private int checkLength(LogRecord record) {
    long length = record.paddedLength();
    if (length > options.recordBytes()) {
      throw new IllegalArgumentException(
          "a record of " + length + " bytes is longer than recordBytes, " + options.recordBytes());
    }
    return (int) length;
  }

  private long submitAndAwait(PendingAppend append, long timeoutNanos)
      throws StoreException, InterruptedException {
    submit(append, timeoutNanos);
    if (!writer.awaitEnd(append, timeoutNanos)) {
      throw new StoreException.TimedOut(
          "the log was not done in %s ms; it may still be done later"
              .formatted(timeoutNanos / 1_000_000));
    }
    return append.lsn();
  }

  /** Hands an append over to the writer; {@link LogWriter#awaitEnd} is to follow. */
  void submit(PendingAppend append, long timeoutNanos) throws StoreException, InterruptedException {
    try {
      writer.submit(append, timeoutNanos);
    } catch (StoreException.AppendRefused refused) {
      requireWorking();
      throw refused;
    }
  }

  private void requireWorking() throws StoreException.Failed {
    Throwable cause = frames.failure();
    if (cause != null) {
      throw new StoreException.Failed("the log failed before: " + cause.getMessage(), cause);
    }
  }

  /**
   * Reads a record.
   *
   * @param lsn an LSN this log gave
   * @throws DamagedException if the record is not there as it was written
   * @throws ClosedChannelException if its file was dropped, or the log is closed
   * @throws IOException if it cannot be read
   */
  public LogRecord read(long lsn) throws IOException {
    DiskFile file = files.openReader(Lsn.fileId(lsn));
    long place = Lsn.offset(lsn);
    FileWindow window = new FileWindow(file, Long.MAX_VALUE, Disk.BLOCK_BYTES, Disk.BLOCK_BYTES);
    RecordView view = new RecordView();
    if (!window.load(place, LogRecord.HEADER_BYTES)
        || !view.moveTo(window.bytes(), 0).isHeaderValid(lsn)) {
      throw damagedException(lsn, "no record with this LSN begins here");
    }
    long length = view.paddedLength();
    boolean fits = length <= Disk.BLOCK_BYTES || length <= file.length() - place;
    if (!fits || !window.load(place, (int) length)) {
      throw damagedException(lsn, "a record of " + length + " bytes does not fit into the file");
    }
    if (!view.moveTo(window.bytes(), 0).isBodyValid()) {
      throw new DamagedException(view.damage(lsn, "the record is not as written"));
    }
    return view.toRecord();
  }

  private static DamagedException damagedException(long lsn, String problem) {
    return new DamagedException(Lsn.fileName(lsn), Lsn.offset(lsn), problem);
  }

  /**
   * Shows the visitor all records from an LSN on that are in the log now, in order, on this thread.
   *
   * @throws DamagedException if one of them is not as it was written
   * @throws IOException if they cannot be read, or the visitor throws it
   */
  public void scan(long from, RecordVisitor visitor) throws IOException {
    long end = frames.endLsn();
    for (long id : files.fileIds()) {
      if (id < Lsn.fileId(from)) {
        continue;
      }
      LogFileScan scan = new LogFileScan(files.openReader(id), id);
      while (Lsn.toLsn(id, scan.nextFrameOffset()) < end) {
        LogFrame frame = scan.nextFrame();
        if (frame == null) {
          throw new DamagedException(scan.fault());
        }
        if (frame.kind() == LogFrame.FrameKind.SEAL) {
          break;
        }
        scan.visitRecords(frame, from, visitor);
      }
    }
  }

  /**
   * The LSN before which everything is in the log, and durable if it flushes; the next record gets
   * this LSN or a higher one.
   */
  public long endLsn() {
    return frames.endLsn();
  }

  /** How often records were made durable since the log was opened. */
  public long syncCount() {
    return frames.syncCount();
  }

  /** The ids of the files that hold records, in order; the last one is written to. */
  public List<Long> fileIds() {
    return files.fileIds();
  }

  /**
   * Drops a file with all its records; its space is used again.
   *
   * @throws IllegalArgumentException if it is not one of {@link #fileIds}, or the last of them
   * @throws IOException if the drop cannot be made durable; the file may be back when the log is
   *     opened
   */
  public void dropFile(long file) throws IOException {
    files.dropFile(file);
  }

  /** What ended the log; empty while it works, and after it was closed normally. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(frames.failure());
  }

  /**
   * Why the next file could not be prepared yet, perhaps because the disk is full. It is tried
   * again. Appends go on until the active file is full, and fail then.
   */
  public Optional<IOException> shortage() {
    return files.prepareFailure();
  }

  /**
   * Writes what was handed over, makes all of it durable, and records that the log was closed.
   *
   * @throws StoreException.Failed if the log failed, now or before
   * @throws StoreException.TimedOut if it took longer; closing may still finish later
   */
  public void close(long timeoutNanos) throws StoreException {
    // Where callers write, an interrupted thread would close the file before the last write.
    boolean interrupted = Thread.interrupted();
    try {
      if (!writer.close(timeoutNanos)) {
        throw new StoreException.TimedOut(
            "the log did not close in %s ms; what was handed over may still be written"
                .formatted(timeoutNanos / 1_000_000));
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    requireWorking();
  }

  /** Closes within 30 seconds, or fails. */
  @Override
  public void close() throws StoreException {
    close(CLOSE_TIMEOUT.toNanos());
  }
}
