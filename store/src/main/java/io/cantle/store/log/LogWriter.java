package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.util.concurrent.ThreadFactory;

/**
 * Brings appends into the files in the way of one {@link LogStrategy}. It decides which thread
 * writes, what is written together, and how callers wait; a {@link FrameWriter} does the writing.
 *
 * <p><b>Threading:</b> any thread.
 */
sealed interface LogWriter permits SimpleLogWriter, WaitingLogWriter, SingleLogWriter {

  /** Starts what threads it needs. */
  void start(ThreadFactory threads);

  /**
   * Hands an append over. Either this throws, or the append is completed or failed once.
   *
   * @param timeoutNanos the longest wait until it is handed over
   * @throws StoreException.AppendRefused if that took longer, or the log has ended
   * @throws InterruptedException if interrupted before it was handed over
   */
  void submit(PendingAppend append, long timeoutNanos) throws StoreException, InterruptedException;

  /**
   * Waits until an append that was submitted has ended, and sees to it that it will.
   *
   * @return whether it ended in time
   * @throws InterruptedException if interrupted; the append may still be completed
   */
  boolean awaitEnd(PendingAppend append, long timeoutNanos) throws InterruptedException;

  /**
   * Refuses further appends, writes those that were handed over, and closes the files.
   *
   * @return whether all was done in time; if not, it may still be done later
   */
  boolean close(long timeoutNanos);

  /** Writes what is there to write, or ends; returns whether there will be another step. */
  boolean step();

  /** Creates the writer of a strategy. */
  static LogWriter of(LogOptions options, FrameWriter frames, AppendQueue queue, StoreClock clock) {
    return switch (options.strategy()) {
      case LogStrategy.Simple _ -> new SimpleLogWriter(frames, clock);
      case LogStrategy.Waiting waiting -> new WaitingLogWriter(waiting, frames, queue, clock);
      case LogStrategy.SingleWriter single ->
          new SingleLogWriter(single.completionWait(), null, frames, queue, clock);
      case LogStrategy.GroupCommit _ ->
          new SingleLogWriter(
              LogStrategy.CompletionWait.WAITING,
              new GroupCommitDelay(queue, clock),
              frames,
              queue,
              clock);
    };
  }
}
