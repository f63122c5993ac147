package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import io.cantle.store.log.LogStrategy.CompletionWait;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The writer of {@link LogStrategy.SingleWriter} and {@link LogStrategy.GroupCommit}. Its thread
 * takes what was handed over, writes as much as makes one frame, and completes the appends. It
 * alone touches the active file. So no interrupt of a caller can close that file, and there is only
 * copying between two syncs. Group commit differs only by its {@link GroupCommitDelay}.
 *
 * <p><b>Threading:</b> any thread submits and closes; one thread runs it.
 */
final class SingleLogWriter implements LogWriter {
  private final CompletionWait wait;
  private final @Nullable GroupCommitDelay delay;
  private final FrameWriter frames;
  private final AppendQueue queue;
  private final StoreClock clock;
  private final ArrayDeque<PendingAppend> pending = new ArrayDeque<>();

  private volatile boolean closing;
  private volatile boolean ended;

  SingleLogWriter(
      CompletionWait wait,
      @Nullable GroupCommitDelay delay,
      FrameWriter frames,
      AppendQueue queue,
      StoreClock clock) {
    this.wait = wait;
    this.delay = delay;
    this.frames = frames;
    this.queue = queue;
    this.clock = clock;
  }

  @Override
  public void start(ThreadFactory threads) {
    Thread thread = threads.newThread(this::run);
    thread.setName("cantle-log-writer");
    thread.start();
  }

  @Override
  public void submit(PendingAppend append, long timeoutNanos)
      throws StoreException, InterruptedException {
    queue.submit(append, timeoutNanos);
  }

  @Override
  public boolean awaitEnd(PendingAppend append, long timeoutNanos) throws InterruptedException {
    if (wait == CompletionWait.WAITING) {
      return append.parkUntilEnd(clock, timeoutNanos);
    }
    long until = clock.nanoTime() + timeoutNanos;
    while (!append.isEnded()) {
      if (until - clock.nanoTime() <= 0) {
        return false;
      }
      PendingAppend.throwIfInterrupted();
      pass();
    }
    return true;
  }

  // That the caller or the writer keeps its processor is what these strategies are chosen for.
  @SuppressWarnings("ThreadPriorityCheck")
  private void pass() {
    if (wait == CompletionWait.SPINNING) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  /** How many appends the next batch is expected to have; 0 without group commit. */
  double expectedAppends() {
    return delay == null ? 0 : delay.expectedAppends();
  }

  @Override
  public boolean close(long timeoutNanos) {
    closing = true;
    queue.wakeWriter();
    long until = clock.nanoTime() + timeoutNanos;
    while (!ended) {
      long left = until - clock.nanoTime();
      if (left <= 0) {
        return false;
      }
      queue.awaitWriterEnd(() -> ended, left);
    }
    return true;
  }

  private void run() {
    while (step()) {
      if (pending.isEmpty() && queue.depth() == 0 && !closing) {
        awaitAppends();
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // As above.
  private void awaitAppends() {
    if (delay != null) {
      delay.awaitFirst();
    }
    if (wait == CompletionWait.WAITING) {
      queue.parkWriter();
    } else {
      // Also where callers spin: they need the processor to come back.
      Thread.yield();
    }
  }

  @Override
  public boolean step() {
    if (ended) {
      return false;
    }
    try {
      takePending();
      if (pending.isEmpty()) {
        if (closing) {
          frames.close();
          end();
        }
        return !closing;
      }
      if (delay != null) {
        delay.awaitOthers(pending.size());
        takePending();
      }
      writeBatch();
      return true;
    } catch (Throwable e) {
      // Recorded first: a caller that finds the queue closed is to learn why.
      Throwable cause = frames.recordFailure(e);
      addPending(queue.close());
      frames.fail(cause, pending);
      end();
      return false;
    }
  }

  private void end() {
    ended = true;
    queue.wakeRoomWaiters();
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
    int appends = frames.writeFrame(pending);
    if (appends == 0) {
      return;
    }
    long nanos = clock.nanoTime() - start;
    // Counted before any append completes, so that a thread that returns at once is not counted
    // twice.
    int others = pending.size() - appends + queue.depth();
    queue.release(frames.completeWritten(pending, appends));
    if (delay != null) {
      delay.recordBatch(appends, others, nanos);
    }
  }
}
