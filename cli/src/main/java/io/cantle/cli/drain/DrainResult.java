package io.cantle.cli.drain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The measurements of a run.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param nodes the number of nodes
 * @param entries the number of entries in the cache
 * @param cacheBytes the bytes of their values
 * @param budgetBytes the bytes that may be buffered for one subscriber
 * @param seen how many different entries arrived
 * @param duplicates how many arrived again
 * @param seconds how long it took
 * @param originMostBytes the most that was buffered at the subscriber's node
 * @param ownerMostBytes the most that was buffered on any other node
 * @param originMostPulls the most requests of the subscriber's node without an answer at one time
 * @param ownerMostRunning the most requests any node worked on at one time
 * @param heapBytes the memory of all nodes before there was a subscriber
 * @param heapGrowthBytes by how much that grew while the subscriber was there, without garbage: the
 *     median of ten readings, since a single one also sees what is in transit
 */
record DrainResult(
    int nodes,
    long entries,
    long cacheBytes,
    long budgetBytes,
    long seen,
    long duplicates,
    long seconds,
    long originMostBytes,
    long ownerMostBytes,
    long originMostPulls,
    long ownerMostRunning,
    long heapBytes,
    long heapGrowthBytes) {

  /** All figures by name, in order. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("nodes", (long) nodes);
    figures.put("entries", entries);
    figures.put("cacheBytes", cacheBytes);
    figures.put("budgetBytes", budgetBytes);
    figures.put("seen", seen);
    figures.put("duplicates", duplicates);
    figures.put("seconds", seconds);
    figures.put("originMostBytes", originMostBytes);
    figures.put("ownerMostBytes", ownerMostBytes);
    figures.put("originMostPulls", originMostPulls);
    figures.put("ownerMostRunning", ownerMostRunning);
    figures.put("heapBytes", heapBytes);
    figures.put("heapGrowthBytes", heapGrowthBytes);
    return figures;
  }

  /** Describes what does not hold; empty if everything does. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    if (seen != entries || duplicates != 0) {
      failures.add(
          "of " + entries + " entries " + seen + " arrived, and " + duplicates + " of them again");
    }
    checkBound(failures, "buffered at the subscriber's node", originMostBytes, 2);
    checkBound(failures, "buffered on an owner", ownerMostBytes, 2);
    // What is in transit is on several nodes at once: one makes it, one sends it, one receives it.
    checkBound(failures, "the heap of all nodes grew by", heapGrowthBytes, 2 * nodes);
    return failures;
  }

  private void checkBound(List<String> failures, String name, long bytes, int times) {
    if (bytes > times * budgetBytes) {
      failures.add(name + ": " + bytes + " bytes, more than " + times + " times " + budgetBytes);
    }
  }
}
