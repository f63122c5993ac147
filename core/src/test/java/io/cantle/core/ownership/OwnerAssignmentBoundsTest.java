package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The guarantees for grids of up to 64 nodes with at least 16 segments a node. No member is more
 * than 5 % or one segment above or below the average. A change moves at most 1.05 times the least
 * that any equally balanced assignment would move.
 */
final class OwnerAssignmentBoundsTest {
  private static final int MOST_NODES = 64;
  private static final int SEGMENTS_PER_NODE = 16;
  private static final int MOST_AT_ONCE = 8;
  private static final double MOST_MOVED = 1.05;
  private static final double MOST_UNBALANCED = 0.05;

  @ParameterizedTest(name = "{0} owners, {1} segments")
  @CsvSource({
    "1, 1024", "2, 1024", "3, 1024", "4, 1024", "1, 1500", "2, 1500", "3, 2048", "4, 2048"
  })
  void holdsThroughRandomJoinsAndLeavesOfUpTo64Nodes(int owners, int segments) {
    Random random = new Random(segments * 31L + owners);
    List<Integer> members = new ArrayList<>();
    List<List<Integer>> current = Collections.nCopies(segments, List.of());
    // Grow to the limit, then shrink to one node again.
    boolean grows = true;
    for (int step = 0, next = 0; grows || members.size() > 1; step++) {
      int joins = grows ? 1 + several(random) : several(random) / 2;
      int leaves = grows ? several(random) / 2 : 1 + several(random);
      for (int i = 0; i < leaves && members.size() > 1; i++) {
        members.remove(/* index */ random.nextInt(members.size()));
      }
      for (int i = 0; i < joins && members.size() < MOST_NODES; i++) {
        members.add(random.nextInt(members.size() + 1), next++);
      }
      List<List<Integer>> after = assign(current, members, owners);
      String what = "step " + step + ", " + members.size() + " nodes";
      checkOwners(what, members, owners, after);
      assertThat(unbalanced(members, after)).as("%s: balance", what).isEmpty();
      assertThat((double) moved(current, after))
          .as("%s: moved", what)
          .isLessThanOrEqualTo(MOST_MOVED * least(current, members, owners));
      current = after;
      grows &= members.size() < MOST_NODES;
    }
  }

  @ParameterizedTest(name = "{0} owners")
  @CsvSource({"1", "2", "3", "4"})
  void holdsForEverySizeWhenOneJoinsAndWhenOneLeaves(int owners) {
    int segments = MOST_NODES * SEGMENTS_PER_NODE;
    List<Integer> members = new ArrayList<>();
    List<List<Integer>> current = Collections.nCopies(segments, List.of());
    for (int size = 1; size <= MOST_NODES; size++) {
      members.add(size);
      List<List<Integer>> joined = assign(current, members, owners);
      assertThat(unbalanced(members, joined)).as("%s nodes", size).isEmpty();
      assertThat((double) moved(current, joined))
          .as("one joins %s", size - 1)
          .isLessThanOrEqualTo(MOST_MOVED * least(current, members, owners));
      current = joined;
      if (size > 1) {
        List<Integer> left = new ArrayList<>(members);
        left.remove(/* index */ size * 7 % size);
        List<List<Integer>> without = assign(joined, left, owners);
        assertThat(unbalanced(left, without)).as("%s nodes", size - 1).isEmpty();
        assertThat((double) moved(joined, without))
            .as("one leaves %s", size)
            .isLessThanOrEqualTo(MOST_MOVED * least(joined, left, owners));
      }
    }
  }

  @Test
  void checkDetectsAnAssignmentThatIgnoresPresentOwners() {
    List<List<Integer>> nobody = Collections.nCopies(1024, List.of());
    List<Integer> ten = IntStream.range(0, 10).boxed().toList();
    List<Integer> eleven = IntStream.range(0, 11).boxed().toList();
    List<List<Integer>> before = assign(nobody, ten, 2);
    assertThat((double) moved(before, assign(nobody, eleven, 2)))
        .isGreaterThan(MOST_MOVED * least(before, eleven, 2));
    assertThat(unbalanced(eleven, before)).isNotEmpty();
  }

  private static <M> List<List<M>> assign(List<List<M>> current, List<M> members, int owners) {
    return OwnerAssignment.assign(current, members, member -> MemberCapacity.DEFAULT, owners);
  }

  /** Mostly 0, now and then many. */
  private static int several(Random random) {
    return random.nextInt(3) > 0 ? 0 : random.nextInt(MOST_AT_ONCE);
  }

  private static void checkOwners(
      String what, List<Integer> members, int owners, List<List<Integer>> after) {
    HashSet<Integer> all = new HashSet<>(members);
    int expected = Math.min(owners, members.size());
    assertThat(after)
        .as(what)
        .filteredOn(list -> new HashSet<>(list).size() != expected || !all.containsAll(list))
        .isEmpty();
  }

  /** Returns the members that hold, or are primary of, too many or too few segments. */
  private static List<String> unbalanced(List<Integer> members, List<List<Integer>> after) {
    Map<Integer, Integer> held = new HashMap<>();
    Map<Integer, Integer> led = new HashMap<>();
    for (List<Integer> owners : after) {
      owners.forEach(owner -> held.merge(owner, 1, Integer::sum));
      led.merge(owners.getFirst(), 1, Integer::sum);
    }
    List<String> wrong = new ArrayList<>();
    for (Map<Integer, Integer> counts : List.of(held, led)) {
      double average =
          (double) counts.values().stream().mapToInt(Integer::intValue).sum() / members.size();
      for (int member : members) {
        double off = Math.abs(counts.getOrDefault(member, 0) - average);
        if (off > Math.max(1, MOST_UNBALANCED * average)) {
          wrong.add("%s has %s, average %s".formatted(member, counts.get(member), average));
        }
      }
    }
    return wrong;
  }

  /** The number of copies that have to be made. */
  private static long moved(List<List<Integer>> before, List<List<Integer>> after) {
    return IntStream.range(0, before.size())
        .mapToLong(
            segment ->
                after.get(segment).stream()
                    .filter(owner -> !before.get(segment).contains(owner))
                    .count())
        .sum();
  }

  /**
   * The least number of copies that any assignment has to make: every member is filled up to its
   * share, and the larger shares go to the members that have most already.
   */
  private static long least(List<List<Integer>> before, List<Integer> members, int owners) {
    Map<Integer, Integer> held = new HashMap<>();
    before.forEach(list -> list.forEach(owner -> held.merge(owner, 1, Integer::sum)));
    int[] counts = members.stream().mapToInt(m -> held.getOrDefault(m, 0)).sorted().toArray();
    int copies = before.size() * Math.min(owners, members.size());
    int larger = copies % counts.length;
    return IntStream.range(0, counts.length)
        .mapToLong(
            i ->
                Math.max(
                    0, copies / counts.length + (i >= counts.length - larger ? 1 : 0) - counts[i]))
        .sum();
  }
}
