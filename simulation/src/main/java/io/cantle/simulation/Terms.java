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
 * @param available whether nodes that are cut off go on
 * @param streams whether clients use streams, publishers and pages rather than the map
 * @param durable whether nodes have stores, and come back as the same ones
 */
record Terms(
    Set<Fault> faults,
    int virtualSeconds,
    int nodes,
    int rate,
    boolean available,
    boolean streams,
    boolean durable) {
  /** The shortest run that leaves room for faults and what follows them. */
  static final int FEWEST_SECONDS = 5;

  /** The longest run whose history can be judged. */
  static final int MOST_SECONDS = 600;

  /** More would leave no room for others to join. */
  static final int MOST_NODES = 8;

  /** More would make a history nobody can judge. */
  static final int HIGHEST_RATE = 10_000;

  /** Everything, for as long as a seed usually takes. */
  static final Terms USUAL = new Terms(Fault.ALL, 60);

  /** The same for clients that stream: they judge results, so none may be lost for good. */
  static final Terms STREAMS = new Terms(Fault.APART, 60, 0, 0, false, true, false);

  /** The same for nodes that have stores. */
  static final Terms DURABLE = new Terms(Fault.LASTING, 60, 0, 0, false, false, true);

  /**
   * The words of the command line that say the same, each after a space; none for what is usual.
   */
  String words() {
    StringBuilder words = new StringBuilder();
    if (virtualSeconds != USUAL.virtualSeconds) {
      words.append(" --virtual-seconds ").append(virtualSeconds);
    }
    if (nodes > 0) {
      words.append(" --nodes ").append(nodes);
    }
    if (rate > 0) {
      words.append(" --rate ").append(rate);
    }
    if (!faults.equals(usual(available || streams, durable))) {
      words.append(" --faults ").append(Fault.text(faults));
    }
    if (streams) {
      words.append(" --workload streams");
    }
    if (durable) {
      words.append(" --mode durable");
    }
    return words.append(available ? " --mode available" : "").toString();
  }

  /** What may go wrong if nothing is said. */
  static Set<Fault> usual(boolean apart, boolean durable) {
    return durable ? Fault.LASTING : apart ? Fault.APART : Fault.ALL;
  }

  /** Clients use the map. */
  Terms(Set<Fault> faults, int virtualSeconds, int nodes, int rate, boolean available) {
    this(faults, virtualSeconds, nodes, rate, available, false, false);
  }

  /** Nodes and rate are drawn. */
  Terms(Set<Fault> faults, int virtualSeconds) {
    this(faults, virtualSeconds, 0, 0, false);
  }

  /** Copies the set. */
  Terms {
    EnumSet<Fault> copy = EnumSet.noneOf(Fault.class);
    copy.addAll(faults);
    faults = Collections.unmodifiableSet(copy);
    if (virtualSeconds < FEWEST_SECONDS || virtualSeconds > MOST_SECONDS) {
      throw new IllegalArgumentException(
          virtualSeconds
              + " virtual seconds are not within "
              + FEWEST_SECONDS
              + " to "
              + MOST_SECONDS);
    }
  }
}
