package io.cantle.simulation;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The settings that all seeds of a campaign share.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param faults what a seed may draw from
 * @param virtualSeconds how long its clients work, in virtual time
 * @param nodes how many nodes found the grid, or 0 to draw it
 * @param rate how many calls a second all clients together make, or 0 to draw it
 * @param isAvailable whether nodes that are cut off go on
 * @param isStreaming whether clients use streams, publishers and pages rather than the map
 * @param isDurable whether nodes have stores, and restart as the same nodes
 * @param isMixed whether some nodes are of the next build
 * @param isDestroying whether other clients create and destroy a second cache meanwhile
 * @param isBounded whether the cache holds fewer entries than there are keys
 * @param isScattered whether the cache is a scattered one
 * @param isOffHeap whether the entries of every cache are off the heap, and not of every other one
 */
record SeedSettings(
    Set<SimulatedFault> faults,
    int virtualSeconds,
    int nodes,
    int rate,
    boolean isAvailable,
    boolean isStreaming,
    boolean isDurable,
    boolean isMixed,
    boolean isDestroying,
    boolean isBounded,
    boolean isScattered,
    boolean isOffHeap) {
  /** The shortest run that leaves room for faults and their consequences. */
  static final int MIN_SECONDS = 5;

  /** The longest run whose history can be checked. */
  static final int MAX_SECONDS = 600;

  /** More nodes would leave no room for others to join. */
  static final int MAX_NODES = 8;

  /** A higher rate would make a history that cannot be checked. */
  static final int MAX_RATE = 10_000;

  /** All faults, for the usual length of a seed. */
  static final SeedSettings DEFAULT = new SeedSettings(SimulatedFault.ALL, 60);

  /**
   * The default for clients that use streams. They check results, so no data may be lost for good.
   */
  static final SeedSettings STREAMS =
      new SeedSettings(
          SimulatedFault.APART, 60, 0, 0, false, true, false, false, false, false, false, false);

  /** The default for nodes that have stores. */
  static final SeedSettings DURABLE =
      new SeedSettings(
          SimulatedFault.LASTING, 60, 0, 0, false, false, true, false, false, false, false, false);

  /** Returns the same settings for a cache that holds fewer entries than there are keys. */
  SeedSettings bounded() {
    return with(true, isScattered, isOffHeap);
  }

  /** Returns the same settings for a scattered cache. */
  SeedSettings scattered() {
    return with(isBounded, true, isOffHeap);
  }

  /** Returns the same settings for caches whose entries are off the heap. */
  SeedSettings offHeap() {
    return with(isBounded, isScattered, true);
  }

  private SeedSettings with(boolean bounded, boolean scattered, boolean offHeap) {
    return new SeedSettings(
        faults,
        virtualSeconds,
        nodes,
        rate,
        isAvailable,
        isStreaming,
        isDurable,
        isMixed,
        isDestroying,
        bounded,
        scattered,
        offHeap);
  }

  /**
   * Returns the command line arguments for these settings, each after a space; empty for the
   * defaults.
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
    if (isDestroying) {
      words.append(" --workload destroy");
    }
    if (isBounded) {
      words.append(" --bounded");
    }
    if (isScattered) {
      words.append(" --cache-mode scattered");
    }
    if (isOffHeap) {
      words.append(" --container off-heap");
    }
    if (isDurable) {
      words.append(" --mode durable");
    }
    if (isMixed) {
      words.append(" --versions mixed");
    }
    return words.append(isAvailable ? " --mode available" : "").toString();
  }

  /** Returns the faults that are allowed if the command line does not name any. */
  static Set<SimulatedFault> defaultFaults(boolean apart, boolean durable) {
    return durable ? SimulatedFault.LASTING : apart ? SimulatedFault.APART : SimulatedFault.ALL;
  }

  /** Creates settings in which clients use the map. */
  SeedSettings(
      Set<SimulatedFault> faults, int virtualSeconds, int nodes, int rate, boolean isAvailable) {
    this(
        faults,
        virtualSeconds,
        nodes,
        rate,
        isAvailable,
        false,
        false,
        false,
        false,
        false,
        false,
        false);
  }

  /** Creates settings in which the number of nodes and the rate are drawn. */
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
