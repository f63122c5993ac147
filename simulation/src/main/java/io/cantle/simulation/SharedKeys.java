package io.cantle.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What is known of keys that all clients of a grid write that stays available when it is cut. Each
 * write answers what it replaced. A value that was acknowledged, that nobody was told to have
 * replaced, and that is not there in the end, was lost to another side.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SharedKeys {
  private final Map<Integer, Values> keys = new HashMap<>();

  private static final class Values {
    final Set<Long> acknowledged = new HashSet<>();
    final Set<Long> replaced = new HashSet<>();

    /** Of unknown fate: each may have replaced one, and nobody was told which. */
    int open;

    long last;
  }

  /** A write has begun. */
  void began(int key, long value) {
    values(key).open++;
  }

  /** It was acknowledged. */
  void done(int key, long value, long before) {
    Values values = values(key);
    values.open--;
    values.acknowledged.add(value);
    values.replaced.add(before);
  }

  /** Whether a key is one of these. */
  boolean has(int key) {
    return keys.containsKey(key);
  }

  /** What is there in the end, at any node: all copies are the same. */
  void found(int key, long value) {
    values(key).last = value;
  }

  /** How many acknowledged values are lost at least. */
  long missing() {
    long missing = 0;
    for (Values values : keys.values()) {
      Set<Long> gone = new HashSet<>(values.acknowledged);
      gone.removeAll(values.replaced);
      gone.remove(values.last);
      missing += Math.max(0, gone.size() - values.open);
    }
    return missing;
  }

  private Values values(int key) {
    return keys.computeIfAbsent(key, first -> new Values());
  }
}
