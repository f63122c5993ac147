package io.cantle.chaos.scenario;

import io.cantle.chaos.process.ChaosException;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.util.List;

/**
 * A scripted series of faults against real processes.
 *
 * <p><b>Threading:</b> the main thread.
 */
public interface ChaosScenario {
  /** Returns its name on the command line. */
  String name();

  /** Returns what it does and what must hold, in a line. */
  String description();

  /** Returns the bugs it finds: with any of them planted it reports a violation. */
  List<PlantedBug> plantedBugs();

  /**
   * Runs it. The run ends what it started, also if this throws.
   *
   * @throws ChaosException if it cannot start or go on; {@link ChaosException#LACKING_STATUS} names
   *     what this machine lacks
   */
  ScenarioResult run(ScenarioRun run) throws ChaosException, IOException, InterruptedException;
}
