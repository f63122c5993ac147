package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A command that compares maps, each in a JVM of its own.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
abstract class MapCommand implements Callable<Integer> {
  /** For the help: what a ratio is. */
  static final String RATIO_HELP =
      "A ratio is that of the amounts within a round: its median over the rounds, and the lower "
          + "bound of the 95 %% interval of its mean. The least that is wanted is beside it.";

  /** For the help: the exit codes. */
  static final String EXIT_CODE_HELP =
      "Exit code: 0 no lower bound is below what is wanted, 1 one is or something failed, 2 bad "
          + "input.";

  private static final int MAX_ROUNDS = 100;
  private static final int MIN_MILLIS = 10;
  private static final int MAX_MILLIS = 60_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "7",
      description =
          "Rounds, "
              + RatioEstimate.MIN_ROUNDS
              + " to "
              + MAX_ROUNDS
              + ". Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--millis",
      paramLabel = "N",
      defaultValue = "700",
      description =
          "How long a measure takes, after as long a warm-up, "
              + MIN_MILLIS
              + " to "
              + MAX_MILLIS
              + ". Default: ${DEFAULT-VALUE}.")
  private int millis;

  @Mixin private ReportOptions report = new ReportOptions();

  /** What is compared. */
  abstract MapComparison comparison();

  @Override
  public final Integer call() throws IOException, InterruptedException {
    OptionRange.requireWithin(spec, "--rounds", rounds, RatioEstimate.MIN_ROUNDS, MAX_ROUNDS);
    OptionRange.requireWithin(spec, "--millis", millis, MIN_MILLIS, MAX_MILLIS);
    report.requireWritable(spec);
    PrintWriter out = spec.commandLine().getOut();
    long begin = System.nanoTime();
    MapResults results = measure(out);
    out.println();
    results.lines().forEach(out::println);
    out.println();
    Map<String, Object> values = new LinkedHashMap<>(results.values());
    values.put("rounds", rounds);
    values.put("seconds", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    report.write(spec, values, comparison().flags(), Map.of("rows", results.rows()));
    return results.holds() ? 0 : Main.FAILED_STATUS;
  }

  private MapResults measure(PrintWriter out) throws IOException, InterruptedException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (var folder = new TemporaryFolder(temporary, "cantle-bench-" + comparison().name() + "-")) {
      return new MapProcesses(comparison(), folder.path(), millis, out::println).run(rounds);
    }
  }
}
