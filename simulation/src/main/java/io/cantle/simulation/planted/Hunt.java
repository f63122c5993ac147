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
 * The hunt for one bug: child processes run seeds in order until one of them violates something
 * that it does not violate without the bug, or a limit is reached.
 *
 * <p><b>Threading:</b> one thread hunts; any thread asks how far it is.
 */
final class Hunt {
  private static final Pattern VIOLATION = Pattern.compile("violation in seed (-?\\d+):");

  /** The checker gave up: that shows nothing. */
  private static final String UNDECIDED = " UNDECIDED: ";

  private static final Pattern PROGRESS = Pattern.compile("(\\d+) of \\d+ seeds, .*");
  private static final Pattern END = Pattern.compile("(?:seeds|walks): (\\d+)");

  /**
   * When a hunt is given up.
   *
   * @param first the first seed
   * @param seeds after how many seeds
   * @param seconds after how many seconds
   */
  record Limits(long first, long seeds, long seconds) {}

  private final Bug bug;
  private final Limits limits;
  private final long campaignEnd;
  private volatile long seeds;
  private long seedsBefore;
  private int undecided;
  private int spoiled;

  /** A hunt that ends by this reading of {@link System#nanoTime} at the latest. */
  Hunt(Bug bug, Limits limits, long campaignEnd) {
    this.bug = bug;
    this.limits = limits;
    this.campaignEnd = campaignEnd;
  }

  /** How far it is. */
  String progress() {
    return bug.name() + " (" + seeds + " seeds)";
  }

  /**
   * Hunts.
   *
   * @throws InterruptedException if the workshop was closed meanwhile
   */
  Finding run(Workshop workshop, Control control) throws InterruptedException {
    Finding finding = hunt(workshop, control);
    if (workshop.isClosed()) {
      throw new InterruptedException("the workshop was closed");
    }
    return finding;
  }

  private Finding hunt(Workshop workshop, Control control) throws InterruptedException {
    long now = System.nanoTime();
    if (campaignEnd - now <= 0) {
      return missed("not hunted: the time of the campaign was over");
    }
    long end = now + Math.min(campaignEnd - now, TimeUnit.SECONDS.toNanos(limits.seconds()));
    try {
      workshop.plant(bug);
    } catch (IllegalStateException e) {
      return missed("cannot be planted: " + e.getMessage());
    }
    while (seedsBefore < limits.seeds()) {
      Finding finding = child(workshop, end);
      if (!finding.found() || control.clean(bug, finding.seed())) {
        return finding;
      }
      spoiled++;
      seedsBefore = finding.seeds();
    }
    return missed("nothing in " + seedsBefore + " seeds" + spoiled());
  }

  private Finding child(Workshop workshop, long end) throws InterruptedException {
    List<String> words =
        new ArrayList<>(
            List.of("--first", Long.toString(limits.first() + seedsBefore), "--threads", "1"));
    if (!bug.isHuntedByWalks()) {
      words.addAll(List.of("--seeds", Long.toString(limits.seeds() - seedsBefore)));
    }
    Process child = workshop.start(bug, words, Redirect.PIPE);
    try (BufferedReader lines = child.inputReader()) {
      endAt(child, end);
      return read(child, lines, end);
    } catch (IOException e) {
      return missed("its run cannot be read: " + e.getMessage());
    } finally {
      workshop.end(child);
    }
  }

  private static void endAt(Process child, long end) {
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

  private Finding read(Process child, BufferedReader lines, long end)
      throws IOException, InterruptedException {
    String last = "nothing";
    for (String line; (line = lines.readLine()) != null; last = line) {
      Matcher violation = VIOLATION.matcher(line);
      if (violation.matches()) {
        long seed = Long.parseLong(violation.group(1));
        String said = lines.readLine();
        if (said == null || !said.contains(UNDECIDED)) {
          seeds = seed - limits.first() + 1;
          return new Finding(bug, true, seeds, seed, said == null ? "nothing" : said.strip());
        }
        undecided++;
      }
      note(PROGRESS.matcher(line));
      note(END.matcher(line));
    }
    int code = child.waitFor();
    if (end - System.nanoTime() <= 0) {
      return missed("nothing in " + seeds + " seeds" + spoiled() + ", then its time was over");
    }
    return missed(
        code == 0 || (code == 1 && undecided > 0)
            ? "nothing in " + seeds + " seeds" + spoiled()
            : "its run ended with " + code + " and said: " + last);
  }

  private void note(Matcher count) {
    if (count.matches()) {
      seeds = seedsBefore + Long.parseLong(count.group(1));
    }
  }

  private String spoiled() {
    return (spoiled == 0 ? "" : " but " + spoiled + " that are violated without the bug too")
        + (undecided == 0 ? "" : " but " + undecided + " that were not decided");
  }

  private Finding missed(String why) {
    return new Finding(bug, false, seeds, 0, why);
  }
}
