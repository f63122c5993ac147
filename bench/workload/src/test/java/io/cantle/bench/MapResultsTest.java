package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the results of a comparison of maps, by the example of local ones. */
final class MapResultsTest {
  private static final MapComparison LOCAL = new LocalCommand().comparison();
  private static final List<String> MEASURES =
      List.of("get_text", "put_text", "get_bytes", "put_bytes", "heap_bytes");

  /** Rounds in which the sides make so many calls a second, each as it was given. */
  private static MapResults results(Map<String, Double> calls) {
    List<List<MapFigure>> rounds = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      List<MapFigure> figures = new ArrayList<>();
      for (MapSide side : LOCAL.sides()) {
        for (String measure : MEASURES) {
          double amount = calls.getOrDefault(side.label(), 0.0) * (1 + round);
          // A side that makes more calls takes less memory here.
          figures.add(
              new MapFigure(
                  side.label(),
                  measure,
                  measure.equals("heap_bytes") ? 1 / amount : amount,
                  100 + round));
        }
      }
      rounds.add(figures);
    }
    return new MapResults(LOCAL, rounds);
  }

  @Test
  void holdsIfNoLowerBoundIsBelowItsGoal() {
    MapResults fast =
        results(
            Map.of(
                "cantle", 300.0,
                "segmented", 300.0,
                "one_segment", 300.0,
                "infinispan", 120.0,
                "jdk", 600.0));
    assertThat(fast.holds()).isTrue();
    assertThat(fast.values())
        .containsEntry("get_text_cantle_to_infinispan", 2.5)
        .containsEntry("get_text_cantle_to_infinispan_lower_bound", 2.5)
        .containsEntry("get_text_cantle_to_infinispan_least", 2.5)
        .containsEntry("get_text_cantle_to_jdk", 0.5)
        .containsEntry("below_least", 0L);
    assertThat(fast.medianAmount("jdk", "get_text")).isEqualTo(1_200);
    assertThat(fast.medianSlowNanos("jdk", "get_text")).isEqualTo(101);
    assertThat(fast.lines()).hasSize(1 + MEASURES.size() * LOCAL.sides().size());
  }

  @Test
  void doesNotHoldIfOneIs() {
    MapResults slow =
        results(
            Map.of(
                "cantle", 280.0,
                "segmented", 280.0,
                "one_segment", 300.0,
                "infinispan", 100.0,
                "jdk", 300.0));
    assertThat(slow.holds()).isFalse();
    assertThat(slow.values())
        .containsEntry("put_bytes_segmented_to_one_segment", 0.933)
        .containsEntry("below_least", 4L);
  }

  @Test
  void aRoundWithoutAFigureIsAFailure() {
    MapResults none = new MapResults(LOCAL, List.of(List.of(), List.of(), List.of()));
    assertThatThrownBy(none::holds).hasMessage("no get_text of segmented");
  }
}
