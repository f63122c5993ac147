package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.Grid;
import io.cantle.MergeLosses;
import io.cantle.core.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One node of the system under test, as the simulation sees it. Calls block the simulated thread
 * that makes them, and throw what a cache throws: {@link io.cantle.IndeterminateException} when a
 * write may have happened, another {@link io.cantle.GridException} when it has not.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
interface NodeUnderTest {

  /**
   * Joins the grid, and returns once the cache is open.
   *
   * @throws io.cantle.GridException if the node was not admitted in time; it has left again then
   */
  void start();

  /** Makes a call; the result is coded as {@link MapOperation#resultIn} codes it. */
  long call(MapOperation operation);

  /** Returns whether values can be made to expire here. */
  default boolean hasLifetimes() {
    return false;
  }

  /**
   * Makes a call through a view whose values expire.
   *
   * @param lifespan how long in all, or for ever
   * @param idle how long without a read, or for ever
   */
  default long call(MapOperation operation, Duration lifespan, Duration idle) {
    throw new UnsupportedOperationException("this system has no expiry");
  }

  /** Returns the cache itself, for clients that use streams. */
  default Cache<Object, StampedValue> cache() {
    throw new UnsupportedOperationException("this system has no streams");
  }

  /** Returns the grid itself, for clients that create and destroy caches. */
  default Grid grid() {
    throw new UnsupportedOperationException("this system has one cache");
  }

  /** Writes many keys at once. */
  void putAll(Map<Integer, Long> values);

  /** Removes many keys at once. */
  void removeAll(Set<Integer> keys);

  /**
   * Iterates over all entries, records each delivery in the scan, and ends the scan.
   *
   * @param maxEntries how many deliveries are wanted before the iteration is given up
   */
  void scan(RecordedScan scan, int maxEntries);

  /** Returns the number of entries by a stream. */
  long count();

  /** Returns the number of entries by {@code size()}. */
  long size();

  /**
   * Returns whether every segment has all its owners, as far as this node knows.
   *
   * @param present the names of the present nodes, in order
   */
  boolean isSettled(List<String> present);

  /** Returns a view into what the node holds and believes, if it can be inspected. */
  default NodeInspection insight() {
    return NodeInspection.NONE;
  }

  /** Returns what merging the sides of partitions has lost, as far as this node has counted. */
  default MergeLosses mergeLossCount() {
    return MergeLosses.NONE;
  }

  /** Accepts the loss of what only nodes that do not return have held. */
  default void acceptLoss() {
    throw new UnsupportedOperationException("this system loses nothing");
  }

  /** Leaves gracefully. */
  void close();

  /** Creates the nodes of a system. */
  interface NodeStarter {
    /** Creates a node that has not joined yet. */
    NodeUnderTest start(SeedScenario scenario, SimulatedHost host, Transport transport);

    /** Returns what a trace says about a message besides its length. */
    default String describeMessage(byte[] message) {
      return "message";
    }
  }
}
