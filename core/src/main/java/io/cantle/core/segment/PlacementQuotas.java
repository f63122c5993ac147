package io.cantle.core.segment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many copies each member is to hold, of how many segments it is to be the primary, and how
 * many copies of one segment a rack may have.
 *
 * <p>Members with capacity share the copies by their capacities, as far as this is possible: nobody
 * holds a segment twice, and as many racks as possible have a copy of it. So if there are more
 * racks than copies no rack has a second copy, and one that were to have more than every segment
 * has just that, while the others share what is left. If there are no more racks than copies every
 * rack has a copy, and one that were to have less has just that; and a member that were to hold
 * more than every segment holds all.
 *
 * <p>This divides the members into <em>groups</em>. Of each segment a group has the same number of
 * copies, and its members share them by their capacities. A rack with just one copy is a group, a
 * member that holds everything is one, and so are all others together.
 *
 * <p>All numbers are whole, so nothing depends on how one rounds.
 *
 * <p><b>Threading:</b> immutable once made; one thread makes it.
 */
final class PlacementQuotas {
  /**
   * Members that share the copies among them by their capacities.
   *
   * @param units how many copies they have of each segment
   * @param weight the capacity of all of them
   */
  private record CapacityGroup(int units, long weight) {}

  private final int segmentCount;
  private final int copiesPerSegment;
  private final int[] weights;
  private final int[] racks;
  private final long[] rackWeights;
  private final CapacityGroup[] groups;
  private final int[] minCopiesOnRack;
  private final int[] maxCopiesOnRack;
  private final long totalWeight;

  /**
   * The shares of members that all have capacity.
   *
   * @param owners how many copies of each segment there are to be
   */
  PlacementQuotas(int segmentCount, int owners, List<MemberCapacity> seats) {
    this.segmentCount = segmentCount;
    copiesPerSegment = Math.min(owners, seats.size());
    weights = seats.stream().mapToInt(MemberCapacity::capacityMillionths).toArray();
    racks = numberRacks(seats);
    int rackCount = 1 + Arrays.stream(racks).max().orElse(-1);
    rackWeights = new long[rackCount];
    for (int member = 0; member < weights.length; member++) {
      rackWeights[racks[member]] += weights[member];
    }
    totalWeight = Arrays.stream(rackWeights).sum();
    groups = new CapacityGroup[weights.length];
    minCopiesOnRack = new int[rackCount];
    maxCopiesOnRack = new int[rackCount];
    Arrays.fill(minCopiesOnRack, copiesPerSegment < rackCount ? 0 : 1);
    Arrays.fill(maxCopiesOnRack, copiesPerSegment < rackCount ? 1 : copiesPerSegment);
    if (copiesPerSegment < rackCount) {
      limitLargeRacks();
    } else {
      fillSmallRacks();
    }
  }

  /** The racks as numbers; a member without one is a rack of its own. */
  private static int[] numberRacks(List<MemberCapacity> seats) {
    Map<String, Integer> numbers = new HashMap<>();
    int[] racks = new int[seats.size()];
    int next = 0;
    for (int member = 0; member < racks.length; member++) {
      String rack = seats.get(member).rack();
      Integer known = rack.isEmpty() ? null : numbers.putIfAbsent(rack, next);
      racks[member] = known == null ? next++ : known;
    }
    return racks;
  }

  /** There are more racks than copies: none has a second one. */
  private void limitLargeRacks() {
    boolean[] large = new boolean[rackWeights.length];
    int remainingCopies = copiesPerSegment;
    long weight = totalWeight;
    boolean found = true;
    while (found) {
      found = false;
      for (int rack = 0; rack < large.length; rack++) {
        // A share of every segment or more: what it gives up makes the others' shares larger.
        if (!large[rack] && rackWeights[rack] * remainingCopies >= weight) {
          large[rack] = true;
          remainingCopies--;
          weight -= rackWeights[rack];
          found = true;
        }
      }
    }
    assignGroups(large, new boolean[weights.length], new CapacityGroup(remainingCopies, weight));
  }

  /** From what capacity on a rack has more than a copy of each segment, or a member has all. */
  private record ShareThreshold(long weight, int rack, int member) {}

