package io.cantle.chaos.scenario;

import io.cantle.chaos.scenario.clock.FrozenClock;
import io.cantle.chaos.scenario.pair.TwoNodes;
import io.cantle.chaos.scenario.scans.ScansScenario;
import io.cantle.chaos.scenario.strangers.StrangersScenario;
import io.cantle.simulation.planted.PlantedBug;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The catalog of every scenario.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ScenarioCatalog {
  private static final List<ChaosScenario> ALL =
      List.of(new FrozenClock(), new ScansScenario(), new StrangersScenario(), new TwoNodes());

  private ScenarioCatalog() {}

  /** Returns all scenarios. */
  public static List<ChaosScenario> all() {
    return ALL;
  }

  /**
   * Returns the scenario of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ChaosScenario find(String name) {
    return ALL.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--scenario "
                        + name
                        + " is none of "
                        + ALL.stream().map(ChaosScenario::name).collect(Collectors.joining(", "))));
  }

  /**
   * Returns the bug of this name that a scenario finds.
   *
   * @throws IllegalArgumentException if it finds none of this name
   */
  public static PlantedBug findBug(ChaosScenario scenario, String name) {
    return scenario.plantedBugs().stream()
        .filter(bug -> bug.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--plant "
                        + name
                        + " is none of the bugs that "
                        + scenario.name()
                        + " finds: "
                        + scenario.plantedBugs().stream()
                            .map(PlantedBug::name)
                            .collect(Collectors.joining(", "))));
  }

  /** Returns the name and description of each scenario, one line each. */
  public static List<String> describeAll() {
    return ALL.stream()
        .map(scenario -> "  %-16s %s".formatted(scenario.name(), scenario.description()))
        .toList();
  }
}
