package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench streams}, which runs usual pipelines over a grid and over a list.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "streams",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = "cantle bench streams [--rounds=N] [--json=FILE]",
    header = "The most usual pipelines, over a grid of three processes and over a list.",
    descriptionHeading = "%n",
    description = {
      "Loads the 336,776 flights of 2013 into three processes on this machine, with two owners each, "
          + "and into a list. Each round runs 30 pipelines over both, one after the other, and "
          + "compares the results. The times are medians over the rounds, after rounds that warm up. "
          + "It needs 6 GiB of memory: 4 for the process that asks, and 1 for each of the others.",
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {
      "sorted_limit_ratio: how many times as long as the list the slowest pipeline takes that sorts "
          + "and takes the first ten; at most 4 is wanted. to_map_to_iterate_ratio: a map of all "
          + "entries beside an iteration over them; at most 1.3.",
      "Exit code: 0 no result differs and both ratios are as wanted, 1 one is not or something "
          + "failed, 2 bad input."
    })
final class StreamsCommand implements Callable<Integer> {
  private static final int WARM_UP_ROUNDS = 10;
  private static final int MAX_ROUNDS = 100;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "15",
      description = "Rounds that count, 1 to " + MAX_ROUNDS + ". Default: ${DEFAULT-VALUE}.")
  private int rounds;

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
    OptionRange.requireWithin(spec, "--rounds", rounds, 1, MAX_ROUNDS);
    BenchmarkJsonFile.requireWritable(spec, json);
    PrintWriter out = spec.commandLine().getOut();
    long begin = System.nanoTime();
    StreamResults results = measure(out);
    out.println();
    new StreamTable(results.rows()).print(out);
    out.println();
    Map<String, Object> values = new LinkedHashMap<>(results.values());
    values.put("rounds", rounds);
    values.put("seconds", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    BenchmarkJsonFile.write(spec, json, () -> BenchmarkJson.toJson(contents(values, results)));
    values.forEach((name, value) -> out.println(name + ": " + text(value)));
    return results.holds() ? 0 : Main.FAILED_STATUS;
  }

  private StreamResults measure(PrintWriter out) throws IOException, InterruptedException {
    Path flights = PeerRoundProcess.root().resolve("data").resolve("flights-2013.csv.gz");
    if (!Files.isReadable(flights)) {
      throw new IOException("cannot read the flights: no " + flights);
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (var folder = new TemporaryFolder(temporary, "cantle-bench-streams-");
        var processes = new StreamProcesses(folder.path(), out::println)) {
      return processes.run(flights, WARM_UP_ROUNDS, rounds);
    }
  }

  private static Map<String, Object> contents(Map<String, Object> values, StreamResults results) {
    Map<String, Object> all = new LinkedHashMap<>(values);
    all.put("machine", MachineDescription.describeThisMachine());
    all.put("asking_heap", String.join(" ", StreamProcesses.ASKING_HEAP));
    all.put("holding_heap", String.join(" ", StreamProcesses.HOLDING_HEAP));
    all.put("flags", StreamProcesses.FLAGS);
    all.put("rows", results.rows().stream().map(StreamRow::values).toList());
    return all;
  }

  private static String text(Object value) {
    return value instanceof Double ratio
        ? String.format(Locale.ROOT, "%.2f", ratio)
        : value.toString();
  }
}
