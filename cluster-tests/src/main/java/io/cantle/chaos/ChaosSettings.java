package io.cantle.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a run.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param duration how long faults are made
 * @param nodes how many nodes, 3 to {@value #MAX_NODES}
 * @param owners how many of them hold each entry
 * @param callsPerSecond the rate that all clients together aim at
 * @param scans how many iterations of long values each node makes at once, with a small heap; 0 for
 *     none
 * @param seed of the faults and clients; the processes themselves are not repeatable
 * @param faults which kinds
 * @param longestPause how long a process is paused at most
 * @param strictTimes whether it is a violation that keys were writable again too late
 * @param history where the histories are kept, or null
 */
record ChaosSettings(
    Duration duration,
    int nodes,
    int owners,
    int callsPerSecond,
    int scans,
    long seed,
    Set<FaultKind> faults,
    Duration longestPause,
    boolean strictTimes,
    @Nullable Path history) {
  static final int MAX_NODES = 9;
  static final Duration MAX_PAUSE = Duration.ofSeconds(20);

  /** How many nodes join and leave in a join storm. */
  static final int SPARE_PLACES = 3;

  /** More concurrent calls on one key would make the search too long. */
  private static final int MAX_CLIENTS = 10;

  private static final Duration MAX_DURATION = Duration.ofHours(2);
  private static final int MAX_SCANS = 1_000;
  private static final int MAX_CALLS_PER_SECOND = 5_000;

  ChaosSettings {
    requireBetween("--nodes", nodes, 3, MAX_NODES);
    requireBetween("--owners", owners, 2, nodes);
    requireBetween("--rate", callsPerSecond, 10, MAX_CALLS_PER_SECOND);
    requireBetween("--scans", scans, 0, MAX_SCANS);
    requireBetween(
        "--longest-pause", (int) longestPause.toSeconds(), 1, (int) MAX_PAUSE.toSeconds());
    if (duration.isNegative() || duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException(
          "--minutes must be more than 0 and at most " + MAX_DURATION.toMinutes());
    }
    if (faults.isEmpty()) {
      throw new IllegalArgumentException("--faults names no kind that is possible here");
    }
    faults = Set.copyOf(faults);
  }

  /** Returns how many addresses there are. */
  int placeCount() {
    return nodes + SPARE_PLACES;
  }

  int clientsPerNode() {
    return Math.max(1, MAX_CLIENTS / nodes);
  }

  /**
   * Returns how many nodes may fail at a time, so that an entry survives and a majority is left.
   */
  int expendableNodes() {
    return Math.min(owners - 1, (nodes - 1) / 2);
  }

  private static void requireBetween(String option, int value, int low, int high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException(
          option + " " + value + " is not within " + low + " to " + high);
    }
  }
}
