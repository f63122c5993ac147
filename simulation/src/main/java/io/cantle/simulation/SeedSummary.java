package io.cantle.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sum of the results of many seeds, added as they end.
 *
 * <p><b>Threading:</b> guarded by this.
 */
final class SeedSummary {
  private static final int MAX_KEPT_RESULTS = 100;

  private final Map<EventKind, Long> counts = new EnumMap<>(EventKind.class);
  private final List<SeedResult> violated = new ArrayList<>();
  private long seeds;
  private long violations;
  private long steps;
  private long virtualNanos;
  private long hash;
  private long slowestRecoveryNanos;
  private StreamUseRecord uses = StreamUseRecord.NONE;
  private final boolean streams;

  /**
   * @param streams whether clients use streams, whose figures are then reported
   */
  SeedSummary(boolean streams) {
    this.streams = streams;
  }

  /** Adds the result of a seed. */
  synchronized void add(SeedResult result) {
    seeds++;
    steps += result.steps();
    virtualNanos += result.virtualNanos();
    slowestRecoveryNanos = Math.max(slowestRecoveryNanos, result.recoveryNanos());
    // A sum, so that it does not matter which seed ends first.
    hash += result.hash();
    uses = uses.plus(result.uses());
    result.counts().forEach((kind, count) -> counts.merge(kind, count, Long::sum));
    if (result.violation() != null) {
      violations++;
      if (violated.size() < MAX_KEPT_RESULTS) {
        violated.add(result);
      }
    }
  }

  /** Returns how many seeds have ended. */
  synchronized long seeds() {
    return seeds;
  }

  /** Returns how many seeds violated something. */
  synchronized long violations() {
    return violations;
  }

  /** Returns the first seeds that did. */
  synchronized List<SeedResult> violatedResults() {
    return List.copyOf(violated);
  }

  /** Returns how many events of a kind there were. */
  synchronized long count(EventKind kind) {
    return counts.getOrDefault(kind, 0L);
  }

  /** Returns the sum of the event hashes. */
  synchronized long hash() {
    return hash;
  }

  /** Returns which of these faults never happened. */
  synchronized List<String> absentKinds(Set<SimulatedFault> faults) {
    return faults.stream()
        .map(SimulatedFault::kind)
        .filter(kind -> count(kind) == 0)
        .map(EventKind::plural)
        .toList();
  }

  /** Returns which stream uses never completed, where clients use streams. */
  synchronized List<String> unusedUses() {
    return streams ? uses.unusedUses() : List.of();
  }

  /** Returns what clients that use streams have done. */
  synchronized StreamUseRecord uses() {
    return uses;
  }

  /**
   * Returns every figure under its name, in the order of the report.
   *
   * @param realNanos how long it took
   * @param processorNanos the processor time on all cores, compilation and garbage collection
   *     included
   */
  synchronized Map<String, Object> figures(long realNanos, long processorNanos) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("seeds", seeds);
    figures.put(EventKind.RETURN.plural(), count(EventKind.RETURN));
    for (EventKind kind : EventKind.values()) {
      boolean isReported =
          switch (kind) {
            case NEXT_VERSION -> MessageVersions.hasNextBuild();
            case DESTROY, EVICTION, CACHE_FULL, WRITTEN_IN_PART -> count(kind) > 0;
            default -> true;
          };
      if (isReported) {
        figures.putIfAbsent(kind.plural(), count(kind));
      }
    }
    if (streams) {
      figures.putAll(uses.figures());
    }
    figures.put("slowest recovery in virtual milliseconds", slowestRecoveryNanos / 1_000_000);
    figures.put("thread steps", steps);
    figures.put("virtual seconds", virtualNanos / 1_000_000_000L);
    figures.put("real seconds", realNanos / 1_000_000_000L);
    figures.put("processor seconds", processorNanos / 1_000_000_000L);
    figures.put("virtual seconds per real second", virtualNanos / Math.max(1, realNanos));
    figures.put("speed", virtualNanos / Math.max(1, processorNanos));
    figures.put("event hash", String.format("%016x", hash));
    if (streams) {
      figures.put("duplicates", uses.duplicates());
      figures.put("missing", uses.missing());
    }
    figures.put("violations", violations);
    return figures;
  }
}
