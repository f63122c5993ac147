package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.MergeLosses;
import io.cantle.core.transport.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One node of the system under test, as the simulation sees it. Calls block the simulated thread
 * that makes them and throw what a cache throws: {@link io.cantle.IndeterminateException} when a
 * write may have happened, another {@link io.cantle.GridException} when it has not.
 *
 * <p><b>Threading:</b> the carrier of its seed, many simulated threads.
 */
interface NodeUnderTest {

  /**
   * Joins, and returns once the cache is open.
   *
   * @throws io.cantle.GridException if it was not let in in time; it has left again then
   */
  void start();

  /** Calls; the result is coded as {@link MapOperation#resultIn} is. */
  long call(MapOperation operation);

  /** Whether values can be made to end here. */
  default boolean hasLifetimes() {
    return false;
  }

  /**
   * Calls by way of a view whose values end.
   *
   * @param lifespan how long in all, or for ever
   * @param idle how long without a read, or for ever
   */
  default long call(MapOperation operation, Duration lifespan, Duration idle) {
    throw new UnsupportedOperationException("in this system nothing ends");
  }

  /** The cache itself, for clients that stream. */
  default Cache<Object, StampedValue> cache() {
    throw new UnsupportedOperationException("this system has no streams");
  }

  /** Writes many keys at once. */
  void putAll(Map<Integer, Long> values);

  /**
   * Walks over everything and tells the scan, and ends it.
   *
   * @param maxEntries how many deliveries are wanted before the iteration is given up
   */
  void scan(RecordedScan scan, int maxEntries);

  /** The number of entries by the stream. */
  long count();

  /** The number of entries by {@code size()}. */
  long size();

  /**
   * Whether every segment has all its owners, as far as this node knows.
   *
   * @param present the names of the nodes that are there, in order
   */
  boolean isSettled(List<String> present);

  /** What it holds and believes, if anybody can look into it. */
  default NodeInspection insight() {
    return NodeInspection.NONE;
  }

  /** What merging the sides of partitions has cost, as far as this node has counted. */
  default MergeLosses mergeLossCount() {
    return MergeLosses.NONE;
  }

  /** Gives up what was lost with nodes that do not come back. */
  default void acceptLoss() {
    throw new UnsupportedOperationException("this system loses nothing");
  }

  /** Leaves gracefully. */
  void close();

  /** What makes the nodes of a system. */
  interface NodeStarter {
    /** A node that has not joined yet. */
    NodeUnderTest start(SeedScenario scenario, SimulatedHost host, Transport transport);

    /** What a trace says about a message besides its length. */
    default String describeMessage(byte[] message) {
      return "message";
    }
  }
}
