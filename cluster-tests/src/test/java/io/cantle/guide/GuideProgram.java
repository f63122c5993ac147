package io.cantle.guide;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A program of a page, and what the page says it prints.
 *
 * <p>A Java block that begins with an import is a file of its own, and runs if it has a {@code
 * main}. All other Java blocks of a page are one program, in the frame that the guide shows. What
 * is printed stands in a comment behind the call of {@code IO.println}, or in a text block after
 * the Java block. There, three dots stand for anything, and line ends for any space.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param page the path of the page
 * @param type the name of its class
 * @param source its source file
 * @param prints what it is to print
 */
record GuideProgram(String page, String type, String source, String prints) {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(java|text)\\R(.*?)^```$");
  private static final Pattern COMMENT = Pattern.compile("(?m)\\bIO\\.println\\(.*; +// (.*)$");

  /** Where the blocks of a page are put. */
  private static final String PLACE = "// the code of a page\n";

  /** Finds the frame in the index of the guide. */
  static String frame(String index) {
    return BLOCK
        .matcher(index)
        .results()
        .map(block -> block.group(2))
        .filter(block -> block.contains(PLACE))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no block has the line " + PLACE));
  }

  /** Finds the programs of a page. */
  static List<GuideProgram> of(String page, String text, String frame) {
    List<GuideProgram> programs = new ArrayList<>();
    StringBuilder framed = new StringBuilder();
    StringBuilder framedPrints = new StringBuilder();
    boolean complete = false;
    for (Matcher block = BLOCK.matcher(text); block.find(); ) {
      String content = block.group(2);
      if (content.contains(PLACE)) {
        continue;
      }
      boolean isOutput = block.group(1).equals("text");
      complete = isOutput ? complete : content.startsWith("import ");
      if (isOutput && complete) {
        programs.add(programs.removeLast().printing(content));
      } else if (isOutput) {
        framedPrints.append(content);
      } else if (complete) {
        String type = typeName(page) + (programs.size() + 1);
        programs.add(new GuideProgram(page, type, content, comments(content)));
      } else {
        framed.append(content);
        framedPrints.append(comments(content));
      }
    }
    if (!framed.isEmpty()) {
      String source = frame.replace(PLACE, "\n" + framed);
      programs.add(new GuideProgram(page, typeName(page), source, framedPrints.toString()));
    }
    return programs;
  }

  private GuideProgram printing(String more) {
    return new GuideProgram(page, type, source, prints + more);
  }

  private static String comments(String source) {
    return COMMENT
        .matcher(source)
        .results()
        .map(comment -> comment.group(1) + "\n")
        .collect(Collectors.joining());
  }

  /** Makes {@code ReadingAndWriting} of {@code docs/guide/reading-and-writing.md}. */
  private static String typeName(String page) {
    String name = page.substring(page.lastIndexOf('/') + 1, page.lastIndexOf('.'));
    return Stream.of(name.split("-", -1))
        .map(
            word ->
                word.substring(0, 1).toUpperCase(Locale.ROOT)
                    + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /** Whether it can be run. */
  boolean hasMain() {
    return source.contains("void main(");
  }

  /** Whether an output is what the page says. */
  boolean describes(String output) {
    String pattern =
        Stream.of(unify(prints).split("\\.\\.\\.", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*"));
    return unify(output).matches(pattern);
  }

  private static String unify(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
