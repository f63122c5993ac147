package io.cantle.chaos;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A check of what an iteration delivered: stable keys exactly once, all others at most once.
 *
 * <p><b>Threading:</b> one thread.
 */
final class IterationCheck {
  private static final int MAX_SHOWN_KEYS = 20;

  private final Set<String> seenKeys = new HashSet<>();
  private final Set<String> duplicatedKeys = new LinkedHashSet<>();
  private long deliveredCount;

  void recordDelivery(String key) {
    deliveredCount++;
    if (!seenKeys.add(key)) {
      duplicatedKeys.add(key);
    }
  }

  long deliveredCount() {
    return deliveredCount;
  }

  /** Returns the first keys that were delivered more than once. */
  List<String> duplicatedKeys() {
    return duplicatedKeys.stream().limit(MAX_SHOWN_KEYS).toList();
  }

  /** Returns the first stable keys that were not delivered. */
  List<String> missingKeys() {
    return KeyGenerations.stableKeys()
        .filter(key -> !seenKeys.contains(key))
        .limit(MAX_SHOWN_KEYS)
        .toList();
  }
}
