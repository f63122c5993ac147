package io.cantle.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.chaos.TestNetwork.Link;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PartitionShapeTest {
  private final SplittableRandom random = new SplittableRandom(7);

  /** Returns how many others each of five nodes hears, in order of their number. */
  private static String heard(Set<Link> cut) {
    return IntStream.range(0, 5)
        .mapToLong(
            place ->
                IntStream.range(0, 5)
                    .filter(other -> other != place && !cut.contains(new Link(other, place)))
                    .count())
        .sorted()
        .mapToObj(Long::toString)
        .collect(Collectors.joining());
  }

  @Test
  void halvesLeaveMajority() {
    assertThat(heard(PartitionShape.halves(5, random))).isEqualTo("11222");
  }

  @Test
  void oneAloneHearsNobody() {
    assertThat(heard(PartitionShape.isolated(5, 3))).isEqualTo("03333");
  }

  @Test
  void oneWayCutsNothingTheOtherWay() {
    assertThat(heard(PartitionShape.oneWay(5, 2, true))).isEqualTo("04444");
    assertThat(heard(PartitionShape.oneWay(5, 2, false))).isEqualTo("33334");
  }

  @Test
  void bridgeHearsAll() {
    assertThat(heard(PartitionShape.bridge(5, random))).isEqualTo("22224");
  }

  @Test
  void everyNodeInARingHearsTwo() {
    assertThat(heard(PartitionShape.ring(5, random))).isEqualTo("22222");
  }

  @Test
  void namesNodesWithoutMajority() {
    assertThat(PartitionShape.nodesWithoutMajority(5, PartitionShape.halves(5, random))).hasSize(2);
    assertThat(PartitionShape.nodesWithoutMajority(5, PartitionShape.isolated(5, 3)))
        .containsExactly(3);
    assertThat(PartitionShape.nodesWithoutMajority(5, PartitionShape.oneWay(5, 2, true)))
        .containsExactly(2);
    assertThat(PartitionShape.nodesWithoutMajority(5, PartitionShape.bridge(5, random))).isEmpty();
    assertThat(PartitionShape.nodesWithoutMajority(5, PartitionShape.ring(5, random))).isEmpty();
    assertThat(PartitionShape.nodesWithoutMajority(5, Set.of())).isEmpty();
  }
}
