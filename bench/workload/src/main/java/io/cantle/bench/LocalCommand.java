package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench local}, which compares local caches with maps of the same process.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "local",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = "cantle bench local [--rounds=N] [--millis=N] [--json=FILE]",
    header = "Local caches, beside those of Infinispan and a map of the JDK.",
    descriptionHeading = "%n",
    description = {
      "One thread gets and puts random keys of 50,000, with short texts and with arrays of 1,000 "
          + "bytes as values. Each side has a JVM of its own in each round: a local cache with 256 "
          + "segments, one with 1 segment, a local cache of Infinispan, and a ConcurrentHashMap. A "
          + "cache gives and takes copies of arrays; the others hand out what they were given.",
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {
      "A ratio is that of the calls a second within a round: its median over the rounds, and the "
          + "lower bound of the 95 %% interval of its mean. The least that is wanted is beside it.",
      "Exit code: 0 no lower bound is below what is wanted, 1 one is or something failed, 2 bad "
          + "input."
    })
final class LocalCommand implements Callable<Integer> {
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
      defaultValue = "1000",
      description =
          "How long a measure takes, after as long a warm-up, "
              + MIN_MILLIS
              + " to "
              + MAX_MILLIS
              + ". Default: ${DEFAULT-VALUE}.")
  private int millis;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write machine, flags, rows and the values below to this file as JSON.")
  private @Nullable Path json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // Picocli acts on it before the command runs.
  private boolean help;

  @Override
  public Integer call() throws IOException, InterruptedException {
    requireWithin("--rounds", rounds, RatioEstimate.MIN_ROUNDS, MAX_ROUNDS);
    requireWithin("--millis", millis, MIN_MILLIS, MAX_MILLIS);
    BenchmarkJsonFile.requireWritable(spec, json);
    PrintWriter out = spec.commandLine().getOut();
    long begin = System.nanoTime();
    LocalResults results = measure(out);
    out.println();
    results.lines().forEach(out::println);
    out.println();
    Map<String, Object> values = new LinkedHashMap<>(results.values());
    values.put("rounds", rounds);
    values.put("seconds", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    BenchmarkJsonFile.write(spec, json, () -> BenchmarkJson.toJson(contents(values, results)));
    values.forEach((name, value) -> out.println(name + ": " + value));
    return results.holds() ? 0 : Main.FAILED_STATUS;
  }

  private void requireWithin(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), "%s %s is not within %s to %s".formatted(option, value, least, most));
    }
  }

  private LocalResults measure(PrintWriter out) throws IOException, InterruptedException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (var folder = new TemporaryFolder(temporary, "cantle-bench-local-")) {
      return new LocalProcesses(folder.path(), millis, out::println).run(rounds);
    }
  }

  private static Map<String, Object> contents(Map<String, Object> values, LocalResults results) {
    Map<String, Object> all = new LinkedHashMap<>(values);
    all.put("machine", MachineDescription.describeThisMachine());
    all.put("flags", LocalProcesses.FLAGS);
    all.put("rows", results.rows());
    return all;
  }
}
