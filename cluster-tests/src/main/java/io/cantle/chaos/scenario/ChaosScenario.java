package io.cantle.chaos.scenario;

import io.cantle.chaos.process.ChaosException;
import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.util.List;

/**
 * One script of faults against real processes.
 *
 * <p><b>Threading:</b> the main thread.
 */
public interface ChaosScenario {
  /** What it is called on the command line. */
  String name();

  /** What it does and what must hold, in a line. */
  String description();

  /** The bugs it finds: with any of them planted it reports a violation. */
  List<PlantedBug> plantedBugs();

  /**
   * Runs it. What it started is ended by the run, also if this throws.
   *
   * @throws ChaosException if it cannot start or go on; {@link ChaosException#LACKING_STATUS} names
   *     what this machine lacks
   */
  ScenarioResult run(ScenarioRun run) throws ChaosException, IOException, InterruptedException;
}
