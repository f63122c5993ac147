package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import io.cantle.MemoryBudget;
import io.cantle.WhenFull;
import io.cantle.core.memory.HeapGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The plan of what one seed does.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param nodes how many nodes found the grid
 * @param cache the cache under test
 * @param keyForm what a key is
 * @param stableKeys how many keys are written once before anything else happens
 * @param volatileKeys how many keys the clients work on
 * @param counterKeys how many keys the clients only increment
 * @param valueBytes the usual size of a value
 * @param timeout how long a call may take
 * @param clientsPerNode how many clients each node has
 * @param thinkNanos how long a client waits at most between two calls; half of it on average
 * @param paceNanos the average time from one call of any client to the next, or 0: each client
 *     calls after its own think time
 * @param mix what may go wrong in this seed
 * @param hasUnreliableViews whether views are hints rather than the truth
 * @param conditions how the network treats messages
 * @param plannedFaults what happens to nodes and links, in order of time
 * @param calmNanos when all that ends
 * @param workNanos how long clients work
 * @param isAvailable whether nodes that are cut off go on
 * @param isStreaming whether clients use streams rather than the map
 * @param isDurable whether nodes have stores
 * @param isDestroying whether other clients create and destroy a second cache
 */
record SeedScenario(
    int nodes,
    CacheConfig cache,
    KeyForm keyForm,
    int stableKeys,
    int volatileKeys,
    int counterKeys,
    int valueBytes,
    Duration timeout,
    int clientsPerNode,
    long thinkNanos,
    long paceNanos,
    Set<SimulatedFault> mix,
    boolean hasUnreliableViews,
    NetworkConditions conditions,
    List<PlannedFault> plannedFaults,
    long calmNanos,
    long workNanos,
    boolean isAvailable,
    boolean isStreaming,
    boolean isDurable,
    boolean isDestroying) {
  /** How long before all faults end no heap is full any more, so that all nodes know it then. */
  private static final long FULL_HEAPS_END_EARLY_NANOS = 4_000_000_000L;

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long FIRST_INCIDENT_NANOS = 200_000_000L;
  private static final int OVERLOAD_ONE_IN = 12;
  private static final int BURSTS = 3;
  private static final int MAX_STOPS = 3;
  private static final int MOST_COPIES = 3;

  /** At a requested rate, each client makes this many calls a second. */
  private static final int CALLS_OF_CLIENT = 4;

  /** At a requested rate, a key that no client prefers gets about this many calls a second. */
  private static final int CALLS_ON_KEY = 20;

  /** Calls a second of all clients together. Most seeds wait rather than work. */
  private static final int[] RATES = {20, 20, 20, 40, 40, 40, 100, 100, 300};

  /** The capacities of nodes, where they differ. The first is that of a node that owns nothing. */
  private static final double[] CAPACITIES = {0, 0.5, 1, 1, 2, 3.3};

  /**
   * One of eight classes of seeds. It contains none of the regression seeds, which must not change.
   */
  private static final int CAPACITY_SEED_CLASS = 2;

  /** One of eight classes of seeds that contains none of the regression seeds. */
  private static final int SUSPENSION_SEED_CLASS = 6;

  /** One of four classes of seeds with stores that contains none of the regression seeds. */
  private static final int OLD_STORE_SEED_CLASS = 3;

  /** The greatest number of racks, where there are racks. */
  private static final int MAX_RACKS = 3;

  /** At least this many of the first nodes have capacity. */
  private static final int FOUNDERS_WITH_CAPACITY = 3;

  /** The probabilities that a fault is part of the mix. */
  private static final double[] DENSITIES = {0.15, 0.3, 0.5, 0.8};

  /** More memory than anything needs. */
  static final long DEFAULT_HEAP_BYTES = 4L << 30;

  /** Where there is little memory, there is room for the answers of two scans. */
  private static final long MIN_HEAP_BYTES = 1 << 20;

  private static final int HEAP_DOUBLINGS = 4;

  /** How many keys have values that expire, where any have. */
  static final int EXPIRING_KEY_COUNT = 5;

  /** What a key is made of. */
  enum KeyForm {
    /** A string. */
    TEXT,
    /** A number. */
    NUMBER,
    /** A record of both. */
    RECORD
  }

  /** A fault that is due at a moment of virtual time. */
  record PlannedFault(long nanos, SimulatedFault fault) {}

  /** How much of the data a node is to own, relative to others, and on which rack it is. */
  record SimulatedCapacity(double capacity, String rack) {
    /** The capacity of nodes that do not specify one. */
    static final SimulatedCapacity DEFAULT = new SimulatedCapacity(1, "");

    boolean holdsEntries() {
      return capacity > 0;
    }
  }

  /** Draws the plan of a seed. */
  static SeedScenario drawScenario(SplittableRandom random, SeedSettings settings) {
    int drawn = random.nextInt(3, 8);
    int nodes = settings.nodes() > 0 ? settings.nodes() : drawn;
    // Clients wait for answers, some of them for long, so many calls need many clients.
    int clientsPerNode =
        Math.max(random.nextInt(1, 4), settings.rate() / (nodes * CALLS_OF_CLIENT));
    boolean bulky = random.nextInt(12) == 0;
    int usual = RATES[random.nextInt(RATES.length)];
    int rate = settings.rate() > 0 ? settings.rate() : usual;
    // Clients also wait a little for answers, so they must think less than the plain quotient.
    long thinkNanos = SECOND_NANOS / rate * nodes * clientsPerNode * 2;
    long workNanos = settings.virtualSeconds() * SECOND_NANOS;
    long calmNanos = random.nextLong(workNanos * 6 / 10, workNanos * 9 / 10);
    Set<SimulatedFault> mix = drawMix(random, settings.faults());
    if (settings.isDurable()
        && settings.faults().contains(SimulatedFault.STOP)
        && calmNanos % 4 != 0) {
      mix = with(SimulatedFault.STOP, mix);
    }
    if (isSuspending(settings.faults(), calmNanos)) {
      mix = with(SimulatedFault.SUSPENSION, mix);
    }
    if (settings.isDurable() && isPuttingBack(settings.faults(), calmNanos)) {
      mix = with(SimulatedFault.OLD_STORE, mix);
    }
    // Even where nothing is cut, views may be in any order.
    boolean restless =
        random.nextBoolean() && !SimulatedFault.TRUTHFUL.containsAll(settings.faults());
    return new SeedScenario(
        nodes,
        withContainer(
            withBound(
                withDurability(drawCache(random, settings), settings, calmNanos),
                settings,
                calmNanos),
            settings,
            calmNanos),
        KeyForm.values()[random.nextInt(KeyForm.values().length)],
        noneIfBounded(bulky ? 120 : random.nextInt(10, 60), settings),
        Math.max(random.nextInt(6, 40), settings.rate() / CALLS_ON_KEY),
        noneIfBounded(random.nextInt(1, 4), settings),
        bulky ? 12_000 : random.nextInt(1, 200),
        Duration.ofMillis(new int[] {2_500, 5_000, 15_000}[random.nextInt(3)]),
        clientsPerNode,
        thinkNanos,
        settings.rate() > 0 ? SECOND_NANOS / settings.rate() : 0,
        mix,
        restless || mix.stream().anyMatch(SimulatedFault::needsHints),
        NetworkConditions.drawConditions(random, mix),
        drawIncidents(random, mix, calmNanos),
        calmNanos,
        workNanos,
        settings.isAvailable(),
        settings.isStreaming(),
        settings.isDurable(),
        settings.isDestroying());
  }

  private static Set<SimulatedFault> drawMix(SplittableRandom random, Set<SimulatedFault> allowed) {
    double density = DENSITIES[random.nextInt(DENSITIES.length)];
    Set<SimulatedFault> mix = EnumSet.noneOf(SimulatedFault.class);
    // All faults are drawn, so that forbidding one leaves the others as they are.
    for (SimulatedFault fault : SimulatedFault.values()) {
      if (SimulatedFault.NOT_DRAWN.contains(fault)) {
        continue;
      }
      boolean drawn =
          fault == SimulatedFault.OVERLOAD
              ? random.nextInt(OVERLOAD_ONE_IN) == 0
              : random.nextDouble() < density;
      if (drawn && allowed.contains(fault)) {
        mix.add(fault);
      }
    }
    return Collections.unmodifiableSet(mix);
  }

  /**
   * Returns whether machines are suspended: in one of eight seeds, or in all if nothing else may
   * pause a node for long. This is derived from earlier draws, since a draw of its own would change
   * all seeds.
   */
  private static boolean isSuspending(Set<SimulatedFault> allowed, long calmNanos) {
    return allowed.contains(SimulatedFault.SUSPENSION)
        && (!allowed.contains(SimulatedFault.LONG_PAUSE)
            || (calmNanos >>> 10 & 7) == SUSPENSION_SEED_CLASS);
  }

  /**
   * Returns whether old copies of stores are put back; always if few other faults are allowed.
   * Derived from earlier draws, as above.
   */
  private static boolean isPuttingBack(Set<SimulatedFault> allowed, long calmNanos) {
    return allowed.contains(SimulatedFault.OLD_STORE)
        && (!allowed.contains(SimulatedFault.STOP)
            || (calmNanos >>> 18 & 3) == OLD_STORE_SEED_CLASS);
  }

  /**
   * Returns which clock goes on while machines are suspended. Derived from earlier draws, as above.
   */
  SimulatedHost.Suspension suspension() {
    if (!mix.contains(SimulatedFault.SUSPENSION)) {
      return SimulatedHost.Suspension.NEVER;
    }
    return (calmNanos >>> 13 & 1) == 0
        ? SimulatedHost.Suspension.BOOT_CLOCK
        : SimulatedHost.Suspension.TIME_OF_DAY;
  }

  private static Set<SimulatedFault> with(SimulatedFault fault, Set<SimulatedFault> mix) {
    Set<SimulatedFault> more = EnumSet.of(fault);
    more.addAll(mix);
    return Collections.unmodifiableSet(more);
  }

  private static CacheConfig drawCache(SplittableRandom random, SeedSettings settings) {
    int segments = 1 << random.nextInt(1, 6);
    CacheConfig usual =
        random.nextInt(6) == 0
            ? new CacheConfig(CacheMode.REPLICATED, 1, segments)
            : new CacheConfig(CacheMode.DISTRIBUTED, random.nextInt(2, 4), segments);
    return settings.isScattered() ? CacheConfig.scattered().segments(segments) : usual;
  }

  /** Keeps two of three caches on disk where nodes have stores. */
  private static CacheConfig withDurability(
      CacheConfig cache, SeedSettings settings, long calmNanos) {
    return settings.isDurable() && calmNanos % 3 != 0 ? cache.durability(Durability.SYNC) : cache;
  }

  /** Returns a number of keys that must stay: none if keys are evicted. */
  private static int noneIfBounded(int keys, SeedSettings settings) {
    return settings.isBounded() ? 0 : keys;
  }

  /**
   * Bounds the cache so that there are more keys than a segment may hold. One seed in four refuses
   * writes, and one in three counts bytes, of which half have a memory budget. Derived from earlier
   * draws, as below.
   */
  private static CacheConfig withBound(CacheConfig cache, SeedSettings settings, long calmNanos) {
    if (!settings.isBounded()) {
      return cache;
    }
    int segments = 1 << (calmNanos >>> 9 & 1);
    long shares = 1 + (calmNanos >>> 14 & 3);
    long maxBytes = segments * shares * CacheConfig.MIN_SEGMENT_BYTES;
    CacheConfig bounded =
        switch ((int) (calmNanos % 6)) {
          case 0 -> cache.segments(segments).maxBytes(maxBytes);
          case 3 -> cache.segments(segments).memoryBudget(MemoryBudget.ofBytes("budget", maxBytes));
          default -> cache.segments(segments).maxEntries(segments * shares);
        };
    return (calmNanos >>> 11 & 3) == 0 ? bounded.whenFull(WhenFull.REFUSE) : bounded;
  }

  /** Returns whether entries are evicted at any time. */
  boolean evicts() {
    return cache.isBounded() && cache.whenFull() == WhenFull.EVICT;
  }

  /** Returns whether the cache refuses what it has no room for. */
  boolean refusesWrites() {
    return cache.isBounded() && cache.whenFull() == WhenFull.REFUSE;
  }

  /** Keeps half of the caches off the heap, or all. Derived from earlier draws, as above. */
  private static CacheConfig withContainer(
      CacheConfig cache, SeedSettings settings, long calmNanos) {
    return settings.isOffHeap() || (calmNanos >>> 21 & 1) != 0
        ? cache.container(ContainerKind.OFF_HEAP)
        : cache;
  }

  /** Returns whether what was acknowledged survives a stop of all nodes. */
  boolean withDurability() {
    return cache.durability().keeps();
  }

  private static List<PlannedFault> drawIncidents(
      SplittableRandom random, Set<SimulatedFault> mix, long calmNanos) {
    List<SimulatedFault> repeated =
        mix.stream()
            .filter(fault -> fault.isMomentary() && fault != SimulatedFault.OVERLOAD)
            .filter(fault -> fault != SimulatedFault.STOP && fault != SimulatedFault.OLD_STORE)
            .collect(Collectors.toCollection(ArrayList::new));
    List<SimulatedFault> faults = new ArrayList<>();
    if (!repeated.isEmpty()) {
      int maxIncidents = (int) (calmNanos / (2 * SECOND_NANOS)) + 3;
      for (int more = random.nextInt(2, maxIncidents + 2); more > 0; more--) {
        faults.add(repeated.get(random.nextInt(repeated.size())));
      }
    }
    if (mix.contains(SimulatedFault.OVERLOAD)) {
      faults.add(SimulatedFault.OVERLOAD);
    }
    // A third of the seeds has bursts, such as a crash during a leave during a join.
    boolean bursts = random.nextInt(3) == 0;
    long[] centres = random.longs(BURSTS, FIRST_INCIDENT_NANOS, calmNanos).toArray();
    List<PlannedFault> incidents = new ArrayList<>();
    for (SimulatedFault fault : faults) {
      long nanos =
          bursts
              ? centres[random.nextInt(BURSTS)] + random.nextLong(SECOND_NANOS / 2)
              : random.nextLong(FIRST_INCIDENT_NANOS, calmNanos);
      incidents.add(new PlannedFault(nanos, fault));
    }
    incidents.sort(Comparator.comparingLong(PlannedFault::nanos));
    return List.copyOf(incidents);
  }

  /**
   * Returns whether the first nodes start in two halves that do not hear each other, and may found
   * two grids. This is derived from earlier draws, since a draw of its own would change all seeds.
   */
  boolean isFoundedApart() {
    return mix.contains(SimulatedFault.HALVES) && !isAvailable && (calmNanos & 3) == 0;
  }

  /**
   * Returns whether nodes have capacities and racks of their own. Derived from earlier draws, as
   * above. It is false where too many nodes are killed, because all those with capacity might be
   * among them.
   */
  boolean hasCapacities() {
    return !mix.contains(SimulatedFault.OVERLOAD) && (calmNanos >> 2 & 7) == CAPACITY_SEED_CLASS;
  }

  /**
   * Returns the capacity of a node. It depends on the name, so a restarted node has the same one.
   */
  SimulatedCapacity capacityOf(String name) {
    if (!hasCapacities()) {
      return SimulatedCapacity.DEFAULT;
    }
    SplittableRandom own = new SplittableRandom(calmNanos + name.hashCode());
    boolean founder = Integer.parseInt(name.substring(1)) <= FOUNDERS_WITH_CAPACITY;
    double capacity = CAPACITIES[own.nextInt(founder ? 1 : 0, CAPACITIES.length)];
    int rack = own.nextInt(MAX_RACKS + 1);
    return new SimulatedCapacity(capacity, rack == 0 ? "" : "rack " + rack);
  }

  /**
   * Returns whether there are keys whose values expire, and times of day jump by an hour. Derived
   * from earlier draws, as above.
   */
  boolean hasLifetimes() {
    return !isAvailable && !isStreaming && (calmNanos >>> 5 & 3) == 0;
  }

  /** Returns whether nodes have little memory, and readers are slow. */
  boolean hasLittleMemory() {
    return (calmNanos >>> 7 & 3) == 1;
  }

  /**
   * Returns how much memory a node has. In a quarter of the seeds it is so little that scans wait
   * for each other. Derived from earlier draws, as above.
   */
  long heapBytes() {
    return hasLittleMemory()
        ? MIN_HEAP_BYTES << new SplittableRandom(calmNanos + 2).nextInt(HEAP_DOUBLINGS)
        : DEFAULT_HEAP_BYTES;
  }

  /** Returns the guard of a node's heap, which has a limit if the cache has a bound. */
  HeapGuard newHeapGuard(String node, LongSupplier nowNanos) {
    return cache.isBounded()
        ? new HeapGuard(
            new SimulatedHeap(
                nowNanos, calmNanos + node.hashCode(), calmNanos - FULL_HEAPS_END_EARLY_NANOS))
        : HeapGuard.UNLIMITED;
  }

  /** Returns how many keys there are. */
  int keyCount() {
    return firstExpiringKey() + (hasLifetimes() ? EXPIRING_KEY_COUNT : 0);
  }

  /** Returns the first of the keys whose values expire, if there are any. */
  int firstExpiringKey() {
    return stableKeys + volatileKeys + counterKeys;
  }

  /** Returns whether the values of a key expire. */
  boolean isExpiringKey(int key) {
    return key >= firstExpiringKey();
  }

  /** Returns whether a key is only incremented. */
  boolean isCounterKey(int key) {
    return key >= stableKeys + volatileKeys && !isExpiringKey(key);
  }

  /** Returns the times at which all nodes are killed. Derived from earlier draws, as above. */
  List<Long> stopTimes() {
    if (!mix.contains(SimulatedFault.STOP)) {
      return List.of();
    }
    SplittableRandom own = new SplittableRandom(calmNanos + 1);
    return own.longs(own.nextInt(1, MAX_STOPS + 1), FIRST_INCIDENT_NANOS, calmNanos)
        .sorted()
        .boxed()
        .toList();
  }

  /**
   * Returns the times at which stores are copied, to be put back some seconds later. Derived from
   * earlier draws, as above.
   */
  List<Long> storeCopyTimes() {
    if (!mix.contains(SimulatedFault.OLD_STORE)) {
      return List.of();
    }
    SplittableRandom own = new SplittableRandom(calmNanos + 2);
    return own.longs(own.nextInt(1, MOST_COPIES + 1), FIRST_INCIDENT_NANOS, calmNanos)
        .sorted()
        .boxed()
        .toList();
  }

  /** Returns how many nodes may be dead at once without a loss, when all others are in sync. */
  int survivableCrashes() {
    return cache.mode() == CacheMode.REPLICATED ? nodes - 1 : cache.owners() - 1;
  }
}
