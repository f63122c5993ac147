package io.cantle.simulation;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one seed does.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param nodes how many nodes found the grid
 * @param cache the cache under test
 * @param keyForm what a key is
 * @param stableKeys how many keys are written once before anything else happens
 * @param volatileKeys how many keys the clients work on
 * @param valueBytes the usual size of a value
 * @param timeout how long a call may take
 * @param clientsPerNode how many clients each node has
 * @param thinkNanos how long a client waits between two calls at most; half of it on average
 * @param weather how the network behaves
 * @param faults what happens to the membership, in order of time
 */
record Scenario(
    int nodes,
    CacheConfig cache,
    KeyForm keyForm,
    int stableKeys,
    int volatileKeys,
    int valueBytes,
    Duration timeout,
    int clientsPerNode,
    long thinkNanos,
    Weather weather,
    List<Fault> faults) {
  /** How long clients work at least. */
  static final long SHORTEST_NANOS = 10_000_000_000L;

  /** How many operations clients complete at least. */
  static final int FEWEST_OPERATIONS = 1_000;

  private static final long FIRST_FAULT_NANOS = 200_000_000L;
  private static final long LAST_FAULT_NANOS = 8_000_000_000L;

  /** What a key is made of. */
  enum KeyForm {
    /** A string. */
    TEXT,
    /** A number. */
    NUMBER,
    /** A record of both. */
    RECORD
  }

  /** A change of the membership. */
  enum Change {
    /** One more node. */
    JOIN,
    /** A node closes its grid. */
    LEAVE,
    /** A node is killed. */
    CRASH,
    /** A node stands still for a while, and nobody takes it for dead. */
    PAUSE
  }

  /** A change that is due at a moment of virtual time. */
  record Fault(long nanos, Change change) {}

  /** Draws what a seed does. */
  static Scenario draw(SplittableRandom random) {
    int nodes = random.nextInt(3, 8);
    int clientsPerNode = random.nextInt(1, 4);
    boolean bulky = random.nextInt(12) == 0;
    // Clients wait a little for answers too, so they must think less than the plain quotient.
    long thinkNanos = SHORTEST_NANOS / FEWEST_OPERATIONS * nodes * clientsPerNode * 2;
    return new Scenario(
        nodes,
        drawCache(random),
        KeyForm.values()[random.nextInt(KeyForm.values().length)],
        bulky ? 120 : random.nextInt(10, 60),
        random.nextInt(6, 40),
        bulky ? 12_000 : random.nextInt(1, 200),
        Duration.ofMillis(new int[] {2_500, 5_000, 15_000}[random.nextInt(3)]),
        clientsPerNode,
        thinkNanos,
        Weather.draw(random),
        drawFaults(random));
  }

  private static CacheConfig drawCache(SplittableRandom random) {
    int segments = 1 << random.nextInt(1, 6);
    return random.nextInt(6) == 0
        ? new CacheConfig(CacheMode.REPLICATED, 1, segments)
        : new CacheConfig(CacheMode.DISTRIBUTED, random.nextInt(2, 4), segments);
  }

  private static List<Fault> drawFaults(SplittableRandom random) {
    List<Change> changes = new ArrayList<>(List.of(Change.values()));
    for (int more = random.nextInt(4); more > 0; more--) {
      changes.add(Change.values()[random.nextInt(Change.values().length)]);
    }
    long[] moments =
        random.longs(changes.size(), FIRST_FAULT_NANOS, LAST_FAULT_NANOS).sorted().toArray();
    if (random.nextInt(3) == 0) {
      // All within half a second: a crash amid a leave amid a join.
      long first = moments[0];
      moments = Arrays.stream(moments).map(moment -> first + (moment - first) / 16).toArray();
    }
    List<Fault> faults = new ArrayList<>();
    for (long moment : moments) {
      faults.add(new Fault(moment, changes.remove(random.nextInt(changes.size()))));
    }
    return List.copyOf(faults);
  }

  /** How many keys there are. */
  int keys() {
    return stableKeys + volatileKeys;
  }

  /** How many nodes may be dead at once without a loss, when all others are in step. */
  int crashesSurvived() {
    return cache.mode() == CacheMode.REPLICATED ? nodes - 1 : cache.owners() - 1;
  }
}
