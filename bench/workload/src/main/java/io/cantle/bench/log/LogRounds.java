package io.cantle.bench.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main class of the JVM of one variant. It measures a cell for each line it reads, so that the
 * variants can take turns while each stays warm and no class path holds two products. It ends with
 * its input, that is with the process that started it.
 *
 * <p><b>Threading:</b> the main thread, and the writers of {@link ClosedLoop} while a cell is
 * measured.
 */
public final class LogRounds {

  /** Begins the line that says which version is measured and how it reaches the disk. */
  public static final String READY = "log-ready ";

  /** Begins the line of a result. */
  public static final String FIGURES = "log-figures ";

  /** Begins the line that says why there is no result. */
  public static final String FAILURE = "log-failure ";

  private final LogVariant variant;
  private final boolean synced;
  private final long delayNanos;
  private final @Nullable LogDriver driver;

  LogRounds(LogVariant variant, boolean synced, long delayNanos) {
    this.variant = variant;
    this.synced = synced;
    this.delayNanos = delayNanos;
    driver = variant.module() == null ? null : driverOf(variant);
  }

  /** Returns the arguments of {@link #main}. */
  public static String[] arguments(LogVariant variant, boolean synced, long delayNanos) {
    return new String[] {variant.name(), Boolean.toString(synced), Long.toString(delayNanos)};
  }

  /** Returns the line that asks for a cell, measured in an existing empty folder. */
  public static String request(LogCell cell, long settleMillis, long millis, Path folder) {
    return cell.writers()
        + " "
        + cell.recordBytes()
        + " "
        + cell.limit()
        + " "
        + cell.waitMillis()
        + " "
        + settleMillis
        + " "
        + millis
        + " "
        + folder;
  }

  /** Parses the figures in a line that begins with {@link #FIGURES}. */
  public static LogFigures figures(String line) {
    String[] words = line.substring(FIGURES.length()).split(" ", -1);
    return new LogFigures(
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]));
  }

  /** Measures the cells that its input asks for. */
  public static void main(String[] args) throws IOException, InterruptedException {
    PrintStream out = System.out;
    // What a product prints must not come between the lines.
    System.setOut(System.err);
    var rounds =
        new LogRounds(
            LogVariant.valueOf(args[0]), Boolean.parseBoolean(args[1]), Long.parseLong(args[2]));
    out.println(READY + rounds.version());
    try (var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.println(rounds.answerRequest(line));
      }
    }
    // A thread that a product left behind must not keep the process.
    System.exit(0);
  }

  private String version() {
    return driver == null ? "" : driver.version();
  }

  /** Returns the line that answers a request. */
  String answerRequest(String request) throws InterruptedException {
    String[] words = request.split(" ", 7);
    var cell =
        new LogCell(
            variant,
            Integer.parseInt(words[0]),
            Integer.parseInt(words[1]),
            Integer.parseInt(words[2]),
            Integer.parseInt(words[3]));
    Path folder = Path.of(words[6]);
    try {
      LogUnderTest log = open(cell, folder);
      LogFigures figures =
          ClosedLoop.run(log, cell, Long.parseLong(words[4]), Long.parseLong(words[5]));
      delete(folder);
      return FIGURES
          + String.join(
              " ",
              Stream.of(
                      figures.appends(),
                      figures.nanos(),
                      figures.cpuNanos(),
                      figures.syncs(),
                      figures.allAppends())
                  .map(String::valueOf)
                  .toList());
    } catch (IOException | RuntimeException thrown) {
      thrown.printStackTrace();
      return FAILURE + String.valueOf(thrown).lines().findFirst().orElse("");
    }
  }

  private LogUnderTest open(LogCell cell, Path folder) throws IOException {
    if (driver != null) {
      return driver.open(new LogSetting(folder, cell, synced, delayNanos));
    }
    LogFile file = ChannelLogFile.preallocated(folder, synced);
    if (delayNanos > 0) {
      file = new DelayedLogFile(file, delayNanos);
    }
    if (!synced) {
      file = new UnsyncedLogFile(file);
    }
    return new RawLoop(file);
  }

  private static LogDriver driverOf(LogVariant variant) {
    return ServiceLoader.load(LogDriver.class)
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("no driver of " + variant.label() + " on this path"));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
