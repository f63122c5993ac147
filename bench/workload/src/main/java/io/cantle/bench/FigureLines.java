package io.cantle.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * What the program of a benchmark prints. Lines of figures begin with a word and have tabs between
 * their cells; any other line is for the user.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FigureLines {
  private static final String FIGURES = "figures\t";
  private static final int SHOWN_LOG_LINES = 5;

  private FigureLines() {}

  /**
   * Reads what a process prints, until its end.
   *
   * @param figures receives the cells of each line of figures; the first is the word
   * @param others receives each other line
   * @return the thread that reads
   */
  static Thread read(Process process, Consumer<String[]> figures, Consumer<String> others) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  if (line.startsWith(FIGURES)) {
                    figures.accept(line.split("\t", -1));
                  } else {
                    others.accept(line);
                  }
                }
              } catch (IOException ended) {
                // The process was ended in the middle of a line; its exit code says so.
              }
            });
  }

  /** Returns a phrase with the last lines of a log, or an empty text if it has none. */
  static String describeEnd(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LOG_LINES), lines.size());
    return last.isEmpty() ? "" : "; its log ends with:\n" + String.join("\n", last);
  }
}
