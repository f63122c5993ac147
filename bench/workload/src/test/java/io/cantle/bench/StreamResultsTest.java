package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StreamResultsTest {
  private static StreamRow row(String name, double grid, double list) {
    return new StreamRow(name, grid, list, grid / list, 0);
  }

  private static StreamResults results(StreamRow... others) {
    List<StreamRow> rows = new ArrayList<>(List.of(others));
    rows.add(row("iterate", 100, 1));
    rows.add(row("to_map", 130, 10));
    return new StreamResults(rows);
  }

  @Test
  void readsTheFiguresOfAProcess() {
    StreamRow row = StreamRow.parse("figures\tsum\t3000000\t1500000\t0".split("\t", -1));

    assertThat(row).isEqualTo(new StreamRow("sum", 3, 1.5, 2, 0));
  }

  @Test
  void theWorstPipelineThatTakesTheFirstTenCounts() {
    StreamResults results =
        results(row("sorted_limit", 10, 10), row("sorted_limit_keys", 40, 10), row("sum", 90, 1));

    assertThat(results.values())
        .containsEntry("pipelines", 5)
        .containsEntry("differences", 0)
        .containsEntry("sorted_limit_ratio", 4.0)
        .containsEntry("to_map_to_iterate_ratio", 1.3);
    assertThat(results.holds()).isTrue();
  }

  @Test
  void holdsOnlyWithoutDifferencesAndWithinBothLimits() {
    assertThat(results(row("sorted_limit", 41, 10)).holds()).isFalse();
    assertThat(results(row("sorted_limit", 1, 10), row("sum", 1, 1)).holds()).isTrue();
    assertThat(results(row("sorted_limit", 1, 10), new StreamRow("sum", 1, 1, 1, 2)).holds())
        .isFalse();
    assertThat(
            new StreamResults(
                    List.of(
                        row("sorted_limit", 1, 10), row("iterate", 100, 1), row("to_map", 131, 1)))
                .holds())
        .isFalse();
  }

  @Test
  void ratioThatIsPrintedIsTheOneThatIsCompared() {
    StreamResults within = results(row("sorted_limit", 40.04, 10));
    assertThat(within.values()).containsEntry("sorted_limit_ratio", 4.0);
    assertThat(within.holds()).isTrue();
    StreamResults above = results(row("sorted_limit", 40.06, 10));
    assertThat(above.values()).containsEntry("sorted_limit_ratio", 4.01);
    assertThat(above.holds()).isFalse();
  }

  @Test
  void nothingHoldsWithoutFigures() {
    assertThat(new StreamResults(List.of()).holds()).isFalse();
  }

  @Test
  void printsALineForEachPipeline() {
    StringWriter text = new StringWriter();

    new StreamTable(List.of(row("sum", 12.345, 5), new StreamRow("max", 1, 1, 1, 3)))
        .print(new PrintWriter(text, true));

    assertThat(text.toString().lines().findFirst().orElseThrow().split(" +"))
        .as("the names that the JSON has")
        .containsExactlyElementsOf(row("sum", 1, 1).values().keySet());
    assertThat(text.toString().lines().map(line -> line.replaceAll(" +", " ")))
        .contains("sum 12.35 5.00 2.47", "max 1.00 1.00 1.00 3");
  }
}
