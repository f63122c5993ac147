package io.cantle.core.base;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock moved by hand. Time passes when a test says so, or when somebody parks: then the next of
 * {@link #whileParked} happens, or, if there is none, the time waited for is over.
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

  /** What happens next while somebody is parked, one thing each time. */
  public final ArrayDeque<Runnable> whileParked = new ArrayDeque<>();

  private final PriorityQueue<DueTimer> timers =
      new PriorityQueue<>(
          Comparator.<DueTimer>comparingLong(d -> d.at).thenComparingLong(d -> d.order));
  private long now = 1_000_000_000;
  private long order;
  private int parkCount;

  /** What happens when the time is looked at next. */
  public final ArrayDeque<Runnable> onNextReading = new ArrayDeque<>();

  @Override
  public long nanoTime() {
    Runnable next = onNextReading.poll();
    if (next != null) {
      next.run();
    }
    return now - stalledNanos;
  }

  /** For how long the monotonic clock stood still in all. */
  public long stalledNanos;

  /** For how long the clock stood still that goes on while the machine is suspended. */
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

  /** Lets time pass while the monotonic clock, and timers with it, stand still. */
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

  /** Lets time pass; timers run in their order, each at its time. */
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

  /** How often somebody has parked. */
  public int parkCount() {
    return parkCount;
  }

  /** How many timers are still to run. */
  public int pendingTimers() {
    return (int) timers.stream().filter(due -> !due.cancelled).count();
  }
}
