package io.cantle.races;

import io.cantle.simulation.planted.PlantedBug;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code ./cantle races}.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class Main {
  private static final String HELP =
      """
      usage: ./cantle races [--smoke] [--planted] [CONTAINER ...]

      Runs readers without a lock beside the writers of a segment: under Lincheck, which tries
      interleavings one by one, and under jcstress, which tries them by the million. Without names
      it runs every container.

        --smoke      some seconds, instead of about half an hour for each container
        --planted    plants each container's bug, which each tool must find
      """;

  private Main() {}

  /** Ends the process with 0, with 1 if something is wrong, or with 2 for wrong arguments. */
  public static void main(String[] words) throws IOException, InterruptedException {
    List<String> arguments = List.of(words);
    if (arguments.contains("--help") || arguments.contains("-h")) {
      IO.print(HELP);
      return;
    }
    List<RacedContainer> kinds;
    try {
      kinds =
          arguments.stream()
              .filter(word -> !word.equals("--smoke") && !word.equals("--planted"))
              .map(RacedContainer::named)
              .toList();
    } catch (IllegalArgumentException e) {
      System.err.println("races: " + e.getMessage() + "; see ./cantle races --help");
      System.exit(2);
      return;
    }
    RaceEffort effort = arguments.contains("--smoke") ? RaceEffort.SMOKE : RaceEffort.LONG;
    Path folder = Files.createTempDirectory("cantle-races-");
    boolean passed;
    try {
      passed =
          run(
              new RaceCampaign(folder),
              kinds.isEmpty() ? List.of(RacedContainer.values()) : kinds,
              effort,
              arguments.contains("--planted"));
    } finally {
      delete(folder);
    }
    System.exit(passed ? 0 : 1);
  }

  private static boolean run(
      RaceCampaign campaign, List<RacedContainer> kinds, RaceEffort effort, boolean planted)
      throws IOException, InterruptedException {
    boolean passed = true;
    for (RacedContainer kind : kinds) {
      for (RaceTool tool : RaceTool.values()) {
        for (PlantedBug bug : planted ? kind.bugs(tool) : List.<PlantedBug>of()) {
          passed &= run(campaign, kind, tool, effort, bug);
        }
        passed &= planted || run(campaign, kind, tool, effort, null);
      }
    }
    return passed;
  }

  private static boolean run(
      RaceCampaign campaign,
      RacedContainer kind,
      RaceTool tool,
      RaceEffort effort,
      @Nullable PlantedBug bug)
      throws IOException, InterruptedException {
    RaceResult result = campaign.run(kind, tool, effort, bug);
    RaceResult.Verdict wanted = bug == null ? RaceResult.Verdict.CLEAN : RaceResult.Verdict.FOUND;
    boolean passed = result.verdict() == wanted;
    if (!passed) {
      IO.println(result.output());
    }
    IO.println(
        "%s, %s%s: %s%s"
            .formatted(
                kind.argument(),
                tool.argument(),
                bug == null ? "" : ", planted " + bug.name(),
                result.verdict().text(),
                passed ? "" : ", WRONG"));
    return passed;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
