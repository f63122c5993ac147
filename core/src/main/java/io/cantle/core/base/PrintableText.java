package io.cantle.core.base;

/**
 * Text that came from elsewhere, as it may stand in a message or a line of a log: without
 * characters that a terminal or a log might interpret, and cut if it is long.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class PrintableText {
  /** The character that decoders put where bytes are not text. */
  private static final int UNDECODABLE = 0xFFFD;

  private PrintableText() {}

  /** Returns the text, with a question mark for each character that is not to be printed. */
  public static String of(String text, int maxChars) {
    if (text.length() <= maxChars && text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      return text;
    }
    StringBuilder printed = new StringBuilder();
    text.codePoints()
        .limit(maxChars)
        .map(point -> isPrintable(point) ? point : '?')
        .forEach(printed::appendCodePoint);
    return text.codePointCount(0, text.length()) > maxChars
        ? printed.append("...").toString()
        : printed.toString();
  }

  /** Whether no terminal and no log interprets this character. */
  public static boolean isPrintable(int point) {
    if (point == UNDECODABLE) {
      return false;
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
