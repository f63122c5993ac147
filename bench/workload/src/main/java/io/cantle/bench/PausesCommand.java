package io.cantle.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench pauses}, which shows how long the garbage collector stops a program
 * whose data are off the heap.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "pauses",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = "cantle bench pauses [--gib=N] [--seconds=N] [--json=FILE]",
    header = "Pauses of the garbage collector with far more data off the heap than on it.",
    descriptionHeading = "%n",
    description = {
      "A JVM with a heap of 1 GiB fills a local cache off the heap with values of 1,000 bytes. Then "
          + "a thread for each processor reads and writes random keys, one put after nine gets, "
          + "while each pause is recorded. No pause may take 10 ms."
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {
      "It needs 17 MiB of free memory for each 16 MiB of values, and 2 GiB more.",
      "Exit code: 0 no pause took too long, 1 one did or something failed, 2 bad input, 3 the machine "
          + "has too little free memory."
    })
final class PausesCommand implements Callable<Integer> {
  private static final String PROGRAM = "io.cantle.bench.cantle.PauseRound";
  private static final List<String> FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");
  private static final String LONGEST = "longest_pause_millis";
  private static final double MAX_PAUSE_MILLIS = 10;
  private static final int MAX_GIB = 1_000;
  private static final int MAX_SECONDS = 3_600;
  private static final int FILL_SECONDS_PER_GIB = 60;
  private static final int GRACE_SECONDS = 60;
  private static final long MEBIBYTES_PER_GIB = 1_088;
  private static final long OTHER_MEBIBYTES = 2_048;
  private static final String AVAILABLE = "MemAvailable:";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--gib",
      paramLabel = "N",
      defaultValue = "10",
      description = "GiB of values, 1 to " + MAX_GIB + ". Default: ${DEFAULT-VALUE}.")
  private int gib;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description =
          "How long pauses are recorded, 1 to " + MAX_SECONDS + ". Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Mixin private ReportOptions report = new ReportOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    OptionRange.requireWithin(spec, "--gib", gib, 1, MAX_GIB);
    OptionRange.requireWithin(spec, "--seconds", seconds, 1, MAX_SECONDS);
    report.requireWritable(spec);
    long neededMebibytes = gib * MEBIBYTES_PER_GIB + OTHER_MEBIBYTES;
    long availableMebibytes = availableMebibytes();
    if (availableMebibytes < neededMebibytes) {
      spec.commandLine()
          .getErr()
          .printf(
              Locale.ROOT,
              "cantle bench pauses: %,d MiB of memory are needed for --gib %d, and %,d are free%n",
              neededMebibytes,
              gib,
              availableMebibytes);
      return Main.EXIT_MISSING_TOOL;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%d GiB of values off the heap, with %s%n", gib, String.join(" ", FLAGS));
    Map<String, Object> values = measure(out);
    out.println();
    report.write(spec, values, FLAGS, Map.of());
    return values.get(LONGEST) instanceof Double longest && longest < MAX_PAUSE_MILLIS
        ? 0
        : Main.FAILED_STATUS;
  }

  private Map<String, Object> measure(PrintWriter out) throws IOException, InterruptedException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    long limitSeconds = (long) gib * FILL_SECONDS_PER_GIB + seconds + GRACE_SECONDS;
    List<MapFigure> figures;
    try (var folder = new TemporaryFolder(temporary, "cantle-bench-pauses-")) {
      figures =
          new FigureProcess(
                  "the JVM", Product.CANTLE, FLAGS, PROGRAM, List.of("" + gib, "" + seconds))
              .run(folder.path().resolve("log.txt"), limitSeconds, out::println);
    }
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("gib", gib);
    values.put("seconds", seconds);
    figures.forEach(figure -> values.put(figure.measure(), figure.amount()));
    values.put("most_wanted_pause_millis", MAX_PAUSE_MILLIS);
    return values;
  }

  /** The memory that is free, or all that the machine has where the system does not tell. */
  private static long availableMebibytes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
        if (line.startsWith(AVAILABLE)) {
          String kibibytes = line.substring(AVAILABLE.length()).replace("kB", "").strip();
          return Long.parseLong(kibibytes) >> 10;
        }
      }
    } catch (IOException absent) {
      // Only Linux has this file.
    }
    return MachineDescription.describeThisMachine().memoryMebibytes();
  }
}
