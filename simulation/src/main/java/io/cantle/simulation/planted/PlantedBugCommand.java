package io.cantle.simulation.planted;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * The command {@code ./cantle simulate} with {@code --planted} or {@code --plant}.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class PlantedBugCommand {
  private static final int CLEAN_STATUS = 0;
  private static final int FAILED_STATUS = 1;
  private static final int BAD_INPUT_STATUS = 2;

  /** On a slow machine, the campaign ends with some bugs not hunted rather than never. */
  private static final long CAMPAIGN_NANOS = TimeUnit.MINUTES.toNanos(15);

  private final ToIntFunction<List<String>> cleanRun;
  private final PrintStream out;
  private final PrintStream errors;

  /**
   * Creates a command that writes its results to {@code out}, and errors to {@code errors}.
   *
   * @param cleanRun runs the simulation in this process, with nothing planted, and returns 0 if no
   *     seed was violated
   */
  public PlantedBugCommand(
      ToIntFunction<List<String>> cleanRun, PrintStream out, PrintStream errors) {
    this.cleanRun = cleanRun;
    this.out = out;
    this.errors = errors;
  }

  /** Returns whether the arguments are about planted bugs. */
  public static boolean isRequested(List<String> words) {
    return PlantedBugOptions.isRequested(words);
  }

  /**
   * Runs what the arguments say.
   *
   * @return 0 if every bug was found, or the one run was clean; 1 if not; 2 on bad input
   */
  public int runCampaign(List<String> all) {
    try {
      PlantedBugOptions words = PlantedBugOptions.of(all);
      Path json = words.json();
      if (json != null && !Files.isDirectory(parentFolder(json))) {
        throw new IllegalArgumentException(
            "--json " + json + ": there is no directory " + parentFolder(json));
      }
      try (PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot())) {
        return words.childWords() == null ? huntBugs(workspace, words) : replay(workspace, words);
      }
    } catch (IllegalArgumentException e) {
      return printError(e, BAD_INPUT_STATUS);
    } catch (IllegalStateException | UncheckedIOException e) {
      return printError(e, FAILED_STATUS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return printError(e, FAILED_STATUS);
    }
  }

  /**
   * Runs seeds in grids that have nodes of the next build, as the arguments say.
   *
   * @return what the run returned
   */
  public int runWithNextVersion(List<String> words) {
    try (PlantingWorkspace workspace = new PlantingWorkspace(SourceTree.findRoot())) {
      workspace.compileBug(NextVersion.alone());
      return waitFor(workspace, workspace.startCampaign(NextVersion.alone(), words));
    } catch (IllegalStateException | UncheckedIOException e) {
      return printError(e, FAILED_STATUS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return printError(e, FAILED_STATUS);
    }
  }

  private static int replay(PlantingWorkspace workspace, PlantedBugOptions words)
      throws InterruptedException {
    List<String> child = words.childWords() == null ? List.of() : words.childWords();
    PlantedBug bug = words.bugs().getFirst();
    workspace.compileBug(bug);
    return waitFor(workspace, workspace.start(bug, child, Redirect.INHERIT));
  }

  private static int waitFor(PlantingWorkspace workspace, Process process)
      throws InterruptedException {
    try {
      return process.waitFor();
    } finally {
      workspace.endChild(process);
    }
  }

  private int huntBugs(PlantingWorkspace workspace, PlantedBugOptions words)
      throws InterruptedException {
    long began = System.nanoTime();
    BugCampaignResult result =
        new BugCampaign(workspace, new CleanSeedCheck(workspace, cleanRun), out)
            .run(words.bugs(), words.limits(), words.threads(), began + CAMPAIGN_NANOS);
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
    result.figures(seconds).forEach((name, value) -> out.println(name + ": " + value));
    Path json = words.json();
    if (json != null) {
      try {
        Files.writeString(json, result.toJson(seconds));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write " + json, e);
      }
    }
    return result.isEverythingFound() ? CLEAN_STATUS : FAILED_STATUS;
  }

  private static Path parentFolder(Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    return folder == null ? file.toAbsolutePath() : folder;
  }

  private int printError(Exception thrown, int status) {
    errors.println("simulate: " + thrown.getMessage());
    return status;
  }
}
