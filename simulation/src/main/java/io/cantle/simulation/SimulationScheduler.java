package io.cantle.simulation;

import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler that runs the virtual threads of every host of one seed on one platform thread, its
 * carrier, and keeps their virtual time.
 *
 * <p>A virtual thread runs until it parks. The seed decides which of the runnable threads runs
 * next. Now and then a thread is held back for a little virtual time, as on a busy machine. When
 * none is runnable, time jumps to the next event. So the whole run is a function of the seed, as
 * long as code parks only on things its own seed unparks: locks, {@code LockSupport}, the injected
 * clock.
 *
 * <p>Three ways out of that world are detected. A monitor shared with another seed may be busy; the
 * JVM has some, in class loading and in its maps. The carrier then waits until the thread that
 * wanted the monitor has it, and goes on with that thread as if nothing had happened. A timed wait
 * of the JDK would break the replay, and so would a wake-up from outside at any other moment. Both
 * fail the seed and say where. So does a run that never ends.
 *
 * <p><b>Threading:</b> the carrier, which is the thread that calls {@link #runUntilDone}.
 */
final class SimulationScheduler {
  private static final long MONITOR_WAIT_SECONDS = 20;
  private static final int MAX_SPINS = 100_000;
  private static final int HELD_BACK_ONE_IN = 12;
  private static final long MAX_HOLD_NANOS = 1_500_000;

  private final SplittableRandom random;
  private final Limits limits;
  private final Thread carrier = Thread.currentThread();
  private final Thread.Builder.OfVirtual threads = VirtualThreadAccess.newBuilder(this::execute);
  private final IdentityHashMap<Runnable, SimulatedThread> continuations = new IdentityHashMap<>();
  private final EventQueue events = new EventQueue();
  private final LinkedBlockingQueue<Runnable> foreignContinuations = new LinkedBlockingQueue<>();
  private final ArrayList<SimulatedThread> ready = new ArrayList<>();
  private long nowNanos;
  private long eventSequence;
  private long threadSequence;
  private long steps;
  private Runnable watcher = () -> {};
  private long watchEveryNanos = Long.MAX_VALUE;
  private long nextWatchNanos = Long.MAX_VALUE;
  private boolean stopped;
  private boolean rerun;
  private boolean inOrder;
  private @Nullable SimulatedThread current;
  private @Nullable SimulatedThread starting;
  private @Nullable String failure;

  /** How long a seed may run, in steps of threads and in virtual time. */
  record Limits(long steps, long nanos) {}

  SimulationScheduler(SplittableRandom random, Limits limits) {
    this.random = random;
    this.limits = limits;
    threads.inheritInheritableThreadLocals(false);
    threads.uncaughtExceptionHandler((thread, thrown) -> onUncaught(thrown));
  }

  /** Returns the virtual time since the start of the run. */
  long nowNanos() {
    return nowNanos;
  }

  /** Returns how many times a thread was continued. */
  long steps() {
    return steps;
  }

  /** Returns what made the run fail, or null. */
  @Nullable String failure() {
    return failure;
  }

  /** Returns the simulated thread that runs now, or null within an event. */
  @Nullable SimulatedThread current() {
    return current;
  }

  /**
   * Returns whether the caller is the simulated thread that runs now, among those of all
   * schedulers.
   */
  boolean runsCallingThread() {
    SimulatedThread running = current;
    return running != null && Thread.currentThread().equals(running.thread());
  }

  /**
   * Schedules an action after a delay. It runs on the carrier between two steps, and must not park.
   */
  ScheduledEvent schedule(long delayNanos, @Nullable SimulatedHost host, Runnable action) {
    ScheduledEvent event =
        new ScheduledEvent(events, nowNanos + delayNanos, eventSequence++, host, action);
    events.add(event);
    return event;
  }

  /** Starts a thread of a live host. */
  void startThread(SimulatedHost host, Role role, Runnable task) {
    Thread thread = threads.unstarted(task);
    starting = new SimulatedThread(threadSequence++, host, role, thread);
    thread.start();
    starting = null;
  }

  /** Runs an action between two steps, again each time this much virtual time has passed. */
  void watchEvery(long everyNanos, Runnable action) {
    watcher = action;
    watchEveryNanos = everyNanos;
    nextWatchNanos = nowNanos;
  }

  /** Ends the run after the present step. */
  void stop() {
    stopped = true;
  }

  /** Fails the run; the first reason counts. */
  void fail(String reason) {
    if (failure == null) {
      failure = reason;
    }
    stopped = true;
  }

  /** Runs until {@link #stop}, after which the run may be resumed, or until {@link #fail}. */
  void runUntilDone() {
    while (!stopped) {
      if (!foreignContinuations.isEmpty()) {
        failForeign(foreignContinuations.remove());
      } else if (!ready.isEmpty()) {
        runStep(takeReady());
      } else {
        runNextEvent();
      }
    }
    stopped = failure != null;
  }

  /** Returns every thread that has not ended, with its stack. */
  String dumpThreads() {
    StringBuilder text = new StringBuilder();
    continuations.values().stream()
        .filter(thread -> thread.host().isAlive() && thread != current && !thread.isResting())
        .sorted(Comparator.comparingLong(SimulatedThread::number))
        .forEach(thread -> text.append("  ").append(thread.describe()).append('\n'));
    return text.toString();
  }

  /** From now on runnable threads run in the order in which they became so, without delay. */
  void runInOrder() {
    inOrder = true;
  }

  /** Makes a thread runnable. The JDK calls this when a thread was started or may go on. */
  private void execute(Runnable continuation) {
    SimulatedThread newborn = starting;
    SimulatedThread running = current;
    Thread caller = Thread.currentThread();
    if (!caller.equals(carrier) && (running == null || !caller.equals(running.thread()))) {
      foreignContinuations.add(continuation);
    } else if (newborn != null) {
      starting = null;
      newborn.isContinuedBy(continuation);
      continuations.put(continuation, newborn);
      enqueue(newborn);
    } else {
      SimulatedThread thread = continuations.get(continuation);
      if (thread != null && thread == running) {
        rerun = true;
      } else if (thread != null) {
        enqueue(thread);
      }
    }
  }

  private void enqueue(SimulatedThread thread) {
    if (!thread.host().isAlive()) {
      return;
    }
    if (!inOrder && random.nextInt(HELD_BACK_ONE_IN) == 0) {
      schedule(random.nextLong(MAX_HOLD_NANOS), thread.host(), () -> ready.add(thread));
    } else {
      ready.add(thread);
    }
  }

  /** Makes a thread runnable that was held back while its host was paused. */
  void onThawed(SimulatedThread thread) {
    ready.add(thread);
  }

  /** Draws and removes one of the runnable threads; the last one fills the gap. */
  private SimulatedThread takeReady() {
    if (inOrder) {
      return ready.removeFirst();
    }
    int index = random.nextInt(ready.size());
    SimulatedThread last = ready.removeLast();
    return index == ready.size() ? last : ready.set(index, last);
  }

  private void runStep(SimulatedThread thread) {
    if (!thread.host().isAlive()) {
      return;
    }
    if (thread.host().pausedNanos() > 0) {
      thread.host().freeze(thread);
      return;
    }
    if (++steps > limits.steps) {
      fail("still busy after " + limits.steps + " steps; the threads:\n" + dumpThreads());
      return;
    }
    current = thread;
    int spins = 0;
    do {
      rerun = false;
      thread.runContinuation();
      switch (thread.thread().getState()) {
        case TERMINATED -> thread.forgetContinuation(continuations);
        case WAITING -> {}
        case TIMED_WAITING -> fail("timed wait of the JDK, not the clock: " + thread.describe());
        default -> awaitMonitor(thread);
      }
      if (++spins > MAX_SPINS) {
        fail("a thread yields without end: " + thread.describe());
      }
    } while (rerun && !stopped);
    current = null;
  }

  /**
   * Waits for a thread that has left the carrier without parking. It yielded, or it waits for a
   * monitor that a thread of another seed holds for a moment.
   */
  private void awaitMonitor(SimulatedThread thread) {
    if (rerun) {
      return;
    }
    try {
      Runnable continuation = foreignContinuations.poll(MONITOR_WAIT_SECONDS, TimeUnit.SECONDS);
      if (continuation != null && continuations.get(continuation) == thread) {
        rerun = true;
      } else {
        fail(
            "a monitor is held across a wait, wanted by "
                + thread.describe()
                + "\n"
                + dumpThreads());
      }
    } catch (InterruptedException e) {
      carrier.interrupt();
      fail("interrupted");
    }
  }

  private void runNextEvent() {
    ScheduledEvent event = events.poll();
    if (event == null) {
      fail("deadlock, no event is left; the threads:\n" + dumpThreads());
    } else if (event.isLive()) {
      nowNanos = event.timeNanos();
      if (nowNanos >= nextWatchNanos) {
        nextWatchNanos = nowNanos + watchEveryNanos;
        watcher.run();
      }
      if (nowNanos > limits.nanos) {
        fail(
            "not done after "
                + nowNanos / 1_000_000
                + " virtual ms; the threads:\n"
                + dumpThreads());
      } else {
        event.fire();
      }
    }
  }

  private void failForeign(Runnable continuation) {
    SimulatedThread thread = continuations.get(continuation);
    fail("woken from outside the seed: " + (thread == null ? "unknown" : thread.describe()));
  }

  private void onUncaught(Throwable thrown) {
    SimulatedThread thread = current;
    String where = thread == null ? "?" : thread.host() + " " + thread.role();
    fail("uncaught in " + where + ": " + StackTraces.format(thrown));
  }
}
