package io.cantle.simulation.script;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of a script. A line that begins with {@code #} is prose, one that begins with {@code >}
 * is a command, and the indented lines beneath a command are what it produced.
 *
 * <p><b>Threading:</b> immutable.
 */
record ProtocolScript(List<Line> lines) {
  private static final String PROSE = "#";
  private static final String COMMAND = "> ";
  private static final String OUTPUT = "  ";

  /** A line that people wrote: a command, or else prose or nothing. */
  record Line(int number, String text) {
    boolean isCommand() {
      return text.startsWith(COMMAND);
    }

    /** Returns the words of a command. */
    String command() {
      return text.substring(COMMAND.length()).strip();
    }
  }

  /**
   * Reads a script; the outputs in it are dropped.
   *
   * @throws IllegalArgumentException if a line is none of the kinds, or no prose opens the script
   */
  static ProtocolScript parse(String text) {
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith(PROSE) || line.startsWith(COMMAND)) {
        lines.add(new Line(number, line.strip()));
      } else if (!line.startsWith(OUTPUT)) {
        throw new IllegalArgumentException(
            "line " + number + ": begins with none of: # prose, > command, two spaces for output");
      }
    }
    if (lines.isEmpty() || !lines.getFirst().text().startsWith(PROSE)) {
      throw new IllegalArgumentException("line 1: a script opens with prose: # what it shows");
    }
    return new ProtocolScript(lines);
  }

  /** Returns the commands, in order. */
  List<Line> commands() {
    return lines.stream().filter(Line::isCommand).toList();
  }

  /** Returns the whole text with these outputs, one for each command. */
  String withOutputs(List<List<String>> outputs) {
    StringBuilder text = new StringBuilder();
    int next = 0;
    for (Line line : lines) {
      text.append(line.text()).append('\n');
      if (line.isCommand() && next < outputs.size()) {
        outputs.get(next++).forEach(output -> text.append(OUTPUT).append(output).append('\n'));
      }
    }
    return text.toString();
  }
}
