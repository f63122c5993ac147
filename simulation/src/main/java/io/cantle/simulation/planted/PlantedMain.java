package io.cantle.simulation.planted;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code ./cantle simulate --planted} and {@code --plant}.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class PlantedMain {
  private static final int CLEAN = 0;
  private static final int FAILED = 1;
  private static final int BAD_INPUT = 2;

  /** A machine that is slow ends with bugs not hunted rather than never. */
  private static final long CAMPAIGN_NANOS = TimeUnit.MINUTES.toNanos(15);

  private final PrintStream out;
  private final PrintStream errors;

  /** Writes what it finds to {@code out}, and why it cannot to {@code errors}. */
  public PlantedMain(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  /** Whether the words are about planted bugs. */
  public static boolean wanted(List<String> words) {
    return PlantedWords.wanted(words);
  }

  /**
   * Does what the words say.
   *
   * @return 0 when every bug was found, or the one run was clean; 1 when not; 2 on bad input
   */
  public int run(List<String> all) {
    try {
      PlantedWords words = PlantedWords.of(all);
      Path json = words.json();
      if (json != null && !Files.isDirectory(folderOf(json))) {
        throw new IllegalArgumentException(
            "--json " + json + ": there is no directory " + folderOf(json));
      }
      try (Workshop workshop = new Workshop(Sources.find())) {
        return words.child() == null ? hunt(workshop, words) : replay(workshop, words);
      }
    } catch (IllegalArgumentException e) {
      return complain(e, BAD_INPUT);
    } catch (IllegalStateException | UncheckedIOException e) {
      return complain(e, FAILED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return complain(e, FAILED);
    }
  }

  private static int replay(Workshop workshop, PlantedWords words) throws InterruptedException {
    List<String> child = words.child() == null ? List.of() : words.child();
    Bug bug = words.bugs().getFirst();
    workshop.plant(bug);
    Process process = workshop.start(bug, child, Redirect.INHERIT);
    try {
      return process.waitFor();
    } finally {
      workshop.end(process);
    }
  }

  private int hunt(Workshop workshop, PlantedWords words) throws InterruptedException {
    long began = System.nanoTime();
    CampaignResult result =
        new Campaign(workshop, out)
            .run(words.bugs(), words.limits(), words.threads(), began + CAMPAIGN_NANOS);
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    result.figures(seconds).forEach((name, value) -> out.println(name + ": " + value));
    Path json = words.json();
    if (json != null) {
      try {
        Files.writeString(json, result.json(seconds));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + json, e);
      }
    }
    return result.foundAll() ? CLEAN : FAILED;
  }

  private static Path folderOf(Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    return folder == null ? file.toAbsolutePath() : folder;
  }

  private int complain(Exception thrown, int status) {
    errors.println("simulate: " + thrown.getMessage());
    return status;
  }
}
