package io.cantle.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cantle.simulation.planted.PlantedBugCommand;
import io.cantle.simulation.walk.WalkCampaign;
import io.cantle.simulation.walk.WalkOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code ./cantle simulate}.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class Main {
  private static final int CLEAN_STATUS = 0;
  private static final int FAILED_STATUS = 1;
  private static final int BAD_INPUT_STATUS = 2;

  /** A campaign of this many seeds must have seen every kind of fault. */
  private static final int MIN_SEEDS_FOR_UNUSED = 1_000;

  private static final int MAX_REPORT_LINES = 120;

  private final Supplier<NodeUnderTest.NodeStarter> starters;
  private final PrintStream out;
  private final PrintStream errors;
  private int reported;
  private SeedSettings settings = SeedSettings.DEFAULT;

  Main(Supplier<NodeUnderTest.NodeStarter> starters, PrintStream out, PrintStream errors) {
    this.starters = starters;
    this.out = out;
    this.errors = errors;
  }

  /** Runs seeds as the arguments say, and ends the process with 0, 1 or 2; see {@code --help}. */
  public static void main(String[] words) {
    System.exit(
        new Main(GridNodeUnderTest::createStarter, System.out, System.err).run(List.of(words)));
  }

  /** Returns the exit code. */
  int run(List<String> words) {
    if (words.contains("--help") || words.contains("-h")) {
      out.print(SimulateOptions.HELP);
      return CLEAN_STATUS;
    }
    if (PlantedBugCommand.isRequested(words)) {
      return new PlantedBugCommand(Main::runQuietly, out, errors).runCampaign(words);
    }
    if (WalkOptions.wanted(words)) {
      return walk(words);
    }
    SimulateOptions options;
    try {
      options = SimulateOptions.of(words);
    } catch (IllegalArgumentException e) {
      return printError(e.getMessage(), BAD_INPUT_STATUS);
    }
    String objection = checkWritable(options.json());
    if (objection != null) {
      return printError(objection, BAD_INPUT_STATUS);
    }
    return options.settings().isMixed() && !MessageVersions.hasNextBuild()
        ? new PlantedBugCommand(Main::runQuietly, out, errors).runWithNextVersion(words)
        : runSeeds(options);
  }

  /** Runs seeds as the arguments say, and reports nothing. Returns the exit code. */
  public static int runQuietly(List<String> words) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
    return new Main(GridNodeUnderTest::createStarter, nowhere, nowhere).run(words);
  }

  /** Runs walks, which test the topology code alone. */
  private int walk(List<String> words) {
    try {
      WalkOptions options = WalkOptions.of(words);
      String objection = checkWritable(options.json());
      if (objection != null) {
        return printError(objection, BAD_INPUT_STATUS);
      }
      WalkCampaign walks = new WalkCampaign(options, out);
      int written = write(walks.run(), options.json());
      if (!walks.absent().isEmpty()) {
        return printError("never happened, which shows nothing: " + walks.absent(), FAILED_STATUS);
      }
      return walks.isClean() ? written : FAILED_STATUS;
    } catch (IllegalArgumentException e) {
      return printError(e.getMessage(), BAD_INPUT_STATUS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return printError("interrupted", FAILED_STATUS);
    }
  }

  /** Reports figures, and writes them to a file as well if one is named. */
  private int write(Map<String, Object> figures, @Nullable Path json) {
    figures.forEach((name, value) -> out.println(name + ": " + value));
    if (json != null) {
      try {
        Files.writeString(json, format(figures));
      } catch (IOException e) {
        return printError("cannot write " + json + ": " + reason(e), FAILED_STATUS);
      }
    }
    return CLEAN_STATUS;
  }

  private int runSeeds(SimulateOptions options) {
    settings = options.settings();
    long began = System.nanoTime();
    long processorBegan = processorNanos();
    Simulation simulation =
        new Simulation(starters, options.settings(), options.trace() ? out : null);
    SeedSummary summary =
        simulation.run(
            options.first(),
            options.seeds(),
            Math.min(options.threads(), options.seeds()),
            present -> progress(present, options, System.nanoTime() - began));
    report(summary);
    Map<String, Object> figures =
        summary.figures(System.nanoTime() - began, processorNanos() - processorBegan);
    if (write(figures, options.json()) != CLEAN_STATUS) {
      return FAILED_STATUS;
    }
    List<String> absent = new ArrayList<>(summary.absentKinds(options.settings().faults()));
    absent.addAll(summary.unusedUses());
    if (options.settings().isMixed() && summary.count(EventKind.NEXT_VERSION) == 0) {
      absent.add(EventKind.NEXT_VERSION.plural());
    }
    if (options.settings().isDestroying() && summary.count(EventKind.DESTROY) == 0) {
      absent.add(EventKind.DESTROY.plural());
    }
    if (options.settings().isBounded() && summary.count(EventKind.EVICTION) == 0) {
      absent.add(EventKind.EVICTION.plural());
    }
    if (options.seeds() >= MIN_SEEDS_FOR_UNUSED && !absent.isEmpty()) {
      return printError("never happened, which shows nothing: " + absent, FAILED_STATUS);
    }
    return summary.violations() == 0 ? CLEAN_STATUS : FAILED_STATUS;
  }

  /**
   * Returns the processor time this process has used on all cores, or 0 if the JVM does not tell
   * it.
   */
  private static long processorNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  private void progress(SeedSummary summary, SimulateOptions options, long realNanos) {
    report(summary);
    if (!options.trace()) {
      out.printf(
          "%d of %d seeds, %d operations, %d violations, %d s%n",
          summary.seeds(),
          options.seeds(),
          summary.count(EventKind.RETURN),
          summary.violations(),
          realNanos / 1_000_000_000L);
    }
  }

  /** Prints the violations found since the last report. */
  private void report(SeedSummary summary) {
    List<SeedResult> violated = summary.violatedResults();
    for (SeedResult result : violated.subList(reported, violated.size())) {
      out.println("violation in seed " + result.seed() + ":");
      String.valueOf(result.violation())
          .lines()
          .limit(MAX_REPORT_LINES)
          .forEach(line -> out.println("  " + line));
      out.println("  replay: " + result.replayCommand(settings));
    }
    reported = violated.size();
  }

  private int printError(@Nullable String message, int status) {
    errors.println("simulate: " + message);
    return status;
  }

  /**
   * Returns why the named file cannot be written, or null. A bad path is better reported before the
   * seeds than after them. The file itself is not touched, since an earlier run's figures are worth
   * something until there are new ones.
   */
  private static @Nullable String checkWritable(@Nullable Path file) {
    String why = file == null ? null : whyNotWritable(file);
    return why == null ? null : "--json " + file + ": " + why;
  }

  private static @Nullable String whyNotWritable(Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    if (folder == null || Files.isDirectory(file)) {
      return "it is a directory, not a file";
    }
    if (!Files.isDirectory(folder)) {
      return "there is no directory " + folder;
    }
    return Files.isWritable(Files.exists(file) ? file : folder) ? null : "access is denied";
  }

  /**
   * Returns the reason of a failure without its path: the message of a file's exception repeats the
   * file, or is nothing but the file.
   */
  private static String reason(IOException failure) {
    String reason =
        failure instanceof FileSystemException ofFile ? ofFile.getReason() : failure.getMessage();
    return reason == null ? failure.getClass().getSimpleName() : reason;
  }

  private static String format(Map<String, Object> figures) {
    return figures.entrySet().stream()
        .map(
            figure ->
                "  \""
                    + figure.getKey()
                    + "\": "
                    + (figure.getValue() instanceof Number
                        ? figure.getValue()
                        : "\"" + figure.getValue() + "\""))
        .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
  }
}
