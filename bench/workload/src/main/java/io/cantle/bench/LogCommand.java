package io.cantle.bench;

import io.cantle.bench.log.LogVariant;
import io.cantle.bench.log.WriteMode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code bench log}, which compares append logs by the cost of a durable append.
 *
 * <p><b>Threading:</b> one thread, the main one.
 */
@Command(
    name = "log",
    sortOptions = false,
    usageHelpWidth = 100,
    customSynopsis = {
      "cantle bench log [--writers=N,M] [--seconds=N] [--rounds=N] [--json=FILE] [--seed-table]",
      "                 [--dir=DIR] [--sync-delay-millis=N] [--unsynced] [--logs=A,B]",
    },
    header = "Cantle's append log beside others, at the same work.",
    descriptionHeading = "%n",
    description = {
      "Writers append records of 1 KiB, each the next when the last is durable. Compared are the five "
          + "logs of a mail of 2013 as strategies of Cantle's log (waiting with the exact number of "
          + "writers as limit, 1 ms), its default, "
          + "RocksDB's synchronous put, the journal of Artemis, and with one writer a loop of write and "
          + "sync. Each has a JVM of its own; they take turns in every round.",
      "The limit is what a loop of one writer can sync of the records of all; fio measures it too where "
          + "it is installed.",
    },
    optionListHeading = "%n",
    footerHeading = "%n",
    footer = {
      "Logs: simple, waiting, single-spinning, single-yielding, single-waiting, cantle, "
          + "cantle-platform (the same from platform threads, only if named), rocksdb, artemis, raw.",
      "Exit code: 0 all measured, 1 something failed, 2 bad input."
    })
final class LogCommand implements Callable<Integer> {
  private static final int MAX_WRITERS = 1_000;
  private static final int MAX_SECONDS = 600;
  private static final int MAX_ROUNDS = 100;
  private static final int MAX_DELAY_MILLIS = 1_000;

