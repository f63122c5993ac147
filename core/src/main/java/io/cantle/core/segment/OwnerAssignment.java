package io.cantle.core.segment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Decides who owns which segment after members came or went, moving as few copies as possible.
 *
 * <p>Two questions, one after the other, each answered exactly by {@link MinCostPlacement}:
 *
 * <ol>
 *   <li><b>Who holds a copy.</b> Every member holds its share of the copies ({@link
 *       PlacementQuotas}), rounded down or up, and the copies of a segment are on as many racks as
 *       possible. Of all such placements one that makes the fewest new copies is taken.
 *   <li><b>Which of the holders is the primary.</b> Every member is primary of its share of the
 *       segments, rounded down or up. Of all such choices one is taken that costs least, where a
 *       surviving primary staying is free, a backup taking over from a primary that has gone is
 *       free, a backup relieving a surviving primary costs some, and a holder that has to receive
 *       its copy first costs more than one that has it.
 * </ol>
 *
 * <p>Where shares follow the capacities alone an answer to the second question always exists: the
 * holders of any group of segments are, by the balance of the first, numerous enough to share them
 * evenly. Where a rack or a member has less than its capacity would be, or a rack has more, there
 * may be none for unlucky roundings of the first; then primaries are rounded as the holders are.
 *
 * <p><b>Threading:</b> stateless; any thread.
 */
public final class OwnerAssignment {
  private static final int NEW_COPY_COST = 1;

  private static final int TAKE_OVER_AFTER_RECEIVING_COST = 1;
  private static final int RELIEVE_COST = 2;
  private static final int RELIEVE_AFTER_RECEIVING_COST = 3;

  private OwnerAssignment() {}

  /**
   * Assigns every segment to owners. The result depends on the arguments and their order only; a
   * balanced assignment to the same members comes back as it is.
   *
   * @param current the present owners of each segment in order, primary first; may be empty for a
   *     segment, and may name members that are not in {@code members}
   * @param members who may own segments from now on, each once
   * @param seats what each of the members has; one that has no capacity owns nothing
   * @param owners how many copies each segment has; all members hold all segments if there are
   *     fewer with capacity
   * @return the owners of each segment, primary first, then those who stay in their order, then new
   *     ones; none if there is no member with capacity
   * @throws IllegalArgumentException if {@code owners} is less than 1 or a member is named twice
   */
  public static <M> List<List<M>> assign(
      List<List<M>> current,
      List<M> members,
      Function<? super M, MemberCapacity> seats,
      int owners) {
    if (owners < 1) {
      throw new IllegalArgumentException(
          "owners is " + owners + ", and a segment has 1 or more; change the owners of the cache");
    }
    List<M> withCapacity =
        members.stream().filter(member -> seats.apply(member).mayOwnSegments()).toList();
    int[][] present = indexOwners(current, withCapacity);
    PlacementQuotas quotas =
        new PlacementQuotas(present.length, owners, withCapacity.stream().map(seats).toList());
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
      throw new IllegalStateException("shares that do not add up");
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
      // The primary should be the last copy a member gives up.
      if (present[segment].length > 0 && present[segment][0] >= 0) {
        holders.setFavoured(segment, present[segment][0]);
      }
    }
    requireBalanced(holders.solve());
  }

  /** Returns whether everybody can be primary of its share. */
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

  /** The present owners as indexes of members, each once; -1 for a primary that has gone. */
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
    List<List<M>> result = new ArrayList<>(present.length);
    for (int segment = 0; segment < present.length; segment++) {
      List<M> owners = new ArrayList<>();
      boolean[] unassigned = new boolean[members.size()];
      for (int member = 0; member < unassigned.length; member++) {
        unassigned[member] = holders.holds(segment, member);
        if (primaries.holds(segment, member)) {
          owners.add(members.get(member));
          unassigned[member] = false;
        }
      }
      for (int member : present[segment]) {
        if (member >= 0 && unassigned[member]) {
          owners.add(members.get(member));
          unassigned[member] = false;
        }
      }
      for (int member = 0; member < unassigned.length; member++) {
        if (unassigned[member]) {
          owners.add(members.get(member));
        }
      }
      result.add(List.copyOf(owners));
    }
    return List.copyOf(result);
  }
}
