package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogFigures;
import io.cantle.bench.log.LogUnderTest;
import io.cantle.bench.log.LogVariant;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LogResultsTest {
  private static final long SECOND = 1_000_000_000;
  private static final LogCell CANTLE = LogCell.of(LogVariant.CANTLE, 20);
  private static final LogCell SIMPLE = LogCell.of(LogVariant.SIMPLE, 20);

  private final LogResults results = new LogResults();

  @Test
  void takesRatiosWithinEachRound() {
    add(1, CANTLE, 1_000);
    add(1, SIMPLE, 100);
    // A slow minute: the ratio of the medians would be 5.
    add(2, CANTLE, 120);
    add(2, SIMPLE, 10);
    add(3, CANTLE, 1_100);
    add(3, SIMPLE, 100);
    assertThat(results.ratios())
        .containsEntry("cantle_to_simple_20", new RoundSpread(11, 10, 12, 3));
  }

  @Test
  void comparesProcessorsToo() {
    results.add(1, CANTLE, new LogFigures(10, SECOND, SECOND / 2, 1, 10));
    LogCell yielding = LogCell.of(LogVariant.SINGLE_YIELDING, 20);
    results.add(1, yielding, new LogFigures(10, SECOND, 2 * SECOND, 1, 10));
    assertThat(results.ratios())
        .containsEntry(
            "cantle_processors_to_single_yielding_20", new RoundSpread(0.25, 0.25, 0.25, 1))
        .containsEntry("cantle_to_single_yielding_20", new RoundSpread(1, 1, 1, 1));
  }

  @Test
  void countsTheLimitInRecordsOfAllWriters() {
    add(1, CANTLE, 700);
    add(1, LogPlan.limitOf(20), 50);
    results.addFio(1, LogPlan.limitBytes(20), 70);
    assertThat(results.ratios())
        .containsEntry("cantle_share_of_raw_limit_20", new RoundSpread(0.7, 0.7, 0.7, 1))
        .containsEntry("cantle_share_of_fio_limit_20", new RoundSpread(0.5, 0.5, 0.5, 1));
    assertThat(results.fioPerSecond(20)).isEqualTo(new RoundSpread(1_400, 1_400, 1_400, 1));
    assertThat(results.fioPerSecond(80)).isNull();
  }

  @Test
  void comparesOneWriterWithTheRawLoop() {
    add(1, LogCell.of(LogVariant.CANTLE, 1), 98);
    add(1, LogCell.of(LogVariant.RAW, 1), 100);
    assertThat(results.ratios().get("cantle_to_raw_1"))
        .isEqualTo(new RoundSpread(0.98, 0.98, 0.98, 1));
  }

  @Test
  void hasNoRatioOfRoundsThatFailed() {
    add(1, CANTLE, 100);
    add(2, SIMPLE, 100);
    assertThat(results.ratios()).isEmpty();
  }

  @Test
  void printsARowForEachCell() {
    add(1, SIMPLE, 1_000);
    add(1, LogCell.of(LogVariant.WAITING, 20), 5_000);
    LogCell rocks = LogCell.of(LogVariant.ROCKSDB, 20);
    results.add(1, rocks, new LogFigures(4_000, SECOND, SECOND, LogUnderTest.UNKNOWN_SYNCS, 5_000));
    List<LogRow> rows = LogRow.of(results, Map.of("rocksdb", "10.2.1"));
    var out = new StringWriter();
    new LogTable(rows).print(new PrintWriter(out, true));
    assertThat(out.toString().lines().map(line -> line.strip().replaceAll(" +", " ")))
        .hasSize(5)
        .contains(
            "20 simple 1,024 1,000 1,000 1,000 1.00 1.00 1.00",
            "waiting(limit=20, wait=1 ms) 1,024 5,000 5,000 5,000 1.00 1.00 5.00",
            "rocksdb 10.2.1 1,024 4,000 4,000 4,000 - 1.00 4.00");
  }

  private void add(int round, LogCell cell, long appends) {
    results.add(round, cell, new LogFigures(appends, SECOND, SECOND, appends, appends));
  }
}
