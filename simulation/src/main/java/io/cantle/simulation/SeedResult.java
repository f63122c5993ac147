package io.cantle.simulation;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a seed.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param seed which seed
 * @param hash of everything that happened
 * @param counts how many events of each kind there were
 * @param virtualNanos how long it took in virtual time
 * @param steps how many times a thread was continued
 * @param recoveryNanos how long it took in virtual time from the end of all faults until all was
 *     well
 * @param uses what clients that use streams have done
 * @param violation what was wrong, or null
 */
record SeedResult(
    long seed,
    long hash,
    Map<EventKind, Long> counts,
    long virtualNanos,
    long steps,
    long recoveryNanos,
    StreamUseRecord uses,
    @Nullable String violation) {

  /** Summarizes a run. */
  static SeedResult of(
      long seed,
      EventLog log,
      SimulationScheduler scheduler,
      long recoveryNanos,
      StreamUseRecord uses,
      @Nullable String violation) {
    Map<EventKind, Long> counts = new EnumMap<>(EventKind.class);
    for (EventKind kind : EventKind.values()) {
      counts.put(kind, log.count(kind));
    }
    return new SeedResult(
        seed,
        log.hash(),
        counts,
        scheduler.nowNanos(),
        scheduler.steps(),
        recoveryNanos,
        uses,
        violation);
  }

  /** Returns the result of a run that did not end by itself. */
  static SeedResult ofFailure(long seed, String violation) {
    return new SeedResult(seed, 0, Map.of(), 0, 0, 0, StreamUseRecord.NONE, violation);
  }

  /** Returns the command that replays exactly this seed, which ran with these settings. */
  String replayCommand(SeedSettings settings) {
    return "./cantle simulate --seed " + seed + " --trace" + settings.toWords();
  }
}
