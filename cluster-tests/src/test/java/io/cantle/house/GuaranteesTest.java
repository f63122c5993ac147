package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the tests named in the table of guarantees exist, and that every row names some. */
final class GuaranteesTest {
  private static final String TABLE = "docs/operating/guarantees.md";
  private static final String NOT_YET = "not there yet";

  private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\|(.*)\\|$");
  private static final Pattern TEST_METHOD =
      Pattern.compile("(?s)@(?:Test|ParameterizedTest)\\b.*?\\bvoid (\\w+)\\(");

  private static final List<SourceFile> FILES = Repository.here().textFiles();

  private static String table() {
    return FILES.stream()
        .filter(file -> file.path().equals(TABLE))
        .map(SourceFile::text)
        .findFirst()
        .orElseThrow();
  }

  private static List<String> tests(String text) {
    return NAMED.matcher(text).results().map(GuaranteesTest::name).toList();
  }

  private static String name(MatchResult match) {
    return group(match, 1) + "." + group(match, 2);
  }

  private static String group(MatchResult match, int number) {
    return Objects.requireNonNull(match.group(number));
  }

  /** Returns the tests named in a text that no source contains. */
  private static List<String> missing(String text) {
    return tests(text).stream().distinct().filter(test -> !exists(test)).toList();
  }

  private static boolean exists(String test) {
    int dot = test.indexOf('.');
    String file = "/" + test.substring(0, dot) + ".java";
    return FILES.stream()
        .filter(source -> source.isTest() && source.path().endsWith(file))
        .flatMap(source -> TEST_METHOD.matcher(source.text()).results())
        .anyMatch(match -> group(match, 1).equals(test.substring(dot + 1)));
  }

  @Test
  void everyTestNamedExists() {
    assertThat(tests(table())).hasSizeGreaterThan(100);
    assertThat(missing(table())).isEmpty();
  }

  @Test
  void everyPromiseAndScenarioHasARow() {
    assertThat(rows(table())).containsAll(wanted());
  }

  @Test
  void everyRowNamesTestsOrSaysNone() {
    assertThat(rowsWithoutProof(table())).isEmpty();
  }

  private static Set<String> rows(String text) {
    return ROW.matcher(text)
        .results()
        .map(row -> group(row, 1).strip())
        .collect(Collectors.toSet());
  }

  private static List<String> wanted() {
    IntStream behaviours =
        IntStream.of(
            1, 2, 3, 4, 5, 6, 9, 10, 11, 14, 17, 23, 24, 26, 27, 28, 29, 30, 31, 32, 33, 34);
    return Stream.of(
            IntStream.rangeClosed(1, 10).mapToObj(number -> "P" + number),
            IntStream.rangeClosed(1, 7).mapToObj(number -> "A" + number),
            IntStream.concat(behaviours, IntStream.rangeClosed(35, 38))
                .mapToObj(number -> "B" + number),
            IntStream.concat(IntStream.rangeClosed(1, 26), IntStream.of(32, 33))
                .mapToObj(number -> "S" + number))
        .flatMap(ids -> ids)
        .toList();
  }

  private static List<String> rowsWithoutProof(String text) {
    return ROW.matcher(text)
        .results()
        .filter(row -> group(row, 1).strip().matches("[APBS]\\d+"))
        .filter(row -> tests(group(row, 2)).isEmpty() && !group(row, 2).contains(NOT_YET))
        .map(row -> group(row, 1).strip())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GuaranteesTest.holdsForEver",
        "NowhereTest.everyTestNamedExists",
        "GuaranteesTest.missing"
      })
  void findsPlantedNameThatDoesNotExist(String planted) {
    assertThat(missing("| P1 | kept | `" + planted + "` |")).containsExactly(planted);
  }

  @Test
  void findsRowWithoutTests() {
    assertThat(
            rowsWithoutProof("| B1 | each key once | hopefully |\n| B23 | later: not there yet |"))
        .containsExactly("B1");
  }
}
