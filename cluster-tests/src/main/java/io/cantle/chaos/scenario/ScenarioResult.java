package io.cantle.chaos.scenario;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a scenario.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param figures every figure under its name, in the order of the report; numbers or texts
 * @param violations what did not hold, each in a line for people; empty if all did
 */
public record ScenarioResult(Map<String, Object> figures, List<String> violations) {
  /** Copies figures and violations. */
  public ScenarioResult {
    figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
    violations = List.copyOf(violations);
  }
}
