package io.cantle.simulation.walk;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code ./cantle simulate --topologies}: many walks, some of them side by side.
 *
 * <p><b>Threading:</b> one thread runs it; what the walks add is guarded by this.
 */
public final class WalkCampaign {
  /** In this many walks every counted event must have happened. */
  private static final int ENOUGH_WALKS = 1_000;

  private static final int MAX_PRINTED = 100;
  private static final long PROGRESS_MILLIS = 2_000;

  private final WalkOptions options;
  private final PrintStream out;
  private final Map<WalkEvent, Long> counts = new EnumMap<>(WalkEvent.class);
  private long ended;
  private long violations;

  /** Creates a campaign that prints what walks violate. */
  public WalkCampaign(WalkOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  /**
   * Runs the walks.
   *
   * @return every figure under its name, in the order of the report
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public Map<String, Object> run() throws InterruptedException {
    long began = System.nanoTime();
    AtomicLong next = new AtomicLong(options.first());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Math.min(options.threads(), options.walks()); i++) {
      threads.add(Thread.ofPlatform().daemon().name("walks-" + i).start(() -> work(next)));
    }
    for (Thread thread : threads) {
      while (!thread.join(Duration.ofMillis(PROGRESS_MILLIS))) {
        printProgress(began);
      }
    }
    return figures(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
  }

  private void work(AtomicLong next) {
    long end = options.first() + options.walks();
    for (long seed; (seed = next.getAndIncrement()) < end; ) {
      TopologyWalk walk = new TopologyWalk(seed, options.isNarrated());
      String violation = null;
      try {
        walk.walk();
      } catch (WalkViolation e) {
        violation = e.getMessage();
      } catch (RuntimeException e) {
        violation = "it fails: " + e;
      }
      if (options.isNarrated()) {
        walk.story().forEach(out::println);
      }
      add(seed, walk, violation);
    }
  }

  private synchronized void add(long seed, TopologyWalk walk, @Nullable String violation) {
    ended++;
    walk.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
    if (violation != null && ++violations <= MAX_PRINTED) {
      out.println("violation in seed " + seed + ":");
      out.println("  " + violation);
      out.println("  replay: ./cantle simulate --topologies 1 --seed " + seed);
    }
  }

  private synchronized void printProgress(long began) {
    out.printf(
        "%d of %d seeds, %d topologies, %d violations, %d s%n",
        ended,
        options.walks(),
        counts.getOrDefault(WalkEvent.TOPOLOGY, 0L),
        violations,
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
  }

  private synchronized Map<String, Object> figures(long seconds) {
    Map<String, Object> figures = new LinkedHashMap<>();
    for (WalkEvent event : WalkEvent.values()) {
      figures.put(event.plural(), counts.getOrDefault(event, 0L));
    }
    figures.put("real seconds", seconds);
    figures.put("walks", ended);
    figures.put("violations", violations);
    return figures;
  }

  /** Returns whether nothing was violated. */
  public synchronized boolean isClean() {
    return violations == 0;
  }

  /** Returns what never happened although there were walks enough. */
  public synchronized List<String> absent() {
    List<String> absent = new ArrayList<>();
    for (WalkEvent event : WalkEvent.values()) {
      if (ended >= ENOUGH_WALKS && counts.getOrDefault(event, 0L) == 0) {
        absent.add(event.plural());
      }
    }
    return absent;
  }
}
