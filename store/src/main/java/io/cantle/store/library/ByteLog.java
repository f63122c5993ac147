package io.cantle.store.library;

import io.cantle.store.DamagedException;
import io.cantle.store.StoreException;
import io.cantle.store.disk.DirectoryLock;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogOptions;
import io.cantle.store.log.LogRecord;
import io.cantle.store.log.Lsn;
import io.cantle.store.log.RecordVisitor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A durable log of byte arrays in one folder. After any crash it has what it acknowledged, in
 * order, and nothing that was not appended. Each record has a log sequence number (LSN); they grow
 * in the order of the log, and none is given twice.
 *
 * <p>{@link LogOptions} say how records get to the disk: the {@link LogOptions#strategy}, and
 * whether an append waits for the sync ({@link LogOptions#flushing}).
 *
 * <p>The first failure of a write or a sync ends the log: every append that waits fails, and so
 * does every later call. Only opening it again shows what the disk has. The folder can be read by
 * {@code cantle log inspect} and {@code cantle log verify}.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ByteLog implements AutoCloseable {
  private static final String LOCK_FILE = "lock";
  private static final byte TYPE = 1;
  private static final byte[] NO_KEY = {};
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final AppendLog log;
  private final Closeable lock;

  private ByteLog(AppendLog log, Closeable lock) {
    this.log = log;
    this.lock = lock;
  }

  /**
   * Opens the log in a folder, or begins one, and shows the visitor what is in it.
   *
   * @param from the first LSN to show, 0 for all; files before the one it is in are not read
   * @param visitor gets every record from there on, in order, on this thread
   * @throws DamagedException if something that was durable is missing or changed; {@code cantle log
   *     verify} lists all of it. Nothing was changed
   * @throws IOException if the log is open already, or the disk cannot be read or written
   */
  public static ByteLog open(Path folder, LogOptions options, long from, ByteVisitor visitor)
      throws IOException {
    Files.createDirectories(folder);
    DirectoryLock lock =
        DirectoryLock.tryLock(folder, LOCK_FILE)
            .orElseThrow(
                () ->
                    new IOException(
                        "the log in "
                            + folder
                            + " is open already, here or in another process; close it first"));
    try {
      return open(new FileDisk(folder), lock, options, from, visitor);
    } catch (Throwable e) {
      lock.close();
      throw e;
    }
  }

  /**
   * Opens the log on a disk of the caller's making, which no other log may use.
   *
   * @param from as in {@link #open(Path, LogOptions, long, ByteVisitor)}
   * @throws IOException as there
   */
  public static ByteLog open(Disk disk, LogOptions options, long from, ByteVisitor visitor)
      throws IOException {
    return open(disk, () -> {}, options, from, visitor);
  }

  private static ByteLog open(
      Disk disk, Closeable lock, LogOptions options, long from, ByteVisitor visitor)
      throws IOException {
    AppendLog log =
        AppendLog.open(
            disk,
            options,
            new SecureRandom().nextLong(),
            new LogClock(),
            Thread.ofPlatform().daemon().factory(),
            from,
            toRecordVisitor(visitor));
    return new ByteLog(log, lock);
  }

  private static RecordVisitor toRecordVisitor(ByteVisitor visitor) {
    return visitor.equals(ByteVisitor.NONE)
        ? RecordVisitor.NONE
        : record -> visitor.visit(record.lsn(), record.value());
  }

  private static LogRecord toRecord(byte[] bytes) {
    return LogRecord.of(TYPE, NO_KEY, bytes);
  }

  /**
   * Appends a record and waits until it is in the log, and durable if the log flushes. It waits as
   * long as the log works, also on a disk that does not answer; see {@link #append(byte[],
   * Duration)}.
   *
   * @param record neither kept nor changed after the return
   * @return its LSN
   * @throws IllegalArgumentException if it is longer than {@link LogOptions#recordBytes} less
   *     {@link LogRecord#HEADER_BYTES}
   * @throws StoreException if the log is closed or has failed; the message says whether the record
   *     may be in the log
   * @throws InterruptedException if the thread was interrupted; the record may be in the log
   */
  public long append(byte[] record) throws StoreException, InterruptedException {
    return log.append(toRecord(record), Long.MAX_VALUE);
  }

  /**
   * Appends a record and waits no longer than the timeout.
   *
   * @param record not to be changed after a {@link StoreException.TimedOut}: it may be written
   *     later
   * @return its LSN
   * @throws StoreException.AppendRefused if there was no room for it in time, or the log is closed;
   *     it is not in the log
   * @throws StoreException.TimedOut if it was not done in time; it may come into the log later
   * @throws StoreException.Failed if the log failed; the record may be in it
   * @throws InterruptedException if the thread was interrupted; the record may be in the log
   */
  public long append(byte[] record, Duration timeout) throws StoreException, InterruptedException {
    return log.append(toRecord(record), timeout.toNanos());
  }

  /**
   * Hands a record over and returns, except where the strategy has callers write.
   *
   * @param record not to be changed until a callback came
   * @param timeout the longest wait for room
   * @param onAppended gets its LSN when {@link #append(byte[])} would return, on the thread that
   *     writes; it must neither wait nor throw
   * @param onFailure gets the cause instead if the log failed; the record may be in the log
   * @throws StoreException.AppendRefused if there was no room in time, or the log is closed
   * @throws StoreException.Failed if the log had failed before; neither callback runs
   * @throws InterruptedException if the thread was interrupted
   */
  public void submit(
      byte[] record, Duration timeout, LongConsumer onAppended, Consumer<Throwable> onFailure)
      throws StoreException, InterruptedException {
    log.submit(toRecord(record), timeout.toNanos(), onAppended, onFailure);
  }

  /**
   * Waits until everything that was appended or submitted before is durable. A log that flushes
   * needs it only for what was submitted.
   *
   * @return the LSN before which everything is durable
   * @throws StoreException as {@link #append(byte[], Duration)}
   * @throws InterruptedException if the thread was interrupted
   */
  public long sync(Duration timeout) throws StoreException, InterruptedException {
    return log.sync(timeout.toNanos());
  }

  /**
   * Reads a record.
   *
   * @param lsn an LSN this log gave
   * @throws DamagedException if the record is not there as it was written
   * @throws java.nio.channels.ClosedChannelException if it was dropped, or the log is closed
   * @throws IOException if it cannot be read
   */
  public byte[] read(long lsn) throws IOException {
    return log.read(lsn).value();
  }

  /**
   * Shows the visitor all records from an LSN on that are in the log now, in order, on this thread.
   *
   * @throws DamagedException if one of them is not as it was written
   * @throws IOException if they cannot be read, or the visitor throws it
   */
  public void scan(long from, ByteVisitor visitor) throws IOException {
    log.scan(from, toRecordVisitor(visitor));
  }

  /** Everything appended has a lower LSN; the next record gets this one or a higher one. */
  public long endLsn() {
    return log.endLsn();
  }

  /** How often this log made records durable since it was opened. */
  public long syncCount() {
    return log.syncCount();
  }

  /**
   * Gives back the space of the files that hold only records before an LSN. Records are dropped by
   * whole files, so some before the LSN may stay.
   *
   * @throws IOException if that cannot be made durable; the files may be back when the log is
   *     opened
   */
  public void dropBefore(long lsn) throws IOException {
    List<Long> files = log.fileIds();
    for (long file : files.subList(0, files.size() - 1)) {
      if (file < Lsn.fileId(lsn)) {
        log.dropFile(file);
      }
    }
  }

  /**
   * Writes what was handed over, makes all of it durable, and closes the log. Closing twice does
   * nothing.
   *
   * @throws StoreException.Failed if the log failed, now or before
   * @throws StoreException.TimedOut if it took longer than 30 s; the folder stays locked
   */
  @Override
  public void close() throws IOException {
    try {
      log.close(CLOSE_TIMEOUT.toNanos());
    } catch (StoreException.Failed e) {
      lock.close();
      throw e;
    }
    lock.close();
  }
}
