package io.cantle.chaos.scenario;

import java.time.Duration;

/**
 * The settings of a scenario's run, from the command line.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param duration how long faults are made, where the scenario is limited by time
 * @param pauses how often processes are paused, where the scenario counts pauses
 * @param seed draws what is left to chance
 */
public record ScenarioSettings(Duration duration, int pauses, long seed) {
  private static final Duration MAX_DURATION = Duration.ofMinutes(60);
  private static final int MAX_PAUSES = 1_000;

  /** Checks the limits. */
  public ScenarioSettings {
    if (duration.compareTo(Duration.ofSeconds(1)) < 0 || duration.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          "--minutes means "
              + duration.toSeconds()
              + " s, not 1 s to "
              + MAX_DURATION.toMinutes()
              + " minutes");
    }
    if (pauses < 1 || pauses > MAX_PAUSES) {
      throw new IllegalArgumentException(
          "--pauses " + pauses + " is not within 1 to " + MAX_PAUSES);
    }
  }
}
