package io.cantle.crash;

import io.cantle.store.disk.SyncPoint;
import io.cantle.store.log.LogCrashTrial;
import io.cantle.store.segment.StoreCrashTrial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;

/**
 * Crashes on the simulated disk, and the mutation check of them: each sync left out in turn must be
 * detected. Seeds run side by side and share nothing.
 *
 * <p><b>Threading:</b> the main thread; seeds on the common pool.
 */
final class SimulatedCrashCampaign {
  /** How many seeds it may take to detect a forgotten sync. */
  static final int MAX_SEEDS_PER_MUTATION = 4_000;

  /** A store with injected failures logs each of them. */
  private static final Logger MUTED_LOGGER = Logger.getLogger("io.cantle.store");

  private static final int MAX_VIOLATIONS = 10;
  private static final int PARALLEL_SEEDS = 200;
  private static final long PROGRESS_INTERVAL_NANOS = 2_000_000_000L;

  private final Consumer<String> progressListener;
  private final Map<String, Object> figures = new LinkedHashMap<>();
  private long reportedNanos = System.nanoTime();

  SimulatedCrashCampaign(Consumer<String> progressListener) {
    this.progressListener = progressListener;
    MUTED_LOGGER.setLevel(Level.OFF);
  }

  /** Returns what was done and found, by name. */
  Map<String, Object> figures() {
    return figures;
  }

  /**
   * Crashes logs and stores this many times.
   *
   * @param from the first seed
   * @return whether nothing was violated
   */
  boolean runSeeds(long wanted, long from) {
    long crashes = 0;
    long seed = from;
    List<String> violations = new ArrayList<>();
    while (crashes < wanted && violations.size() < MAX_VIOLATIONS) {
      long first = seed;
      seed = first + PARALLEL_SEEDS;
      List<SeedOutcome> seeds =
          LongStream.range(first, seed)
              .parallel()
              .mapToObj(SimulatedCrashCampaign::runSeed)
              .toList();
      for (SeedOutcome one : seeds) {
        crashes += one.crashes;
        violations.addAll(one.violations);
      }
      reportProgress(crashes + " of " + wanted + " simulated crashes");
    }
    violations.forEach(violation -> progressListener.accept("violation: " + violation));
    figures.put("simulated seeds", seed - from);
    figures.put("simulated crashes", crashes);
    figures.put("violations", violations.size());
    return violations.isEmpty();
  }

  private record SeedOutcome(int crashes, List<String> violations) {}

  /** Runs a log and a store from one seed. */
  private static SeedOutcome runSeed(long seed) {
    int crashes = 0;
    List<String> violations = new ArrayList<>();
    try {
      crashes += LogCrashTrial.runSeed(seed, Set.of());
    } catch (AssertionError e) {
      violations.add(String.valueOf(e.getMessage()));
    }
    try {
      crashes += StoreCrashTrial.runSeed(seed, Set.of());
    } catch (AssertionError e) {
      violations.add(String.valueOf(e.getMessage()));
    }
    return new SeedOutcome(crashes, violations);
  }

  /**
   * Leaves out each sync in turn, from seed 0 until a seed detects it, and reports each.
   *
   * @return whether each was detected
   */
  boolean findsAllMutations() {
    long missed = 0;
    progressListener.accept("%-18s %s".formatted("left out", "noticed by seed"));
    for (SyncPoint point : SyncPoint.values()) {
      long found = firstNoticingSeed(point);
      missed += found < 0 ? 1 : 0;
      progressListener.accept(
          "%-18s %s"
              .formatted(
                  point, found < 0 ? "none of " + MAX_SEEDS_PER_MUTATION : Long.toString(found)));
      // Counted as elsewhere: the first seed is one seed.
      figures.put(point.toString(), found < 0 ? 0 : found + 1);
    }
    figures.put("mutations", SyncPoint.values().length);
    figures.put("missed", missed);
    return missed == 0;
  }

  private static long firstNoticingSeed(SyncPoint point) {
    for (long seed = 0; seed < MAX_SEEDS_PER_MUTATION; seed++) {
      boolean noticed =
          StoreCrashTrial.SYNCS.contains(point)
              ? StoreCrashTrial.noticesForgottenSync(seed, point)
              : LogCrashTrial.noticesForgottenSync(seed, point);
      if (noticed) {
        return seed;
      }
    }
    return -1;
  }

  private void reportProgress(String progress) {
    if (System.nanoTime() - reportedNanos > PROGRESS_INTERVAL_NANOS) {
      reportedNanos = System.nanoTime();
      progressListener.accept(progress);
    }
  }
}
