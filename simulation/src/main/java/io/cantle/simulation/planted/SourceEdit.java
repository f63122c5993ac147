package io.cantle.simulation.planted;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A replacement of one text in the sources by another, which plants a bug. Texts are compared word
 * by word: spaces and line breaks do not matter.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param file below the core's package, such as {@code replica/Replica.java}; a file of another
 *     module is named from the project's folder, with a slash in front: {@code
 *     /network/src/main/java/io/cantle/network/Frame.java}
 * @param from the text that is there, exactly once
 * @param to the text that replaces it
 */
public record SourceEdit(String file, String from, String to) {
  /** A name, a number, or a punctuation character. */
  private static final Pattern WORD_PATTERN = Pattern.compile("\\w+|[^\\w\\s]");

  /**
   * Returns the source with this edit made.
   *
   * @throws IllegalStateException if the text is not there exactly once
   */
  String applyTo(String source) {
    Matcher matcher = pattern().matcher(source);
    long count = matcher.results().count();
    if (count != 1) {
      throw new IllegalStateException(
          "a text to be changed is " + count + " times in " + file + ", not once: " + from);
    }
    return matcher.reset().replaceFirst(Matcher.quoteReplacement(to));
  }

  private Pattern pattern() {
    StringBuilder pattern = new StringBuilder();
    Matcher words = WORD_PATTERN.matcher(from);
    boolean afterName = false;
    while (words.find()) {
      boolean name =
          words.group().length() > 1 || Character.isLetterOrDigit(words.group().charAt(0));
      if (!pattern.isEmpty()) {
        pattern.append(name && afterName ? "\\s+" : "\\s*");
      }
      pattern.append(Pattern.quote(words.group()));
      afterName = name;
    }
    return Pattern.compile(pattern.toString());
  }
}
