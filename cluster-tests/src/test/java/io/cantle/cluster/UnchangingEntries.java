package io.cantle.cluster;

import io.cantle.Cache;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * Entries that stay as they are while everything else changes, with a count of how often an
 * iteration delivered each of them.
 *
 * <p><b>Threading:</b> one thread.
 */
final class UnchangingEntries {
  private static final String PREFIX = "stable-" + "of-some-length-".repeat(10);

  private final int count;
  private final Map<String, Integer> deliveryCounts = new HashMap<>();

  UnchangingEntries(int count) {
    this.count = count;
  }

  /** Puts them. */
  void putInto(Cache<String, Long> cache) {
    Map<String, Long> entries = new TreeMap<>();
    LongStream.range(0, count).forEach(index -> entries.put(PREFIX + index, index));
    cache.putAll(entries);
  }

  /** Returns whether a key is one of them. */
  static boolean isStable(String key) {
    return key.startsWith(PREFIX);
  }

  /** Records this many deliveries of an iteration, or as many as there are. */
  void recordDeliveries(Iterator<String> keys, int wanted) {
    for (int taken = 0; taken < wanted && keys.hasNext(); taken++) {
      String key = keys.next();
      if (isStable(key)) {
        deliveryCounts.merge(key, 1, Integer::sum);
      }
    }
  }

  /** Returns what was not delivered exactly once; must be empty once an iteration has ended. */
  List<String> mistakes() {
    List<String> mistakes = new ArrayList<>();
    for (int index = 0; index < count; index++) {
      int times = deliveryCounts.getOrDefault(PREFIX + index, 0);
      if (times != 1) {
        mistakes.add(index + " came " + times + " times");
      }
    }
    return mistakes;
  }
}
