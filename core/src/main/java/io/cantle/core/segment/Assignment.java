package io.cantle.core.segment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Decides who owns which segment after members came or went, moving as few copies as possible.
 *
 * <p>Two questions, one after the other, each answered exactly by {@link Placement}:
 *
 * <ol>
 *   <li><b>Who holds a copy.</b> Every member holds its share of the copies ({@link Shares}),
 *       rounded down or up, and the copies of a segment are on as many racks as possible. Of all
 *       such placements one that makes the fewest new copies is taken.
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
public final class Assignment {
  private static final int NEW_COPY = 1;

  private static final int TAKE_OVER_AFTER_RECEIVING = 1;
  private static final int RELIEVE = 2;
  private static final int RELIEVE_AFTER_RECEIVING = 3;

  private Assignment() {}

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
      List<List<M>> current, List<M> members, Function<? super M, Seat> seats, int owners) {
    if (owners < 1) {
      throw new IllegalArgumentException(
          "owners is " + owners + ", and a segment has 1 or more; change the owners of the cache");
    }
    List<M> able = members.stream().filter(member -> seats.apply(member).holdsEntries()).toList();
    int[][] present = numbered(current, able);
    Shares shares = new Shares(present.length, owners, able.stream().map(seats).toList());
    Placement holders = Placement.ofCopies(present.length, shares);
    placeCopies(holders, present);
    Placement primaries =
        Placement.ofPrimaries(holders, shares::lowPrimaries, shares::highPrimaries);
    if (!placePrimaries(primaries, holders, present)) {
      primaries =
          Placement.ofPrimaries(
              holders,
              member ->
                  Math.min(
                      shares.lowPrimaries(member),
                      shares.lowPrimaries(member, holders.load(member))),
              member ->
                  Math.max(
                      shares.highPrimaries(member),
                      shares.highPrimaries(member, holders.load(member))));
      balanced(placePrimaries(primaries, holders, present));
    }
    return named(holders, primaries, present, able);
  }

  private static void balanced(boolean is) {
    if (!is) {
      throw new IllegalStateException("shares that do not add up");
    }
  }

  private static void placeCopies(Placement holders, int[][] present) {
    int members = holders.memberCount();
    for (int segment = 0; segment < present.length; segment++) {
      for (int member = 0; member < members; member++) {
        holders.cost(segment, member, NEW_COPY);
      }
      for (int member : present[segment]) {
        if (member >= 0) {
          holders.cost(segment, member, 0);
        }
      }
      // The primary should be the last copy a member gives up.
      if (present[segment].length > 0 && present[segment][0] >= 0) {
        holders.favour(segment, present[segment][0]);
      }
    }
    balanced(holders.settle());
  }

  /** Returns whether everybody can be primary of its share. */
  private static boolean placePrimaries(Placement primaries, Placement holders, int[][] present) {
    for (int segment = 0; segment < present.length; segment++) {
      int first = present[segment].length == 0 ? -1 : present[segment][0];
      boolean primaryStays = first >= 0 && holders.holds(segment, first);
      for (int member = 0; member < holders.memberCount(); member++) {
        if (holders.holds(segment, member)) {
          primaries.cost(
              segment, member, primaryStays ? RELIEVE_AFTER_RECEIVING : TAKE_OVER_AFTER_RECEIVING);
        }
      }
      for (int member : present[segment]) {
        if (member >= 0 && holders.holds(segment, member)) {
          primaries.cost(segment, member, primaryStays ? RELIEVE : 0);
        }
      }
      if (primaryStays) {
        primaries.cost(segment, first, 0);
      }
    }
    return primaries.settle();
  }

  /** The present owners as indexes of members, each once; -1 for a primary that has gone. */
  private static <M> int[][] numbered(List<List<M>> current, List<M> members) {
    Map<M, Integer> numbers = HashMap.newHashMap(members.size());
    for (M member : members) {
      if (numbers.put(member, numbers.size()) != null) {
        throw new IllegalArgumentException("member " + member + " is named twice in " + members);
      }
    }
    int[][] present = new int[current.size()][];
    for (int segment = 0; segment < present.length; segment++) {
      List<M> owners = current.get(segment);
      List<Integer> kept = new ArrayList<>(owners.size());
      for (M owner : owners) {
        int number = numbers.getOrDefault(owner, -1);
        if (number >= 0 ? !kept.contains(number) : kept.isEmpty()) {
          kept.add(number);
        }
      }
      present[segment] = kept.stream().mapToInt(Integer::intValue).toArray();
    }
    return present;
  }

  private static <M> List<List<M>> named(
      Placement holders, Placement primaries, int[][] present, List<M> members) {
    List<List<M>> result = new ArrayList<>(present.length);
    for (int segment = 0; segment < present.length; segment++) {
      List<M> owners = new ArrayList<>();
      boolean[] left = new boolean[members.size()];
      for (int member = 0; member < left.length; member++) {
        left[member] = holders.holds(segment, member);
        if (primaries.holds(segment, member)) {
          owners.add(members.get(member));
          left[member] = false;
        }
      }
      for (int member : present[segment]) {
        if (member >= 0 && left[member]) {
          owners.add(members.get(member));
          left[member] = false;
        }
      }
      for (int member = 0; member < left.length; member++) {
        if (left[member]) {
          owners.add(members.get(member));
        }
      }
      result.add(List.copyOf(owners));
    }
    return List.copyOf(result);
  }
}
