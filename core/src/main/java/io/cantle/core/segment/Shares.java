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
final class Shares {
  /**
   * Members that share the copies among them by their capacities.
   *
   * @param units how many copies they have of each segment
   * @param weight the capacity of all of them
   */
  private record Group(int units, long weight) {}

  private final int segments;
  private final int copies;
  private final int[] weights;
  private final int[] racks;
  private final long[] rackWeights;
  private final Group[] groups;
  private final int[] least;
  private final int[] most;
  private final long total;

  /**
   * The shares of members that all have capacity.
   *
   * @param owners how many copies of each segment there are to be
   */
  Shares(int segments, int owners, List<Seat> seats) {
    this.segments = segments;
    copies = Math.min(owners, seats.size());
    weights = seats.stream().mapToInt(Seat::millionths).toArray();
    racks = racks(seats);
    int rackCount = 1 + Arrays.stream(racks).max().orElse(-1);
    rackWeights = new long[rackCount];
    for (int member = 0; member < weights.length; member++) {
      rackWeights[racks[member]] += weights[member];
    }
    total = Arrays.stream(rackWeights).sum();
    groups = new Group[weights.length];
    least = new int[rackCount];
    most = new int[rackCount];
    Arrays.fill(least, copies < rackCount ? 0 : 1);
    Arrays.fill(most, copies < rackCount ? 1 : copies);
    if (copies < rackCount) {
      limitLargeRacks();
    } else {
      fillSmallRacks();
    }
  }

  /** The racks as numbers; a member without one is a rack of its own. */
  private static int[] racks(List<Seat> seats) {
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
    int left = copies;
    long weight = total;
    boolean found = true;
    while (found) {
      found = false;
      for (int rack = 0; rack < large.length; rack++) {
        // A share of every segment or more: what it gives up makes the others' shares larger.
        if (!large[rack] && rackWeights[rack] * left >= weight) {
          large[rack] = true;
          left--;
          weight -= rackWeights[rack];
          found = true;
        }
      }
    }
    group(large, new boolean[weights.length], new Group(left, weight));
  }

  /** From what capacity on a rack has more than a copy of each segment, or a member has all. */
  private record Turn(long weight, int rack, int member) {}

  /**
   * There is a copy for every rack. The shares grow from nothing, and the heaviest turn first: from
   * where its share is more than one copy of each segment a rack counts by its capacity, and from
   * where a member's is a copy of each it grows no more. It ends where all copies are shared out.
   */
  private void fillSmallRacks() {
    List<Turn> turns = new ArrayList<>();
    for (int rack = 0; rack < rackWeights.length; rack++) {
      turns.add(new Turn(rackWeights[rack], rack, -1));
    }
    for (int member = 0; member < weights.length; member++) {
      turns.add(new Turn(weights[member], racks[member], member));
    }
    turns.sort(Comparator.comparingLong(Turn::weight).reversed());
    boolean[] small = new boolean[rackWeights.length];
    Arrays.fill(small, true);
    boolean[] full = new boolean[weights.length];
    int left = copies - small.length;
    long weight = 0;
    for (Turn turn : turns) {
      if (weight >= left * turn.weight) {
        break;
      }
      if (turn.member < 0) {
        small[turn.rack] = false;
        left++;
        weight += turn.weight;
      } else {
        full[turn.member] = true;
        left--;
        weight -= turn.weight;
      }
    }
    group(small, full, new Group(left, weight));
  }

  /** Who shares with whom: racks with one copy of each segment, members with all, the rest. */
  private void group(boolean[] ofOneCopy, boolean[] full, Group rest) {
    for (int rack = 0; rack < ofOneCopy.length; rack++) {
      if (ofOneCopy[rack]) {
        least[rack] = 1;
        most[rack] = 1;
      }
    }
    for (int member = 0; member < groups.length; member++) {
      int rack = racks[member];
      groups[member] =
          full[member]
              ? new Group(1, weights[member])
              : ofOneCopy[rack] ? new Group(1, rackWeights[rack]) : rest;
    }
  }

  int memberCount() {
    return weights.length;
  }

  /** How many copies of each segment there are. */
  int copies() {
    return copies;
  }

  /** The number of a member's rack. */
  int rack(int member) {
    return racks[member];
  }

  int rackCount() {
    return rackWeights.length;
  }

  /** How many copies of each segment a rack has at least. */
  int least(int rack) {
    return least[rack];
  }

  /** How many copies of each segment a rack has at most. */
  int most(int rack) {
    return most[rack];
  }

  /** A member's share of the copies, rounded down. */
  int low(int member) {
    Group group = groups[member];
    return (int) ((long) segments * group.units * weights[member] / group.weight);
  }

  /** A member's share of the copies, rounded up. */
  int high(int member) {
    Group group = groups[member];
    return (int) Math.ceilDiv((long) segments * group.units * weights[member], group.weight);
  }

  /** A member's share of the primaries, rounded down. */
  int lowPrimaries(int member) {
    return (int) ((long) segments * weights[member] / total);
  }

  /** A member's share of the primaries, rounded up. */
  int highPrimaries(int member) {
    return (int) Math.ceilDiv((long) segments * weights[member], total);
  }

  /**
   * Of how many of the segments it holds a member is primary if each group has its share of every
   * segment: rounded, such an answer always exists.
   */
  int lowPrimaries(int member, int held) {
    Group group = groups[member];
    return (int) (held * group.weight / (total * group.units));
  }

  /** The same rounded up. */
  int highPrimaries(int member, int held) {
    Group group = groups[member];
    return (int) Math.ceilDiv(held * group.weight, total * group.units);
  }

  /** Whether a member's favoured units are more than its share of them. */
  boolean exceedsPrimaries(int member, int favoured) {
    return favoured * total > (long) segments * weights[member];
  }
}
