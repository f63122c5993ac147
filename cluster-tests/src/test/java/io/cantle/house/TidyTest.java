package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks what no file of the repository may contain; then checks each rule on a planted violation.
 * The planted lines are put together from halves, because this file would otherwise break the rules
 * itself.
 */
final class TidyTest {

  private static final List<SourceFile> FILES = Repository.here().textFiles();

  static final List<TidyRule> RULES = TidyRule.ALL;

  @Test
  void readsSourcesOfEveryKind() {
    assertThat(FILES)
        .extracting(SourceFile::path)
        .contains("pom.xml", "mvnw", ".ci/run", "core/src/main/java/module-info.java")
        .noneMatch(path -> path.contains("target/classes"));
  }

  @ParameterizedTest
  @FieldSource("RULES")
  void noFileViolatesTheRule(TidyRule rule) {
    assertThat(FILES.stream().flatMap(file -> rule.violations(file).stream())).isEmpty();
  }

  @Test
  void longFilesOpenWithTheirDesign() {
    assertThat(FILES.stream().flatMap(file -> TidyRule.missingDesign(file).stream())).isEmpty();
  }

  @Test
  void noFileOfTheProductIsTooLong() {
    assertThat(FILES.stream().flatMap(file -> TidyRule.excessLength(file).stream())).isEmpty();
  }

  @Test
  void noDecisionIsTooLong() {
    assertThat(FILES.stream().flatMap(file -> TidyRule.excessDecision(file).stream())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("plantedLines")
  void findsPlantedLine(TidyRule rule, String path, String line) {
    SourceFile file = new SourceFile(path, "package a;\n" + line + "\n");
    assertThat(rule.violations(file)).containsExactly(path + ":2: " + rule.description());
  }

  static Stream<Arguments> plantedLines() {
    String code = "core/src/main/java/A.java";
    String test = "core/src/test/java/ATest.java";
    return Stream.of(
        Arguments.of(TidyRule.SLEEPS, test, "    Thread.sl" + "eep(10);"),
        Arguments.of(TidyRule.SLEEPS, test, "    TimeUnit.SECONDS.sl" + "eep(1);"),
        Arguments.of(TidyRule.DISABLED_TESTS, test, "  @Dis" + "abled(\"later\")"),
        Arguments.of(TidyRule.DISABLED_TESTS, "cluster-tests/src/test/A.java", "@Dis" + "abled"),
        Arguments.of(TidyRule.NOTES_TO_SELF, code, "  // TO" + "DO: faster"),
        Arguments.of(TidyRule.NOTES_TO_SELF, "pom.xml", "  <!-- FIX" + "ME -->"),
        Arguments.of(TidyRule.TABS, code, "\tint a;"),
        Arguments.of(TidyRule.MERGE_MARKS, "README.md", "<<<<".repeat(2).substring(1) + " HEAD"),
        Arguments.of(TidyRule.MERGE_MARKS, "a.md", "took @@" + "FIGURES@@ seconds"),
        Arguments.of(TidyRule.PATTERN_NAMES, code, "public final class Segment" + "Manager {"),
        Arguments.of(TidyRule.PATTERN_NAMES, code, "  private static class Cache" + "Impl {"),
        Arguments.of(TidyRule.PATTERN_NAMES, code, "abstract class Abs" + "tractStore {"),
        Arguments.of(TidyRule.PATTERN_NAMES, code, "interface Node" + "Factory {"),
        Arguments.of(TidyRule.MACHINE_PATHS, "README.md", "Look in /ho" + "me/someone/cantle."),
        Arguments.of(TidyRule.MACHINE_PATHS, code, "  String a = \"/tm" + "p/log\";"),
        Arguments.of(TidyRule.STORY_TAGS, code, " * @auth" + "or Someone"),
        Arguments.of(TidyRule.WIDE_PAGES, "docs/a.md", "a".repeat(101)),
        Arguments.of(TidyRule.VAGUE_SUBJECTS, "docs/a.md", "It ends. Wh" + "o asks is told."),
        Arguments.of(TidyRule.VAGUE_SUBJECTS, code, "  // Wh" + "oever asks is told."),
        Arguments.of(
            TidyRule.SEAM_OF_AVAILABLE_MODE,
            "core/src/main/java/io/cantle/core/replica/Replica.java",
            "import io.cantle.core.partition.MergeBacklog;"));
  }

  @ParameterizedTest
  @MethodSource("innocentLines")
  void acceptsInnocentLine(TidyRule rule, String path, String line) {
    assertThat(rule.violations(new SourceFile(path, line + "\n"))).isEmpty();
  }

  static Stream<Arguments> innocentLines() {
    String code = "core/src/main/java/A.java";
    return Stream.of(
        Arguments.of(TidyRule.SLEEPS, "cluster-tests/src/test/A.java", "Thread.sl" + "eep(1);"),
        Arguments.of(TidyRule.NOTES_TO_SELF, code, "  // TO" + "DO(#17): faster"),
        Arguments.of(TidyRule.PATTERN_NAMES, code, "  private final ThreadFactory threads;"),
        Arguments.of(TidyRule.PATTERN_NAMES, code, "final class Implication {"),
        Arguments.of(TidyRule.MACHINE_PATHS, "cantle", "work=$root/build/target"),
        Arguments.of(TidyRule.MACHINE_PATHS, "a.md", "https://example.org/home/index.html"),
        Arguments.of(TidyRule.WIDE_PAGES, "docs/a.md", "a".repeat(100)),
        Arguments.of(TidyRule.VAGUE_SUBJECTS, "docs/a.md", "Voters say who is excluded."),
        Arguments.of(
            TidyRule.SEAM_OF_AVAILABLE_MODE,
            "core/src/main/java/io/cantle/core/topology/ForkTransition.java",
            "import io.cantle.core.partition.ForkPlanner;"));
  }

  @Test
  void findsLongFileWithoutDesign() {
    String body = "int a;\n".repeat(TidyRule.LONG_FILE_LINES);
    SourceFile bare = new SourceFile("core/A.java", "/** A. */\nfinal class A {\n" + body + "}\n");
    assertThat(TidyRule.missingDesign(bare)).hasSize(1);
  }

  @Test
  void acceptsLongFileWithDesign() {
    String design = "/**\n" + " * Why.\n".repeat(TidyRule.DESIGN_BLOCK_LINES) + " */\n";
    String body = "int a;\n".repeat(TidyRule.LONG_FILE_LINES);
    SourceFile explained = new SourceFile("core/A.java", design + "final class A {\n" + body);
    assertThat(TidyRule.missingDesign(explained)).isEmpty();
  }

  @Test
  void findsFileThatIsTooLongAndAcceptsTheLongest() {
    String longest = "\n".repeat(TidyRule.MAX_FILE_LINES);
    assertThat(TidyRule.excessLength(new SourceFile("core/src/main/java/A.java", longest)))
        .isEmpty();
    assertThat(TidyRule.excessLength(new SourceFile("core/src/main/java/A.java", longest + "\n")))
        .hasSize(1);
  }

  @Test
  void findsDecisionThatIsTooLongAndAcceptsTheLongest() {
    String longest = "\n".repeat(TidyRule.MAX_DECISION_LINES);
    assertThat(TidyRule.excessDecision(new SourceFile("docs/decisions/a.md", longest))).isEmpty();
    assertThat(TidyRule.excessDecision(new SourceFile("docs/decisions/a.md", longest + "\n")))
        .hasSize(1);
  }
}
