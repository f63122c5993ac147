package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlacingTest {
  private final Call ended = new Call("a", Operation.put(0, 7), 1).returned(2, 0);
  private final Call late = new Call("a", Operation.get(0), 3).returned(4, 7);
  private final Placing placing =
      new Placing(
          List.of(
              new Call("b", Operation.put(0, 8), 0),
              new Call("b", Operation.put(0, 9), 0),
              ended,
              late));

  @Test
  void offersWhatBeganBeforeTheFirstReturn() {
    assertThat(candidates(placing)).containsExactly(2);
    placing.place(2, 7);
    assertThat(candidates(placing)).containsExactly(3);
    placing.place(3, 7);
    assertThat(placing.complete()).isTrue();
  }

  @Test
  void takesCallsBackWithTheirStates() {
    placing.place(0, 8);
    placing.place(2, 7);
    assertThat(placing.takeBack()).isEqualTo(2);
    assertThat(placing.state()).isEqualTo(8);
    assertThat(candidates(placing)).containsExactly(2);
    assertThat(placing.takeBack()).isZero();
    assertThat(placing.state()).isEqualTo(Operation.ABSENT);
    assertThat(placing.openPlaced().isEmpty()).isTrue();
  }

  @Test
  void visitsAgainOnlyWithOpenCallsLeftThatWereNotBefore() {
    placing.place(0, 8);
    placing.place(2, 7);
    assertThat(placing.visit(7)).isTrue();
    placing.place(1, 9);
    assertThat(placing.visit(7)).as("less is left").isFalse();
    assertThat(placing.visit(9)).as("another state").isTrue();
    placing.takeBack();
    placing.takeBack();
    placing.takeBack();
    placing.place(1, 9);
    placing.place(2, 7);
    assertThat(placing.visit(7)).as("another one is left").isTrue();
  }

  private static List<Integer> candidates(Placing placing) {
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
