package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.stream.ExternalSort.FirstElements;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the selection of the first elements in an order. */
class FirstElementsTest {
  private static List<Object> first(int count, Comparator<Object> order, List<?> elements) {
    FirstElements first = new FirstElements(count, order);
    elements.forEach(element -> first.add(element, 1));
    return first.toSortedList();
  }

  @Test
  void keepsNothingForACountOfZero() {
    assertThat(first(0, ExternalSort.NATURAL_ORDER, List.of(3, 1, 2))).isEmpty();
  }

  @Test
  void keepsAllIfThereAreFewer() {
    assertThat(first(5, ExternalSort.NATURAL_ORDER, List.of(3, 1, 2))).containsExactly(1, 2, 3);
    assertThat(first(5, ExternalSort.NATURAL_ORDER, List.of())).isEmpty();
  }

  @Test
  void keepsEqualElementsUpToTheCount() {
    assertThat(first(3, ExternalSort.NATURAL_ORDER, List.of(2, 1, 2, 2, 1, 2)))
        .containsExactly(1, 1, 2);
    assertThat(first(2, (_, _) -> 0, List.of(5, 6, 7))).hasSize(2);
  }

  @Test
  void keepsNullsWhereTheirOrderPutsThem() {
    List<Object> elements = new ArrayList<>(List.of(4, 9, 1));
    elements.add(1, null);
    elements.add(null);

    assertThat(first(3, Comparator.nullsFirst(ExternalSort.NATURAL_ORDER), elements))
        .containsExactly(null, null, 1);
    assertThat(first(4, Comparator.nullsLast(ExternalSort.NATURAL_ORDER), elements))
        .containsExactly(1, 4, 9, null);
  }

  @Test
  void keepsTheFirstElementsOfASort() {
    Random random = new Random(3);
    for (int run = 0; run < 100; run++) {
      List<Integer> elements =
          random.ints(random.nextInt(200), 0, 1 + random.nextInt(100)).boxed().toList();
      int count = random.nextInt(50);
      assertThat(first(count, ExternalSort.NATURAL_ORDER.reversed(), elements))
          .as("run %d", run)
          .isEqualTo(elements.stream().sorted(Comparator.reverseOrder()).limit(count).toList());
    }
  }
}
