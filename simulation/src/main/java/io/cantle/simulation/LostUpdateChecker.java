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
final class LostUpdateChecker {
  private final Map<Integer, KeyValues> keys = new HashMap<>();

  private static final class KeyValues {
    final Set<Long> acknowledged = new HashSet<>();
    final Set<Long> replaced = new HashSet<>();

    /** Of unknown fate: each may have replaced one, and nobody was told which. */
    int openValues;

    long finalValue;
  }

  /** A write has begun. */
  void recordAttempt(int key, long value) {
    valuesOf(key).openValues++;
  }

  /** It was acknowledged. */
  void recordAcknowledged(int key, long value, long before) {
    KeyValues values = valuesOf(key);
    values.openValues--;
    values.acknowledged.add(value);
    values.replaced.add(before);
  }

  /** Whether a key is one of these. */
  boolean isShared(int key) {
    return keys.containsKey(key);
  }

  /** What is there in the end, at any node: all copies are the same. */
  void recordFound(int key, long value) {
    valuesOf(key).finalValue = value;
  }

  /** How many acknowledged values are lost at least. */
  long missingValues() {
    long missing = 0;
    for (KeyValues values : keys.values()) {
      Set<Long> gone = new HashSet<>(values.acknowledged);
      gone.removeAll(values.replaced);
      gone.remove(values.finalValue);
      missing += Math.max(0, gone.size() - values.openValues);
    }
    return missing;
  }

  private KeyValues valuesOf(int key) {
    return keys.computeIfAbsent(key, first -> new KeyValues());
  }
}
