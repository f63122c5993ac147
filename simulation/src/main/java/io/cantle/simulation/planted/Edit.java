package io.cantle.simulation.planted;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A place in the core, and what stands there when a bug is planted. Texts are compared word by
 * word: how a line is broken does not matter.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param file below the core's package, such as {@code replica/Replica.java}
 * @param from the text that is there, exactly once
 * @param to the text that takes its place
 */
record Edit(String file, String from, String to) {

  /**
   * The source with this edit made.
   *
   * @throws IllegalStateException if the text is not there exactly once
   */
  String appliedTo(String source) {
    Matcher matcher = pattern().matcher(source);
    long count = matcher.results().count();
    if (count != 1) {
      throw new IllegalStateException(
          "a text to be changed is " + count + " times in " + file + ", not once: " + from);
    }
    return matcher.reset().replaceFirst(Matcher.quoteReplacement(to));
  }

  private Pattern pattern() {
    return Pattern.compile(
        Arrays.stream(from.strip().split("\\s+", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s+")));
  }
}
