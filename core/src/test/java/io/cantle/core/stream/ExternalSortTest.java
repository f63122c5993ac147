package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.store.ScratchFile;
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

/** Tests the sort of more elements than fit into memory. */
class ExternalSortTest {
  private static final ElementCodec FORM = new ElementCodec(ListScanner.CODEC);

  @TempDir private Path directory = Path.of("");

  /** A key and the position at which it was added. */
  record Numbered(int key, int place) {}

  private ExternalSort sorting(Comparator<Object> order, long budget) {
    return sorting(order, Long.MAX_VALUE, budget);
  }

  private ExternalSort sorting(Comparator<Object> order, long needed, long budget) {
    return new ExternalSort(order, needed, FORM, budget, () -> ScratchFile.createIn(directory));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, 255, 256, 1_000, 2_999, 3_000, 5_000})
  void firstElementsAreThoseOfTheWholeSort(long needed) {
    Comparator<Object> byKey = Comparator.comparingInt(element -> ((Numbered) element).key());
    for (long budget : new long[] {2_000, 10_000_000}) {
      Random random = new Random(needed);
      List<Object> elements = new ArrayList<>();
      try (ExternalSort sort = sorting(byKey, needed, budget)) {
        for (int place = 0; place < 3_000; place++) {
          elements.add(new Numbered(random.nextInt(300), place));
          sort.add(elements.getLast());
        }
        elements.sort(byKey);
        List<Object> first = new ArrayList<>();
        Iterator<Object> sorted = sort.sortedIterator();
        while (first.size() < needed && sorted.hasNext()) {
          first.add(sorted.next());
        }
        assertThat(first)
            .as("budget %d", budget)
            .isEqualTo(elements.subList(0, (int) Math.min(needed, elements.size())));
      }
    }
  }

  @Test
  void fewFirstElementsTakeNoFile() {
    try (ExternalSort sort = sorting(ExternalSort.NATURAL_ORDER, 10, 100_000)) {
      for (int i = 100_000; i > 0; i--) {
        sort.add(i);
      }
      assertThat(sort.runCount()).isZero();
      assertThat(sort.sortedIterator()).toIterable().startsWith(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 100, 1_000, 10_000, 100_000, 10_000_000})
  void sortsWithAnyWorkMemory(long budget) {
    Random random = new Random(budget);
    List<Object> numbers = new ArrayList<>();
    try (ExternalSort sort = sorting(ExternalSort.NATURAL_ORDER, budget)) {
      for (int i = 0; i < 3_000; i++) {
        numbers.add(random.nextInt(500));
        sort.add(numbers.getLast());
      }
      assertThat(sort.runCount() > 0).isEqualTo(budget < 1_000_000);
      numbers.sort(ExternalSort.NATURAL_ORDER);
      assertThat(sort.sortedIterator()).toIterable().isEqualTo(numbers);
    }
  }

  @Test
  void spillsOneRunPerElementIfNecessary() {
    try (ExternalSort sort = sorting(ExternalSort.NATURAL_ORDER, 1)) {
      for (int i = 300; i > 0; i--) {
        sort.add(i);
      }
      assertThat(sort.runCount()).isEqualTo(300);
      assertThat(sort.sortedIterator()).toIterable().hasSize(300).first().isEqualTo(1);
    }
  }

  @Test
  void sortIsStable() {
    Comparator<Object> byKey = Comparator.comparingInt(element -> ((Numbered) element).key());
    List<Object> elements = new ArrayList<>();
    try (ExternalSort sort = sorting(byKey, 2_000)) {
      for (int place = 0; place < 1_000; place++) {
        elements.add(new Numbered(place * 31 % 7, place));
        sort.add(elements.getLast());
      }
      assertThat(sort.runCount()).isGreaterThan(5);
      elements.sort(byKey);
      assertThat(sort.sortedIterator()).toIterable().isEqualTo(elements);
    }
  }

  @Test
  void sortsElementsLongerThanABlock() {
    try (ExternalSort sort = sorting(ExternalSort.NATURAL_ORDER, 100_000)) {
      for (int i = 0; i < 26; i++) {
        sort.add(String.valueOf((char) ('z' - i)).repeat(70_000));
      }
      assertThat(sort.runCount()).isGreaterThan(5);
      assertThat(sort.sortedIterator())
          .toIterable()
          .extracting(text -> ((String) text).charAt(0))
          .startsWith('a', 'b')
          .hasSize(26)
          .isSorted();
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Elements may be null, as in the JDK.
  void sortsNullsIfTheComparatorAllows() {
    Comparator<Object> order = Comparator.nullsLast(ExternalSort.NATURAL_ORDER);
    try (ExternalSort sort = sorting(order, 200)) {
      for (int i = 0; i < 50; i++) {
        sort.add(i % 2 == 0 ? null : -i);
      }
      assertThat(sort.runCount()).isPositive();
      List<Object> sorted = new ArrayList<>();
      sort.sortedIterator().forEachRemaining(sorted::add);
      assertThat(sorted).hasSize(50).startsWith(-49, -47);
      assertThat(sorted.subList(25, 50)).containsOnlyNulls();
    }
  }

  @Test
  void sortsUnencodableElementsInMemory() {
    Comparator<Object> byName = Comparator.comparing(thread -> ((Thread) thread).getName());
    try (ExternalSort sort = sorting(byName, 10_000)) {
      for (int i = 0; i < 20; i++) {
        sort.add(new Thread("t" + i));
      }
      assertThat(sort.runCount()).isZero();
      assertThat(sort.sortedIterator()).toIterable().hasSize(20);
    }
  }

  @Test
  void refusesToSpillUnencodableElements() {
    try (ExternalSort sort = sorting((_, _) -> 0, 1_000)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  sort.add(new Thread("t"));
                }
              })
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("java.lang.Thread");
    }
  }

  @Test
  void leavesNoNamedFile() throws IOException {
    ExternalSort sort = sorting(ExternalSort.NATURAL_ORDER, 100);
    for (int i = 0; i < 100; i++) {
      sort.add(i);
    }
    Iterator<Object> sorted = sort.sortedIterator();
    assertThat(sorted.next()).isEqualTo(0);
    assertThat(sort.runCount()).isPositive();
    // The file has no name, so nothing stays behind if the sort is abandoned or the process dies.
    assertThat(files()).isZero();

    sort.close();
    sort.close();
    assertThat(files()).isZero();
  }

  @Test
  void releasesTheFileWhenExhausted() {
    ExternalSort sort = sorting(ExternalSort.NATURAL_ORDER, 100);
    for (int i = 0; i < 100; i++) {
      sort.add(i);
    }
    Iterator<Object> sorted = sort.sortedIterator();
    assertThat(sorted).toIterable().hasSize(100);

    assertThat(sorted.hasNext()).isFalse();
    assertThatThrownBy(sorted::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                sort.add(i);
              }
            })
        .isInstanceOf(UncheckedIOException.class);
  }

  @Test
  void reportsWhyItCannotSpill() {
    Path nowhere = directory.resolve("nowhere");
    try (ExternalSort sort =
        new ExternalSort(
            ExternalSort.NATURAL_ORDER,
            Long.MAX_VALUE,
            FORM,
            1_000,
            () -> ScratchFile.createIn(nowhere))) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  sort.add(i);
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