  private static final Set<LogVariant> DEFAULT_VARIANTS =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(LogVariant.CANTLE_PLATFORM)));

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--writers",
      paramLabel = "N,M",
      split = ",",
      hideParamSyntax = true,
      defaultValue = "20,80",
      description =
          "How many append at once, each 1 to " + MAX_WRITERS + ". Default: ${DEFAULT-VALUE}.")
  private List<Integer> writers = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "How long each figure is measured, 1 to "
              + MAX_SECONDS
              + "; those that vary little, or are "
              + "only shown, 2 at most. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description =
          "1 to "
              + MAX_ROUNDS
              + ". Default: "
              + LogPlan.ROUNDS
              + ", or what fits into ten minutes.")
  private @Nullable Integer rounds;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the figures, the tables and the machine to this file as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--seed-table",
      description =
          "Also the mail's own matrix, once: 4 to 20 writers, limits n, 2n, n/2, waits 1, 2, 4 ms.")
  private boolean seedTable;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "Where a folder for the records is made, and removed. Default: here.")
  private Path folder = Path.of(".");

  @Option(
      names = "--sync-delay-millis",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Each sync takes so much longer, up to "
              + MAX_DELAY_MILLIS
              + "; without the peers, whose syncs cannot be delayed.")
  private int syncDelayMillis;

  @Option(
      names = "--unsynced",
      description = "Nothing is synced: what the logs cost without the disk.")
  private boolean unsynced;

  @Option(
      names = "--logs",
      paramLabel = "A,B",
      split = ",",
      converter = LogVariantConverter.class,
      description = "Some of the logs below. Default: all that can be measured.")
  private @Nullable List<LogVariant> logs;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // Picocli acts on it before the command runs.
  private boolean help;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    boolean disk = !unsynced && syncDelayMillis == 0;
    FioBenchmark fio = disk ? FioBenchmark.findIn(System.getenv("PATH")) : null;
    LogPlan plan = LogPlan.of(writers, variants(), seconds, seedTable, fio != null);
    int count = rounds != null ? rounds : plan.roundsThatFit();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    long begin = System.nanoTime();
    try (var records = new RecordFolder(folder)) {
      WriteMode sink = WriteMode.of(records.path());
      out.printf(
          Locale.ROOT,
          "%s; rounds: %d; about %d min%n",
          String.join(", ", plan.variants().stream().map(LogVariant::label).toList()),
          count,
          Math.max(1, Math.round(plan.expectedSeconds(count) / 60.0)));
      Path output = Files.createTempDirectory("cantle-bench-log-output-");
      try (var run = new LogRun(plan, records, output, out, err)) {
        run.start(!unsynced, TimeUnit.MILLISECONDS.toNanos(syncDelayMillis));
        for (int round = 1; round <= count; round++) {
          run.round(round, count, fio, sink);
        }
        run.seedTable();
        String limit = disk ? describeFio(fio) : "not run: the disk is not what is measured";
        print(run, limit);
        Map<String, Object> values = values(run, count, sink, fio, begin);
        BenchmarkJsonFile.write(spec, json, () -> BenchmarkJson.toJson(contents(run, values)));
        values.forEach((name, value) -> out.println(name + ": " + format(value)));
        return run.failures() == 0 ? 0 : Main.FAILED_STATUS;
      }
    }
  }

  private Set<LogVariant> variants() {
    Set<LogVariant> chosen = EnumSet.copyOf(logs == null ? DEFAULT_VARIANTS : Set.copyOf(logs));
    if (logs == null && syncDelayMillis > 0) {
      chosen.removeIf(variant -> !variant.canBeDelayed());
    }
    return chosen;
  }

  private void print(LogRun run, String fio) {
    PrintWriter out = spec.commandLine().getOut();
    out.println();
    new LogTable(run.rows()).print(out);
    out.println("the limit by fio: " + fio);
    for (int count : new TreeSet<>(writers)) {
      RoundSpread limit = run.results().fioPerSecond(count);
      if (limit != null) {
        out.printf(
            Locale.ROOT,
            "the limit by fio, %d writers: %s appends/s (%s to %s)%n",
            count,
            PeerTable.figure(limit.median()),
            PeerTable.figure(limit.min()),
            PeerTable.figure(limit.max()));
      }
    }
    LogTable.printRatios(out, run.results().ratios());
    if (seedTable) {
      out.println();
      out.println("the mail's table, one round");
      new LogTable(run.seedRows()).print(out);
    }
    out.println();
  }

  private static String describeFio(@Nullable FioBenchmark fio) {
    return fio == null ? "missing: fio is not installed" : fio.program().toString();
  }

  private Map<String, Object> values(
      LogRun run, int count, WriteMode sink, @Nullable FioBenchmark fio, long begin)
      throws IOException {
    Map<String, Object> values = new LinkedHashMap<>();
    run.results().ratios().forEach((name, ratio) -> values.put(name, ratio.median()));
    values.put("sync_delay_millis", syncDelayMillis);
    values.put("synced", unsynced ? "no" : "yes");
    values.put("file_system", RecordFolder.fileSystem(folder));
    values.put("raw_sink", sink.text());
    values.put("fio", fio == null ? "missing" : "measured");
    values.put("rounds", count);
    values.put("figures", run.measuredCount());
    values.put("seconds", Duration.ofNanos(System.nanoTime() - begin).toSeconds());
    values.put("failures", run.failures());
    return values;
  }

  private static String format(Object value) {
    return value instanceof Double number ? PeerTable.figure(number) : value.toString();
  }

  private static Map<String, Object> contents(LogRun run, Map<String, Object> values) {
    Map<String, Object> all = new LinkedHashMap<>(values);
    all.put("spreads", run.results().ratios());
    all.put("table", run.rows());
    all.put("seed_table", run.seedRows());
    all.put("machine", MachineDescription.describeThisMachine());
    all.put("flags", LogProcess.FLAGS);
    return all;
  }

  private void check() throws IOException {
    for (int count : writers) {
      OptionRange.requireWithin(spec, "--writers", count, 1, MAX_WRITERS);
    }
    OptionRange.requireWithin(spec, "--seconds", seconds, 1, MAX_SECONDS);
    OptionRange.requireWithin(spec, "--sync-delay-millis", syncDelayMillis, 0, MAX_DELAY_MILLIS);
    if (rounds != null) {
      OptionRange.requireWithin(spec, "--rounds", rounds, 1, MAX_ROUNDS);
    }
    if (unsynced && syncDelayMillis > 0) {
      throw invalidParameter(
          "--unsynced leaves no sync for --sync-delay-millis " + syncDelayMillis);
    }
    if (logs != null && syncDelayMillis > 0) {
      for (LogVariant variant : logs) {
        if (!variant.canBeDelayed()) {
          throw invalidParameter("the syncs of " + variant.label() + " cannot be delayed");
        }
      }
    }
    BenchmarkJsonFile.requireWritable(spec, json);
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      throw invalidParameter("--dir " + folder + " is not a folder that can be written");
    }
    String fileSystem = RecordFolder.fileSystem(folder);
    if (!unsynced && RecordFolder.isMemory(fileSystem)) {
      throw invalidParameter(
          "--dir "
              + folder
              + " is on "
              + fileSystem
              + ", where a sync does nothing: name a folder on a disk, or --unsynced");
    }
  }

  private ParameterException invalidParameter(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
