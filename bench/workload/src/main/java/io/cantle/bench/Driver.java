package io.cantle.bench;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A product under the workloads. A module implements it for one product and is found by {@link
 * java.util.ServiceLoader} on that product's class path. Each call takes the form the product's own
 * documentation advises; what was chosen stands in docs/decisions/bench.md.
 *
 * <p><b>Threading:</b> {@link #start} and {@link #load} by one thread; the others by any thread.
 */
public interface Driver {

  /** The version of the product, as it names it. */
  String version();

  /**
   * Starts all nodes in this JVM and returns when each of them sees all others. There is no way to
   * stop them: the JVM of a round ends with it.
   *
   * @param nodes how many nodes
   * @param owners how many of them hold each entry
   * @param firstPort of {@link ClusterPorts#BLOCK_PORTS} loopback ports nobody listens on
   */
  void start(int nodes, int owners, int firstPort);

  /** Puts many entries, through the first node. */
  void load(Map<String, Flight> entries);

  /** An iterator over all entries, from the view of one node. */
  Iterator<Map.Entry<String, Flight>> iterate(int node);

  /** The number of entries in the whole cluster, asked of one node. */
  long size(int node);

  /**
   * Counts the {@linkplain Flight#isDelayed delayed} flights of each hour where they are stored.
   */
  Map<Integer, Long> delayedByHour(int node);

  /** The value of a key, null if there is none. */
  @Nullable Flight get(int node, String key);

  /** Puts as {@link Map#put} does: returns what was there before. */
  @Nullable Flight put(int node, String key, Flight value);

  /** Puts without asking for what was there before, where the product can. */
  void set(int node, String key, Flight value);
}
