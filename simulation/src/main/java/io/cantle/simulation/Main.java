package io.cantle.simulation;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * {@code ./cantle simulate}.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class Main {
  private static final int CLEAN = 0;
  private static final int VIOLATED = 1;
  private static final int BAD_INPUT = 2;
  private static final int LONGEST_REPORT_LINES = 120;

  private final Supplier<Peer.Starter> starters;
  private final PrintStream out;
  private final PrintStream errors;
  private int reported;

  Main(Supplier<Peer.Starter> starters, PrintStream out, PrintStream errors) {
    this.starters = starters;
    this.out = out;
    this.errors = errors;
  }

  /** Runs seeds as the words say and ends the process with 0, 1 or 2; see {@code --help}. */
  public static void main(String[] words) {
    System.exit(new Main(GridPeer::starter, System.out, System.err).run(List.of(words)));
  }

  /** The exit code. */
  int run(List<String> words) {
    Options options;
    try {
      options = Options.of(words);
      if (options.json() != null) {
        // A place that cannot be written is better found now than after all seeds.
        Files.writeString(options.json(), "");
      }
    } catch (IllegalArgumentException e) {
      errors.println("simulate: " + e.getMessage());
      return BAD_INPUT;
    } catch (IOException e) {
      errors.println("simulate: cannot write the file of --json: " + e);
      return BAD_INPUT;
    }
    if (options.help()) {
      out.print(Options.HELP);
      return CLEAN;
    }
    return simulate(options);
  }

  private int simulate(Options options) {
    long began = System.nanoTime();
    Simulation simulation = new Simulation(starters, options.trace() ? out : null);
    Summary summary =
        simulation.run(
            options.first(),
            options.seeds(),
            Math.min(options.threads(), options.seeds()),
            present -> progress(present, options, System.nanoTime() - began));
    report(summary);
    Map<String, Object> figures = summary.figures(System.nanoTime() - began);
    figures.forEach((name, value) -> out.println(name + ": " + value));
    if (options.json() != null) {
      write(options.json(), figures);
    }
    return summary.violations() == 0 ? CLEAN : VIOLATED;
  }

  private void progress(Summary summary, Options options, long realNanos) {
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

  /** Prints the violations found since the last time. */
  private void report(Summary summary) {
    List<SeedResult> violated = summary.violated();
    for (SeedResult result : violated.subList(reported, violated.size())) {
      out.println("violation in seed " + result.seed() + ":");
      String.valueOf(result.violation())
          .lines()
          .limit(LONGEST_REPORT_LINES)
          .forEach(line -> out.println("  " + line));
      out.println("  replay: " + result.replay());
    }
    reported = violated.size();
  }

  private static void write(Path file, Map<String, Object> figures) {
    String json =
        figures.entrySet().stream()
            .map(
                figure ->
                    "  \""
                        + figure.getKey()
                        + "\": "
                        + (figure.getValue() instanceof Number
                            ? figure.getValue()
                            : "\"" + figure.getValue() + "\""))
            .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
    try {
      Files.writeString(file, json);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }
}
