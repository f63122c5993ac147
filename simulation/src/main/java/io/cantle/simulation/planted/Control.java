package io.cantle.simulation.planted;

import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether a seed is clean without a bug: in the core as it is, or with nothing but what helps
 * the bug to show. A seed that is not shows nothing about the bug.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Control {
  private static final long LONGEST_SECONDS = 150;

  private final Workshop workshop;
  private final ConcurrentMap<Run, Boolean> known = new ConcurrentHashMap<>();

  private record Run(List<Edit> aids, List<String> words, long seed) {}

  Control(Workshop workshop) {
    this.workshop = workshop;
  }

  /** Takes note of what is known about a seed without this bug, so that it need not be run. */
  void know(Bug bug, long seed, boolean clean) {
    known.put(new Run(bug.aids(), bug.words(), seed), clean);
  }

  /**
   * Runs a seed without this bug, unless that was done before.
   *
   * @throws IllegalStateException if what helps the bug cannot be planted alone
   */
  boolean clean(Bug bug, long seed) throws InterruptedException {
    Boolean before = known.get(new Run(bug.aids(), bug.words(), seed));
    if (before != null) {
      return before;
    }
    Process child = start(bug, List.of("--seed", Long.toString(seed)));
    try {
      boolean clean = child.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) && child.exitValue() == 0;
      know(bug, seed, clean);
      return clean;
    } finally {
      workshop.end(child);
    }
  }

  private Process start(Bug bug, List<String> words) {
    if (bug.aids().isEmpty()) {
      return workshop.startWithout(bug, words, Redirect.DISCARD);
    }
    Bug aids = bug.withoutHarm();
    workshop.plant(aids);
    return workshop.start(aids, words, Redirect.DISCARD);
  }
}
