package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogVariant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LogPlanTest {
  private static final Set<LogVariant> ALL =
      EnumSet.complementOf(EnumSet.of(LogVariant.CANTLE_PLATFORM));

  @Test
  void measuresEveryLogWithEachNumberOfWritersAndOneWriterBesideTheRawLoop() {
    LogPlan plan = LogPlan.of(List.of(80, 20), ALL, 5, false, false);
    assertThat(plan.cells())
        .hasSize(2 + 2 * (ALL.size() - 1) + 2)
        .doesNotHaveDuplicates()
        .startsWith(LogCell.of(LogVariant.CANTLE, 1), LogCell.of(LogVariant.RAW, 1))
        .contains(new LogCell(LogVariant.RAW, 1, 20 * 1024, 1, 1))
        .endsWith(LogPlan.limitOf(80));
    assertThat(plan.seedCells()).isEmpty();
    assertThat(plan.fioSizes()).isEmpty();
  }

  @Test
  void fitsFiveRoundsOfTheUsualRunIntoTenMinutes() {
    for (boolean fio : new boolean[] {false, true}) {
      LogPlan plan = LogPlan.of(List.of(20, 80), ALL, 5, false, fio);
      assertThat(plan.roundsThatFit()).isEqualTo(5);
      assertThat(plan.expectedSeconds(5)).isBetween(400L, 520L);
    }
  }

  @Test
  void takesFewerRoundsWhereFiveDoNotFitButAlwaysOne() {
    assertThat(LogPlan.of(List.of(20, 80), ALL, 10, false, false).roundsThatFit()).isEqualTo(3);
    assertThat(LogPlan.of(List.of(20, 80), ALL, 600, false, false).roundsThatFit()).isEqualTo(1);
  }

  @Test
  void writesWholeBlocksWhereTheLimitIsMeasured() {
    assertThat(LogPlan.limitBytes(1)).isEqualTo(4096);
    assertThat(LogPlan.limitBytes(4)).isEqualTo(4096);
    assertThat(LogPlan.limitBytes(5)).isEqualTo(8192);
    assertThat(LogPlan.of(List.of(80, 20, 20), ALL, 5, false, true).fioSizes())
        .containsExactly(20 * 1024, 80 * 1024);
  }

  @Test
  void hasTheReferenceMatrix() {
    List<LogCell> cells =
        LogPlan.of(List.of(20), ALL, 5, true, false).seedCells().stream()
            .filter(cell -> cell.variant().isReferenceLog())
            .toList();
    assertThat(cells).hasSize(5 * (4 + 9)).doesNotHaveDuplicates();
    assertThat(cells)
        .contains(
            new LogCell(LogVariant.WAITING, 12, 1024, 6, 4),
            new LogCell(LogVariant.WAITING, 20, 1024, 40, 2),
            LogCell.of(LogVariant.SINGLE_SPINNING, 16));
    assertThat(cells.getFirst()).isEqualTo(LogCell.of(LogVariant.SIMPLE, 4));
  }
}
