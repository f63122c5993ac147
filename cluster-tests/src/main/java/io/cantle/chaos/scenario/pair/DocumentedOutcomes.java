package io.cantle.chaos.scenario.pair;

import io.cantle.chaos.process.ChaosException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The documented outcome of each thing that may happen to a grid of two: the table of the operating
 * page and the numbered outcomes below it, read from the page itself.
 *
 * <p><b>Threading:</b> immutable.
 */
final class DocumentedOutcomes {
  static final String PAGE = "docs/operating/recovery.md";
  private static final String HEAD = "| what is done | to the | with | outcome |";

  private static final Pattern ITEM = Pattern.compile("(\\d+)\\. (.*)");

  private final Map<List<String>, String> outcomes;

  private DocumentedOutcomes(Map<List<String>, String> outcomes) {
    this.outcomes = Map.copyOf(outcomes);
  }

  /**
   * Reads the table below a folder with the sources.
   *
   * @throws ChaosException if it is not there
   */
  static DocumentedOutcomes below(Path root) throws ChaosException, IOException {
    Path page = root.resolve(PAGE);
    if (!Files.exists(page)) {
      throw new ChaosException(
          ChaosException.LACKING_STATUS, "the page whose table is checked is not there: " + page);
    }
    DocumentedOutcomes read = of(Files.readAllLines(page));
    if (read.outcomes.isEmpty()) {
      throw new ChaosException(ChaosException.FAILED_STATUS, page + " has no table " + HEAD);
    }
    return read;
  }

  /**
   * Reads the lines of a page.
   *
   * @throws ChaosException if the table names an outcome that is not below it
   */
  static DocumentedOutcomes of(List<String> lines) throws ChaosException {
    Map<String, String> texts = texts(lines);
    Map<List<String>, String> outcomes = new HashMap<>();
    int head = lines.indexOf(HEAD);
    for (int line = head + 2; head >= 0 && line < lines.size(); line++) {
      if (!lines.get(line).startsWith("|")) {
        break;
      }
      List<String> cells =
          Arrays.stream(lines.get(line).split("\\|", -1)).map(String::strip).skip(1).toList();
      String text = texts.get(cells.get(3));
      if (text == null) {
        throw new ChaosException(
            ChaosException.FAILED_STATUS, PAGE + " has no outcome " + cells.get(3));
      }
      for (String role : cells.get(1).split(", ", -1)) {
        for (String with : cells.get(2).split(", ", -1)) {
          outcomes.put(List.of(cells.get(0), role, with), text);
        }
      }
    }
    return new DocumentedOutcomes(outcomes);
  }

  /** Returns the texts of the numbered outcomes behind the table, each in one line. */
  private static Map<String, String> texts(List<String> lines) {
    Map<String, String> texts = new HashMap<>();
    String number = "";
    for (String line : lines.subList(Math.max(0, lines.indexOf(HEAD)), lines.size())) {
      Matcher item = ITEM.matcher(line);
      if (item.matches()) {
        number = item.group(1);
        texts.put(number, item.group(2));
      } else if (line.startsWith("   ")) {
        texts.merge(number, line.strip(), (text, more) -> text + " " + more);
      }
    }
    return texts;
  }

  /** Returns how many outcomes there are. */
  int count() {
    return outcomes.size();
  }

  /** Returns what happens when this is done; empty if the page does not say. */
  Optional<String> of(String what, String role, String with) {
    return Optional.ofNullable(outcomes.get(List.of(what, role, with)));
  }
}
