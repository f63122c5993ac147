package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworkCutTest {
  private final SplittableRandom random = new SplittableRandom(3);

  private static List<Integer> places(int nodes) {
    return IntStream.range(0, nodes).boxed().toList();
  }

  /** Returns how many nodes each one hears, itself included. */
  private static List<Integer> heard(NetworkCut cut, int nodes) {
    return IntStream.range(0, nodes)
        .map(to -> (int) IntStream.range(0, nodes).filter(from -> !cut.isCut(from, to)).count())
        .boxed()
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 6, 7, 8, 9})
  void everyNodeInARingHearsAMajorityButNotAll(int nodes) {
    NetworkCut cut = NetworkCut.drawCut(SimulatedFault.RING, places(nodes), random);
    assertThat(heard(cut, nodes))
        .allSatisfy(count -> assertThat(count).isGreaterThan(nodes / 2).isLessThan(nodes));
  }

  @Test
  void bridgeHearsBothSidesThatDoNotHearEachOther() {
    NetworkCut cut = NetworkCut.drawCut(SimulatedFault.BRIDGE, places(5), random);
    assertThat(heard(cut, 5)).containsExactlyInAnyOrder(5, 3, 3, 3, 3);
  }

  @Test
  void oneNodeAloneHearsItselfOnly() {
    assertThat(heard(NetworkCut.drawCut(SimulatedFault.ALONE, places(5), random), 5))
        .containsExactlyInAnyOrder(1, 4, 4, 4, 4);
  }

  @Test
  void threeShardsHaveTwoOneAndOneNodes() {
    assertThat(heard(NetworkCut.drawCut(SimulatedFault.SHARDS, places(4), random), 4))
        .containsExactlyInAnyOrder(2, 2, 1, 1);
  }

  @Test
  void oneWayCutLeavesTheOtherWayOpen() {
    NetworkCut cut = NetworkCut.drawCut(SimulatedFault.ONE_WAY, places(4), random);
    boolean any = false;
    for (int from = 0; from < 4; from++) {
      for (int to = 0; to < 4; to++) {
        if (cut.isCut(from, to)) {
          any = true;
          assertThat(cut.isCut(to, from)).isFalse();
        }
      }
    }
    assertThat(any).isTrue();
  }

  @Test
  void newcomerBelongsToASide() {
    NetworkCut cut = NetworkCut.drawCut(SimulatedFault.HALVES, places(4), random);
    assertThat(heard(cut, 5).get(4)).isLessThan(5);
  }
}
