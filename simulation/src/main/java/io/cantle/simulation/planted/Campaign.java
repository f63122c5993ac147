package io.cantle.simulation.planted;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The hunt for many bugs, some side by side. Each is told about as it ends.
 *
 * <p><b>Threading:</b> one thread runs it.
 */
final class Campaign {
  private static final long PROGRESS_SECONDS = 10;

  private final Workshop workshop;
  private final Control control;
  private final PrintStream out;
  private final ConcurrentLinkedQueue<Hunt> waiting = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Hunt> running = new ConcurrentLinkedQueue<>();
  private final LinkedBlockingQueue<Finding> ended = new LinkedBlockingQueue<>();

  Campaign(Workshop workshop, PrintStream out) {
    this.workshop = workshop;
    this.control = new Control(workshop);
    this.out = out;
  }

  /**
   * Hunts all of these bugs.
   *
   * @param threads how many side by side
   * @param untilNanos the reading of {@link System#nanoTime} at which all is over
   */
  CampaignResult run(List<Bug> bugs, Hunt.Limits limits, int threads, long untilNanos)
      throws InterruptedException {
    bugs.forEach(bug -> waiting.add(new Hunt(bug, limits, untilNanos)));
    for (int i = 0; i < Math.min(threads, bugs.size()); i++) {
      Thread.ofPlatform().daemon().name("hunt-" + i).start(this::work);
    }
    CampaignResult result = new CampaignResult(limits.seeds());
    while (result.planted() < bugs.size()) {
      Finding finding = ended.poll(PROGRESS_SECONDS, TimeUnit.SECONDS);
      if (finding == null) {
        out.println(
            "hunting: " + running.stream().map(Hunt::progress).collect(Collectors.joining(", ")));
      } else {
        result.add(finding);
        tell(finding);
      }
    }
    return result;
  }

  private void work() {
    try {
      for (Hunt hunt; (hunt = waiting.poll()) != null; ) {
        running.add(hunt);
        Finding finding = hunt.run(workshop, control);
        running.remove(hunt);
        ended.add(finding);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(Finding finding) {
    Bug bug = finding.bug();
    out.printf(
        Locale.ROOT,
        "%-32s %10s  %s%n",
        bug.name(),
        finding.found() ? finding.seeds() + (finding.seeds() == 1 ? " seed" : " seeds") : "MISSED",
        bug.plants());
    out.println("    " + finding.line());
    if (finding.found()) {
      out.println(
          "    replay: ./cantle simulate --plant " + bug.name() + " --seed " + finding.seed());
    }
  }
}
