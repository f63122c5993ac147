package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartialLinearizationTest {
  private final ClientCall ended =
      new ClientCall("a", MapOperation.put(0, 7), 1).recordReturn(2, 0);
  private final ClientCall late = new ClientCall("a", MapOperation.get(0), 3).recordReturn(4, 7);
  private final PartialLinearization placing =
      new PartialLinearization(
          List.of(
              new ClientCall("b", MapOperation.put(0, 8), 0),
              new ClientCall("b", MapOperation.put(0, 9), 0),
              ended,
              late));

  @Test
  void offersCallsBegunBeforeTheFirstReturn() {
    assertThat(candidates(placing)).containsExactly(2);
    placing.placeCall(2, 7);
    assertThat(candidates(placing)).containsExactly(3);
    placing.placeCall(3, 7);
    assertThat(placing.isComplete()).isTrue();
  }

  @Test
  void undoRestoresStates() {
    placing.placeCall(0, 8);
    placing.placeCall(2, 7);
    assertThat(placing.undo()).isEqualTo(2);
    assertThat(placing.state()).isEqualTo(8);
    assertThat(candidates(placing)).containsExactly(2);
    assertThat(placing.undo()).isZero();
    assertThat(placing.state()).isEqualTo(MapOperation.ABSENT);
    assertThat(placing.openPlacedSet().isEmpty()).isTrue();
  }

  @Test
  void revisitsOnlyWithMoreOpenCallsLeft() {
    placing.placeCall(0, 8);
    placing.placeCall(2, 7);
    assertThat(placing.visitState(7)).isTrue();
    placing.placeCall(1, 9);
    assertThat(placing.visitState(7)).as("less is left").isFalse();
    assertThat(placing.visitState(9)).as("another state").isTrue();
    placing.undo();
    placing.undo();
    placing.undo();
    placing.placeCall(1, 9);
    placing.placeCall(2, 7);
    assertThat(placing.visitState(7)).as("another one is left").isTrue();
  }

  private static List<Integer> candidates(PartialLinearization placing) {
    List<Integer> candidates = new ArrayList<>();
    long limit = placing.firstReturn();
    for (int call = placing.firstCandidate(limit);
        call >= 0;
        call = placing.nextCandidate(call, limit)) {
      candidates.add(call);
    }
    return candidates;
  }
}
