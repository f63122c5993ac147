package io.cantle.cli.drain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What was measured.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param nodes how many there are
 * @param entries what the cache held
 * @param cacheBytes what the values of these took
 * @param budgetBytes what may wait for one subscriber
 * @param seen how many different entries came
 * @param duplicates how many came again
 * @param seconds how long it took
 * @param originMostBytes the most that waited where the subscriber is
 * @param ownerMostBytes the most that waited on any other node
 * @param originMostPulls the most requests of the origin that had no answer yet
 * @param ownerMostRunning the most requests any node worked on at once
 * @param heapBytes what all nodes took before there was a subscriber
 * @param heapGrowthBytes how much more they took at most while it was there, garbage apart
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

  /** All by name, in order. */
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

  /** What does not hold; empty if all does. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    if (seen != entries || duplicates != 0) {
      failures.add(
          "of " + entries + " entries " + seen + " came, and " + duplicates + " of them again");
    }
    checkBound(failures, "waited where the subscriber is", originMostBytes, 2);
    checkBound(failures, "waited on an owner", ownerMostBytes, 2);
    // What is under way is on several nodes at once: one makes it, one sends it, one takes it in.
    checkBound(failures, "the heap of all nodes grew by", heapGrowthBytes, 2 * nodes);
    return failures;
  }

  private void checkBound(List<String> failures, String name, long bytes, int times) {
    if (bytes > times * budgetBytes) {
      failures.add(name + ": " + bytes + " bytes, more than " + times + " times " + budgetBytes);
    }
  }
}
