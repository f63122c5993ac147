package io.cantle.bench;

import io.cantle.bench.local.LocalRound;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs the rounds of {@code bench local}. Each side has a JVM of its own in each round, one after
 * the other; in every other round the last side is the first.
 *
 * <p><b>Threading:</b> one thread; another of its own reads the output of a JVM.
 *
 * @param folder for their logs
 * @param measureMillis how long each measure takes
 * @param progress receives each line for the user
 */
record LocalProcesses(Path folder, int measureMillis, Consumer<String> progress) {
  /** The flags of each JVM. */
  static final List<String> FLAGS =
      List.of(
          "-Xms2g",
          "-Xmx2g",
          "-XX:+UseG1GC",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");

  private static final int GRACE_SECONDS = 60;

  /** More measures than a round has. */
  private static final int MAX_MEASURES = 8;

  /**
   * Runs all rounds.
   *
   * @throws IOException if a JVM fails, or takes too long
   */
  LocalResults run(int rounds) throws IOException, InterruptedException {
    List<List<LocalFigure>> all = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      List<LocalSide> sides = new ArrayList<>(List.of(LocalSide.values()));
      if (round % 2 == 0) {
        Collections.reverse(sides);
      }
      List<LocalFigure> figures = new ArrayList<>();
      long begin = System.nanoTime();
      for (LocalSide side : sides) {
        figures.addAll(runSide(side));
      }
      all.add(figures);
      progress.accept(
          "round %d of %d: %d s"
              .formatted(round, rounds, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)));
    }
    return new LocalResults(all);
  }

  private List<LocalFigure> runSide(LocalSide side) throws IOException, InterruptedException {
    Path log = folder.resolve(side.label() + ".txt");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", PeerRoundProcess.classPath(side.product().label())));
    command.add(LocalRound.class.getName());
    command.addAll(List.of(side.label(), "" + side.segments(), "" + measureMillis));
    List<LocalFigure> figures = new ArrayList<>();
    try (var child = new BenchmarkChildProcess()) {
      Process process = child.start(new ProcessBuilder(command).redirectError(log.toFile()));
      Thread reader =
          FigureLines.read(process, cells -> figures.add(LocalFigure.parse(side, cells)), progress);
      long limitMillis =
          TimeUnit.SECONDS.toMillis(GRACE_SECONDS) + 2L * MAX_MEASURES * measureMillis;
      if (!process.waitFor(limitMillis, TimeUnit.MILLISECONDS)) {
        throw new IOException(side.label() + " did not end within " + limitMillis + " ms");
      }
      reader.join();
      if (process.exitValue() != 0) {
        throw new IOException(
            side.label()
                + " ended with exit code "
                + process.exitValue()
                + FigureLines.describeEnd(log));
      }
    }
    return figures;
  }
}
