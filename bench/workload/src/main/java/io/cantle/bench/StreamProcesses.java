package io.cantle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The three processes of {@code bench streams}: two nodes that hold flights, and one that also runs
 * the pipelines.
 *
 * <p><b>Threading:</b> one thread; others of its own read the output of the processes.
 */
final class StreamProcesses implements AutoCloseable {
  /**
   * The heap of the process that asks, which has the list too. New objects have so much of it that
   * most rounds run without a collection, whose time depends on what is alive just then.
   */
  static final List<String> ASKING_HEAP = List.of("-Xms4g", "-Xmx4g", "-Xmn3g");

  /** The heap of each of the others. */
  static final List<String> HOLDING_HEAP = List.of("-Xms1g", "-Xmx1g");

  /** The other flags of each process. */
  static final List<String> FLAGS =
      List.of(
          "-XX:+UseParallelGC",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");

  private static final String PROGRAMS = "io.cantle.bench.streams.";
  private static final String ASKING = "StreamRounds";
  private static final int HOLDERS = 2;
  private static final int LIMIT_SECONDS = 280;

  private final String grid = "bench-" + UUID.randomUUID();
  private final int firstPort = ClusterPorts.findFirst();
  private final List<BenchmarkChildProcess> children = new ArrayList<>();
  private final Path folder;
  private final Consumer<String> progress;
  private final List<StreamRow> rows = new ArrayList<>();

  /**
   * Creates the processes; nothing runs yet.
   *
   * @param folder for their logs
   * @param progress receives each line for the user
   */
  StreamProcesses(Path folder, Consumer<String> progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /**
   * Runs all rounds.
   *
   * @param flights the file of the flights
   * @throws IOException if a process fails, or all takes too long
   */
  StreamResults run(Path flights, int warmUpRounds, int rounds)
      throws IOException, InterruptedException {
    String classPath = PeerRoundProcess.classPath(Product.CANTLE.label());
    for (int node = 1; node <= HOLDERS; node++) {
      start("node-" + node, classPath, List.of("StreamNode", grid, "" + firstPort, "" + node));
    }
    Process asking =
        start(
            "node-0",
            classPath,
            List.of(
                ASKING, grid, "" + firstPort, flights.toString(), "" + warmUpRounds, "" + rounds));
    Thread reader = FigureLines.read(asking, cells -> rows.add(StreamRow.parse(cells)), progress);
    if (!asking.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("no end after " + LIMIT_SECONDS + " s: try fewer --rounds");
    }
    reader.join();
    if (asking.exitValue() != 0) {
      throw new IOException(
          "the process that asks ended with exit code "
              + asking.exitValue()
              + FigureLines.describeEnd(folder.resolve("node-0.txt")));
    }
    return new StreamResults(rows);
  }

  private Process start(String name, String classPath, List<String> program) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    boolean asks = program.getFirst().equals(ASKING);
    command.addAll(asks ? ASKING_HEAP : HOLDING_HEAP);
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", classPath, PROGRAMS + program.getFirst()));
    command.addAll(program.subList(1, program.size()));
    BenchmarkChildProcess child = new BenchmarkChildProcess();
    children.add(child);
    Path log = folder.resolve(name + ".txt");
    ProcessBuilder process = new ProcessBuilder(command).redirectError(log.toFile());
    if (!asks) {
      process.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    }
    return child.start(process);
  }

  /** Ends the processes that still run. */
  @Override
  public void close() {
    children.forEach(BenchmarkChildProcess::close);
  }
}
