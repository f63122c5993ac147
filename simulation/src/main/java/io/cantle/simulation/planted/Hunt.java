package io.cantle.simulation.planted;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The hunt for one bug: a child process runs seeds in order until one of them violates something,
 * or a limit is reached.
 *
 * <p><b>Threading:</b> one thread hunts; any thread asks how far it is.
 */
final class Hunt {
  private static final Pattern VIOLATION = Pattern.compile("violation in seed (-?\\d+):");
  private static final Pattern PROGRESS = Pattern.compile("(\\d+) of \\d+ seeds, .*");
  private static final Pattern END = Pattern.compile("seeds: (\\d+)");

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
  private final long untilNanos;
  private volatile long seeds;
  private volatile boolean late;

  /** A hunt that ends by this reading of {@link System#nanoTime} at the latest. */
  Hunt(Bug bug, Limits limits, long untilNanos) {
    this.bug = bug;
    this.limits = limits;
    this.untilNanos = untilNanos;
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
  Finding run(Workshop workshop) throws InterruptedException {
    Finding finding = hunt(workshop);
    if (workshop.isClosed()) {
      throw new InterruptedException("the workshop was closed");
    }
    return finding;
  }

  private Finding hunt(Workshop workshop) throws InterruptedException {
    long left = untilNanos - System.nanoTime();
    if (left <= 0) {
      return missed("not hunted: the time of the campaign was over");
    }
    Process child;
    try {
      child = workshop.start(bug, words(), false);
    } catch (IllegalStateException e) {
      return missed("cannot be planted: " + e.getMessage());
    }
    try (BufferedReader lines = child.inputReader()) {
      watch(child, Math.min(left, TimeUnit.SECONDS.toNanos(limits.seconds())));
      return read(child, lines);
    } catch (IOException e) {
      return missed("its run cannot be read: " + e.getMessage());
    } finally {
      workshop.end(child);
    }
  }

  private List<String> words() {
    return List.of(
        "--first",
        Long.toString(limits.first()),
        "--seeds",
        Long.toString(limits.seeds()),
        "--threads",
        "1");
  }

  private void watch(Process child, long nanos) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                if (!child.waitFor(nanos, TimeUnit.NANOSECONDS)) {
                  late = true;
                  child.destroyForcibly();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private Finding read(Process child, BufferedReader lines)
      throws IOException, InterruptedException {
    String last = "nothing";
    for (String line; (line = lines.readLine()) != null; last = line) {
      Matcher violation = VIOLATION.matcher(line);
      if (violation.matches()) {
        long seed = Long.parseLong(violation.group(1));
        String said = lines.readLine();
        return new Finding(
            bug, true, seed - limits.first() + 1, seed, said == null ? "nothing" : said.strip());
      }
      note(PROGRESS.matcher(line));
      note(END.matcher(line));
    }
    int code = child.waitFor();
    if (late) {
      return missed("nothing in " + seeds + " seeds, then its time was over");
    }
    return missed(
        code == 0
            ? "nothing in " + seeds + " seeds"
            : "its run ended with " + code + " and said: " + last);
  }

  private void note(Matcher count) {
    if (count.matches()) {
      seeds = Long.parseLong(count.group(1));
    }
  }

  private Finding missed(String why) {
    return new Finding(bug, false, seeds, 0, why);
  }
}
