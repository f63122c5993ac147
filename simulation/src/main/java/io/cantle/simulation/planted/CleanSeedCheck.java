package io.cantle.simulation.planted;

import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * A check of whether a seed is clean without a bug: in the unchanged core, or with only the edits
 * that help the bug to show. A seed that is not clean proves nothing about the bug.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CleanSeedCheck {
  private static final long MAX_SECONDS = 150;

  private final PlantingWorkspace workspace;
  private final ConcurrentMap<ControlRun, Boolean> known = new ConcurrentHashMap<>();

  private record ControlRun(List<SourceEdit> helperEdits, List<String> words, long seed) {}

  CleanSeedCheck(PlantingWorkspace workspace) {
    this.workspace = workspace;
  }

  /** Records what is known about a seed without this bug, so that it need not be run. */
  void recordKnown(PlantedBug bug, long seed, boolean clean) {
    known.put(new ControlRun(bug.helperEdits(), bug.extraWords(), seed), clean);
  }

  /**
   * Runs a seed without this bug, unless that was done before.
   *
   * @throws IllegalStateException if the helper edits of the bug cannot be planted alone
   */
  boolean isClean(PlantedBug bug, long seed) throws InterruptedException {
    Boolean before = known.get(new ControlRun(bug.helperEdits(), bug.extraWords(), seed));
    if (before != null) {
      return before;
    }
    Process child = startRun(bug, List.of("--seed", Long.toString(seed)));
    try {
      boolean clean = child.waitFor(MAX_SECONDS, TimeUnit.SECONDS) && child.exitValue() == 0;
      recordKnown(bug, seed, clean);
      return clean;
    } finally {
      workspace.endChild(child);
    }
  }

  private Process startRun(PlantedBug bug, List<String> words) {
    if (bug.helperEdits().isEmpty()) {
      return workspace.startWithout(bug, words, Redirect.DISCARD);
    }
    PlantedBug aids = bug.withHelpersOnly();
    workspace.compileBug(aids);
    return workspace.start(aids, words, Redirect.DISCARD);
  }
}
