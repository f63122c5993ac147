package io.cantle.simulation;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A runner of many seeds side by side, one on each platform thread. It also watches that each seed
 * comes to an end, because a step of simulated code that loops for ever cannot be detected from
 * within.
 *
 * <p><b>Threading:</b> one thread calls {@link #run}.
 */
final class Simulation {
  private static final long MAX_SEED_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long PROGRESS_MILLIS = 1_000;

  private final Supplier<NodeUnderTest.NodeStarter> starters;
  private final SeedSettings settings;
  private final @Nullable PrintStream trace;
  private final SeedSummary summary;
  private final Map<Thread, RunningSeed> running = new ConcurrentHashMap<>();

  /** Has a permit for each violation that no progress was told of, and one at the end. */
  private final Semaphore news = new Semaphore(0);

  private record RunningSeed(long seed, long sinceNanos) {}

  /**
   * Creates a simulation of some system.
   *
   * @param starters makes the starter of one seed
   * @param settings what seeds have in common
   * @param trace where every event is printed, or null
   */
  Simulation(
      Supplier<NodeUnderTest.NodeStarter> starters,
      SeedSettings settings,
      @Nullable PrintStream trace) {
    this.starters = starters;
    this.settings = settings;
    this.trace = trace;
    this.summary = new SeedSummary(settings.isStreaming());
  }

  /**
   * Runs {@code count} seeds, beginning with {@code first}.
   *
   * @param progress is called about every second, and soon after each violation
   */
  SeedSummary run(long first, long count, int threads, Consumer<SeedSummary> progress) {
    AtomicLong next = new AtomicLong(first);
    CountDownLatch ended = new CountDownLatch(threads);
    List<Thread> carriers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      carriers.add(
          Thread.ofPlatform()
              .daemon()
              .name("seeds-" + i)
              .start(() -> runSeeds(next, first + count, ended)));
    }
    try {
      while (!awaitNews(ended)) {
        progress.accept(summary);
        if (isAnyStuck()) {
          return summary;
        }
      }
    } catch (InterruptedException e) {
      carriers.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
    return summary;
  }

  /** Waits for a violation, the end or a second. Returns whether it was the end. */
  private boolean awaitNews(CountDownLatch ended) throws InterruptedException {
    if (news.tryAcquire(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
      news.drainPermits();
    }
    return ended.getCount() == 0;
  }

  private void runSeeds(AtomicLong next, long end, CountDownLatch ended) {
    try {
      long seed = next.getAndIncrement();
      while (seed < end && !Thread.currentThread().isInterrupted()) {
        running.put(Thread.currentThread(), new RunningSeed(seed, System.nanoTime()));
        SeedResult result = runSeed(seed);
        summary.add(result);
        if (result.violation() != null) {
          news.release();
        }
        seed = next.getAndIncrement();
      }
    } finally {
      running.remove(Thread.currentThread());
      ended.countDown();
      if (ended.getCount() == 0) {
        news.release();
      }
    }
  }

  private SeedResult runSeed(long seed) {
    try {
      return SeedRun.of(seed, settings, starters.get(), trace);
    } catch (RuntimeException e) {
      return SeedResult.ofFailure(seed, "the simulation itself: " + StackTraces.format(e));
    }
  }

  private boolean isAnyStuck() {
    boolean stuck = false;
    for (Map.Entry<Thread, RunningSeed> entry : running.entrySet()) {
      RunningSeed seed = entry.getValue();
      if (System.nanoTime() - seed.sinceNanos > MAX_SEED_NANOS) {
        stuck = true;
        StringBuilder stack = new StringBuilder("runs for minutes without an end, now at");
        for (StackTraceElement frame : entry.getKey().getStackTrace()) {
          stack.append("\n    at ").append(frame);
        }
        summary.add(SeedResult.ofFailure(seed.seed, stack.toString()));
      }
    }
    return stuck;
  }
}
