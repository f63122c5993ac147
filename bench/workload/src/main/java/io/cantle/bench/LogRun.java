package io.cantle.bench;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogFigures;
import io.cantle.bench.log.LogVariant;
import io.cantle.bench.log.WriteMode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A run of a {@link LogPlan}: a JVM for each variant. All of them stay up for the whole run, and
 * one works at a time.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LogRun implements AutoCloseable {
  private final LogPlan plan;
  private final RecordFolder records;
  private final PrintWriter out;
  private final PrintWriter err;
  private final LogResults results = new LogResults();
  private final LogResults seedResults = new LogResults();
  private final Map<LogVariant, LogProcess> processes = new EnumMap<>(LogVariant.class);
  private final Map<String, String> versions = new TreeMap<>();
  private final Path logs;
  private int failures;
  private int measured;

  /**
   * Creates a run; nothing runs yet.
   *
   * @param logs an empty folder for what the JVMs print; it is removed if nothing goes wrong
   */
  LogRun(LogPlan plan, RecordFolder records, Path logs, PrintWriter out, PrintWriter err) {
    this.plan = plan;
    this.records = records;
    this.logs = logs;
    this.out = out;
    this.err = err;
  }

  /** Starts and warms up a JVM for each variant. */
  void start(boolean synced, long delayNanos) throws InterruptedException {
    for (LogVariant variant : plan.variants()) {
      out.println("starting " + variant.label());
      try {
        Path log = logs.resolve(variant.label() + ".txt");
        var process = new LogProcess(variant, synced, delayNanos, log);
        processes.put(variant, process);
        if (!process.version().isEmpty()) {
          versions.put(variant.label(), process.version());
        }
        process.measure(warmUp(variant), 0, LogPlan.WARM_UP_MILLIS, records.next());
      } catch (IOException | IllegalStateException failure) {
        recordFailure("starting " + variant.label(), failure);
      }
    }
  }

  private LogCell warmUp(LogVariant variant) {
    return plan.cells().stream()
        .filter(cell -> cell.variant() == variant)
        .reduce((one, other) -> other)
        .orElseGet(() -> LogCell.of(variant, 1));
  }

  /** Measures every cell, and lets fio write where it is installed. */
  void round(int round, int rounds, @Nullable FioBenchmark fio, WriteMode sink)
      throws InterruptedException {
    String title = String.format(Locale.ROOT, "round %d of %d, ", round, rounds);
    for (LogCell cell : plan.cells()) {
      measure(title, round, cell, results);
    }
    if (fio == null) {
      return;
    }
    for (int bytes : plan.fioSizes()) {
      try {
        double writes = fio.writesPerSecond(records.path(), sink, bytes, plan.fioSeconds());
        results.addFio(round, bytes, writes);
        out.printf(
            Locale.ROOT,
            "%sfio: %s writes/s of %,d bytes%n",
            title,
            PeerTable.figure(writes),
            bytes);
      } catch (IOException failure) {
        recordFailure(title + "fio", failure);
      }
    }
  }

  /** Measures the matrix of the 2013 mail. */
  void seedTable() throws InterruptedException {
    int done = 0;
    for (LogCell cell : plan.seedCells()) {
      done++;
      String title =
          String.format(Locale.ROOT, "the mail's table, %d of %d, ", done, plan.seedCells().size());
      measure(title, 1, cell, seedResults);
    }
  }

  private void measure(String title, int round, LogCell cell, LogResults into)
      throws InterruptedException {
    LogProcess process = processes.get(cell.variant());
    if (process == null) {
      // It was counted and reported when it did not start.
      return;
    }
    String label =
        title + cell.writers() + (cell.writers() == 1 ? " writer, " : " writers, ") + cell.label();
    try {
      LogFigures figures =
          process.measure(cell, LogPlan.SETTLE_MILLIS, plan.millis(cell), records.next());
      into.add(round, cell, figures);
      measured++;
      out.printf(
          Locale.ROOT,
          "%s: %s appends/s, %s processors%n",
          label,
          PeerTable.figure(figures.perSecond()),
          PeerTable.figure(figures.processors()));
    } catch (IOException failure) {
      recordFailure(label, failure);
    }
  }

  private void recordFailure(String label, Exception failure) {
    failures++;
    err.println("cantle bench: " + label + ": " + failure.getMessage() + " (output: " + logs + ")");
  }

  /** Returns the table of the rounds. */
  List<LogRow> rows() {
    return LogRow.of(results, versions);
  }

  /** Returns the table of the 2013 mail; empty if it was not measured. */
  List<LogRow> seedRows() {
    return LogRow.of(seedResults, versions);
  }

  /** Returns what the rounds measured. */
  LogResults results() {
    return results;
  }

  /** Returns how many things went wrong. */
  int failures() {
    return failures;
  }

  /** Returns how many figures there are. */
  int measuredCount() {
    return measured;
  }

  /** Ends the JVMs; their output is kept only if something went wrong. */
  @Override
  public void close() throws IOException {
    processes.values().forEach(LogProcess::close);
    if (failures == 0) {
      for (LogVariant variant : processes.keySet()) {
        Files.deleteIfExists(logs.resolve(variant.label() + ".txt"));
      }
      Files.deleteIfExists(logs);
    }
  }
}
