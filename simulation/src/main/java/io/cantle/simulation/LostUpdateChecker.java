package io.cantle.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A checker of lost updates on keys that all clients write, in a grid that stays available when it
 * is cut. Each write returns the value that it replaced. An acknowledged value was lost to another
 * side if no write reported replacing it and it is not there in the end.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class LostUpdateChecker {
  private final Map<Integer, KeyValues> keys = new HashMap<>();

  private static final class KeyValues {
    final Set<Long> acknowledged = new HashSet<>();
    final Set<Long> replaced = new HashSet<>();

    /** Writes with an unknown outcome. Each may have replaced a value without reporting it. */
    int openValues;

    long finalValue;
  }

  /** Records that a write has begun. */
  void recordAttempt(int key, long value) {
    valuesOf(key).openValues++;
  }

  /** Records that a write was acknowledged. */
  void recordAcknowledged(int key, long value, long before) {
    KeyValues values = valuesOf(key);
    values.openValues--;
    values.acknowledged.add(value);
    values.replaced.add(before);
  }

  /** Returns whether a key is one of the shared keys. */
  boolean isShared(int key) {
    return keys.containsKey(key);
  }

  /** Records the value present in the end, which is the same at all nodes. */
  void recordFound(int key, long value) {
    valuesOf(key).finalValue = value;
  }

  /** Returns how many acknowledged values were lost at least. */
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
