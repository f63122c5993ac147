package io.cantle.crash;

import io.cantle.store.disk.SyncPoint;
import io.cantle.store.log.LogCrashes;
import io.cantle.store.segment.StoreCrashes;
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
 * Crashes on the simulated disk, and the check of those: each sync left out in turn must be
 * noticed. Seeds run side by side and share nothing.
 *
 * <p><b>Threading:</b> the main thread; seeds on the common pool.
 */
final class Simulated {
  /** How many seeds a forgotten sync may take to be noticed. */
  static final int MOST_SEEDS = 4_000;

  /** A store that is asked for failures logs each of them. */
  private static final Logger SILENT = Logger.getLogger("io.cantle.store");

  private static final int MOST_VIOLATIONS = 10;
  private static final int AT_ONCE = 200;
  private static final long TELL_NANOS = 2_000_000_000L;

  private final Consumer<String> told;
  private final Map<String, Object> figures = new LinkedHashMap<>();
  private long toldAt = System.nanoTime();

  Simulated(Consumer<String> told) {
    this.told = told;
    SILENT.setLevel(Level.OFF);
  }

  /** What was done and found, by name. */
  Map<String, Object> figures() {
    return figures;
  }

  /**
   * Crashes logs and stores so often.
   *
   * @param from the first seed
   * @return whether nothing was violated
   */
  boolean crash(long wanted, long from) {
    long crashes = 0;
    long seed = from;
    List<String> violations = new ArrayList<>();
    while (crashes < wanted && violations.size() < MOST_VIOLATIONS) {
      long first = seed;
      seed = first + AT_ONCE;
      List<Seed> seeds = LongStream.range(first, seed).parallel().mapToObj(Simulated::one).toList();
      for (Seed one : seeds) {
        crashes += one.crashes;
        violations.addAll(one.violations);
      }
      tell(crashes + " of " + wanted + " simulated crashes");
    }
    violations.forEach(violation -> told.accept("violation: " + violation));
    figures.put("simulated seeds", seed - from);
    figures.put("simulated crashes", crashes);
    figures.put("violations", violations.size());
    return violations.isEmpty();
  }

  private record Seed(int crashes, List<String> violations) {}

  /** A log and a store from one seed. */
  private static Seed one(long seed) {
    int crashes = 0;
    List<String> violations = new ArrayList<>();
    try {
      crashes += LogCrashes.run(seed, Set.of());
    } catch (AssertionError e) {
      violations.add(String.valueOf(e.getMessage()));
    }
    try {
      crashes += StoreCrashes.run(seed, Set.of());
    } catch (AssertionError e) {
      violations.add(String.valueOf(e.getMessage()));
    }
    return new Seed(crashes, violations);
  }

  /**
   * Leaves out each sync in turn, from seed 0 until one notices, and tells of each.
   *
   * @return whether each was noticed
   */
  boolean mutate() {
    long missed = 0;
    told.accept("%-18s %s".formatted("left out", "noticed by seed"));
    for (SyncPoint point : SyncPoint.values()) {
      long found = firstToNotice(point);
      missed += found < 0 ? 1 : 0;
      told.accept(
          "%-18s %s".formatted(point, found < 0 ? "none of " + MOST_SEEDS : Long.toString(found)));
      // As others count them: the first seed is one seed.
      figures.put(point.toString(), found < 0 ? 0 : found + 1);
    }
    figures.put("mutations", SyncPoint.values().length);
    figures.put("missed", missed);
    return missed == 0;
  }

  private static long firstToNotice(SyncPoint point) {
    for (long seed = 0; seed < MOST_SEEDS; seed++) {
      boolean noticed =
          StoreCrashes.SYNCS.contains(point)
              ? StoreCrashes.notices(seed, point)
              : LogCrashes.notices(seed, point);
      if (noticed) {
        return seed;
      }
    }
    return -1;
  }

  private void tell(String progress) {
    if (System.nanoTime() - toldAt > TELL_NANOS) {
      toldAt = System.nanoTime();
      told.accept(progress);
    }
  }
}
