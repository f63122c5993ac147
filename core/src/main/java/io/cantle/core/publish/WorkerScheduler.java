package io.cantle.core.publish;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Signal;
import io.cantle.core.transport.Member;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where functions of streams run: on the few workers of the world, a turn at a time, each stream in
 * turn with the others however much it asks for. The more wait, the shorter a turn is, so that
 * whoever asks for something gets an answer before it loses patience. What waits is bounded by what
 * {@link RunningScans} lets in.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WorkerScheduler {
  /** A turn is at least such a part of a whole one. */
  private static final int MAX_SLICE_DIVISOR = 64;

  private static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What somebody has asked for under one number, in one request or several. */
  record ScanKey(Member member, long scanNumber) {}

  private final Environment environment;

  /** By stream, the one whose turn it is first; guarded by itself. */
  private final LinkedHashMap<ScanKey, ArrayDeque<Runnable>> queues = new LinkedHashMap<>();

  private final AtomicInteger queuedTasks = new AtomicInteger();

  WorkerScheduler(Environment environment) {
    this.environment = environment;
  }

  /** How long a turn that begins now may last. */
  long sliceNanos() {
    long others = queuedTasks.get() / environment.processors();
    return Math.max(
        TimeSlice.MAX_SLICE_NANOS / MAX_SLICE_DIVISOR, TimeSlice.MAX_SLICE_NANOS / (1 + others));
  }

  /**
   * Runs some things side by side, and waits for all of them.
   *
   * @param onOwnThreads whether they wait themselves, as a rule, and so are nothing for workers
   */
  void runAll(ScanKey scanKey, boolean onOwnThreads, List<? extends Runnable> tasks)
      throws InterruptedException {
    Signal signal = new Signal();
    List<TrackedTask> tracked = tasks.stream().map(task -> new TrackedTask(task, signal)).toList();
    for (TrackedTask task : tracked) {
      if (onOwnThreads) {
        environment.threads().execute(task);
      } else {
        enqueue(scanKey, task);
      }
    }
    for (TrackedTask task : tracked) {
      while (!task.ended) {
        signal.await(environment.clock(), POLL_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while a function runs");
        }
      }
    }
    tracked.forEach(TrackedTask::rethrow);
  }

  private void enqueue(ScanKey scanKey, Runnable turn) {
    synchronized (queues) {
      queues.computeIfAbsent(scanKey, first -> new ArrayDeque<>()).add(turn);
    }
    queuedTasks.incrementAndGet();
    // As many as there are turns; which one each takes is seen when a worker is free.
    environment.workers().execute(this::runNext);
  }

  private void runNext() {
    Runnable turn;
    synchronized (queues) {
      Map.Entry<ScanKey, ArrayDeque<Runnable>> first = queues.pollFirstEntry();
      turn = first.getValue().remove();
      if (!first.getValue().isEmpty()) {
        queues.putLast(first.getKey(), first.getValue());
      }
    }
    queuedTasks.decrementAndGet();
    turn.run();
  }

  private static final class TrackedTask implements Runnable {
    private final Runnable task;
    private final Signal signal;
    private volatile boolean ended;
    private @Nullable Throwable thrown;

    TrackedTask(Runnable task, Signal signal) {
      this.task = task;
      this.signal = signal;
    }

    @Override
    public void run() {
      try {
        task.run();
      } catch (Exception | Error e) {
        // Thrown by a user's function, as a rule: it is told by whoever waits.
        thrown = e;
      } finally {
        ended = true;
        signal.raise();
      }
    }

    void rethrow() {
      switch (thrown) {
        case null -> {}
        case Error error -> throw error;
        case RuntimeException exception -> throw exception;
        case Throwable other -> throw new IllegalStateException(other);
      }
    }
  }
}
