package io.cantle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs the rounds of a benchmark of maps. Each side has a JVM of its own in each round, or is
 * measured in that of another, one after the other; in every other round the last side is the
 * first.
 *
 * <p><b>Threading:</b> one thread.
 *
 * @param comparison what is compared
 * @param folder for their logs
 * @param measureMillis how long each measure takes
 * @param progress receives each line for the user
 */
record MapProcesses(
    MapComparison comparison, Path folder, int measureMillis, Consumer<String> progress) {
  private static final int GRACE_SECONDS = 60;

  /**
   * Runs all rounds.
   *
   * @throws IOException if a JVM fails, or takes too long
   */
  MapResults run(int rounds) throws IOException, InterruptedException {
    List<List<MapFigure>> all = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      List<MapSide> sides =
          new ArrayList<>(comparison.sides().stream().filter(MapSide::hasJvm).toList());
      if (round % 2 == 0) {
        Collections.reverse(sides);
      }
      List<MapFigure> figures = new ArrayList<>();
      long begin = System.nanoTime();
      for (MapSide side : sides) {
        figures.addAll(runSide(side));
      }
      all.add(figures);
      progress.accept(
          "round %d of %d: %d s"
              .formatted(round, rounds, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin)));
    }
    return new MapResults(comparison, all);
  }

  private List<MapFigure> runSide(MapSide side) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(side.label());
    arguments.addAll(side.arguments());
    arguments.add("" + measureMillis);
    long measuredMillis = 2L * comparison.maxMeasures() * measureMillis;
    return new FigureProcess(
            side.label(), side.product(), comparison.flags(), comparison.program(), arguments)
        .run(
            folder.resolve(side.label() + ".txt"),
            GRACE_SECONDS + TimeUnit.MILLISECONDS.toSeconds(measuredMillis),
            progress);
  }
}
