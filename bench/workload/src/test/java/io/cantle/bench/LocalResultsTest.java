package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LocalResultsTest {
  private static final List<String> MEASURES =
      List.of("get_text", "put_text", "get_bytes", "put_bytes");

  /** Rounds in which the sides make so many calls a second, each as it was given. */
  private static LocalResults results(Map<LocalSide, Double> calls) {
    List<List<LocalFigure>> rounds = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      List<LocalFigure> figures = new ArrayList<>();
      for (LocalSide side : LocalSide.values()) {
        for (String measure : MEASURES) {
          figures.add(
              new LocalFigure(
                  side, measure, calls.getOrDefault(side, 0.0) * (1 + round), 100 + round));
        }
      }
      rounds.add(figures);
    }
    return new LocalResults(rounds);
  }

  @Test
  void holdsIfNoLowerBoundIsBelowItsGoal() {
    LocalResults fast =
        results(
            Map.of(
                LocalSide.CANTLE, 300.0,
                LocalSide.ONE_SEGMENT, 300.0,
                LocalSide.INFINISPAN, 120.0,
                LocalSide.JDK, 600.0));
    assertThat(fast.holds()).isTrue();
    assertThat(fast.values())
        .containsEntry("get_text_cantle_to_infinispan", 2.5)
        .containsEntry("get_text_cantle_to_infinispan_lower_bound", 2.5)
        .containsEntry("get_text_cantle_to_infinispan_least", 2.5)
        .containsEntry("get_text_cantle_to_jdk", 0.5)
        .containsEntry("below_least", 0L);
    assertThat(fast.medianCalls(LocalSide.JDK, "get_text")).isEqualTo(1_200);
    assertThat(fast.medianSlowNanos(LocalSide.JDK, "get_text")).isEqualTo(101);
    assertThat(fast.lines()).hasSize(1 + MEASURES.size() * LocalSide.values().length);
  }

  @Test
  void doesNotHoldIfOneIs() {
    LocalResults slow =
        results(
            Map.of(
                LocalSide.CANTLE, 280.0,
                LocalSide.ONE_SEGMENT, 300.0,
                LocalSide.INFINISPAN, 100.0,
                LocalSide.JDK, 300.0));
    assertThat(slow.holds()).isFalse();
    assertThat(slow.values())
        .containsEntry("put_bytes_cantle_to_one_segment", 0.933)
        .containsEntry("below_least", 4L);
  }

  @Test
  void aRoundWithoutAFigureIsAFailure() {
    LocalResults none = new LocalResults(List.of(List.of(), List.of(), List.of()));
    assertThatThrownBy(none::holds).hasMessage("no get_text of cantle");
  }
}
