package io.cantle.simulation;

import io.cantle.core.base.Clock;
import io.cantle.core.base.ClockReading;
import io.cantle.core.base.Environment;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.persistence.NodeStore;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One simulated process: a clock that started at an arbitrary reading, threads and randomness,
 * which all end at once when the process dies. The threads of a dead host are simply never run
 * again. As after a kill, none of their handlers runs.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedHost {
  /** One timed wait in this many returns for no reason, as waits are allowed to. */
  private static final int SPURIOUS_WAKE_ONE_IN = 200;

  private static final long PARTS_PER_MILLION = 1_000_000;

  /** Beyond this time, which is longer than any run, the speed of a clock does not matter. */
  private static final long MAX_EXACT_NANOS = 1_000_000_000_000L;

  private static final long MAX_DELAY_NANOS = 4_000_000;

  /** How many threads a host spreads work over. It is the same on every machine. */
  private static final int PROCESSORS = 2;

  /** What goes on while the machine is suspended and its monotonic clock stands still. */
  enum Suspension {
    /** The machine is never suspended, and only the monotonic clock need be read. */
    NEVER,
    /** A clock that counts suspension goes on, while the time of day jumps. */
    BOOT_CLOCK,
    /** Only the time of day goes on, and it is right. */
    TIME_OF_DAY
  }

  /** The host of the calling thread. A function that was sent there has no other way to know it. */
  private static final ScopedValue<SimulatedHost> CURRENT_HOST = ScopedValue.newInstance();

  private final SimulationScheduler scheduler;
  private final int number;
  private final String name;
  private final SplittableRandom random;
  private final SplittableRandom wakeCount;

  /** How far the time of day is off at most, either way. */
  private static final long MAX_WALL_SKEW_MILLIS = 2_000;

  /** How far it is off at most where it jumps by hours. */
  private static final long MAX_WALL_JUMP_MILLIS = 3_600_000;

  /** How often the time of day of a host is set anew, and jumps. */
  private static final long WALL_SET_INTERVAL_NANOS = 7_000_000_000L;

  private final long clockOffsetNanos;
  private final HostClock clock;
  private final Environment environment;
  private final int partsPerMillion;
  private long wallSkewMillis = MAX_WALL_SKEW_MILLIS;
  private final ArrayDeque<ReceiverThread> readers = new ArrayDeque<>();
  private final List<SimulatedThread> frozen = new ArrayList<>();

  /** The effects recorded by functions that were sent here, by call. */
  private final Map<Long, BitSet> effects = new HashMap<>();

  /** Timers that came due while the process was paused, if its clock stood still. */
  private final List<SuspendedTimer> overdueTimers = new ArrayList<>();

  private boolean alive = true;
  private boolean exact;
  private long pausedUntilNanos;
  private long pausedNanos;
  private Suspension suspension = Suspension.NEVER;
  private long suspendedUntilNanos;
  private long suspendedNanos;

  /** What a node on this host finds from its earlier incarnations. */
  private NodeStore store = NodeStore.NONE;

  /** Creates a host whose clock is exact. */
  SimulatedHost(SimulationScheduler scheduler, int number, String name, SplittableRandom random) {
    this(scheduler, number, name, random, 0, SeedScenario.DEFAULT_HEAP_BYTES, HeapGuard.UNLIMITED);
  }

  /**
   * @param partsPerMillion by how much its clock is too fast
   * @param heapBytes how much memory it has
   * @param heapGuard says whether there is room in it
   */
  SimulatedHost(
      SimulationScheduler scheduler,
      int number,
      String name,
      SplittableRandom random,
      int partsPerMillion,
      long heapBytes,
      HeapGuard heapGuard) {
    this.partsPerMillion = partsPerMillion;
    this.scheduler = scheduler;
    this.number = number;
    this.name = name;
    this.random = random;
    this.wakeCount = random.split();
    // Readings of two hosts have nothing to do with each other, and may be negative.
    this.clockOffsetNanos = random.nextLong(-(1L << 50), 1L << 50);
    Executor threads = task -> start(Role.TASK, task);
    this.clock = new HostClock();
    this.environment =
        new Environment(
            clock,
            threads,
            threads,
            random,
            PROCESSORS,
            heapBytes,
            heapGuard,
            SimulatedArena::new,
            e -> {});
  }

  /** Returns its position in the order of starting, from 0. */
  int number() {
    return number;
  }

  String name() {
    return name;
  }

  /** From now on the time of day jumps by up to an hour either way. */
  void jumpWallClock() {
    wallSkewMillis = MAX_WALL_JUMP_MILLIS;
  }

  /** From now on its time of day is right, and no wait returns for no reason. */
  void makeExact() {
    exact = true;
  }

  /** From now on the machine may be suspended. */
  void setSuspension(Suspension kind) {
    suspension = kind;
  }

  boolean isAlive() {
    return alive;
  }

  /** Gives the host a disk. */
  void mountStore(NodeStore found) {
    store = found;
  }

  /** Returns what a node on this host finds and keeps on disk. */
  NodeStore store() {
    return store;
  }

  /** Returns the environment that a node on this host is given. */
  Environment world() {
    return environment;
  }

  Clock clock() {
    return clock;
  }

  SplittableRandom random() {
    return random;
  }

  /** Starts a thread of this host; does nothing when the host is dead. */
  void start(Role role, Runnable task) {
    if (alive) {
      scheduler.startThread(this, role, () -> ScopedValue.where(CURRENT_HOST, this).run(task));
    }
  }

  /** Lets a thread of this host receive a message; does nothing when the host is dead. */
  void receive(Runnable message) {
    ReceiverThread reader = alive ? readers.poll() : null;
    if (reader == null) {
      start(Role.RECEIVE, new ReceiverThread(readers, message));
    } else {
      reader.takeMessage(message);
    }
  }

  /** Delays the calling thread a little, mostly not at all. */
  static void delayBriefly() {
    SimulatedHost here = CURRENT_HOST.get();
    if (here.random.nextInt(3) == 0) {
      here.clock().parkNanos(here, here.random.nextLong(MAX_DELAY_NANOS));
    }
  }

  /**
   * Records that a function running on the calling thread had its effect for a key, on behalf of a
   * call.
   */
  static void recordEffect(long call, int key) {
    CURRENT_HOST.get().effects.computeIfAbsent(call, unseen -> new BitSet()).set(key);
  }

  /** Returns and forgets the keys for which functions had an effect here, on behalf of a call. */
  BitSet takeEffects(long call) {
    BitSet taken = effects.remove(call);
    return taken == null ? new BitSet() : taken;
  }

  /** Stops all threads of the process for a while, as a long garbage collection would. */
  void pause(long nanos) {
    long until = Math.max(pausedUntilNanos, scheduler.nowNanos() + nanos);
    pausedNanos += until - Math.max(pausedUntilNanos, scheduler.nowNanos());
    pausedUntilNanos = until;
    scheduler.schedule(nanos, this, this::thaw);
  }

  /** Suspends the machine for a while: a pause in which its monotonic clock stands still. */
  void suspend(long nanos) {
    if (suspension == Suspension.NEVER || pausedNanos() > 0) {
      throw new IllegalStateException(name + " cannot be suspended");
    }
    suspendedUntilNanos = scheduler.nowNanos() + nanos;
    suspendedNanos += nanos;
    pause(nanos);
  }

  /** Returns for how long the monotonic clock has stood still until now. */
  private long totalSuspendedNanos() {
    return suspendedNanos - Math.max(0, suspendedUntilNanos - scheduler.nowNanos());
  }

  /** Ends a pause before its time. */
  void resume() {
    long left = pausedNanos();
    if (left > 0) {
      suspendedNanos = totalSuspendedNanos();
      suspendedUntilNanos = scheduler.nowNanos();
      pausedNanos -= left;
      pausedUntilNanos = scheduler.nowNanos();
      thaw();
    }
  }

  /** Returns how much longer the process is paused; not positive if it is not. */
  long pausedNanos() {
    return pausedUntilNanos - scheduler.nowNanos();
  }

  /** Returns how long the process was paused in all, up to the end of the present pause. */
  long totalPausedNanos() {
    return pausedNanos;
  }

  /** Holds back a thread that would run now until the pause has ended. */
  void freeze(SimulatedThread thread) {
    frozen.add(thread);
  }

  private void thaw() {
    if (pausedNanos() <= 0) {
      frozen.forEach(scheduler::onThawed);
      frozen.clear();
      List<SuspendedTimer> due = List.copyOf(overdueTimers);
      overdueTimers.clear();
      due.forEach(SuspendedTimer::fire);
    }
  }

  /** Ends the process: nothing of it ever runs again. */
  void kill() {
    alive = false;
  }

  @Override
  public String toString() {
    return name;
  }

  private final class HostClock implements Clock {
    @Override
    public long nanoTime() {
      return toReading(scheduler.nowNanos() - totalSuspendedNanos());
    }

    private long toReading(long nanos) {
      return nanos + nanos * partsPerMillion / PARTS_PER_MILLION + clockOffsetNanos;
    }

    @Override
    public long bootNanos() {
      return suspension == Suspension.BOOT_CLOCK ? toReading(scheduler.nowNanos()) : 0;
    }

    @Override
    public ClockReading reading() {
      return switch (suspension) {
        // Seeds without suspension stay as they were before there was any.
        case NEVER -> new ClockReading(nanoTime(), 0, 0);
        case BOOT_CLOCK -> new ClockReading(nanoTime(), wallMillis(), bootNanos());
        case TIME_OF_DAY ->
            new ClockReading(nanoTime(), scheduler.nowNanos() / PARTS_PER_MILLION, 0);
      };
    }

    /** Returns how much real time passes until this clock has advanced by that much. */
    private long toRealNanos(long nanos) {
      return partsPerMillion == 0 || nanos > MAX_EXACT_NANOS
          ? nanos
          : nanos * PARTS_PER_MILLION / (PARTS_PER_MILLION + partsPerMillion) + 1;
    }

    @Override
    public long wallMillis() {
      if (exact) {
        return scheduler.nowNanos() / PARTS_PER_MILLION;
      }
      long now = scheduler.nowNanos();
      // How far the clock stays ahead or behind until it is set anew; different each time.
      long set = (clockOffsetNanos ^ now / WALL_SET_INTERVAL_NANOS) * 0x9E37_79B9_7F4A_7C15L;
      return now / 1_000_000 + Math.floorMod(set >> 20, 2 * wallSkewMillis) - wallSkewMillis;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (nanos <= 0 || (!exact && wakeCount.nextInt(SPURIOUS_WAKE_ONE_IN) == 0)) {
        return;
      }
      Thread thread = Thread.currentThread();
      ScheduledEvent wake =
          scheduler.schedule(
              toRealNanos(nanos), SimulatedHost.this, () -> LockSupport.unpark(thread));
      LockSupport.park(blocker);
      wake.cancel();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      if (delayNanos < 0) {
        throw new IllegalArgumentException("delayNanos " + delayNanos + " is negative");
      }
      return suspension == Suspension.NEVER
          ? scheduler.schedule(
              toRealNanos(delayNanos), SimulatedHost.this, () -> start(Role.TIMER, task))
          : new SuspendedTimer(nanoTime() + delayNanos, task).started();
    }
  }

  /** A timer that counts only the time in which the monotonic clock goes on. */
  private final class SuspendedTimer implements Clock.Timer {
    private final long dueNanos;
    private final Runnable task;
    private @Nullable ScheduledEvent event;
    private boolean cancelled;

    SuspendedTimer(long dueNanos, Runnable task) {
      this.dueNanos = dueNanos;
      this.task = task;
    }

    SuspendedTimer started() {
      long left = Math.max(0, dueNanos - clock.nanoTime());
      event = scheduler.schedule(clock.toRealNanos(left), SimulatedHost.this, this::fire);
      return this;
    }

    private void fire() {
      if (cancelled) {
        return;
      }
      if (pausedNanos() > 0) {
        overdueTimers.add(this);
      } else if (dueNanos - clock.nanoTime() > 0) {
        started();
      } else {
        start(Role.TIMER, task);
      }
    }

    @Override
    public void cancel() {
      cancelled = true;
      if (event != null) {
        event.cancel();
      }
    }
  }
}
