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
final class Iteration {
  private static final int MOST_SHOWN = 20;

  private final Set<String> seen = new HashSet<>();
  private final Set<String> twice = new LinkedHashSet<>();
  private long delivered;

  void deliver(String key) {
    delivered++;
    if (!seen.add(key)) {
      twice.add(key);
    }
  }

  long delivered() {
    return delivered;
  }

  /** Keys that were delivered again, the first of them. */
  List<String> twice() {
    return twice.stream().limit(MOST_SHOWN).toList();
  }

  /** Keys nobody changes that did not come, the first of them. */
  List<String> missing() {
    return Keys.stable().filter(key -> !seen.contains(key)).limit(MOST_SHOWN).toList();
  }
}
