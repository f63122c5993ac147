package io.cantle.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run is to be.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param length how long faults are made
 * @param nodes how many nodes, 3 to {@value #MOST_NODES}
 * @param owners how many of them hold each entry
 * @param callsPerSecond what all clients together aim at
 * @param scans how many iterations of long values each node makes at once, with a small heap; 0 for
 *     none
 * @param seed of the faults and clients; the processes themselves are not repeatable
 * @param faults which kinds
 * @param longestPause how long a process stands still at most
 * @param strictTimes whether it is a violation that keys were written again too late
 * @param history where the histories are kept, or null
 */
record ChaosSettings(
    Duration length,
    int nodes,
    int owners,
    int callsPerSecond,
    int scans,
    long seed,
    Set<FaultKind> faults,
    Duration longestPause,
    boolean strictTimes,
    @Nullable Path history) {
  static final int MOST_NODES = 9;
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

  /** Nodes that come and go in a join storm. */
  static final int SPARES = 3;

  /** More at a time on one key would make the search too long. */
  private static final int MOST_CLIENTS = 10;

  private static final Duration MOST_LENGTH = Duration.ofHours(2);
  private static final int MAX_SCANS = 1_000;
  private static final int MOST_CALLS_PER_SECOND = 5_000;

  ChaosSettings {
    between("--nodes", nodes, 3, MOST_NODES);
    between("--owners", owners, 2, nodes);
    between("--rate", callsPerSecond, 10, MOST_CALLS_PER_SECOND);
    between("--scans", scans, 0, MAX_SCANS);
    between("--longest-pause", (int) longestPause.toSeconds(), 1, (int) LONGEST_PAUSE.toSeconds());
    if (length.isNegative() || length.isZero() || length.compareTo(MOST_LENGTH) > 0) {
      throw new IllegalArgumentException(
          "--minutes must be more than 0 and at most " + MOST_LENGTH.toMinutes());
    }
    if (faults.isEmpty()) {
      throw new IllegalArgumentException("--faults names no kind that is possible here");
    }
    faults = Set.copyOf(faults);
  }

  /** How many addresses there are. */
  int places() {
    return nodes + SPARES;
  }

  int clientsPerNode() {
    return Math.max(1, MOST_CLIENTS / nodes);
  }

  /** How many nodes may fail at a time: an entry survives it, and a majority is left. */
  int expendable() {
    return Math.min(owners - 1, (nodes - 1) / 2);
  }

  private static void between(String option, int value, int low, int high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException(
          option + " " + value + " is not within " + low + " to " + high);
    }
  }
}
