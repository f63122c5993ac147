package io.cantle.chaos.scenario;

import io.cantle.chaos.process.JsonLine;
import io.cantle.chaos.process.LatencyHistogram;
import java.util.ArrayList;
import java.util.List;

/**
 * How long the gets of all nodes took, and how many failed.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class GetFigures {
  private final LatencyHistogram times = new LatencyHistogram();
  private final List<String> reasons = new ArrayList<>();
  private long failures;

  /** Creates figures of no gets. */
  public GetFigures() {}

  /** Adds what {@link ServingNode#takeGets} returned in another process. */
  void add(String node, JsonLine answer) {
    times.addAll(answer.text("latencies"));
    failures += answer.number("failures");
    if (answer.number("failures") > 0) {
      reasons.add("gets of " + node + " failed: " + answer.text("lastFailure"));
    }
  }

  /** Returns the durations of all gets. */
  public LatencyHistogram times() {
    return times;
  }

  /** Returns how many failed. */
  public long failures() {
    return failures;
  }

  /** Returns a line for people for each node whose gets failed. */
  public List<String> reasons() {
    return List.copyOf(reasons);
  }
}
