package io.cantle.simulation.planted;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The hunt for one bug. Child processes run seeds in order until one violates something that it
 * does not violate without the bug, or until a limit is reached.
 *
 * <p><b>Threading:</b> one thread hunts; any thread may ask for the progress.
 */
final class BugHunt {
  private static final Pattern VIOLATION_PATTERN = Pattern.compile("violation in seed (-?\\d+):");

  /** The mark of a checker that gave up, which proves nothing. */
  private static final String UNDECIDED_PATTERN = " UNDECIDED: ";

  private static final Pattern PROGRESS_PATTERN = Pattern.compile("(\\d+) of \\d+ seeds, .*");
  private static final Pattern END_PATTERN = Pattern.compile("(?:seeds|walks): (\\d+)");

  /**
   * When a hunt is given up.
   *
   * @param first the first seed
   * @param seeds after how many seeds
   * @param seconds after how many seconds
   */
  record Limits(long first, long seeds, long seconds) {}

  private final PlantedBug bug;
  private final Limits limits;
  private final long campaignEnd;
  private volatile long seeds;
  private long seedsBefore;
  private int undecided;
  private int spoiledSeeds;

  /** Creates a hunt that ends at this reading of {@link System#nanoTime} at the latest. */
  BugHunt(PlantedBug bug, Limits limits, long campaignEnd) {
    this.bug = bug;
    this.limits = limits;
    this.campaignEnd = campaignEnd;
  }

  /** Returns how far the hunt is. */
  String progress() {
    return bug.name() + " (" + seeds + " seeds)";
  }

  /**
   * Runs the hunt.
   *
   * @throws InterruptedException if the workspace was closed meanwhile
   */
  HuntResult run(PlantingWorkspace workspace, CleanSeedCheck cleanSeedCheck)
      throws InterruptedException {
    long began = System.nanoTime();
    HuntResult finding = runUntilFound(workspace, cleanSeedCheck);
    if (workspace.isClosed()) {
      throw new InterruptedException("the workshop was closed");
    }
    return finding.after(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
  }

  private HuntResult runUntilFound(PlantingWorkspace workspace, CleanSeedCheck cleanSeedCheck)
      throws InterruptedException {
    long now = System.nanoTime();
    if (campaignEnd - now <= 0) {
      return missedResult("not hunted: the time of the campaign was over");
    }
    long end = now + Math.min(campaignEnd - now, TimeUnit.SECONDS.toNanos(limits.seconds()));
    try {
      workspace.compileBug(bug);
    } catch (IllegalStateException e) {
      return missedResult("cannot be planted: " + e.getMessage());
    }
    while (seedsBefore < limits.seeds()) {
      HuntResult finding = runChild(workspace, end);
      if (!finding.isFound() || cleanSeedCheck.isClean(bug, finding.seed())) {
        return finding;
      }
      spoiledSeeds++;
      seedsBefore = finding.seeds();
    }
    return missedResult("nothing in " + seedsBefore + " seeds" + isSpoiled());
  }

  private HuntResult runChild(PlantingWorkspace workspace, long end) throws InterruptedException {
    List<String> words =
        new ArrayList<>(
            List.of("--first", Long.toString(limits.first() + seedsBefore), "--threads", "1"));
    if (!bug.isHuntedByWalks()) {
      words.addAll(List.of("--seeds", Long.toString(limits.seeds() - seedsBefore)));
    }
    Process child = workspace.start(bug, words, Redirect.PIPE);
    try (BufferedReader lines = child.inputReader()) {
      killAt(child, end);
      return readOutput(child, lines, end);
    } catch (IOException e) {
      return missedResult("its run cannot be read: " + e.getMessage());
    } finally {
      workspace.endChild(child);
    }
  }

  private static void killAt(Process child, long end) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                if (!child.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                  child.destroyForcibly();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private HuntResult readOutput(Process child, BufferedReader lines, long end)
      throws IOException, InterruptedException {
    String last = "nothing";
    for (String line; (line = lines.readLine()) != null; last = line) {
      Matcher violation = VIOLATION_PATTERN.matcher(line);
      if (violation.matches()) {
        long seed = Long.parseLong(violation.group(1));
        String output = lines.readLine();
        if (output == null || !output.contains(UNDECIDED_PATTERN)) {
          seeds = seed - limits.first() + 1;
          return new HuntResult(
              bug, true, seeds, seed, output == null ? "nothing" : output.strip());
        }
        undecided++;
      }
      recordProgress(PROGRESS_PATTERN.matcher(line));
      recordProgress(END_PATTERN.matcher(line));
    }
    int code = child.waitFor();
    if (end - System.nanoTime() <= 0) {
      return missedResult(
          "nothing in " + seeds + " seeds" + isSpoiled() + ", then its time was over");
    }
    return missedResult(
        code == 0 || (code == 1 && undecided > 0)
            ? "nothing in " + seeds + " seeds" + isSpoiled()
            : "its run ended with " + code + " and said: " + last);
  }

  private void recordProgress(Matcher count) {
    if (count.matches()) {
      seeds = seedsBefore + Long.parseLong(count.group(1));
    }
  }

  private String isSpoiled() {
    return (spoiledSeeds == 0
            ? ""
            : " but " + spoiledSeeds + " that are violated without the bug too")
        + (undecided == 0 ? "" : " but " + undecided + " that were not decided");
  }

  private HuntResult missedResult(String reason) {
    return new HuntResult(bug, false, seeds, 0, reason);
  }
}
