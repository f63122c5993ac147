package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Scheduler.Limits;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

final class SchedulerTest {
  private static final long SECOND = 1_000_000_000L;

  private final Scheduler scheduler = scheduler(1);
  private final Host host = host(scheduler, "a");
  private final List<String> story = new ArrayList<>();

  private static Scheduler scheduler(long seed) {
    return new Scheduler(new SplittableRandom(seed), new Limits(100_000, 100 * SECOND));
  }

  private static Host host(Scheduler scheduler, String name) {
    return new Host(scheduler, 1, name, new SplittableRandom(5));
  }

  @Test
  void timeJumpsToTheNextEvent() {
    host.start(
        Role.TASK,
        () -> {
          long before = host.clock().nanoTime();
          sleep(host, 50 * SECOND);
          story.add("after " + (host.clock().nanoTime() - before) / SECOND);
          scheduler.stop();
        });
    scheduler.run();
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
            host.clock().parkNanos(this, 50 * SECOND);
          }
          assertThat(scheduler.nowNanos()).isLessThan(2 * SECOND);
          scheduler.stop();
        });
    scheduler.at(
        SECOND,
        host,
        () -> {
          story.add("go on");
          LockSupport.unpark(sleeper[0]);
        });
    scheduler.run();
    assertThat(scheduler.failure()).isNull();
  }

  @Test
  void cancelledTimerNeverRuns() {
    var timer = host.clock().schedule(SECOND, () -> story.add("cancelled"));
    host.clock().schedule(2 * SECOND, () -> story.add("kept"));
    host.clock().schedule(3 * SECOND, scheduler::stop);
    timer.cancel();
    scheduler.run();
    assertThat(story).containsExactly("kept");
  }

  @Test
  void nothingOfDeadHostRunsAgain() {
    Host survivor = host(scheduler, "b");
    ReentrantLock lock = new ReentrantLock();
    host.start(
        Role.TASK,
        () -> {
          lock.lock();
          try {
            sleep(host, 10 * SECOND);
          } finally {
            story.add("unwound");
            lock.unlock();
          }
        });
    host.clock().schedule(5 * SECOND, () -> story.add("timer"));
    scheduler.at(SECOND, null, host::kill);
    survivor.clock().schedule(20 * SECOND, scheduler::stop);
    scheduler.run();
    host.start(Role.TASK, () -> story.add("started"));
    assertThat(scheduler.failure()).isNull();
    assertThat(story).isEmpty();
  }

  @Test
  void pausedHostGoesOnWhereItWas() {
    host.clock().schedule(SECOND, () -> story.add("at " + scheduler.nowNanos() / SECOND));
    scheduler.at(SECOND / 2, null, () -> host.pause(10 * SECOND));
    scheduler.at(20 * SECOND, null, scheduler::stop);
    scheduler.run();
    assertThat(scheduler.failure()).isNull();
    assertThat(story).containsExactly("at 10");
  }

  @Test
  void sameSeedSameOrder() {
    assertThat(orderOf(3)).isEqualTo(orderOf(3)).isNotEqualTo(orderOf(4));
  }

  private static List<Integer> orderOf(long seed) {
    Scheduler scheduler = scheduler(seed);
    Host host = host(scheduler, "a");
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      host.start(
          Role.TASK,
          () -> {
            sleep(host, SECOND);
            order.add(number);
            if (order.size() == 20) {
              scheduler.stop();
            }
          });
    }
    scheduler.run();
    return order;
  }

  @Test
  void failsWhenNothingIsLeftToHappen() {
    host.start(Role.TASK, () -> LockSupport.park(story));
    scheduler.run();
    assertThat(scheduler.failure())
        .contains("nothing is left to happen")
        .contains("a TASK #0 WAITING on java.util.ArrayList");
  }

  @Test
  void failsWhenTimeIsUp() {
    host.start(
        Role.TASK,
        () -> {
          while (story.isEmpty()) {
            host.clock().parkNanos(this, SECOND);
          }
        });
    scheduler.run();
    assertThat(scheduler.failure()).contains("not done after");
  }

  @Test
  void failsWhenBusyForEver() {
    host.start(Role.TASK, this::startAnother);
    scheduler.run();
    assertThat(scheduler.failure()).contains("still busy after 100000 steps");
  }

  private void startAnother() {
    host.start(Role.TASK, this::startAnother);
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // To yield is the mistake under test.
  void failsOnThreadThatOnlyYields() {
    host.start(
        Role.TASK,
        () -> {
          while (story.isEmpty()) {
            Thread.yield();
          }
        });
    scheduler.run();
    assertThat(scheduler.failure()).contains("only yields");
  }

  @Test
  void failsOnTimedWaitOfTheJdk() {
    host.start(Role.TASK, () -> LockSupport.parkNanos(60 * SECOND));
    scheduler.run();
    assertThat(scheduler.failure()).contains("timed wait of the JDK");
  }

  @Test
  void failsOnUncaughtException() {
    host.start(
        Role.TIMER,
        () -> {
          throw new IllegalStateException("broken");
        });
    scheduler.run();
    assertThat(scheduler.failure()).contains("uncaught in a TIMER").contains("broken");
  }

  @Test
  void failsOnWakeUpFromOutside() throws InterruptedException {
    CountDownLatch parked = new CountDownLatch(1);
    CountDownLatch woken = new CountDownLatch(1);
    host.start(
        Role.TASK,
        () -> {
          Thread sleeper = Thread.currentThread();
          scheduler.at(
              SECOND,
              host,
              () -> {
                Thread.ofPlatform().start(() -> wake(sleeper, parked, woken));
                parked.countDown();
                awaitUninterrupted(woken);
              });
          LockSupport.park(this);
        });
    scheduler.run();
    assertThat(scheduler.failure()).contains("woken from outside");
  }

  private static void wake(Thread sleeper, CountDownLatch parked, CountDownLatch woken) {
    awaitUninterrupted(parked);
    LockSupport.unpark(sleeper);
    woken.countDown();
  }

  /**
   * Another thread of the JVM holds a monitor for a moment: the order of things must not change.
   */
  @Test
  void monitorHeldElsewhereChangesNothing() {
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
    // Runs before the first one if the scheduler goes on with it meanwhile, or draws it first.
    host.clock().schedule(2_000_000, () -> story.add("next"));
    host.clock().schedule(SECOND, scheduler::stop);
    scheduler.run();
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

  private static void sleep(Host host, long nanos) {
    long until = host.clock().nanoTime() + nanos;
    for (long left = nanos; left > 0; left = until - host.clock().nanoTime()) {
      host.clock().parkNanos(host, left);
    }
  }
}
