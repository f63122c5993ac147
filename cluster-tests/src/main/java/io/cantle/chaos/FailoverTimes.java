package io.cantle.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The times until a key could be written again after its primary had failed.
 *
 * <p><b>Threading:</b> one thread, the conductor's.
 */
final class FailoverTimes {
  private final Map<Cause, List<Long>> nanos = new EnumMap<>(Cause.class);
  private final FaultLog log;

  FailoverTimes(FaultLog log) {
    this.log = log;
  }

  /** What is measured, and how long it may take at default settings. */
  enum Cause {
    /** From SIGKILL of the primary until another node has written its key. */
    KILL("Failover", "", "SIGKILL of its primary", 2),
    /** From SIGSTOP of the primary until another node has written its key. */
    PAUSE("Failover", "AfterPause", "SIGSTOP of its primary", 8),
    /** From the moment the primary was cut off until a node of the majority has written its key. */
    CUT("Failover", "AfterCut", "its primary was cut off", 8),
    /** From SIGKILL of a primary, while another node is paused or cut off, until the same. */
    SECOND("Failover", "OfSecond", "SIGKILL of its primary beside another fault", 8),
    /** From SIGCONT until the paused node has itself written a key that it had owned as primary. */
    WAKING("Return", "AfterPause", "SIGCONT of its primary", 8),
    /** From the healing of the network until every node has written a key. */
    HEALING("Return", "AfterCut", "the network was healed", 8);

    private final String what;
    private final String when;
    private final String event;
    private final Duration limit;

    Cause(String what, String when, String event, long limitSeconds) {
      this.what = what;
      this.when = when;
      this.event = event;
      this.limit = Duration.ofSeconds(limitSeconds);
    }
  }

  /** Adds one measurement. */
  void recordTime(Cause cause, String key, long took) {
    log.recordMeasured(cause, key, took);
    nanos.computeIfAbsent(cause, _ -> new ArrayList<>()).add(took);
  }

  /** Returns the count, the median and the maximum of each cause; 0 where there was none. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    for (Cause cause : Cause.values()) {
      List<Long> sorted = new ArrayList<>(nanos.getOrDefault(cause, List.of()));
      Collections.sort(sorted);
      long count = sorted.size();
      figures.put("measured" + cause.what + "s" + cause.when, count);
      figures.put(
          "median" + cause.what + "Millis" + cause.when,
          sorted.isEmpty() ? 0 : millis(sorted.get(sorted.size() / 2)));
      figures.put(
          "slowest" + cause.what + "Millis" + cause.when,
          sorted.isEmpty() ? 0 : millis(sorted.getLast()));
    }
    figures.put("failoversTooSlow", (long) slowCauses().size());
    return figures;
  }

  /** Returns each cause that took longer than promised. */
  List<String> slowCauses() {
    List<String> slow = new ArrayList<>();
    nanos.forEach(
        (cause, times) ->
            times.stream()
                .filter(took -> took > cause.limit.toNanos())
                .map(
                    took ->
                        "a key was written again "
                            + millis(took)
                            + " ms after "
                            + cause.event
                            + ", "
                            + cause.limit.toMillis()
                            + " ms are promised")
                .forEach(slow::add));
    return slow;
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
