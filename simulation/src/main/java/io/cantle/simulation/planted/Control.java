package io.cantle.simulation.planted;

import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether a seed is clean in the core as it is. A seed that is not shows nothing about a
 * planted bug.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Control {
  private static final long LONGEST_SECONDS = 150;

  private final Workshop workshop;
  private final ConcurrentMap<Long, Boolean> known = new ConcurrentHashMap<>();

  Control(Workshop workshop) {
    this.workshop = workshop;
  }

  /** Takes note of what is known about a seed, so that it need not be run. */
  void know(long seed, boolean clean) {
    known.put(seed, clean);
  }

  /** Runs a seed with nothing planted, unless that was done before. */
  boolean clean(long seed) throws InterruptedException {
    Boolean before = known.get(seed);
    if (before != null) {
      return before;
    }
    Process child = workshop.start(List.of("--seed", Long.toString(seed)), Redirect.DISCARD);
    try {
      boolean clean = child.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) && child.exitValue() == 0;
      know(seed, clean);
      return clean;
    } finally {
      workshop.end(child);
    }
  }
}
