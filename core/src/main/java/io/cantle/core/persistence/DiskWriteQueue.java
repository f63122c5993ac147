package io.cantle.core.persistence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.store.StoreException;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreWrite;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of writes to the segmented store, with a thread that may wait there. Writes are passed on
 * in the order of their arrival, and their callbacks run in that order too. The store alone would
 * not ensure this: it may complete a write before an earlier one if it changes nothing.
 *
 * <p><b>Threading:</b> any thread enqueues; one thread executes {@link #run}.
 */
final class DiskWriteQueue implements Runnable {
  private static final long MAX_ROOM_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final QueuedWrite END_MARKER = new QueuedWrite(null, 0, null, 0);

  private final SegmentStore store;
  private final Clock clock;
  private final AtomicLong pendingBytes;
  private final Consumer<Runnable> callbackRunner;
  private final Consumer<Throwable> failureHandler;
  private final LinkedBlockingQueue<QueuedWrite> queue = new LinkedBlockingQueue<>();

  @GuardedBy("this")
  private final ArrayDeque<QueuedWrite> inFlight = new ArrayDeque<>();

  /** When a write last completed that was next in order. */
  @GuardedBy("this")
  private long lastEndNanos;

  /**
   * The number of writes in flight. {@link #oldestAddedNanos} is when the oldest of them was added,
   * or earlier.
   */
  private final AtomicInteger inFlightCount = new AtomicInteger();

  private volatile long oldestAddedNanos;
  private volatile boolean stopped;

  /** One operation on the store. */
  @FunctionalInterface
  interface WriteStep {
    /** Passes the write to the store, waiting at most a given time for room. */
    StoreWrite handOver(SegmentStore store, long timeoutNanos)
        throws IOException, InterruptedException;
  }

  private static final class QueuedWrite {
    final @Nullable WriteStep step;
    final int bytes;
    final @Nullable Runnable callback;
    final long addedNanos;
    private boolean done;

    /** When the store was given the write. */
    private long beganNanos;

    QueuedWrite(@Nullable WriteStep step, int bytes, @Nullable Runnable callback, long addedNanos) {
      this.addedNanos = addedNanos;
      this.step = step;
      this.bytes = bytes;
      this.callback = callback;
    }
  }

  /**
   * Creates a queue to a store.
   *
   * @param pendingBytes counts the bytes in flight in all queues
   * @param callbackRunner runs the callbacks
   * @param failureHandler receives the cause of a failed write; possibly more than once
   */
  DiskWriteQueue(
      SegmentStore store,
      Clock clock,
      AtomicLong pendingBytes,
      Consumer<Runnable> callbackRunner,
      Consumer<Throwable> failureHandler) {
    this.store = store;
    this.clock = clock;
    this.pendingBytes = pendingBytes;
    this.callbackRunner = callbackRunner;
    this.failureHandler = failureHandler;
    this.lastEndNanos = clock.nanoTime();
  }

  /** Adds a write, and optionally a callback to run when it is durable. */
  void enqueue(WriteStep step, int bytes, @Nullable Runnable callback) {
    pendingBytes.addAndGet(bytes);
    enqueue(new QueuedWrite(step, bytes, callback, clock.nanoTime()));
  }

  /** Adds a callback to run once everything added before is durable. */
  void enqueue(Runnable callback) {
    enqueue(new QueuedWrite(null, 0, callback, clock.nanoTime()));
  }

  private void enqueue(QueuedWrite task) {
    if (inFlightCount.getAndIncrement() == 0) {
      oldestAddedNanos = task.addedNanos;
    }
    queue.add(task);
  }

  /**
   * How long the oldest write in flight has been pending, or slightly longer; 0 if there is none.
   */
  long lagNanos() {
    return inFlightCount.get() == 0 ? 0 : clock.nanoTime() - oldestAddedNanos;
  }

  /** Ignores what is added from now on. */
  void end() {
    queue.add(END_MARKER);
  }

  /** Stops writing, because the store has failed elsewhere. */
  void abandon() {
    stopped = true;
  }

  /** Reports every failure. If the thread ended silently, all callers would wait for ever. */
  @Override
  public void run() {
    try {
      for (QueuedWrite task; (task = queue.take()) != END_MARKER; ) {
        writeTask(task);
      }
    } catch (InterruptedException e) {
      fail(e);
    }
  }

  private void writeTask(QueuedWrite task) throws InterruptedException {
    if (stopped) {
      return;
    }
    synchronized (this) {
      task.beganNanos = clock.nanoTime();
      inFlight.add(task);
    }
    try {
      if (task.step == null) {
        onWriteEnd(task);
      } else {
        StoreWrite write = handOver(task.step);
        write.whenDone(() -> finishWrite(task, write));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private void finishWrite(QueuedWrite task, StoreWrite write) {
    try {
      write.failure().ifPresentOrElse(this::fail, () -> onWriteEnd(task));
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable failure) {
    stopped = true;
    failureHandler.accept(failure);
  }

  /** Passes a write to the store. Retries while the log is behind, which is temporary. */
  private StoreWrite handOver(WriteStep step) throws IOException, InterruptedException {
    while (true) {
      try {
        return step.handOver(store, MAX_ROOM_WAIT_NANOS);
      } catch (StoreException.AppendRefused e) {
        if (stopped) {
          throw e;
        }
      }
    }
  }

  /**
   * How long nothing has completed although something is pending; 0 if nothing is. This is not the
   * age of the oldest write: a slow disk with much to do still completes one after the other.
   */
  synchronized long stalledNanos() {
    QueuedWrite first = inFlight.peekFirst();
    return first == null || stopped
        ? 0
        : Math.min(clock.nanoTime() - first.beganNanos, clock.nanoTime() - lastEndNanos);
  }

  /** Completes a write. Callbacks run in the order of the queue. */
  private synchronized void onWriteEnd(QueuedWrite task) {
    task.done = true;
    for (QueuedWrite first; (first = inFlight.peekFirst()) != null && first.done; ) {
      inFlight.removeFirst();
      lastEndNanos = clock.nanoTime();
      pendingBytes.addAndGet(-first.bytes);
      if (first.callback != null && !stopped) {
        callbackRunner.accept(first.callback);
      }
      QueuedWrite next = inFlight.isEmpty() ? queue.peek() : inFlight.getFirst();
      if (next != null && next != END_MARKER) {
        oldestAddedNanos = next.addedNanos;
      }
      inFlightCount.decrementAndGet();
    }
  }
}
