package io.cantle.core.base;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that a test advances. Time passes when the test says so, or when a thread parks. A parked
 * thread runs the next action of {@link #whileParked}; if there is none, the clock advances to the
 * end of the wait.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
public final class ManualClock implements Clock {
  private static final class DueTimer implements Timer {
    long at;
    final long order;
    final Runnable task;
    boolean cancelled;

    DueTimer(long at, long order, Runnable task) {
      this.at = at;
      this.order = order;
      this.task = task;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  /** Actions to run while a thread is parked, one each time it parks. */
  public final ArrayDeque<Runnable> whileParked = new ArrayDeque<>();

  private final PriorityQueue<DueTimer> timers =
      new PriorityQueue<>(
          Comparator.<DueTimer>comparingLong(d -> d.at).thenComparingLong(d -> d.order));
  private long now = 1_000_000_000;
  private long order;
  private int parkCount;

  /** Actions to run when the clock is read, one each time. */
  public final ArrayDeque<Runnable> onNextReading = new ArrayDeque<>();

  @Override
  public long nanoTime() {
    Runnable next = onNextReading.poll();
    if (next != null) {
      next.run();
    }
    return now - stalledNanos;
  }

  /** How long the monotonic clock has stopped in all. */
  public long stalledNanos;

  /** How long the boot clock has stopped in all, which normally advances during a suspension. */
  public long bootStalledNanos;

  /** How far the time of day is off. */
  public long wallOffsetMillis;

  @Override
  public long wallMillis() {
    return now / 1_000_000 + wallOffsetMillis;
  }

  @Override
  public long bootNanos() {
    return now - bootStalledNanos;
  }

  /** Lets time pass while the monotonic clock stops, and timers with it. */
  public void suspend(long nanos) {
    now += nanos;
    stalledNanos += nanos;
    timers.forEach(due -> due.at += nanos);
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    parkCount++;
    Runnable next = whileParked.poll();
    if (next != null) {
      next.run();
    } else {
      advance(nanos);
    }
  }

  @Override
  public Timer schedule(long delayNanos, Runnable task) {
    DueTimer due = new DueTimer(now + delayNanos, order++, task);
    timers.add(due);
    return due;
  }

  /** Lets time pass. Timers run in order, each at its time. */
  public void advance(long nanos) {
    long until = now + Math.max(0, nanos);
    for (DueTimer due; (due = timers.peek()) != null && due.at <= until; ) {
      timers.poll();
      now = Math.max(now, due.at);
      if (!due.cancelled) {
        due.task.run();
      }
    }
    now = Math.max(now, until);
  }

  /** How many times a thread has parked. */
  public int parkCount() {
    return parkCount;
  }

  /** How many timers have yet to run. */
  public int pendingTimers() {
    return (int) timers.stream().filter(due -> !due.cancelled).count();
  }
}
