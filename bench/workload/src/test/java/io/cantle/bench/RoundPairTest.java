package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RoundPairTest {
  private final List<String> taken = new ArrayList<>();

  @Test
  void changesWhoGoesFirstWithEveryTurnAndEveryRound() throws InterruptedException {
    RoundPair.alternate(side("a", 4), side("b", 4), 1);
    assertThat(taken).containsExactly("a", "b", "b", "a", "a", "b", "b", "a");

    taken.clear();
    RoundPair.alternate(side("a", 3), side("b", 3), 2);
    assertThat(taken).containsExactly("b", "a", "a", "b", "b", "a");
  }

  @Test
  void goesOnWithOneSideWhenTheOtherHasEnded() throws InterruptedException {
    RoundPair.alternate(side("a", 1), side("b", 3), 1);
    assertThat(taken).containsExactly("a", "b", "b", "b");

    taken.clear();
    RoundPair.alternate(side("a", 2), side("b", 0), 1);
    assertThat(taken).containsExactly("a", "a");
  }

  @Test
  void hasNothingToCompareWhereOneSideMeasuredNothing() {
    var measured =
        new PeerRoundResult("1", Map.of(new WorkloadMeasure(Workload.GET, 1), 1.0), List.of());
    var failed = PeerRoundResult.ofFailure("no port");

    assertThat(new RoundPair.PairResult(measured, measured).isComparable()).isTrue();
    assertThat(new RoundPair.PairResult(measured, failed).isComparable()).isFalse();
    assertThat(new RoundPair.PairResult(failed, measured).isComparable()).isFalse();
  }

  private RoundPair.TurnTaker side(String name, int turns) {
    int[] left = {turns};
    return () -> {
      if (left[0] == 0) {
        return false;
      }
      left[0]--;
      taken.add(name);
      return true;
    };
  }
}
