package io.cantle.core.scan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Environment;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Signal;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the functions of streams on the few workers of the node's environment. Each task runs
 * for one time slice, and streams take turns however much each of them asks for. The more tasks
 * wait, the shorter a slice is, so that callers get an answer before their timeout. {@link
 * RunningScans} bounds how many tasks wait.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WorkerScheduler {
  /** The shortest time slice is 1/n of the longest. */
  private static final int MAX_SLICE_DIVISOR = 64;

  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Identifies one scan of one member; it may have several requests in flight. */
  record ScanKey(Member member, long scanNumber) {}

  private final Environment environment;

  /** The waiting tasks. */
  @GuardedBy("itself")
  private final TurnQueue<Runnable> queue = new TurnQueue<>();

  private final AtomicInteger queuedTasks = new AtomicInteger();

  WorkerScheduler(Environment environment) {
    this.environment = environment;
  }

  /** How long a time slice that starts now may last. */
  long sliceNanos() {
    long others = queuedTasks.get() / environment.processors();
    return Math.max(
        TimeSlice.MAX_SLICE_NANOS / MAX_SLICE_DIVISOR, TimeSlice.MAX_SLICE_NANOS / (1 + others));
  }

  /**
   * Runs tasks in parallel, each as a part of what runs on this thread, and waits for all of them.
   *
   * @param onOwnThreads whether to run each task on a thread of its own and not on a worker,
   *     because it usually waits itself
   */
  void runAll(ScanKey scanKey, boolean onOwnThreads, List<? extends Runnable> tasks)
      throws InterruptedException {
    Signal signal = new Signal();
    List<SignallingTask> started =
        tasks.stream()
            .map(task -> new SignallingTask(FunctionChain.carryTo(task), signal))
            .toList();
    for (SignallingTask task : started) {
      if (onOwnThreads) {
        environment.threads().execute(task);
      } else {
        enqueue(scanKey, task);
      }
    }
    for (SignallingTask task : started) {
      while (!task.isDone()) {
        signal.await(environment.clock(), POLL_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while a function runs");
        }
      }
    }
    started.forEach(SignallingTask::rethrow);
  }

  private void enqueue(ScanKey scanKey, Runnable turn) {
    synchronized (queue) {
      queue.add(scanKey, turn);
    }
    queuedTasks.incrementAndGet();
    // One execution for each task; which task a worker takes is decided when the worker is free.
    environment.workers().execute(this::runNext);
  }

  private void runNext() {
    Runnable turn;
    synchronized (queue) {
      turn = queue.removeFirst();
    }
    queuedTasks.decrementAndGet();
    turn.run();
  }

  private static final class SignallingTask extends FutureTask<@Nullable Void> {
    private final Signal signal;

    SignallingTask(Runnable task, Signal signal) {
      super(task, null);
      this.signal = signal;
    }

    @Override
    protected void done() {
      signal.raise();
    }

    /** Throws what the task threw, which is usually from a user's function. */
    void rethrow() {
      if (state() == State.FAILED) {
        switch (exceptionNow()) {
          case Error error -> throw error;
          case RuntimeException exception -> throw exception;
          case Throwable other -> throw new IllegalStateException(other);
        }
      }
    }
  }
}
