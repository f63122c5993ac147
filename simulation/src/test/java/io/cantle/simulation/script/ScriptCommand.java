package io.cantle.simulation.script;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A command of scripts: how it is written, and what it does.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param usage words to be written as they are, and words in capitals that stand for one word each;
 *     the last may end with dots and stands for all that is left, one word at least
 * @param action what it does with the words that stand for something
 */
record ScriptCommand(String usage, Action action) {
  private static final String REST = "...";

  /** What a command does. */
  @FunctionalInterface
  interface Action {
    void run(List<String> words);
  }

  /**
   * Returns the words that stand for something, or null if the text is not written as it should.
   */
  @Nullable List<String> match(String text) {
    List<String> given = Arrays.asList(text.split(" +"));
    List<String> expected = Arrays.asList(usage.split(" "));
    List<String> found = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      String word = expected.get(i);
      if (i >= given.size()) {
        return null;
      }
      if (word.endsWith(REST)) {
        found.addAll(given.subList(i, given.size()));
        return found;
      }
      if (isPlaceholder(word)) {
        found.add(given.get(i));
      } else if (!word.equals(given.get(i))) {
        return null;
      }
    }
    return given.size() == expected.size() ? found : null;
  }

  private static boolean isPlaceholder(String word) {
    return word.chars().allMatch(Character::isUpperCase);
  }

  /**
   * Runs the command that a line is.
   *
   * @throws IllegalArgumentException naming the line, with the list of commands, if it is none
   */
  static void run(List<ScriptCommand> all, ProtocolScript.Line line) {
    for (ScriptCommand command : all) {
      List<String> words = command.match(line.command());
      if (words != null) {
        command.action().run(words);
        return;
      }
    }
    throw new IllegalArgumentException(
        "no command is written so; the commands are:\n  "
            + all.stream().map(ScriptCommand::usage).collect(Collectors.joining("\n  ")));
  }
}
