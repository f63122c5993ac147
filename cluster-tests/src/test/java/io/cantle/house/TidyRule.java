package io.cantle.house;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A rule for what no line of a file may contain. Rules that need a parser are left to Error Prone
 * and the formatter; these rules need only a search by line. A pattern writes one letter in
 * brackets where it would otherwise match itself.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param description what is banned, as the message says it
 * @param applies the files to which the rule applies
 * @param banned what is searched in each line
 */
record TidyRule(String description, Predicate<SourceFile> applies, Pattern banned) {

  /** A file longer than this opens with its design. */
  static final int LONG_FILE_LINES = 500;

  /** No file of the product is longer. */
  static final int MAX_FILE_LINES = 600;

  /** No decision page is longer. */
  static final int MAX_DECISION_LINES = 150;

  /** A design takes at least this many lines. */
  static final int DESIGN_BLOCK_LINES = 10;

  static final TidyRule SLEEPS =
      new TidyRule(
          "a sleep in a test: advance the clock instead",
          // Tests with real processes have no clock to advance.
          file -> file.isJava() && file.isTest() && !file.isIn("cluster-tests"),
          Pattern.compile("\\b(Thread|TimeUnit\\.\\w+)\\.sleep\\(|\\bAwaitility\\b"));

  static final TidyRule DISABLED_TESTS =
      new TidyRule(
          "a disabled test: fix it or delete it",
          file -> file.isJava() && file.isTest(),
          Pattern.compile("@[D]isabled|@[I]gnore\\b|\\b[a]ssumeTrue\\(false"));

  static final TidyRule NOTES_TO_SELF =
      new TidyRule(
          "a note to self without an issue: write (#number) behind it",
          file -> !file.path().endsWith(".md"),
          Pattern.compile("\\b(TO[D]O|FIX[M]E|XX[X])\\b(?!\\(#\\d+\\))"));

  static final TidyRule TABS =
      new TidyRule("a tab: use spaces", file -> true, Pattern.compile("\t"));

  static final TidyRule MERGE_MARKS =
      new TidyRule(
          "a merge that was not finished: choose between the sides",
          file -> true,
          Pattern.compile("^([<]{7} |[>]{7} |[=]{7}$|[|]{7} )|[@]@[A-Z]+@@"));

  static final TidyRule PATTERN_NAMES =
      new TidyRule(
          "a name that tells the pattern: say what the thing is",
          SourceFile::isJava,
          Pattern.compile(
              "^\\s*([a-z-]+ )*(class|interface|record|enum) "
                  + "(Abstract\\w+|\\w+(Manager|Impl|Helper|Utils?|Factory))\\b"));

  static final TidyRule MACHINE_PATHS =
      new TidyRule(
          "a path of one machine: use a relative one, or a temporary folder of the test",
          file -> true,
          Pattern.compile("(?<![\\w.$}*)-])/(home|root|work|Users|tmp)/\\w|\\b[A-Z]:\\\\\\w"));

  static final TidyRule STORY_TAGS =
      new TidyRule(
          "a tag that git answers better",
          SourceFile::isJava,
          Pattern.compile("^\\s*/?\\*+\\s*@(author|since|version)\\b"));

  static final TidyRule WIDE_PAGES =
      new TidyRule(
          "a line of a page over 100 columns: wrap it",
          SourceFile::isPage,
          Pattern.compile("^.{101,}$"));

  static final TidyRule VAGUE_SUBJECTS =
      new TidyRule(
          "a sentence that begins with who or whoever: name the component",
          file -> file.isPage() || file.isJava(),
          Pattern.compile("\\b[W]ho(ever)?\\b"));

  /** Merges after a partition are operations, and a node shows what is still to be merged. */
  static final TidyRule SEAM_OF_AVAILABLE_MODE =
      new TidyRule(
          "available mode outside its seam: a reader of consistent mode would meet it",
          file ->
              file.path()
                  .matches(
                      "core/src/main/java/io/cantle/core/(?!partition/|operation/|node/).*(?<!"
                          + "/ForkTransition|/ForkDiscovery|/ReplicaDivergence"
                          + "|/LosingReplicaCollector)\\.java"),
          Pattern.compile("^import io\\.cantle\\.core\\.partition\\."));

  static final List<TidyRule> ALL =
      List.of(
          SLEEPS,
          DISABLED_TESTS,
          NOTES_TO_SELF,
          TABS,
          MERGE_MARKS,
          PATTERN_NAMES,
          MACHINE_PATHS,
          STORY_TAGS,
          WIDE_PAGES,
          VAGUE_SUBJECTS,
          SEAM_OF_AVAILABLE_MODE);

  private static final Pattern TYPE_DECLARATION =
      Pattern.compile("^([a-z-]+ )*(class|interface|@interface|record|enum) \\w+.*");

  /** Returns one line, {@code path:line: what}, for each line that breaks the rule. */
  List<String> violations(SourceFile file) {
    if (!applies.test(file)) {
      return List.of();
    }
    List<String> lines = file.lines();
    return IntStream.range(0, lines.size())
        .filter(index -> banned.matcher(lines.get(index)).find())
        .mapToObj(index -> "%s:%d: %s".formatted(file.path(), index + 1, description))
        .toList();
  }

  /** Returns a violation for a long Java file without a design block before its first type. */
  static List<String> missingDesign(SourceFile file) {
    List<String> lines = file.lines();
    if (!file.isJava() || lines.size() <= LONG_FILE_LINES) {
      return List.of();
    }
    long commentLines =
        lines.stream()
            .takeWhile(line -> !TYPE_DECLARATION.matcher(line).matches())
            .map(String::strip)
            .filter(line -> line.startsWith("*") || line.startsWith("/*") || line.startsWith("//"))
            .count();
    return commentLines >= DESIGN_BLOCK_LINES
        ? List.of()
        : List.of(
            "%s: %d lines: over %d a file is two, or opens with its design in at least %d lines"
                .formatted(file.path(), lines.size(), LONG_FILE_LINES, DESIGN_BLOCK_LINES));
  }

  /** Returns a violation for a source file of the product that is too long. */
  static List<String> excessLength(SourceFile file) {
    int count = file.lines().size();
    return count <= MAX_FILE_LINES || !file.isJava() || file.isTest()
        ? List.of()
        : List.of(
            "%s: %d lines: over %d a file is two".formatted(file.path(), count, MAX_FILE_LINES));
  }

  /** Returns a violation for a decision page that is too long to be read at once. */
  static List<String> excessDecision(SourceFile file) {
    int count = file.lines().size();
    return count <= MAX_DECISION_LINES || !file.isPage() || !file.isIn("docs/decisions")
        ? List.of()
        : List.of(
            "%s: %d lines: over %d a decision is two"
                .formatted(file.path(), count, MAX_DECISION_LINES));
  }

  @Override
  public String toString() {
    return description;
  }
}
