package io.cantle.core.ownership;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The limits of an assignment: how many copies each member holds, of how many segments it is the
 * primary, and how many copies of one segment a rack may have.
 *
 * <p>Members share the copies in proportion to their capacities, as far as possible: no member
 * holds a segment twice, and as many racks as possible have a copy of it. If there are more racks
 * than copies, no rack has a second copy. A rack whose share would exceed one copy of every segment
 * has exactly that, and the others share the rest. If there are no more racks than copies, every
 * rack has a copy. A rack whose share would be less than one copy of every segment has exactly
 * that. A member whose share would exceed every segment holds all segments.
 *
 * <p>This divides the members into <em>groups</em>. A group has the same number of copies of every
 * segment, and its members share them in proportion to their capacities. A rack with just one copy
 * is a group, a member that holds everything is one, and all others together are one.
 *
 * <p>All numbers are integers, so nothing depends on floating-point rounding.
 *
 * <p><b>Threading:</b> immutable once constructed; one thread constructs it.
 */
final class PlacementQuotas {
  /**
   * Members that share their copies in proportion to their capacities.
   *
   * @param units the number of copies they have of each segment
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
   * Computes the shares of members that all have capacity.
   *
   * @param owners the wanted number of copies of each segment
   */
  PlacementQuotas(int segmentCount, int owners, List<MemberCapacity> capacities) {
    this.segmentCount = segmentCount;
    copiesPerSegment = Math.min(owners, capacities.size());
    weights = capacities.stream().mapToInt(MemberCapacity::capacityMillionths).toArray();
    racks = numberRacks(capacities);
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

  /** Numbers the racks; a member without one is a rack of its own. */
  private static int[] numberRacks(List<MemberCapacity> capacities) {
    Map<String, Integer> numbers = new HashMap<>();
    int[] racks = new int[capacities.size()];
    int next = 0;
    for (int member = 0; member < racks.length; member++) {
      String rack = capacities.get(member).rack();
      Integer known = rack.isEmpty() ? null : numbers.putIfAbsent(rack, next);
      racks[member] = known == null ? next++ : known;
    }
    return racks;
  }

  /** For more racks than copies: no rack has a second copy. */
  private void limitLargeRacks() {
    boolean[] large = new boolean[rackWeights.length];
    int remainingCopies = copiesPerSegment;
    long weight = totalWeight;
    boolean found = true;
    while (found) {
      found = false;
      for (int rack = 0; rack < large.length; rack++) {
        // The share is at least every segment. What the rack gives up makes the others' shares
        // larger.
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

  /**
   * The capacity above which a rack has more than one copy of each segment, or a member has all.
   */
  private record ShareThreshold(long weight, int rack, int member) {}

  /**
   * For no more racks than copies: every rack has a copy. Shares are imagined to grow from nothing,
   * and the heaviest racks and members reach their threshold first. Once its share exceeds one copy
   * of each segment, a rack counts by its capacity. Once its share is a copy of each, a member
   * grows no more. The growth ends when all copies are distributed.
   */
  private void fillSmallRacks() {
    List<ShareThreshold> thresholds = new ArrayList<>();
    for (int rack = 0; rack < rackWeights.length; rack++) {
      thresholds.add(new ShareThreshold(rackWeights[rack], rack, -1));
    }
    for (int member = 0; member < weights.length; member++) {
      thresholds.add(new ShareThreshold(weights[member], racks[member], member));
    }
    thresholds.sort(Comparator.comparingLong(ShareThreshold::weight).reversed());
    boolean[] small = new boolean[rackWeights.length];
    Arrays.fill(small, true);
    boolean[] full = new boolean[weights.length];
    int remainingCopies = copiesPerSegment - small.length;
    long weight = 0;
    for (ShareThreshold threshold : thresholds) {
      if (weight >= remainingCopies * threshold.weight) {
        break;
      }
      if (threshold.member < 0) {
        small[threshold.rack] = false;
        remainingCopies++;
        weight += threshold.weight;
      } else {
        full[threshold.member] = true;
        remainingCopies--;
        weight -= threshold.weight;
      }
    }
    assignGroups(small, full, new CapacityGroup(remainingCopies, weight));
  }

  /** Assigns groups: racks with one copy of each segment, members that hold all, and the rest. */
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

  /** The number of copies of each segment. */
  int copiesPerSegment() {
    return copiesPerSegment;
  }

  /** The index of a member's rack. */
  int rackOf(int member) {
    return racks[member];
  }

  int rackCount() {
    return rackWeights.length;
  }

  /** The least number of copies of each segment on a rack. */
  int minCopiesOnRack(int rack) {
    return minCopiesOnRack[rack];
  }

  /** The greatest number of copies of each segment on a rack. */
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
   * Of how many of its held segments a member is primary if each group has its share of every
   * segment, rounded down. Such an assignment always exists.
   */
  int minPrimaries(int member, int heldSegments) {
    CapacityGroup group = groups[member];
    return (int) (heldSegments * group.weight / (totalWeight * group.units));
  }

  /** The same, rounded up. */
  int maxPrimaries(int member, int heldSegments) {
    CapacityGroup group = groups[member];
    return (int) Math.ceilDiv(heldSegments * group.weight, totalWeight * group.units);
  }

  /** Whether a member has more favoured units than its share of them. */
  boolean exceedsPrimaries(int member, int favoured) {
    return favoured * totalWeight > (long) segmentCount * weights[member];
  }
}