  /**
   * There is a copy for every rack. The shares grow from nothing, and the heaviest turn first: from
   * where its share is more than one copy of each segment a rack counts by its capacity, and from
   * where a member's is a copy of each it grows no more. It ends where all copies are shared out.
   */
  private void fillSmallRacks() {
    List<ShareThreshold> turns = new ArrayList<>();
    for (int rack = 0; rack < rackWeights.length; rack++) {
      turns.add(new ShareThreshold(rackWeights[rack], rack, -1));
    }
    for (int member = 0; member < weights.length; member++) {
      turns.add(new ShareThreshold(weights[member], racks[member], member));
    }
    turns.sort(Comparator.comparingLong(ShareThreshold::weight).reversed());
    boolean[] small = new boolean[rackWeights.length];
    Arrays.fill(small, true);
    boolean[] full = new boolean[weights.length];
    int remainingCopies = copiesPerSegment - small.length;
    long weight = 0;
    for (ShareThreshold turn : turns) {
      if (weight >= remainingCopies * turn.weight) {
        break;
      }
      if (turn.member < 0) {
        small[turn.rack] = false;
        remainingCopies++;
        weight += turn.weight;
      } else {
        full[turn.member] = true;
        remainingCopies--;
        weight -= turn.weight;
      }
    }
    assignGroups(small, full, new CapacityGroup(remainingCopies, weight));
  }

  /** Who shares with whom: racks with one copy of each segment, members with all, the rest. */
  private void assignGroups(boolean[] hasOneCopy, boolean[] full, CapacityGroup rest) {
    for (int rack = 0; rack < hasOneCopy.length; rack++) {
      if (hasOneCopy[rack]) {
        minCopiesOnRack[rack] = 1;
        maxCopiesOnRack[rack] = 1;
      }
    }
    for (int member = 0; member < groups.length; member++) {
      int rack = racks[member];
      groups[member] =
          full[member]
              ? new CapacityGroup(1, weights[member])
              : hasOneCopy[rack] ? new CapacityGroup(1, rackWeights[rack]) : rest;
    }
  }

  int memberCount() {
    return weights.length;
  }

  /** How many copies of each segment there are. */
  int copiesPerSegment() {
    return copiesPerSegment;
  }

  /** The number of a member's rack. */
  int rackOf(int member) {
    return racks[member];
  }

  int rackCount() {
    return rackWeights.length;
  }

  /** How many copies of each segment a rack has at least. */
  int minCopiesOnRack(int rack) {
    return minCopiesOnRack[rack];
  }

  /** How many copies of each segment a rack has at most. */
  int maxCopiesOnRack(int rack) {
    return maxCopiesOnRack[rack];
  }

  /** A member's share of the copies, rounded down. */
  int minCopies(int member) {
    CapacityGroup group = groups[member];
    return (int) ((long) segmentCount * group.units * weights[member] / group.weight);
  }

  /** A member's share of the copies, rounded up. */
  int maxCopies(int member) {
    CapacityGroup group = groups[member];
    return (int) Math.ceilDiv((long) segmentCount * group.units * weights[member], group.weight);
  }

  /** A member's share of the primaries, rounded down. */
  int minPrimaries(int member) {
    return (int) ((long) segmentCount * weights[member] / totalWeight);
  }

  /** A member's share of the primaries, rounded up. */
  int maxPrimaries(int member) {
    return (int) Math.ceilDiv((long) segmentCount * weights[member], totalWeight);
  }

  /**
   * Of how many of the segments it holds a member is primary if each group has its share of every
   * segment: rounded, such an answer always exists.
   */
  int minPrimaries(int member, int heldSegments) {
    CapacityGroup group = groups[member];
    return (int) (heldSegments * group.weight / (totalWeight * group.units));
  }

  /** The same rounded up. */
  int maxPrimaries(int member, int heldSegments) {
    CapacityGroup group = groups[member];
    return (int) Math.ceilDiv(heldSegments * group.weight, totalWeight * group.units);
  }

  /** Whether a member's favoured units are more than its share of them. */
  boolean exceedsPrimaries(int member, int favoured) {
    return favoured * totalWeight > (long) segmentCount * weights[member];
  }
}
