package io.cantle.chaos;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What an iteration delivered: keys nobody changes must come exactly once, all others once at most.
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

  /** Keys that were delivered again, the first of them. */
  List<String> duplicatedKeys() {
    return duplicatedKeys.stream().limit(MAX_SHOWN_KEYS).toList();
  }

  /** Keys nobody changes that did not come, the first of them. */
  List<String> missingKeys() {
    return KeyGenerations.stableKeys()
        .filter(key -> !seenKeys.contains(key))
        .limit(MAX_SHOWN_KEYS)
        .toList();
  }
}
