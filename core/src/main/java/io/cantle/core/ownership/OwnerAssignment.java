package io.cantle.core.ownership;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Decides which members own which segment after members joined or left, moving as few copies as
 * possible.
 *
 * <p>It answers two questions in turn, each exactly, by {@link MinCostPlacement}:
 *
 * <ol>
 *   <li><b>Which members hold a copy?</b> Every member holds its share of the copies ({@link
 *       PlacementQuotas}), rounded down or up, and the copies of a segment are on as many racks as
 *       possible. Of all such placements, one with the fewest new copies is taken.
 *   <li><b>Which holder is the primary?</b> Every member is primary of its share of the segments,
 *       rounded down or up. Of all such choices, one of the lowest cost is taken. It costs nothing
 *       if a surviving primary stays, or if a backup takes over from a primary that has left. It
 *       costs more if a backup relieves a surviving primary. A holder that must receive its copy
 *       first costs more than one that has it.
 * </ol>
 *
 * <p>If shares follow the capacities alone, the second question always has an answer: by the
 * balance of the first, the holders of any group of segments are numerous enough to share them
 * evenly. If a rack or a member holds less than its capacity would give it, or a rack holds more,
 * unlucky roundings of the first answer may leave none. Then primaries are rounded as the holders
 * are.
 *
 * <p><b>Threading:</b> stateless; any thread.
 */
final class OwnerAssignment {
  private static final int NEW_COPY_COST = 1;

  private static final int TAKE_OVER_AFTER_RECEIVING_COST = 1;
  private static final int RELIEVE_COST = 2;
  private static final int RELIEVE_AFTER_RECEIVING_COST = 3;

  private OwnerAssignment() {}

  /**
   * Assigns owners to every segment. The result depends only on the arguments and their order. A
   * balanced assignment to the same members is returned unchanged.
   *
   * @param current the present owners of each segment in order, primary first; may be empty for a
   *     segment, and may name members that are not in {@code members}
   * @param members the members that may own segments from now on, each once
   * @param capacities the capacity of each member; a member without capacity owns nothing
   * @param owners the number of copies of each segment; if fewer members have capacity, each of
   *     them holds every segment
   * @return the owners of each segment: the primary first, then the remaining owners in their
   *     order, then new ones; empty lists if no member has capacity
   * @throws IllegalArgumentException if {@code owners} is less than 1 or a member is named twice
   */
  static <M> List<List<M>> assign(
      List<List<M>> current,
      List<M> members,
      Function<? super M, MemberCapacity> capacities,
      int owners) {
    if (owners < 1) {
      throw new IllegalArgumentException(
          "owners is " + owners + ", and a segment has 1 or more; change the owners of the cache");
    }
    List<M> withCapacity =
        members.stream().filter(member -> capacities.apply(member).mayOwnSegments()).toList();
    int[][] present = indexOwners(current, withCapacity);
    PlacementQuotas quotas =
        new PlacementQuotas(present.length, owners, withCapacity.stream().map(capacities).toList());
    MinCostPlacement holders = MinCostPlacement.ofCopies(present.length, quotas);
    placeCopies(holders, present);
    MinCostPlacement primaries =
        MinCostPlacement.ofPrimaries(holders, quotas::minPrimaries, quotas::maxPrimaries);
    if (!placePrimaries(primaries, holders, present)) {
      primaries =
          MinCostPlacement.ofPrimaries(
              holders,
              member ->
                  Math.min(
                      quotas.minPrimaries(member),
                      quotas.minPrimaries(member, holders.load(member))),
              member ->
                  Math.max(
                      quotas.maxPrimaries(member),
                      quotas.maxPrimaries(member, holders.load(member))));
      requireBalanced(placePrimaries(primaries, holders, present));
    }
    return toOwnerLists(holders, primaries, present, withCapacity);
  }

  private static void requireBalanced(boolean isBalanced) {
    if (!isBalanced) {
      throw new IllegalStateException("no assignment satisfies the computed shares; this is a bug");
    }
  }

  private static void placeCopies(MinCostPlacement holders, int[][] present) {
    int members = holders.memberCount();
    for (int segment = 0; segment < present.length; segment++) {
      for (int member = 0; member < members; member++) {
        holders.setCost(segment, member, NEW_COPY_COST);
      }
      for (int member : present[segment]) {
        if (member >= 0) {
          holders.setCost(segment, member, 0);
        }
      }
      // The primary should be the last owner to give up its copy.
      if (present[segment].length > 0 && present[segment][0] >= 0) {
        holders.setFavoured(segment, present[segment][0]);
      }
    }
    requireBalanced(holders.solve());
  }

  /** Returns whether every member can be primary of its share. */
  private static boolean placePrimaries(
      MinCostPlacement primaries, MinCostPlacement holders, int[][] present) {
    for (int segment = 0; segment < present.length; segment++) {
      int primary = present[segment].length == 0 ? -1 : present[segment][0];
      boolean primaryStays = primary >= 0 && holders.holds(segment, primary);
      for (int member = 0; member < holders.memberCount(); member++) {
        if (holders.holds(segment, member)) {
          primaries.setCost(
              segment,
              member,
              primaryStays ? RELIEVE_AFTER_RECEIVING_COST : TAKE_OVER_AFTER_RECEIVING_COST);
        }
      }
      for (int member : present[segment]) {
        if (member >= 0 && holders.holds(segment, member)) {
          primaries.setCost(segment, member, primaryStays ? RELIEVE_COST : 0);
        }
      }
      if (primaryStays) {
        primaries.setCost(segment, primary, 0);
      }
    }
    return primaries.solve();
  }

  /** The present owners as indexes of members, each once; -1 for a primary that has left. */
  private static <M> int[][] indexOwners(List<List<M>> current, List<M> members) {
    Map<M, Integer> numbers = HashMap.newHashMap(members.size());
    for (M member : members) {
      if (numbers.put(member, numbers.size()) != null) {
        throw new IllegalArgumentException("member " + member + " is named twice in " + members);
      }
    }
    int[][] present = new int[current.size()][];
    for (int segment = 0; segment < present.length; segment++) {
      List<M> owners = current.get(segment);
      List<Integer> indexes = new ArrayList<>(owners.size());
      for (M owner : owners) {
        int number = numbers.getOrDefault(owner, -1);
        if (number >= 0 ? !indexes.contains(number) : indexes.isEmpty()) {
          indexes.add(number);
        }
      }
      present[segment] = indexes.stream().mapToInt(Integer::intValue).toArray();
    }
    return present;
  }

  private static <M> List<List<M>> toOwnerLists(
      MinCostPlacement holders, MinCostPlacement primaries, int[][] present, List<M> members) {
    return IntStream.range(0, present.length)
        .mapToObj(
            segment ->
                IntStream.concat(
                        IntStream.concat(
                            IntStream.range(0, members.size())
                                .filter(member -> primaries.holds(segment, member)),
                            IntStream.of(present[segment])),
                        IntStream.range(0, members.size()))
                    .filter(member -> member >= 0 && holders.holds(segment, member))
                    .distinct()
                    .mapToObj(members::get)
                    .toList())
        .toList();
  }
}
