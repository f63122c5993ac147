package io.cantle.simulation;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What all seeds of a campaign have in common.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param faults what a seed may draw from
 * @param virtualSeconds how long its clients work, in virtual time
 * @param nodes how many nodes found the grid, or 0 to draw it
 * @param rate how many calls a second all clients together make, or 0 to draw it
 * @param isAvailable whether nodes that are cut off go on
 * @param isStreaming whether clients use streams, publishers and pages rather than the map
 * @param isDurable whether nodes have stores, and come back as the same ones
 */
record SeedSettings(
    Set<SimulatedFault> faults,
    int virtualSeconds,
    int nodes,
    int rate,
    boolean isAvailable,
    boolean isStreaming,
    boolean isDurable) {
  /** The shortest run that leaves room for faults and what follows them. */
  static final int MIN_SECONDS = 5;

  /** The longest run whose history can be judged. */
  static final int MAX_SECONDS = 600;

  /** More would leave no room for others to join. */
  static final int MAX_NODES = 8;

  /** More would make a history nobody can judge. */
  static final int MAX_RATE = 10_000;

  /** Everything, for as long as a seed usually takes. */
  static final SeedSettings DEFAULT = new SeedSettings(SimulatedFault.ALL, 60);

  /** The same for clients that stream: they judge results, so none may be lost for good. */
  static final SeedSettings STREAMS =
      new SeedSettings(SimulatedFault.APART, 60, 0, 0, false, true, false);

  /** The same for nodes that have stores. */
  static final SeedSettings DURABLE =
      new SeedSettings(SimulatedFault.LASTING, 60, 0, 0, false, false, true);

  /**
   * The words of the command line that say the same, each after a space; none for what is usual.
   */
  String toWords() {
    StringBuilder words = new StringBuilder();
    if (virtualSeconds != DEFAULT.virtualSeconds) {
      words.append(" --virtual-seconds ").append(virtualSeconds);
    }
    if (nodes > 0) {
      words.append(" --nodes ").append(nodes);
    }
    if (rate > 0) {
      words.append(" --rate ").append(rate);
    }
    if (!faults.equals(defaultFaults(isAvailable || isStreaming, isDurable))) {
      words.append(" --faults ").append(SimulatedFault.text(faults));
    }
    if (isStreaming) {
      words.append(" --workload streams");
    }
    if (isDurable) {
      words.append(" --mode durable");
    }
    return words.append(isAvailable ? " --mode available" : "").toString();
  }

  /** What may go wrong if nothing is said. */
  static Set<SimulatedFault> defaultFaults(boolean apart, boolean durable) {
    return durable ? SimulatedFault.LASTING : apart ? SimulatedFault.APART : SimulatedFault.ALL;
  }

  /** Clients use the map. */
  SeedSettings(
      Set<SimulatedFault> faults, int virtualSeconds, int nodes, int rate, boolean isAvailable) {
    this(faults, virtualSeconds, nodes, rate, isAvailable, false, false);
  }

  /** Nodes and rate are drawn. */
  SeedSettings(Set<SimulatedFault> faults, int virtualSeconds) {
    this(faults, virtualSeconds, 0, 0, false);
  }

  /** Copies the set. */
  SeedSettings {
    EnumSet<SimulatedFault> copy = EnumSet.noneOf(SimulatedFault.class);
    copy.addAll(faults);
    faults = Collections.unmodifiableSet(copy);
    if (virtualSeconds < MIN_SECONDS || virtualSeconds > MAX_SECONDS) {
      throw new IllegalArgumentException(
          virtualSeconds + " virtual seconds are not within " + MIN_SECONDS + " to " + MAX_SECONDS);
    }
  }
}
