package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the checks on hand-made histories. The checker in Go reads the same histories in its own
 * test.
 */
final class HandMadeHistoriesTest {
  private static final Path FOLDER = Path.of("porcupine", "testdata");

  @Test
  void goodAndBadHistoriesExist() throws IOException {
    assertThat(named("good-").size()).isGreaterThanOrEqualTo(8);
    assertThat(named("bad-").size()).isGreaterThanOrEqualTo(16);
  }

  @ParameterizedTest
  @MethodSource("good")
  void acceptsGoodHistory(Path folder) throws IOException {
    assertThat(HistoryFindings.check(ChaosHistory.read(folder)).violations()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("bad")
  void refusesBadHistory(Path folder) throws IOException {
    HistoryFindings findings = HistoryFindings.check(ChaosHistory.read(folder));
    assertThat(findings.violations()).isNotEmpty();
    assertThat(findings.violationCount()).isPositive();
  }

  static List<Path> good() throws IOException {
    return named("good-");
  }

  static List<Path> bad() throws IOException {
    return named("bad-");
  }

  private static List<Path> named(String prefix) throws IOException {
    try (Stream<Path> folders = Files.list(FOLDER)) {
      return folders
          .filter(folder -> folder.getFileName().toString().startsWith(prefix))
          .sorted()
          .toList();
    }
  }
}
