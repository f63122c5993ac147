package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.stream.CollectorStateCodec.CollectorBoxes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that the JDK's collectors behave as {@link CollectorBoxes} expects. */
class CollectorBoxesTest {

  @Test
  void partitioningByContainerRoundTrips() {
    Object container =
        accumulated(Collectors.partitioningBy((Integer n) -> n > 2, Collectors.toList()), 1, 2, 3);

    assertThat(CollectorBoxes.isPartition(container)).isTrue();
    assertThat(CollectorBoxes.partitionSide(container, true)).isEqualTo(List.of(3));
    assertThat(CollectorBoxes.partitionSide(container, false)).isEqualTo(List.of(1, 2));
    assertThat(CollectorBoxes.newPartition("yes", "no"))
        .isEqualTo(Map.of(true, "yes", false, "no"));
    assertThat(CollectorBoxes.isPartition(CollectorBoxes.newPartition("yes", "no"))).isTrue();
  }

  @Test
  void teeingContainerRoundTrips() {
    Object container =
        accumulated(
            Collectors.teeing(
                Collectors.toList(), Collectors.summingInt((Integer n) -> n), (a, b) -> a),
            1,
            2);

    assertThat(CollectorBoxes.isPair(container)).isTrue();
    CollectorBoxes.TeeingState sides = CollectorBoxes.pairSides(container);
    assertThat(sides.left()).isEqualTo(List.of(1, 2));
    assertThat(sides.right()).isEqualTo(new int[] {3});
    assertThat(CollectorBoxes.pairSides(CollectorBoxes.newPair("left", null)))
        .isEqualTo(new CollectorBoxes.TeeingState("left", null));
  }

  @Test
  void reducingContainerRoundTrips() {
    Collector<Integer, ?, ?> sum = Collectors.reducing(Integer::sum);

    assertThat(CollectorBoxes.optionContent(accumulated(sum))).isEmpty();
    assertThat(CollectorBoxes.optionContent(accumulated(sum, 1, 2))).containsExactly(3);
    assertThat(CollectorBoxes.isOption(accumulated(sum))).isTrue();
    assertThat(CollectorBoxes.optionContent(CollectorBoxes.newOption(List.of()))).isEmpty();
    assertThat(CollectorBoxes.optionContent(CollectorBoxes.newOption(List.of("it"))))
        .containsExactly("it");
    assertThat(
            CollectorBoxes.optionContent(
                CollectorBoxes.newOption(new ArrayList<>(Arrays.asList((Object) null)))))
        .containsExactly((Object) null);
  }

  @Test
  void otherContainersAreNotBoxes() {
    assertThat(CollectorBoxes.isPartition(Map.of())).isFalse();
    assertThat(CollectorBoxes.isPair(null)).isFalse();
    assertThat(CollectorBoxes.isOption("text")).isFalse();
  }

  private static <A> Object accumulated(Collector<Integer, A, ?> collector, Integer... elements) {
    A container = collector.supplier().get();
    for (Integer element : elements) {
      collector.accumulator().accept(container, element);
    }
    return container;
  }
}
