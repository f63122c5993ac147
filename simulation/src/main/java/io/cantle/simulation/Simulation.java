package io.cantle.simulation;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs seeds side by side, one to a platform thread, and watches that each of them comes to an end:
 * a step of simulated code that loops for ever cannot be seen from within.
 *
 * <p><b>Threading:</b> one thread calls {@link #run}.
 */
final class Simulation {
  private static final long LONGEST_SEED_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long PROGRESS_MILLIS = 1_000;

  private final Supplier<Peer.Starter> starters;
  private final Terms terms;
  private final @Nullable PrintStream trace;
  private final Summary summary;
  private final Map<Thread, Running> running = new ConcurrentHashMap<>();

  private record Running(long seed, long sinceNanos) {}

  /**
   * Seeds on the nodes of some system.
   *
   * @param starters makes the starter of one seed
   * @param terms what seeds have in common
   * @param trace where every event is printed, or null
   */
  Simulation(Supplier<Peer.Starter> starters, Terms terms, @Nullable PrintStream trace) {
    this.starters = starters;
    this.terms = terms;
    this.trace = trace;
    this.summary = new Summary(terms.streams());
  }

  /**
   * Runs {@code count} seeds from {@code first} on.
   *
   * @param progress told about every second
   */
  Summary run(long first, long count, int threads, Consumer<Summary> progress) {
    AtomicLong next = new AtomicLong(first);
    CountDownLatch ended = new CountDownLatch(threads);
    List<Thread> carriers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      carriers.add(
          Thread.ofPlatform()
              .daemon()
              .name("seeds-" + i)
              .start(() -> carry(next, first + count, ended)));
    }
    try {
      while (!ended.await(PROGRESS_MILLIS, TimeUnit.MILLISECONDS)) {
        progress.accept(summary);
        if (anyStuck()) {
          return summary;
        }
      }
    } catch (InterruptedException e) {
      carriers.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
    return summary;
  }

  private void carry(AtomicLong next, long end, CountDownLatch ended) {
    try {
      long seed = next.getAndIncrement();
      while (seed < end && !Thread.currentThread().isInterrupted()) {
        running.put(Thread.currentThread(), new Running(seed, System.nanoTime()));
        summary.add(one(seed));
        seed = next.getAndIncrement();
      }
    } finally {
      running.remove(Thread.currentThread());
      ended.countDown();
    }
  }

  private SeedResult one(long seed) {
    try {
      return Run.of(seed, terms, starters.get(), trace);
    } catch (RuntimeException e) {
      return SeedResult.broken(seed, "the simulation itself: " + Stacks.of(e));
    }
  }

  private boolean anyStuck() {
    boolean stuck = false;
    for (Map.Entry<Thread, Running> entry : running.entrySet()) {
      Running seed = entry.getValue();
      if (System.nanoTime() - seed.sinceNanos > LONGEST_SEED_NANOS) {
        stuck = true;
        StringBuilder stack = new StringBuilder("runs for minutes without an end, now at");
        for (StackTraceElement frame : entry.getKey().getStackTrace()) {
          stack.append("\n    at ").append(frame);
        }
        summary.add(SeedResult.broken(seed.seed, stack.toString()));
      }
    }
    return stuck;
  }
}
