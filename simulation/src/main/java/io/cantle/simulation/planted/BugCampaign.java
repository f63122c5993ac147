package io.cantle.simulation.planted;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A campaign that hunts many bugs, some of them side by side, and prints each result as its hunt
 * ends.
 *
 * <p><b>Threading:</b> one thread runs it.
 */
final class BugCampaign {
  private static final long PROGRESS_INTERVAL_SECONDS = 10;

  private final PlantingWorkspace workspace;
  private final CleanSeedCheck cleanSeedCheck;
  private final PrintStream out;
  private final ConcurrentLinkedQueue<BugHunt> waiting = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<BugHunt> running = new ConcurrentLinkedQueue<>();
  private final LinkedBlockingQueue<HuntResult> ended = new LinkedBlockingQueue<>();

  BugCampaign(PlantingWorkspace workspace, CleanSeedCheck cleanSeedCheck, PrintStream out) {
    this.workspace = workspace;
    this.cleanSeedCheck = cleanSeedCheck;
    this.out = out;
  }

  /**
   * Hunts all of these bugs.
   *
   * @param threads how many hunts run side by side
   * @param untilNanos the reading of {@link System#nanoTime} at which the whole campaign ends
   */
  BugCampaignResult run(List<PlantedBug> bugs, BugHunt.Limits limits, int threads, long untilNanos)
      throws InterruptedException {
    bugs.forEach(bug -> waiting.add(new BugHunt(bug, limits, untilNanos)));
    for (int i = 0; i < Math.min(threads, bugs.size()); i++) {
      Thread.ofPlatform().daemon().name("hunt-" + i).start(this::runHunts);
    }
    BugCampaignResult result = new BugCampaignResult(limits.seeds());
    while (result.plantedCount() < bugs.size()) {
      HuntResult finding = ended.poll(PROGRESS_INTERVAL_SECONDS, TimeUnit.SECONDS);
      if (finding == null) {
        out.println(
            "hunting: "
                + running.stream().map(BugHunt::progress).collect(Collectors.joining(", ")));
      } else {
        result.add(finding);
        reportResult(finding);
      }
    }
    return result;
  }

  private void runHunts() {
    try {
      for (BugHunt hunt; (hunt = waiting.poll()) != null; ) {
        running.add(hunt);
        HuntResult finding = hunt.run(workspace, cleanSeedCheck);
        running.remove(hunt);
        ended.add(finding);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void reportResult(HuntResult finding) {
    PlantedBug bug = finding.bug();
    out.printf(
        Locale.ROOT,
        "%-32s %10s  %s%n",
        bug.name(),
        finding.isFound()
            ? finding.seeds() + (finding.seeds() == 1 ? " seed" : " seeds")
            : "MISSED",
        bug.description());
    out.println("    " + finding.toLine());
    if (finding.isFound()) {
      out.println(
          "    replay: ./cantle simulate --plant " + bug.name() + " --seed " + finding.seed());
    }
  }
}
