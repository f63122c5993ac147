package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CloseableIterator;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that functions of streams have threads of their own and delay nothing else. */
@Timeout(60)
final class WorkerPoolTest {
  private static volatile CountDownLatch begun = new CountDownLatch(0);
  private static volatile boolean spins;

  private static boolean spin(Integer value) {
    begun.countDown();
    while (spins) {
      Thread.onSpinWait();
    }
    return value >= 0 && !Thread.currentThread().isVirtual();
  }

  @Test
  void endlessFunctionsBlockNeitherVirtualThreadsNorTheNode() throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    spins = true;
    begun = new CountDownLatch(processors);
    try (SingleNode alone = new SingleNode("io.cantle.core.node")) {
      Cache<Integer, Integer> cache = alone.node.cache("numbers");
      for (int i = 0; i < 100; i++) {
        cache.put(i, i);
      }
      List<Thread> callers = new ArrayList<>();
      AtomicInteger counted = new AtomicInteger();
      try {
        for (int i = 0; i < processors + 1; i++) {
          callers.add(
              Thread.startVirtualThread(
                  () ->
                      counted.addAndGet(
                          (int) cache.values().stream().filter(WorkerPoolTest::spin).count())));
        }
        begun.await();
        // All of these need virtual threads, the last one those of the node itself.
        Thread.startVirtualThread(() -> cache.put(100, 100)).join();
        assertThat(cache.get(100)).isEqualTo(100);
        int seen = 0;
        try (CloseableIterator<Integer> values = cache.values().stream().iterator()) {
          for (; values.hasNext(); values.next()) {
            seen++;
          }
        }
        assertThat(seen).isEqualTo(101);
      } finally {
        spins = false;
      }
      for (Thread caller : callers) {
        caller.join();
      }
      assertThat(counted.get())
          .as("the functions run on threads that are not virtual")
          .isGreaterThanOrEqualTo((processors + 1) * 100);
    }
  }

  @Test
  void waitingWorkerIsReplaced() throws Exception {
    try (SystemEnvironment system = new SystemEnvironment("replaced")) {
      Environment environment = system.environment();
      int waiting = 3 * environment.processors();
      List<Signal> signals = new ArrayList<>();
      CountDownLatch ended = new CountDownLatch(waiting);
      for (int i = 0; i < waiting; i++) {
        Signal signal = new Signal();
        signals.add(signal);
        environment
            .workers()
            .execute(
                () -> {
                  if (signal.await(environment.clock(), TimeUnit.SECONDS.toNanos(50))) {
                    ended.countDown();
                  }
                });
      }
      environment.workers().execute(() -> signals.forEach(Signal::raise));
      assertThat(ended.await(40, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void workersEndWithTheirEnvironment() throws Exception {
    List<Thread> threads = new ArrayList<>();
    CountDownLatch ran = new CountDownLatch(1);
    try (SystemEnvironment system = new SystemEnvironment("short")) {
      system
          .environment()
          .workers()
          .execute(
              () -> {
                threads.add(Thread.currentThread());
                ran.countDown();
              });
      ran.await();
    }
    assertThat(threads.getFirst().getName()).startsWith("cantle-short-worker-");
    threads.getFirst().join();
  }
}
