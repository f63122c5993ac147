package io.cantle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A JVM that runs a program of Cantle's benchmarks, which prints figures.
 *
 * <p><b>Threading:</b> one thread; another of its own reads the output.
 *
 * @param name for messages
 * @param product whose class path the program has
 * @param flags of the JVM
 * @param program the main class
 * @param arguments of the program
 */
record FigureProcess(
    String name, Product product, List<String> flags, String program, List<String> arguments) {
  /**
   * Runs the program to its end.
   *
   * @param log receives what it reports of itself
   * @param others receives each line of the output that is not a figure
   * @return the figures, in the order in which they were printed
   * @throws IOException if it fails, or takes longer than the limit
   */
  List<MapFigure> run(Path log, long limitSeconds, Consumer<String> others)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", PeerRoundProcess.classPath(product.label()), program));
    command.addAll(arguments);
    List<MapFigure> figures = new ArrayList<>();
    try (var child = new BenchmarkChildProcess()) {
      Process process = child.start(new ProcessBuilder(command).redirectError(log.toFile()));
      Thread reader =
          FigureLines.read(process, cells -> figures.add(MapFigure.parse(cells)), others);
      if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
        throw new IOException(name + " did not end within " + limitSeconds + " s");
      }
      reader.join();
      if (process.exitValue() != 0) {
        throw new IOException(
            name + " ended with exit code " + process.exitValue() + FigureLines.describeEnd(log));
      }
    }
    return figures;
  }
}
