package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.SimulationScheduler.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class SimulationSchedulerTest {
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final SimulationScheduler scheduler = scheduler(1);
  private final SimulatedHost host = host(scheduler, "a");
  private final List<String> story = new ArrayList<>();

  private static SimulationScheduler scheduler(long seed) {
    return new SimulationScheduler(
        new SplittableRandom(seed), new Limits(100_000, 100 * SECOND_NANOS));
  }

  private static SimulatedHost host(SimulationScheduler scheduler, String name) {
    return new SimulatedHost(scheduler, 1, name, new SplittableRandom(5));
  }

  @Test
  void timeJumpsToTheNextEvent() {
    host.start(
        Role.TASK,
        () -> {
          long before = host.clock().nanoTime();
          sleep(host, 50 * SECOND_NANOS);
          story.add("after " + (host.clock().nanoTime() - before) / SECOND_NANOS);
          scheduler.stop();
        });
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).isNull();
    assertThat(story).containsExactly("after 50");
  }

  @Test
  void timedWaitEndsEarlyWhenUnparked() {
    Thread[] sleeper = new Thread[1];
    host.start(
        Role.TASK,
        () -> {
          sleeper[0] = Thread.currentThread();
          while (story.isEmpty()) {
            host.clock().parkNanos(this, 50 * SECOND_NANOS);
          }
          assertThat(scheduler.nowNanos()).isLessThan(2 * SECOND_NANOS);
          scheduler.stop();
        });
    scheduler.schedule(
        SECOND_NANOS,
        host,
        () -> {
          story.add("go on");
          LockSupport.unpark(sleeper[0]);
        });
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).isNull();
  }

  @Test
  void cancelledTimerNeverRuns() {
    var timer = host.clock().schedule(SECOND_NANOS, () -> story.add("cancelled"));
    host.clock().schedule(2 * SECOND_NANOS, () -> story.add("kept"));
    host.clock().schedule(3 * SECOND_NANOS, scheduler::stop);
    timer.cancel();
    scheduler.runUntilDone();
    assertThat(story).containsExactly("kept");
  }

  @Test
  void threadsOfADeadHostNeverRunAgain() {
    SimulatedHost survivor = host(scheduler, "b");
    ReentrantLock lock = new ReentrantLock();
    host.start(
        Role.TASK,
        () -> {
          lock.lock();
          try {
            sleep(host, 10 * SECOND_NANOS);
          } finally {
            story.add("unwound");
            lock.unlock();
          }
        });
    host.clock().schedule(5 * SECOND_NANOS, () -> story.add("timer"));
    scheduler.schedule(SECOND_NANOS, null, host::kill);
    survivor.clock().schedule(20 * SECOND_NANOS, scheduler::stop);
    scheduler.runUntilDone();
    host.start(Role.TASK, () -> story.add("started"));
    assertThat(scheduler.failure()).isNull();
    assertThat(story).isEmpty();
  }

  @Test
  void pausedHostResumesWhereItStopped() {
    host.clock()
        .schedule(SECOND_NANOS, () -> story.add("at " + scheduler.nowNanos() / SECOND_NANOS));
    scheduler.schedule(SECOND_NANOS / 2, null, () -> host.pause(10 * SECOND_NANOS));
    scheduler.schedule(20 * SECOND_NANOS, null, scheduler::stop);
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).isNull();
    assertThat(story).containsExactly("at 10");
  }

  @Test
  void sameSeedSameOrder() {
    assertThat(orderOf(3)).isEqualTo(orderOf(3)).isNotEqualTo(orderOf(4));
  }

  private static List<Integer> orderOf(long seed) {
    SimulationScheduler scheduler = scheduler(seed);
    SimulatedHost host = host(scheduler, "a");
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      host.start(
          Role.TASK,
          () -> {
            sleep(host, SECOND_NANOS);
            order.add(number);
            if (order.size() == 20) {
              scheduler.stop();
            }
          });
    }
    scheduler.runUntilDone();
    return order;
  }

  @Test
  void failsWithoutFurtherEvents() {
    host.start(Role.TASK, () -> LockSupport.park(story));
    scheduler.runUntilDone();
    assertThat(scheduler.failure())
        .contains("deadlock, no event is left")
        .contains("a TASK #0 WAITING on java.util.ArrayList");
  }

  @Test
  void failsWhenTimeIsUp() {
    host.start(
        Role.TASK,
        () -> {
          while (story.isEmpty()) {
            host.clock().parkNanos(this, SECOND_NANOS);
          }
        });
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("not done after");
  }

  @Test
  void failsOnEndlessLoop() {
    host.start(Role.TASK, this::startAnother);
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("still busy after 100000 steps");
  }

  private void startAnother() {
    host.start(Role.TASK, this::startAnother);
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // Yielding is the mistake under test.
  void failsOnThreadThatOnlyYields() {
    host.start(
        Role.TASK,
        () -> {
          while (story.isEmpty()) {
            Thread.yield();
          }
        });
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("yields without end");
  }

  @Test
  void failsOnJdkTimedWait() {
    host.start(Role.TASK, () -> LockSupport.parkNanos(60 * SECOND_NANOS));
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("timed wait of the JDK");
  }

  @Test
  void failsOnUncaughtException() {
    host.start(
        Role.TIMER,
        () -> {
          throw new IllegalStateException("broken");
        });
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("uncaught in a TIMER").contains("broken");
  }

  @Test
  void failsOnExternalWakeUp() throws InterruptedException {
    CountDownLatch parked = new CountDownLatch(1);
    CountDownLatch woken = new CountDownLatch(1);
    host.start(
        Role.TASK,
        () -> {
          Thread sleeper = Thread.currentThread();
          scheduler.schedule(
              SECOND_NANOS,
              host,
              () -> {
                Thread.ofPlatform().start(() -> wake(sleeper, parked, woken));
                parked.countDown();
                awaitUninterrupted(woken);
              });
          LockSupport.park(this);
        });
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("woken from outside");
  }

  private static void wake(Thread sleeper, CountDownLatch parked, CountDownLatch woken) {
    awaitUninterrupted(parked);
    LockSupport.unpark(sleeper);
    woken.countDown();
  }

  /**
   * Another thread of the JVM holds a monitor for a moment; the order of events must not change.
   */
  @Test
  void monitorHeldElsewhereIsHarmless() {
    Object monitor = new Object();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch wanted = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .start(
                () -> {
                  synchronized (monitor) {
                    held.countDown();
                    awaitUninterrupted(wanted);
                  }
                });
    awaitUninterrupted(held);
    host.start(
        Role.TASK,
        () -> {
          story.add("wants");
          wanted.countDown();
          synchronized (monitor) {
            story.add("has");
          }
        });
    // It runs before the first one if the scheduler goes on with it meanwhile, or draws it first.
    host.clock().schedule(2_000_000, () -> story.add("next"));
    host.clock().schedule(SECOND_NANOS, scheduler::stop);
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).isNull();
    assertThat(story).containsExactly("wants", "has", "next");
    assertThat(holder).isNotNull();
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void sleep(SimulatedHost host, long nanos) {
    long until = host.clock().nanoTime() + nanos;
    for (long left = nanos; left > 0; left = until - host.clock().nanoTime()) {
      host.clock().parkNanos(host, left);
    }
  }
}
