package io.cantle.core.store;

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
final class Lane implements Runnable {
  private static final long WAIT = TimeUnit.SECONDS.toNanos(1);
  private static final Task END = new Task(null, 0, null, 0);

  private final SegmentStore store;
  private final Clock clock;
  private final AtomicLong waiting;
  private final Consumer<Runnable> teller;
  private final Consumer<Throwable> failed;
  private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Task> open = new ArrayDeque<>();

  /** When something has come to its end that was the next to do so. */
  private long ended;

  /** How much is on its way, and since when the first of it: at least. */
  private final AtomicInteger underWay = new AtomicInteger();

  private volatile long oldest;
  private volatile boolean over;

  /** Something to be written. */
  @FunctionalInterface
  interface Step {
    /** Hands it to the store; waits at most that long for room. */
    StoreWrite handOver(SegmentStore store, long timeoutNanos)
        throws IOException, InterruptedException;
  }

  private static final class Task {
    final @Nullable Step step;
    final int bytes;
    final @Nullable Runnable then;
    final long added;
    private boolean done;

    /** When it was begun. */
    private long began;

    Task(@Nullable Step step, int bytes, @Nullable Runnable then, long added) {
      this.added = added;
      this.step = step;
      this.bytes = bytes;
      this.then = then;
    }
  }

  /**
   * A lane to a store.
   *
   * @param waiting how many bytes are on their way in all lanes
   * @param teller runs what is to be run afterwards
   * @param failed told why a write failed; more than once, perhaps
   */
  Lane(
      SegmentStore store,
      Clock clock,
      AtomicLong waiting,
      Consumer<Runnable> teller,
      Consumer<Throwable> failed) {
    this.store = store;
    this.clock = clock;
    this.waiting = waiting;
    this.teller = teller;
    this.failed = failed;
    this.ended = clock.nanoTime();
  }

  /** Adds something to be written, and perhaps to be run when it is durable. */
  void add(Step step, int bytes, @Nullable Runnable then) {
    waiting.addAndGet(bytes);
    add(new Task(step, bytes, then, clock.nanoTime()));
  }

  /** Adds something to be run once all that was added before is durable. */
  void add(Runnable then) {
    add(new Task(null, 0, then, clock.nanoTime()));
  }

  private void add(Task task) {
    if (underWay.getAndIncrement() == 0) {
      oldest = task.added;
    }
    tasks.add(task);
  }

  /** How long the first of what is on its way is that by now, or a little longer; 0 for nothing. */
  long behindNanos() {
    return underWay.get() == 0 ? 0 : clock.nanoTime() - oldest;
  }

  /** What is added from now on is not carried out. */
  void end() {
    tasks.add(END);
  }

  /** Nothing is carried out any more: the store has failed elsewhere. */
  void giveUp() {
    over = true;
  }

  /**
   * Whatever goes wrong is told: of a lane that has ended nobody would hear, and all would wait.
   */
  @Override
  public void run() {
    try {
      for (Task task; (task = tasks.take()) != END; ) {
        attempt(task);
      }
    } catch (InterruptedException e) {
      fail(e);
    }
  }

  private void attempt(Task task) throws InterruptedException {
    try {
      carryOut(task);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private void carryOut(Task task) throws IOException, InterruptedException {
    if (over) {
      return;
    }
    lock.lock();
    try {
      task.began = clock.nanoTime();
      open.add(task);
    } finally {
      lock.unlock();
    }
    Step step = task.step;
    if (step == null) {
      ended(task);
      return;
    }
    StoreWrite write = handOver(step);
    write.then(
        () -> {
          try {
            write.failure().ifPresentOrElse(this::fail, () -> ended(task));
          } catch (RuntimeException | Error e) {
            fail(e);
          }
        });
  }

  private void fail(Throwable why) {
    over = true;
    failed.accept(why);
  }

  /** The log may be behind, which passes. */
  private StoreWrite handOver(Step step) throws IOException, InterruptedException {
    while (true) {
      try {
        return step.handOver(store, WAIT);
      } catch (LogException.Refused e) {
        if (over) {
          throw e;
        }
      }
    }
  }

  /**
   * For how long nothing has come to its end although something was to, 0 if nothing is. Not how
   * old the oldest of them is: a disk that is slow, and has much to do, ends one after the other.
   */
  long waitsNanos() {
    lock.lock();
    try {
      Task first = open.peekFirst();
      return first == null || over
          ? 0
          : Math.min(clock.nanoTime() - first.began, clock.nanoTime() - ended);
    } finally {
      lock.unlock();
    }
  }

  /** What comes first is told first. */
  private void ended(Task task) {
    lock.lock();
    try {
      task.done = true;
      for (Task first; (first = open.peekFirst()) != null && first.done; ) {
        open.removeFirst();
        ended = clock.nanoTime();
        waiting.addAndGet(-first.bytes);
        if (first.then != null && !over) {
          teller.accept(first.then);
        }
        Task next = open.isEmpty() ? tasks.peek() : open.getFirst();
        if (next != null && next != END) {
          oldest = next.added;
        }
        underWay.decrementAndGet();
      }
    } finally {
      lock.unlock();
    }
  }
}
