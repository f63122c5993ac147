package io.cantle.simulation.planted;

import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * A check of whether a seed is clean without a bug: in the unchanged core, or with only the edits
 * that help the bug to show. A seed that is not clean proves nothing about the bug.
 *
 * <p>The unchanged core is that of this process, which runs it: a child would have to compile it
 * again each time.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CleanSeedCheck {
  private static final long MAX_SECONDS = 150;

  private final PlantingWorkspace workspace;
  private final ToIntFunction<List<String>> cleanRun;
  private final ConcurrentMap<ControlRun, Boolean> known = new ConcurrentHashMap<>();

  private record ControlRun(List<SourceEdit> helperEdits, List<String> words, long seed) {}

  /**
   * Creates a check.
   *
   * @param cleanRun runs the simulation in this process, and returns 0 if no seed was violated
   */
  CleanSeedCheck(PlantingWorkspace workspace, ToIntFunction<List<String>> cleanRun) {
    this.workspace = workspace;
    this.cleanRun = cleanRun;
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
    List<String> words = List.of("--seed", Long.toString(seed));
    boolean clean =
        bug.helperEdits().isEmpty()
            ? cleanRun.applyAsInt(workspace.commandLine(bug, words)) == 0
            : isCleanWithHelpers(bug, words);
    recordKnown(bug, seed, clean);
    return clean;
  }

  private boolean isCleanWithHelpers(PlantedBug bug, List<String> words)
      throws InterruptedException {
    PlantedBug aids = bug.withHelpersOnly();
    workspace.compileBug(aids);
    Process child = workspace.start(aids, words, Redirect.DISCARD);
    try {
      return child.waitFor(MAX_SECONDS, TimeUnit.SECONDS) && child.exitValue() == 0;
    } finally {
      workspace.endChild(child);
    }
  }
}
