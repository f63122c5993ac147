package io.cantle.simulation;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of a seed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param seed which
 * @param hash of everything that happened
 * @param counts how many events of each kind there were
 * @param virtualNanos how long it took in virtual time
 * @param steps how many times a thread was continued
 * @param violation what was wrong, or null
 */
record SeedResult(
    long seed,
    long hash,
    Map<EventKind, Long> counts,
    long virtualNanos,
    long steps,
    @Nullable String violation) {

  /** Sums up a run. */
  static SeedResult of(long seed, EventLog log, Scheduler scheduler, @Nullable String violation) {
    Map<EventKind, Long> counts = new EnumMap<>(EventKind.class);
    for (EventKind kind : EventKind.values()) {
      counts.put(kind, log.count(kind));
    }
    return new SeedResult(
        seed, log.hash(), counts, scheduler.nowNanos(), scheduler.steps(), violation);
  }

  /** The one command that does it all again. */
  String replay() {
    return "./cantle simulate --seed " + seed + " --trace";
  }
}
