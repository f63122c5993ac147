package io.cantle.bench;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A driver that runs the workloads on one product. A module implements it and is found by {@link
 * java.util.ServiceLoader} on that product's class path. Each call takes the form that the
 * product's own documentation advises; docs/decisions/bench.md lists what was chosen.
 *
 * <p><b>Threading:</b> {@link #start} and {@link #load} by one thread; the others by any thread.
 */
public interface Driver {

  /** Returns the version of the product, as the product names it. */
  String version();

  /**
   * Starts all nodes in this JVM and returns when each of them sees all others. There is no way to
   * stop them: the JVM of a round ends with it.
   *
   * @param nodes how many nodes
   * @param owners how many of them hold each entry
   * @param firstPort the first of {@link ClusterPorts#BLOCK_PORTS} loopback ports on which nobody
   *     listens
   */
  void start(int nodes, int owners, int firstPort);

  /** Puts many entries, through the first node. */
  void load(Map<String, Flight> entries);

  /** Returns an iterator over all entries, from the view of one node. */
  Iterator<Map.Entry<String, Flight>> iterate(int node);

  /** Returns the number of entries in the whole cluster, as one node reports it. */
  long size(int node);

  /**
   * Counts the {@linkplain Flight#isDelayed delayed} flights of each hour where they are stored.
   */
  Map<Integer, Long> delayedByHour(int node);

  /** Returns the value of a key, null if there is none. */
  @Nullable Flight get(int node, String key);

  /** Puts as {@link Map#put} does, and returns the previous value. */
  @Nullable Flight put(int node, String key, Flight value);

  /** Puts without returning the previous value, where the product can. */
  void set(int node, String key, Flight value);
}
