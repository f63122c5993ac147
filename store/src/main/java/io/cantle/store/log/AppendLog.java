package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.disk.Disk;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A log that records are appended to by any number of threads, and that has after any crash what it
 * acknowledged, in order, and nothing that was not appended.
 *
 * <p>One thread writes. The others hand their records over and wait, best on virtual threads, or
 * are told; whatever came while the disk was busy is written and synced together. There is nothing
 * to be set for how many there are. A second thread prepares files, and a third one sees to it that
 * no wait takes longer than it may.
 *
 * <p>The first failure of a write or a sync ends the log: everything that waits and whatever comes
 * later fails with it, and only opening it again tells what the disk has.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class AppendLog implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private final LogOptions options;
  private final StoreClock clock;
  private final LogFiles files;
  private final AppendQueue queue;
  private final WriterWatchdog watchdog;
  private final LogWriter writer;
  private final LogReader reader;

  private AppendLog(
      LogOptions options,
      StoreClock clock,
      @Nullable ThreadFactory threads,
      LogRecovery.RecoveredLog recovered) {
    this.options = options;
    this.clock = clock;
    this.files = recovered.files();
    this.queue = new AppendQueue(options.queueBytes(), clock);
    this.watchdog = new WriterWatchdog(queue, clock, options, threads);
    this.writer = new LogWriter(options, clock, files, recovered.active(), queue, watchdog);
    this.reader = new LogReader(files);
  }

  /**
   * Opens the log of a disk, or begins one, and shows what is in it.
   *
   * @param identity a number drawn for the log if it is a new one, kept in each of its files
   * @param threads makes the threads that write, prepare and watch; platform threads, but in a test
   * @param from the first number to be shown; files before the one it is in are not read. 0 for all
   * @param visitor is shown every record from there on, in order, on this thread
   * @throws LogException.Damaged if something is not there any more that was acknowledged as
   *     durable; nothing was changed but for files that were left unfinished
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
    AppendLog log = open(disk, options, identity, clock, from, visitor, threads);
    start(threads, log.writer::run, "cantle-log-writer");
    start(threads, log.files::runPreparer, "cantle-log-keeper");
    return log;
  }

  private static void start(ThreadFactory threads, Runnable task, String name) {
    Thread thread = threads.newThread(task);
    thread.setName(name);
    thread.start();
  }

  /** Opens a log whose {@link #writer} and {@link #files} are moved by the caller. */
  static AppendLog openIdle(
      Disk disk,
      LogOptions options,
      long identity,
      StoreClock clock,
      long from,
      RecordVisitor visitor)
      throws IOException {
    return open(disk, options, identity, clock, from, visitor, null);
  }

  private static AppendLog open(
      Disk disk,
      LogOptions options,
      long identity,
      StoreClock clock,
      long from,
      RecordVisitor visitor,
      @Nullable ThreadFactory threads)
      throws IOException {
    return new AppendLog(
        options,
        clock,
        threads,
        LogRecovery.recover(disk, options, clock, from, visitor, identity));
  }

  LogWriter writer() {
    return writer;
  }

  LogFiles logFiles() {
    return files;
  }

  /**
   * Appends a record and waits until it is in the log as the policy says.
   *
   * @return its number
   * @throws IllegalArgumentException if it is longer than {@link LogOptions#recordBytes}
   * @throws LogException.Refused if the log is closed, or there was no room in time; it is not in
   *     the log
   * @throws LogException.Failed if the log failed; it may be in the log
   * @throws LogException.TimedOut if the time was up; it may be in the log
   * @throws InterruptedException if the thread was interrupted; it may be in the log
   */
  public long append(LogRecord record, long timeoutNanos)
      throws LogException, InterruptedException {
    long start = clock.nanoTime();
    PendingAppend append =
        submitRecords(new LogRecord[] {record}, false, timeoutNanos, Thread.currentThread(), null);
    return append.await(clock, watchdog, timeoutNanos - (clock.nanoTime() - start));
  }

  /**
   * Hands records over that are to be in the log all or not at all, and one after the other. Waits
   * only for room in the queue; {@link #await} tells the end.
   *
   * @throws IllegalArgumentException if there is none, or they are longer together than {@link
   *     LogOptions#recordBytes}
   * @throws LogException.Refused if the log is closed, or there was no room in time
   * @throws LogException.Failed if the log failed
   * @throws InterruptedException if the thread was interrupted; nothing was handed over
   */
  public PendingAppend submit(List<LogRecord> records, long timeoutNanos)
      throws LogException, InterruptedException {
    return submitRecords(toArray(records), false, timeoutNanos, null, null);
  }

  /**
   * Hands records over as the other does, and needs no thread to wait.
   *
   * @param completion is told of the end, on the log's thread
   * @throws IllegalArgumentException as of the other
   * @throws LogException as of the other; then the completion is told nothing
   * @throws InterruptedException if the thread was interrupted; nothing was handed over
   */
  public PendingAppend submit(
      List<LogRecord> records, long timeoutNanos, PendingAppend.Completion completion)
      throws LogException, InterruptedException {
    return submitRecords(toArray(records), false, timeoutNanos, null, completion);
  }

  /**
   * Hands records over as the others do, and may ask that they are durable before they count as
   * appended, whatever the policy.
   *
   * @param mustSync whether they are to be durable
   * @param completion is told of the end, on the log's thread
   * @throws IllegalArgumentException as of the others
   * @throws LogException as of the others; then the completion is told nothing
   * @throws InterruptedException if the thread was interrupted; nothing was handed over
   */
  public PendingAppend submit(
      List<LogRecord> records,
      boolean mustSync,
      long timeoutNanos,
      PendingAppend.Completion completion)
      throws LogException, InterruptedException {
    return submitRecords(toArray(records), mustSync, timeoutNanos, null, completion);
  }

  private static LogRecord[] toArray(List<LogRecord> records) {
    if (records.isEmpty()) {
      throw new IllegalArgumentException("there is no record to append");
    }
    return records.toArray(new LogRecord[0]);
  }

  /**
   * Waits until what was handed over is in the log as the policy says; one thread at a time.
   *
   * @return the number of the first record
   * @throws LogException.Failed if the log failed; it may be in the log
   * @throws LogException.TimedOut if the time was up; it may come into the log
   * @throws InterruptedException if the thread was interrupted; it may come into the log
   */
  public long await(PendingAppend append, long timeoutNanos)
      throws LogException, InterruptedException {
    return append.await(clock, watchdog, timeoutNanos);
  }

  /**
   * Waits until everything that was handed over before is durable, whatever the policy.
   *
   * @throws LogException as of {@link #append}
   * @throws InterruptedException if the thread was interrupted
   */
  public void sync(long timeoutNanos) throws LogException, InterruptedException {
    long start = clock.nanoTime();
    PendingAppend append =
        submitRecords(new LogRecord[0], true, timeoutNanos, Thread.currentThread(), null);
    long _ = append.await(clock, watchdog, timeoutNanos - (clock.nanoTime() - start));
  }

  /** The first half of {@link #sync}, for a test that moves the writer itself. */
  PendingAppend submitSync() throws LogException, InterruptedException {
    return submitRecords(new LogRecord[0], true, 0, null, null);
  }

  private PendingAppend submitRecords(
      LogRecord[] records,
      boolean mustSync,
      long timeoutNanos,
      @Nullable Thread waiter,
      PendingAppend.@Nullable Completion completion)
      throws LogException, InterruptedException {
    long length = 0;
    for (LogRecord record : records) {
      length += record.paddedLength();
    }
    if (length > options.recordBytes()) {
      throw new IllegalArgumentException(
          records.length
              + " records of "
              + length
              + " bytes together; recordBytes is "
              + options.recordBytes());
    }
    PendingAppend append = new PendingAppend(records, (int) length, mustSync, waiter, completion);
    if (!queue.reserve(length, timeoutNanos)) {
      throw refusalCause(
          "no room for "
              + length
              + " bytes in "
              + timeoutNanos / 1_000_000
              + " ms: "
              + queue.queuedBytes()
              + " wait to be written and queueBytes is "
              + options.queueBytes());
    }
    if (!queue.push(append)) {
      queue.release(length);
      throw refusalCause("the log is closed");
    }
    return append;
  }

  private LogException refusalCause(String defaultReason) {
    Throwable cause = writer.failure();
    if (cause != null) {
      return new LogException.Failed("the log failed before: " + cause.getMessage(), cause);
    }
    return new LogException.Refused(queue.isClosed() ? "the log is closed" : defaultReason);
  }

  /**
   * Reads a record.
   *
   * @param lsn a number this log gave
   * @throws LogException.Damaged if it is not there as it was written
   * @throws LogException.Refused if its file was dropped, or the log is closed
   * @throws IOException if it cannot be read
   */
  public LogRecord read(long lsn) throws IOException {
    return reader.read(lsn);
  }

  /**
   * Shows all records from a number on that are in the log now, in order, on this thread.
   *
   * @throws LogException.Damaged if one of them is not as it was written
   * @throws IOException if they cannot be read, or the visitor throws it
   */
  public void scan(long from, RecordVisitor visitor) throws IOException {
    reader.scan(from, writer.endLsn(), visitor);
  }

  /** Everything before this number is durable. */
  public long durableLsn() {
    return writer.durableLsn();
  }

  /** Everything before this number is in the log; the next record has it or a higher one. */
  public long endLsn() {
    return writer.endLsn();
  }

  /** The numbers of the files that hold records, in order; the last is written to. */
  public List<Long> fileIds() {
    return files.fileIds();
  }

  /**
   * Drops a file and all records in it; its space is used again.
   *
   * @throws IllegalArgumentException if it is not one of {@link #files}, or the last
   * @throws IOException if that cannot be made durable; the file may be there when the log is
   *     opened
   */
  public void dropFile(long file) throws IOException {
    files.dropFile(file);
  }

  /** What the log has done. */
  public LogStatistics statistics() {
    return writer.statistics();
  }

  /** What ended the log; empty while it works or when it was closed. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(writer.failure());
  }

  /**
   * Why there is no next file yet, for which it is tried again: the disk may be full. Appends go on
   * until this file is full, and fail then.
   */
  public Optional<IOException> shortage() {
    return files.prepareFailure();
  }

  /**
   * Writes what was handed over, makes all of it durable and notes that the log was closed.
   *
   * @throws LogException.Failed if the log failed, now or before
   * @throws LogException.TimedOut if that took longer; it may still come to its end
   */
  public void close(long timeoutNanos) throws LogException {
    writer.close();
    long until = clock.nanoTime() + timeoutNanos;
    while (!writer.isEnded()) {
      long left = until - clock.nanoTime();
      if (left <= 0) {
        throw new LogException.TimedOut(
            "the log did not close in "
                + timeoutNanos / 1_000_000
                + " ms: "
                + queue.queuedBytes()
                + " bytes wait to be written");
      }
      queue.awaitWriterEnd(writer::isEnded, left);
    }
    Throwable cause = writer.failure();
    if (cause != null) {
      throw new LogException.Failed("the log failed before: " + cause.getMessage(), cause);
    }
  }

  /** Closes within 30 seconds, or fails. */
  @Override
  public void close() throws LogException {
    close(CLOSE_TIMEOUT.toNanos());
  }
}
