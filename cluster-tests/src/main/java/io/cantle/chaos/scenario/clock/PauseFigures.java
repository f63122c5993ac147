package io.cantle.chaos.scenario.clock;

import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.scenario.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The figures and violations of the pauses of a run.
 *
 * <p><b>Threading:</b> one thread.
 */
final class PauseFigures {
  private final List<String> violations = new ArrayList<>();
  private long pauses;
  private long counters;
  private long reads;
  private long refused;
  private long stale;
  private long heldBackNanos;

  /**
   * Adds the pause of a node that was read when it resumed.
   *
   * @param newer how many of the counters that were read had been incremented by others meanwhile
   * @param found what its readers found
   */
  void add(String node, long newer, JsonLine found) {
    pauses++;
    counters += newer;
    reads += found.number("reads");
    refused += found.number("refused");
    stale += found.number("stale");
    if (found.number("stale") > 0) {
      violations.add(
          node
              + ", pause "
              + pauses
              + ": "
              + found.number("stale")
              + " stale reads, such as: "
              + found.text("first"));
    }
    if (newer == 0 || found.number("reads") == 0) {
      violations.add(
          node
              + ", pause "
              + pauses
              + ", shows nothing: "
              + newer
              + " counters were written meanwhile, and "
              + found.number("reads")
              + " reads answered");
    }
  }

  /** Records how far the clock of a node is behind in the end. */
  void heldBack(long nanos) {
    heldBackNanos += nanos;
  }

  /** Adds another violation. */
  void violated(String what) {
    violations.add(what);
  }

  long pauses() {
    return pauses;
  }

  long stale() {
    return stale;
  }

  ScenarioResult result() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("heldBackSeconds", TimeUnit.NANOSECONDS.toSeconds(heldBackNanos));
    figures.put("countersWrittenMeanwhile", counters);
    figures.put("reads", reads);
    figures.put("readsRefused", refused);
    figures.put("violations", violations.size());
    figures.put("pauses", pauses);
    figures.put("stale", stale);
    return new ScenarioResult(figures, violations);
  }
}
