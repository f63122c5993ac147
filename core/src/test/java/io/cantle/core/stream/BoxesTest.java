package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.stream.ContainerForm.Boxes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds the JDK to what {@link Boxes} knows of its collectors. */
class BoxesTest {

  @Test
  void takesApartAndMakesThePartitionOfPartitioningBy() {
    Object container =
        accumulated(Collectors.partitioningBy((Integer n) -> n > 2, Collectors.toList()), 1, 2, 3);

    assertThat(Boxes.isPartition(container)).isTrue();
    assertThat(Boxes.side(container, true)).isEqualTo(List.of(3));
    assertThat(Boxes.side(container, false)).isEqualTo(List.of(1, 2));
    assertThat(Boxes.partition("yes", "no")).isEqualTo(Map.of(true, "yes", false, "no"));
    assertThat(Boxes.isPartition(Boxes.partition("yes", "no"))).isTrue();
  }

  @Test
  void takesApartAndMakesThePairOfTeeing() {
    Object container =
        accumulated(
            Collectors.teeing(
                Collectors.toList(), Collectors.summingInt((Integer n) -> n), (a, b) -> a),
            1,
            2);

    assertThat(Boxes.isPair(container)).isTrue();
    Boxes.Sides sides = Boxes.sides(container);
    assertThat(sides.left()).isEqualTo(List.of(1, 2));
    assertThat(sides.right()).isEqualTo(new int[] {3});
    assertThat(Boxes.sides(Boxes.pair("left", null))).isEqualTo(new Boxes.Sides("left", null));
  }

  @Test
  void takesApartAndMakesTheBoxOfReducing() {
    Collector<Integer, ?, ?> sum = Collectors.reducing(Integer::sum);

    assertThat(Boxes.held(accumulated(sum))).isEmpty();
    assertThat(Boxes.held(accumulated(sum, 1, 2))).containsExactly(3);
    assertThat(Boxes.isOption(accumulated(sum))).isTrue();
    assertThat(Boxes.held(Boxes.option(List.of()))).isEmpty();
    assertThat(Boxes.held(Boxes.option(List.of("it")))).containsExactly("it");
    assertThat(Boxes.held(Boxes.option(new ArrayList<>(Arrays.asList((Object) null)))))
        .containsExactly((Object) null);
  }

  @Test
  void knowsWhatIsNoBox() {
    assertThat(Boxes.isPartition(Map.of())).isFalse();
    assertThat(Boxes.isPair(null)).isFalse();
    assertThat(Boxes.isOption("text")).isFalse();
  }

  private static <A> Object accumulated(Collector<Integer, A, ?> collector, Integer... elements) {
    A container = collector.supplier().get();
    for (Integer element : elements) {
      collector.accumulator().accept(container, element);
    }
    return container;
  }
}
