package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares the slot table of a segment with a sorted map of lists. */
class SlotTableTest {

  @Test
  void behavesLikeASortedMap() {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      TreeMap<Integer, List<Long>> model = new TreeMap<>(Integer::compareUnsigned);
      // Few fingerprints, and some at both ends, so that many share a home.
      int spread = 1 + random.nextInt(400);
      try (SlotTable table = new SlotTable()) {
        int size = 0;
        for (int step = 0; step < 3000; step++) {
          int print =
              random.nextInt(3) == 0 ? -1 - random.nextInt(3) : random.nextInt(spread) << 20;
          List<Long> there = model.computeIfAbsent(print, _ -> new ArrayList<>());
          if (there.isEmpty() || random.nextInt(5) > 1) {
            table.add(print, step + 1);
            there.add(step + 1L);
            size++;
          } else {
            long from = there.remove(random.nextInt(there.size()));
            boolean isMove = random.nextBoolean();
            if (isMove) {
              there.add(from + 1_000_000);
            } else {
              size--;
            }
            assertThat(table.replace(print, from, isMove ? from + 1_000_000 : 0)).isTrue();
          }
          assertThat(table.usedCount()).isEqualTo(size);
          assertSame(table.find(print), there);
        }
        List<Long> all = new ArrayList<>();
        for (int slot = 0; slot < table.slotCount(); slot++) {
          if (table.locationAt(slot) != RecordLocation.NONE) {
            all.add(table.locationAt(slot));
          }
        }
        assertThat(all).hasSize(size);
        int at = 0;
        for (List<Long> there : model.values()) {
          assertSame(array(all.subList(at, at + there.size())), there);
          at += there.size();
        }
      }
    }
  }

  /** Compares two bags; the assertion compares each with each, so only a failure is left to it. */
  private static void assertSame(long[] found, List<Long> expected) {
    long[] sorted = found.clone();
    Arrays.sort(sorted);
    long[] sortedExpected = array(expected);
    Arrays.sort(sortedExpected);
    if (!Arrays.equals(sorted, sortedExpected)) {
      assertThat(found).containsExactlyInAnyOrder(array(expected));
    }
  }

  private static long[] array(List<Long> there) {
    return there.stream().mapToLong(Long::longValue).toArray();
  }

  @Test
  void takesLessThanTwentyBytesPerKey() {
    Random random = new Random(7);
    try (SlotTable table = new SlotTable()) {
      for (int key = 1; key <= 200_000; key++) {
        table.add(random.nextInt(), key);
        if (key > 10_000) {
          assertThat(12L * table.slotCount()).isLessThan(20L * key);
        }
      }
    }
  }
}
