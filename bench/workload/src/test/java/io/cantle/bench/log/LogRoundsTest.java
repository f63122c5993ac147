package io.cantle.bench.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class LogRoundsTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void answersWithFiguresAndLeavesNothing() throws Exception {
    Path records = Files.createDirectory(folder.resolve("records here"));
    var rounds = new LogRounds(LogVariant.RAW, true, 0);
    String line =
        rounds.answerRequest(LogRounds.request(LogCell.of(LogVariant.RAW, 1), 5, 20, records));
    assertThat(line).startsWith(LogRounds.FIGURES);
    LogFigures figures = LogRounds.figures(line);
    assertThat(figures.nanos()).isGreaterThanOrEqualTo(20_000_000);
    assertThat(figures.allAppends()).isPositive().isGreaterThanOrEqualTo(figures.appends());
    assertThat(figures.recordsPerSync()).isGreaterThanOrEqualTo(1);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void reportsWhyAFigureIsMissing() throws Exception {
    var rounds = new LogRounds(LogVariant.RAW, true, 0);
    Path absent = folder.resolve("absent");
    assertThat(rounds.answerRequest(LogRounds.request(LogCell.of(LogVariant.RAW, 1), 1, 1, absent)))
        .startsWith(LogRounds.FAILURE)
        .contains("absent");
  }

  @Test
  void endsWithTheFirstFailureOfAWriter() {
    var file = new RecordedFile();
    file.breakSyncs();
    LogCell cell = LogCell.of(LogVariant.RAW, 2);
    assertThatThrownBy(() -> ClosedLoop.run(new RawLoop(file), cell, 0, 1_000_000))
        .hasMessageContaining("the disk is broken");
    assertThat(file.isClosed()).isTrue();
  }
}
