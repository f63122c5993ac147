package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerAssignmentTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void staysBalancedAndMovesTheMinimumThroughJoinsAndLeaves(int owners) {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed * 31 + owners);
      int segments = new int[] {1, 7, 64, 256}[random.nextInt(4)];
      List<Integer> members = new ArrayList<>();
      List<List<Integer>> current = Collections.nCopies(segments, List.of());
      for (int step = 0, next = 0; step < 24; step++) {
        int change = 1 + (random.nextInt(4) == 0 ? random.nextInt(4) : 0);
        boolean join = members.size() < 2 || (members.size() < 32 && random.nextInt(5) < 3);
        for (int i = 0; i < change && (join || members.size() > 1); i++) {
          if (join) {
            members.add(random.nextInt(members.size() + 1), next++);
          } else {
            members.remove(/* index */ random.nextInt(members.size()));
          }
        }
        List<List<Integer>> result = assign(current, members, owners);
        checkAll("seed " + seed + " step " + step, current, members, owners, result);
        current = result;
      }
    }
  }

  @Test
  void balancesAnyPresentOwners() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int owners = 1 + random.nextInt(4);
      List<Integer> members = IntStream.range(0, 1 + random.nextInt(12)).boxed().toList();
      List<List<Integer>> current = new ArrayList<>();
      int segments = 1 + random.nextInt(100);
      for (int segment = 0; segment < segments; segment++) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, 14).boxed().toList());
        Collections.shuffle(all, random);
        current.add(List.copyOf(all.subList(0, random.nextInt(6))));
      }
      List<List<Integer>> result = assign(current, members, owners);
      checkBalance("seed " + seed, members, owners, result);
    }
  }

  @Test
  void movesMatchTheMinimumOfAnExhaustiveSearch() {
    for (long seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      int owners = 1 + random.nextInt(2);
      List<Integer> members = IntStream.range(0, 2 + random.nextInt(2)).boxed().toList();
      List<List<Integer>> current = new ArrayList<>();
      int segments = 1 + random.nextInt(5);
      for (int segment = 0; segment < segments; segment++) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, 4).boxed().toList());
        Collections.shuffle(all, random);
        current.add(List.copyOf(all.subList(0, random.nextInt(4))));
      }
      int copies = Math.min(owners, members.size());
      List<List<Integer>> result = assign(current, members, owners);
      int least = leastMoves(current, members, copies, 0, new int[members.size()]);
      assertThat(moves(current, result)).as("seed %s", seed).isEqualTo(least);
    }
  }

  @Test
  void promotesBackupsWithoutMovingWhenAMemberLeaves() {
    List<String> members = List.of("a", "b", "c", "d");
    List<List<String>> before = assign(Collections.nCopies(256, List.of()), members, 2);
    List<List<String>> after = assign(before, List.of("a", "b", "d"), 2);
    int promoted = 0;
    for (int segment = 0; segment < 256; segment++) {
      String primary = before.get(segment).getFirst();
      if (primary.equals("c")) {
        promoted += after.get(segment).getFirst().equals(before.get(segment).get(1)) ? 1 : 0;
      } else {
        assertThat(after.get(segment).getFirst()).isEqualTo(primary);
      }
    }
    // The backups of the 64 were spread over all three, so hardly any member exceeds its share now.
    assertThat(promoted).isGreaterThanOrEqualTo(60);
  }

  @Test
  void leavesABalancedAssignmentAsItIs() {
    List<Integer> members = IntStream.range(0, 7).boxed().toList();
    List<List<Integer>> assigned = assign(Collections.nCopies(256, List.of()), members, 3);
    assertThat(assign(assigned, members, 3)).isEqualTo(assigned);
  }

  @Test
  void keepsTheOrderOfRemainingOwners() {
    List<List<String>> current = List.of(List.of("c", "x", "a", "b"), List.of("b", "a", "x", "c"));
    List<List<String>> result = assign(current, List.of("a", "b", "c", "d"), 4);
    assertThat(result.get(0)).containsExactly("c", "a", "b", "d");
    assertThat(result.get(1)).containsExactly("b", "a", "c", "d");
  }

  @Test
  void replicatesToAllAndBalancesPrimariesWhenThereAreFewerMembersThanOwners() {
    List<List<Integer>> current = Collections.nCopies(256, List.of());
    for (int count = 1; count <= 9; count++) {
      List<Integer> members = IntStream.range(0, count).boxed().toList();
      List<List<Integer>> result = assign(current, members, Integer.MAX_VALUE);
      checkAll(count + " members", current, members, count, result);
      assertThat(result)
          .allSatisfy(o -> assertThat(o).containsExactlyInAnyOrderElementsOf(members));
      current = result;
    }
  }

  @Test
  void dropsCopiesWithoutMovingAnyWhenThereAreFewerOwners() {
    List<Integer> members = IntStream.range(0, 6).boxed().toList();
    List<List<Integer>> three = assign(Collections.nCopies(256, List.of()), members, 3);
    List<List<Integer>> two = assign(three, members, 2);
    checkBalance("fewer owners", members, 2, two);
    assertThat(moves(three, two)).isZero();
    assertThat(relieved(three, two, members)).isZero();
  }

  @Test
  void spreadsTheBackupsOfEveryMemberOverAllOthers() {
    List<List<Integer>> current = Collections.nCopies(256, List.of());
    List<Integer> members = new ArrayList<>();
    for (int member = 0; member < 9; member++) {
      members.add(member);
      current = assign(current, members, 2);
    }
    members.remove(Integer.valueOf(4));
    current = assign(current, members, 2);
    int[][] shared = new int[9][9];
    for (List<Integer> owners : current) {
      shared[owners.get(0)][owners.get(1)]++;
    }
    for (int primary : members) {
      // 32 segments each, so 4 to 5 backups on each of the 7 others.
      assertThat(Arrays.stream(shared[primary]).max().orElseThrow())
          .as("backups of %s: %s", primary, Arrays.toString(shared[primary]))
          .isLessThanOrEqualTo(16);
    }
  }

  @Test
  void assignsNothingWithoutMembers() {
    assertThat(assign(List.of(List.of("a"), List.of()), List.of(), 2))
        .containsExactly(List.of(), List.of());
    assertThat(assign(List.of(), List.of("a"), 2)).isEmpty();
  }

  @Test
  void ignoresAnOwnerNamedTwice() {
    assertThat(assign(List.of(List.of("a", "a", "x", "a")), List.of("b", "a"), 2))
        .containsExactly(List.of("a", "b"));
  }

  @Test
  void refusesInvalidArguments() {
    assertThatThrownBy(() -> assign(List.of(), List.of("a"), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("owners is 0");
    assertThatThrownBy(() -> assign(List.of(), List.of("a", "a"), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("member a is named twice");
  }

  private static <M> List<List<M>> assign(List<List<M>> current, List<M> members, int owners) {
    return OwnerAssignment.assign(current, members, member -> MemberCapacity.DEFAULT, owners);
  }

  private static void checkAll(
      String what,
      List<List<Integer>> before,
      List<Integer> members,
      int owners,
      List<List<Integer>> after) {
    checkBalance(what, members, owners, after);
    int copies = Math.min(owners, members.size());
    int leastMoves = leastReceived(before, members, copies);
    assertThat(moves(before, after)).as("%s: moves", what).isEqualTo(leastMoves);
    // Exact balance makes some more members swap roles: at worst about one per member, by rounding.
    assertThat(relieved(before, after, members))
        .as("%s: surviving primaries that were relieved", what)
        .isLessThanOrEqualTo(leastRelieved(before, members) + members.size());
  }

  private static void checkBalance(
      String what, List<Integer> members, int owners, List<List<Integer>> after) {
    int copies = Math.min(owners, members.size());
    Map<Integer, Integer> held = new HashMap<>();
    Map<Integer, Integer> led = new HashMap<>();
    for (List<Integer> list : after) {
      assertThat(new HashSet<>(list)).as(what).hasSize(copies).isSubsetOf(members);
      assertThat(list).as(what).hasSize(copies);
      list.forEach(owner -> held.merge(owner, 1, Integer::sum));
      led.merge(list.getFirst(), 1, Integer::sum);
    }
    for (int member : members) {
      double averageHeld = (double) after.size() * copies / members.size();
      double averageLed = (double) after.size() / members.size();
      assertThat(Math.abs(held.getOrDefault(member, 0) - averageHeld))
          .as("%s: copies of %s, %s", what, member, held)
          .isLessThan(1);
      assertThat(Math.abs(led.getOrDefault(member, 0) - averageLed))
          .as("%s: primaries of %s, %s", what, member, led)
          .isLessThan(1);
    }
  }

  private static int moves(List<List<Integer>> before, List<List<Integer>> after) {
    int moves = 0;
    for (int segment = 0; segment < before.size(); segment++) {
      for (int owner : after.get(segment)) {
        moves += before.get(segment).contains(owner) ? 0 : 1;
      }
    }
    return moves;
  }

  private static int relieved(
      List<List<Integer>> before, List<List<Integer>> after, List<Integer> members) {
    int relieved = 0;
    for (int segment = 0; segment < before.size(); segment++) {
      List<Integer> owners = before.get(segment);
      if (!owners.isEmpty() && members.contains(owners.getFirst())) {
        relieved += after.get(segment).getFirst().equals(owners.getFirst()) ? 0 : 1;
      }
    }
    return relieved;
  }

  /** The least that members must receive to hold the average, rounded up for those with most. */
  private static int leastReceived(List<List<Integer>> before, List<Integer> members, int copies) {
    int[] held = counts(before, members, Integer.MAX_VALUE);
    return beyond(held, before.size() * copies, false);
  }

  /** The least that members must give up to be primary of no more than the average. */
  private static int leastRelieved(List<List<Integer>> before, List<Integer> members) {
    return beyond(counts(before, members, 1), before.size(), true);
  }

  private static int beyond(int[] counts, int total, boolean above) {
    int[] sorted = counts.clone();
    Arrays.sort(sorted);
    int rest = total % sorted.length;
    int sum = 0;
    for (int i = 0; i < sorted.length; i++) {
      int share = total / sorted.length + (sorted.length - i <= rest ? 1 : 0);
      sum += Math.max(0, above ? sorted[i] - share : share - sorted[i]);
    }
    return sum;
  }

  private static int[] counts(List<List<Integer>> before, List<Integer> members, int first) {
    int[] counts = new int[members.size()];
    for (List<Integer> owners : before) {
      owners.stream()
          .limit(first)
          .mapToInt(members::indexOf)
          .filter(i -> i >= 0)
          .forEach(i -> counts[i]++);
    }
    return counts;
  }

  /** Tries every balanced assignment of few segments to up to three members. */
  private static int leastMoves(
      List<List<Integer>> current, List<Integer> members, int copies, int segment, int[] held) {
    int total = current.size() * copies;
    if (segment == current.size()) {
      int low = total / members.size();
      boolean balanced =
          Arrays.stream(held)
              .allMatch(h -> h == low || (h == low + 1 && total % members.size() > 0));
      return balanced ? 0 : 1_000_000;
    }
    int least = 1_000_000;
    for (int set = 0; set < 1 << members.size(); set++) {
      if (Integer.bitCount(set) != copies) {
        continue;
      }
      int moves = 0;
      int[] with = held.clone();
      for (int member = 0; member < members.size(); member++) {
        if ((set >> member & 1) == 1) {
          with[member]++;
          moves += current.get(segment).contains(members.get(member)) ? 0 : 1;
        }
      }
      least = Math.min(least, moves + leastMoves(current, members, copies, segment + 1, with));
    }
    return least;
  }
}
