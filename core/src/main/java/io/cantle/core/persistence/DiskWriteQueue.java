package io.cantle.core.persistence;

import io.cantle.core.base.Clock;
import io.cantle.store.log.LogException;
import io.cantle.store.segment.SegmentStore;
import io.cantle.store.segment.StoreWrite;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries what was handed over to the segmented store, in the order in which it came, on a thread
 * that may wait there. What is to be run afterwards is run in that order too: the store itself may
 * end a write before an earlier one, if it changes nothing.
 *
 * <p><b>Threading:</b> any thread adds; {@link #run} is one thread.
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
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<QueuedWrite> inFlight = new ArrayDeque<>();

  /** When something has come to its end that was the next to do so. */
  private long lastEndNanos;

  /** How much is on its way, and since when the first of it: at least. */
  private final AtomicInteger inFlightCount = new AtomicInteger();

  private volatile long oldestAddedNanos;
  private volatile boolean stopped;

  /** Something to be written. */
  @FunctionalInterface
  interface WriteStep {
    /** Hands it to the store; waits at most that long for room. */
    StoreWrite handOver(SegmentStore store, long timeoutNanos)
        throws IOException, InterruptedException;
  }

  private static final class QueuedWrite {
    final @Nullable WriteStep step;
    final int bytes;
    final @Nullable Runnable callback;
    final long addedNanos;
    private boolean done;

    /** When it was begun. */
    private long beganNanos;

    QueuedWrite(@Nullable WriteStep step, int bytes, @Nullable Runnable callback, long addedNanos) {
      this.addedNanos = addedNanos;
      this.step = step;
      this.bytes = bytes;
      this.callback = callback;
    }
  }

  /**
   * A lane to a store.
   *
   * @param pendingBytes how many bytes are on their way in all lanes
   * @param callbackRunner runs what is to be run afterwards
   * @param failureHandler told why a write failed; more than once, perhaps
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

  /** Adds something to be written, and perhaps to be run when it is durable. */
  void enqueue(WriteStep step, int bytes, @Nullable Runnable callback) {
    pendingBytes.addAndGet(bytes);
    enqueue(new QueuedWrite(step, bytes, callback, clock.nanoTime()));
  }

  /** Adds something to be run once all that was added before is durable. */
  void enqueue(Runnable callback) {
    enqueue(new QueuedWrite(null, 0, callback, clock.nanoTime()));
  }

  private void enqueue(QueuedWrite task) {
    if (inFlightCount.getAndIncrement() == 0) {
      oldestAddedNanos = task.addedNanos;
    }
    queue.add(task);
  }

  /** How long the first of what is on its way is that by now, or a little longer; 0 for nothing. */
  long lagNanos() {
    return inFlightCount.get() == 0 ? 0 : clock.nanoTime() - oldestAddedNanos;
  }

  /** What is added from now on is not carried out. */
  void end() {
    queue.add(END_MARKER);
  }

  /** Nothing is carried out any more: the store has failed elsewhere. */
  void abandon() {
    stopped = true;
  }

  /**
   * Whatever goes wrong is told: of a lane that has ended nobody would hear, and all would wait.
   */
  @Override
  public void run() {
    try {
      for (QueuedWrite task; (task = queue.take()) != END_MARKER; ) {
        tryWrite(task);
      }
    } catch (InterruptedException e) {
      fail(e);
    }
  }

  private void tryWrite(QueuedWrite task) throws InterruptedException {
    try {
      writeTask(task);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private void writeTask(QueuedWrite task) throws IOException, InterruptedException {
    if (stopped) {
      return;
    }
    lock.lock();
    try {
      task.beganNanos = clock.nanoTime();
      inFlight.add(task);
    } finally {
      lock.unlock();
    }
    WriteStep step = task.step;
    if (step == null) {
      onWriteEnd(task);
      return;
    }
    StoreWrite write = handOver(step);
    write.whenDone(
        () -> {
          try {
            write.failure().ifPresentOrElse(this::fail, () -> onWriteEnd(task));
          } catch (RuntimeException | Error e) {
            fail(e);
          }
        });
  }

  private void fail(Throwable failure) {
    stopped = true;
    failureHandler.accept(failure);
  }

  /** The log may be behind, which passes. */
  private StoreWrite handOver(WriteStep step) throws IOException, InterruptedException {
    while (true) {
      try {
        return step.handOver(store, MAX_ROOM_WAIT_NANOS);
      } catch (LogException.Refused e) {
        if (stopped) {
          throw e;
        }
      }
    }
  }

  /**
   * For how long nothing has come to its end although something was to, 0 if nothing is. Not how
   * old the oldest of them is: a disk that is slow, and has much to do, ends one after the other.
   */
  long stalledNanos() {
    lock.lock();
    try {
      QueuedWrite first = inFlight.peekFirst();
      return first == null || stopped
          ? 0
          : Math.min(clock.nanoTime() - first.beganNanos, clock.nanoTime() - lastEndNanos);
    } finally {
      lock.unlock();
    }
  }

  /** What comes first is told first. */
  private void onWriteEnd(QueuedWrite task) {
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
  }
}
