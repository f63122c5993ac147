package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sorting of more than fits into memory. */
class SortingTest {
  private static final ElementForm FORM = new ElementForm(ListScans.CODEC);

  @TempDir private Path directory = Path.of("");

  /** A key and where it came in. */
  record Numbered(int key, int place) {}

  private Sorting sorting(Comparator<Object> order, long budget) {
    return new Sorting(order, FORM, budget, () -> Scratch.in(directory));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 100, 1_000, 10_000, 100_000, 10_000_000})
  void sortsWithWhateverMemory(long budget) {
    Random random = new Random(budget);
    List<Object> numbers = new ArrayList<>();
    try (Sorting sorting = sorting(Sorting.NATURAL, budget)) {
      for (int i = 0; i < 3_000; i++) {
        numbers.add(random.nextInt(500));
        sorting.add(numbers.getLast());
      }
      assertThat(sorting.spilled() > 0).isEqualTo(budget < 1_000_000);
      numbers.sort(Sorting.NATURAL);
      assertThat(sorting.inOrder()).toIterable().isEqualTo(numbers);
    }
  }

  @Test
  void writesOneRunForEachElementIfItMust() {
    try (Sorting sorting = sorting(Sorting.NATURAL, 1)) {
      for (int i = 300; i > 0; i--) {
        sorting.add(i);
      }
      assertThat(sorting.spilled()).isEqualTo(300);
      assertThat(sorting.inOrder()).toIterable().hasSize(300).first().isEqualTo(1);
    }
  }

  @Test
  void keepsEqualElementsInTheOrderTheyCameIn() {
    Comparator<Object> byKey = Comparator.comparingInt(element -> ((Numbered) element).key());
    List<Object> elements = new ArrayList<>();
    try (Sorting sorting = sorting(byKey, 2_000)) {
      for (int place = 0; place < 1_000; place++) {
        elements.add(new Numbered(place * 31 % 7, place));
        sorting.add(elements.getLast());
      }
      assertThat(sorting.spilled()).isGreaterThan(5);
      elements.sort(byKey);
      assertThat(sorting.inOrder()).toIterable().isEqualTo(elements);
    }
  }

  @Test
  void sortsElementsLongerThanABlock() {
    try (Sorting sorting = sorting(Sorting.NATURAL, 100_000)) {
      for (int i = 0; i < 26; i++) {
        sorting.add(String.valueOf((char) ('z' - i)).repeat(70_000));
      }
      assertThat(sorting.spilled()).isGreaterThan(5);
      assertThat(sorting.inOrder())
          .toIterable()
          .extracting(text -> ((String) text).charAt(0))
          .startsWith('a', 'b')
          .hasSize(26)
          .isSorted();
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Elements may be null, as in the JDK.
  void sortsNullsIfTheOrderDoes() {
    Comparator<Object> order = Comparator.nullsLast(Sorting.NATURAL);
    try (Sorting sorting = sorting(order, 200)) {
      for (int i = 0; i < 50; i++) {
        sorting.add(i % 2 == 0 ? null : -i);
      }
      assertThat(sorting.spilled()).isPositive();
      List<Object> sorted = new ArrayList<>();
      sorting.inOrder().forEachRemaining(sorted::add);
      assertThat(sorted).hasSize(50).startsWith(-49, -47);
      assertThat(sorted.subList(25, 50)).containsOnlyNulls();
    }
  }

  @Test
  void sortsInMemoryWhatCannotBeEncoded() {
    Comparator<Object> byName = Comparator.comparing(thread -> ((Thread) thread).getName());
    try (Sorting sorting = sorting(byName, 10_000)) {
      for (int i = 0; i < 20; i++) {
        sorting.add(new Thread("t" + i));
      }
      assertThat(sorting.spilled()).isZero();
      assertThat(sorting.inOrder()).toIterable().hasSize(20);
    }
  }

  @Test
  void refusesWhatCannotBeEncodedWhenMemoryEnds() {
    try (Sorting sorting = sorting((_, _) -> 0, 1_000)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  sorting.add(new Thread("t"));
                }
              })
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("java.lang.Thread");
    }
  }

  @Test
  void leavesNoNamedFileWhileItSortsNorAfterwards() throws IOException {
    Sorting sorting = sorting(Sorting.NATURAL, 100);
    for (int i = 0; i < 100; i++) {
      sorting.add(i);
    }
    Iterator<Object> sorted = sorting.inOrder();
    assertThat(sorted.next()).isEqualTo(0);
    assertThat(sorting.spilled()).isPositive();
    // Abandoned, or killed with the process: nothing is there to be left behind.
    assertThat(files()).isZero();

    sorting.close();
    sorting.close();
    assertThat(files()).isZero();
  }

  @Test
  void givesTheFileBackAtTheEndOfItsContent() {
    Sorting sorting = sorting(Sorting.NATURAL, 100);
    for (int i = 0; i < 100; i++) {
      sorting.add(i);
    }
    Iterator<Object> sorted = sorting.inOrder();
    assertThat(sorted).toIterable().hasSize(100);

    assertThat(sorted.hasNext()).isFalse();
    assertThatThrownBy(sorted::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                sorting.add(i);
              }
            })
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void saysWhyItCannotSpill() {
    Path nowhere = directory.resolve("nowhere");
    try (Sorting sorting = new Sorting(Sorting.NATURAL, FORM, 1_000, () -> Scratch.in(nowhere))) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  sorting.add(i);
                }
              })
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("more than 1000 bytes")
          .hasMessageContaining("nowhere")
          .hasMessageContaining("java.io.tmpdir");
    }
  }

  private int files() throws IOException {
    int count = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
      for (Path _ : all) {
        count++;
      }
    }
    return count;
  }
}
