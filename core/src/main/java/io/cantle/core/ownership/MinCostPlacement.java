package io.cantle.core.ownership;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A solver that places a fixed number of units of each segment on distinct members at the lowest
 * cost. In the result every member has its share of units, rounded down or up, and every rack has a
 * permitted number of units of each segment ({@link PlacementQuotas}).
 *
 * <p>The problem is a minimum-cost flow. It is solved by successive shortest paths on the graph of
 * the <em>members</em> rather than that of the segments. There is an edge from one member to
 * another if some unit can move between them; its cost is that of the cheapest such unit. One more
 * node is the slack. A member that may take one more unit within its share rounded up has an edge
 * to the slack at no cost. The slack has an edge at no cost to each member that may give up a unit
 * without falling below its share rounded down.
 *
 * <p>The first placement is the cheapest of all, regardless of balance. Then units are sent along
 * the cheapest path from a member with too many to one with too few, until no member has too many
 * or too few. A placement that is the cheapest for its loads remains so when it is changed along a
 * cheapest path. So the last one is the cheapest of all balanced placements.
 *
 * <p>A unit moves between racks only if the source has a unit of that segment to spare and the
 * target has room for it; within a rack it moves freely. Two units of one segment that move between
 * racks on one path may together exceed the limit of a rack that each alone would respect. But then
 * the first of them could go where the second goes, on a path that costs no more and has fewer
 * edges. Therefore the path with the fewest edges is taken among those of equal cost.
 *
 * <p>Among equally cheap units the choice is free. It is used to let favoured units stay where they
 * are, and to mix the pairs of members that share a segment, so that a member that leaves passes
 * its work to all others.
 *
 * <p><b>Threading:</b> one thread, its owner.
 */
final class MinCostPlacement {
  private static final int FORBIDDEN = -1;
  private static final int NO_MEMBER = -1;
  private static final int NO_SEGMENT = -1;
  private static final int UNREACHABLE = Integer.MAX_VALUE;

  private final int segmentCount;
  private final int memberCount;
  private final int unitsPerSegment;
  private final PlacementQuotas quotas;
  private final int[] minLoads;
  private final int[] maxLoads;

  /** Whether members share racks, so that the rack of a unit matters. */
  private final boolean limitsRacks;

  /** The number of units of each segment on each rack. */
  private final int[][] unitsOnRack;

  /** The index of the slack node. */
  private final int slackNode;

  /** The cost of a unit of a segment on a member; {@link #FORBIDDEN} unless set. */
  private final byte[][] costs;

  private final int[] favoured;
  private final boolean[][] held;

  /** The members that hold each segment, for iterating; {@link #held} is for look-ups. */
  private final int[][] holders;

  /** The segments that each member holds: few of all, where there are many members. */
  private final BitSet[] heldSegments;

  private final int[] loads;
  private final int[] favouredLoads;

  /** The placement whose holders count as the co-holders of a unit; this one if null. */
  private final @Nullable MinCostPlacement copyPlacement;

  /** For two members: in how many segments the first has a unit and the second is a co-holder. */
  private final int[][] sharedSegments;

  /** For two members: the segment whose unit can move from one to the other at the lowest cost. */
  private final int[][] edgeSegments;

  /** For two members: the rank of that unit, ordered by cost first. */
  private final long[][] edgeRanks;

  /** For each member: whether its favoured units should be the last to move. */
  private final boolean[] favouredStay;

  /** Creates a placement of the copies of segments, by the members' shares of them. */
  static MinCostPlacement ofCopies(int segments, PlacementQuotas quotas) {
    return new MinCostPlacement(
        segments, quotas.copiesPerSegment(), quotas, quotas::minCopies, quotas::maxCopies, null);
  }

  /**
   * Creates a placement of the primaries: one of the copies of each segment.
   *
   * @param low for each member, the least number of segments of which it must be the primary
   * @param high for each member, the most
   */
  static MinCostPlacement ofPrimaries(
      MinCostPlacement holders, IntUnaryOperator low, IntUnaryOperator high) {
    int units = Math.min(1, holders.unitsPerSegment);
    return new MinCostPlacement(holders.segmentCount, units, holders.quotas, low, high, holders);
  }

  private MinCostPlacement(
      int segmentCount,
      int unitsPerSegment,
      PlacementQuotas quotas,
      IntUnaryOperator low,
      IntUnaryOperator high,
      @Nullable MinCostPlacement copyPlacement) {
    this.copyPlacement = copyPlacement;
    this.segmentCount = segmentCount;
    this.memberCount = quotas.memberCount();
    this.unitsPerSegment = unitsPerSegment;
    this.quotas = quotas;
    this.minLoads = IntStream.range(0, memberCount).map(low).toArray();
    this.maxLoads = IntStream.range(0, memberCount).map(high).toArray();
    this.limitsRacks = copyPlacement == null && quotas.rackCount() < memberCount;
    this.unitsOnRack = new int[limitsRacks ? segmentCount : 0][quotas.rackCount()];
    this.slackNode = memberCount;
    this.costs = new byte[segmentCount][memberCount];
    for (byte[] row : costs) {
      Arrays.fill(row, (byte) FORBIDDEN);
    }
    this.favoured = new int[segmentCount];
    Arrays.fill(favoured, NO_MEMBER);
    this.held = new boolean[segmentCount][memberCount];
    this.holders = new int[segmentCount][unitsPerSegment];
    for (int[] row : holders) {
      Arrays.fill(row, NO_MEMBER);
    }
    this.heldSegments = new BitSet[memberCount];
    Arrays.setAll(heldSegments, _ -> new BitSet(segmentCount));
    this.loads = new int[memberCount];
    this.favouredLoads = new int[memberCount];
    this.sharedSegments = new int[memberCount][memberCount];
    this.edgeSegments = new int[memberCount][memberCount];
    this.edgeRanks = new long[memberCount][memberCount];
    this.favouredStay = new boolean[memberCount];
  }

  int memberCount() {
    return memberCount;
  }

  /** Allows a unit of a segment on a member at a cost of 0 or more. */
  void setCost(int segment, int member, int cost) {
    costs[segment][member] = (byte) cost;
  }

  /**
   * Marks the unit that should stay on a member as long as another of the same cost can move
   * instead.
   */
  void setFavoured(int segment, int member) {
    favoured[segment] = member;
  }

  boolean holds(int segment, int member) {
    return held[segment][member];
  }

  int load(int member) {
    return loads[member];
  }

  /** Places all units; returns whether every member has its share. */
  boolean solve() {
    if (memberCount == 0) {
      return true;
    }
    placeCheapest();
    for (int member = 0; member < memberCount; member++) {
      findAllEdges(member);
    }
    while (!isBalanced()) {
      List<Integer> path = cheapestPath();
      if (path.isEmpty()) {
        return false;
      }
      moveAlong(path);
    }
    return true;
  }

  /**
   * Places every unit where it costs least. Units that cost nothing are placed first, for all
   * segments, so that the others see the resulting loads and fill the gaps.
   */
  private void placeCheapest() {
    for (int segment = 0; segment < segmentCount; segment++) {
      if (favoured[segment] >= 0) {
        addHolder(segment, favoured[segment]);
      }
    }
    for (int cost = 0; cost <= Byte.MAX_VALUE; cost++) {
      boolean complete = true;
      for (int segment = 0; segment < segmentCount; segment++) {
        complete &= placeUnits(segment, cost);
      }
      if (complete) {
        return;
      }
    }
    throw new IllegalStateException(
        "a segment has fewer than " + unitsPerSegment + " members to choose from");
  }

  private boolean placeUnits(int segment, int cost) {
    for (int missing = countMissing(segment); missing > 0; missing--) {
      int best = -1;
      for (int member = 0; member < memberCount; member++) {
        if (costs[segment][member] == cost
            && !held[segment][member]
            && hasRoom(segment, quotas.rackOf(member))
            && (best < 0 || fitsBetter(segment, member, best))) {
          best = member;
        }
      }
      if (best < 0) {
        return false;
      }
      addHolder(segment, best);
    }
    return true;
  }

  /** Whether a rack may take one more unit of a segment while enough remain for the other racks. */
  private boolean hasRoom(int segment, int rack) {
    if (!limitsRacks) {
      return true;
    }
    int[] counts = unitsOnRack[segment];
    int needed = counts[rack] < quotas.minCopiesOnRack(rack) ? -1 : 0;
    for (int other = 0; other < counts.length; other++) {
      needed += Math.max(0, quotas.minCopiesOnRack(other) - counts[other]);
    }
    return counts[rack] < quotas.maxCopiesOnRack(rack) && needed < countMissing(segment);
  }

  private int countMissing(int segment) {
    int missing = 0;
    for (int holder : holders[segment]) {
      missing += holder == NO_MEMBER ? 1 : 0;
    }
    return missing;
  }

  private boolean fitsBetter(int segment, int member, int best) {
    // Compares how full both are; for members with equal shares, how many units they have.
    long full = (long) loads[member] * maxLoads[best] - (long) loads[best] * maxLoads[member];
    return full != 0 ? full < 0 : countShared(segment, member) < countShared(segment, best);
  }

  private boolean isBalanced() {
    for (int member = 0; member < memberCount; member++) {
      if (loads[member] > maxLoads[member] || loads[member] < minLoads[member]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the cheapest path that makes the placement more balanced: from a member with too many
   * units to one with too few. If no member has too many, it starts at the slack; if none has too
   * few, it ends there. Returns an empty path if there is none.
   */
  private List<Integer> cheapestPath() {
    boolean tooMany = false;
    boolean tooFew = false;
    for (int member = 0; member < memberCount; member++) {
      tooMany |= loads[member] > maxLoads[member];
      tooFew |= loads[member] < minLoads[member];
    }
    int[] distances = new int[memberCount + 1];
    int[] previous = new int[memberCount + 1];
    Arrays.fill(previous, NO_MEMBER);
    for (int member = 0; member < memberCount; member++) {
      distances[member] = loads[member] > maxLoads[member] ? 0 : UNREACHABLE;
    }
    distances[slackNode] = tooMany ? UNREACHABLE : 0;
    while (relax(distances, previous)) {
      // Bellman-Ford: at most one round for each member.
    }
    int end = tooFew ? NO_MEMBER : slackNode;
    for (int member = 0; member < memberCount; member++) {
      if (loads[member] < minLoads[member]
          && (end == NO_MEMBER || distances[member] < distances[end])) {
        end = member;
      }
    }
    return distances[end] == UNREACHABLE ? List.of() : pathTo(end, previous);
  }

  private boolean relax(int[] distances, int[] previous) {
    boolean changed = false;
    for (int from = 0; from <= memberCount; from++) {
      if (distances[from] == UNREACHABLE) {
        continue;
      }
      for (int to = 0; to <= memberCount; to++) {
        int cost = edgeCost(from, to);
        if (cost != UNREACHABLE && distances[from] + cost < distances[to]) {
          distances[to] = distances[from] + cost;
          previous[to] = from;
          changed = true;
        }
      }
    }
    return changed;
  }

  private int edgeCost(int from, int to) {
    if (from == slackNode) {
      return to != slackNode && loads[to] > minLoads[to] ? stepCost() : UNREACHABLE;
    }
    if (to == slackNode) {
      return loads[from] < maxLoads[from] ? stepCost() : UNREACHABLE;
    }
    int segment = edgeSegments[from][to];
    int cost = segment == NO_SEGMENT ? 0 : costs[segment][to] - costs[segment][from];
    return segment == NO_SEGMENT
        ? UNREACHABLE
        : limitsRacks ? cost * (memberCount + 2) + stepCost() : cost;
  }

  /**
   * The fixed cost of each edge; all those of a path together are less than the smallest unit cost.
   */
  private int stepCost() {
    return limitsRacks ? 1 : 0;
  }

  private static List<Integer> pathTo(int end, int[] previous) {
    List<Integer> path = new ArrayList<>();
    for (int node = end; node != NO_MEMBER; node = previous[node]) {
      path.addFirst(node);
    }
    return path;
  }

  /** A unit of a segment that goes from one member to another. */
  private record UnitMove(int segment, int from, int to) {}

  /** Moves a unit along every edge of a path. An edge to or from the slack moves none. */
  private void moveAlong(List<Integer> path) {
    List<UnitMove> moves = new ArrayList<>();
    for (int step = 1; step < path.size(); step++) {
      int from = path.get(step - 1);
      int to = path.get(step);
      if (from != slackNode && to != slackNode) {
        moves.add(new UnitMove(edgeSegments[from][to], from, to));
      }
    }
    moves.forEach(move -> removeHolder(move.segment, move.from));
    moves.forEach(move -> addHolder(move.segment, move.to));
    moves.forEach(move -> updateEdges(move.segment));

    for (int member : path) {
      if (member != slackNode && favouredStay[member] != keepsFavoured(member)) {
        findAllEdges(member);
      }
    }
  }

  /**
   * Replaces the edges that a moved segment can no longer serve, and offers it for those it now
   * can.
   */
  private void updateEdges(int segment) {
    boolean[] holds = held[segment];
    for (int from = 0; from < memberCount; from++) {
      for (int to = 0; to < memberCount; to++) {
        if (edgeSegments[from][to] == segment
            && (!holds[from] || holds[to] || !keepsRackLimits(segment, from, to))) {
          findEdge(from, to);
        }
      }
    }
    for (int from : holders[segment]) {
      for (int to = 0; to < memberCount; to++) {
        considerEdge(segment, from, to);
      }
    }
  }

  private void findAllEdges(int from) {
    favouredStay[from] = keepsFavoured(from);
    for (int to = 0; to < memberCount; to++) {
      findEdge(from, to);
    }
  }

  /**
   * Whether a member's favoured units stay. It gives them up first while it has more than its
   * share.
   */
  private boolean keepsFavoured(int member) {
    return !quotas.exceedsPrimaries(member, favouredLoads[member]);
  }

  /** Finds the unit that one member can give to another at the lowest cost. */
  private void findEdge(int from, int to) {
    edgeSegments[from][to] = NO_SEGMENT;
    edgeRanks[from][to] = Long.MAX_VALUE;
    // Members start at different segments, so that ties do not all go to the first segment.
    int start = (int) ((long) segmentCount * to / memberCount);
    considerEdges(from, to, start, segmentCount);
    considerEdges(from, to, 0, start);
  }

  private void considerEdges(int from, int to, int begin, int end) {
    BitSet segments = heldSegments[from];
    for (int segment = segments.nextSetBit(begin);
        segment >= 0 && segment < end;
        segment = segments.nextSetBit(segment + 1)) {
      considerEdge(segment, from, to);
    }
  }

  private void considerEdge(int segment, int from, int to) {
    if (!held[segment][from]
        || held[segment][to]
        || costs[segment][to] == FORBIDDEN
        || !keepsRackLimits(segment, from, to)) {
      return;
    }
    int cost = costs[segment][to] - costs[segment][from];
    long stay = (favoured[segment] == from) == favouredStay[from] ? 1 : 0;
    long rank = (2L * cost + stay) << 32;
    if (rank - Integer.MAX_VALUE > edgeRanks[from][to]) {
      return;
    }
    rank += countShared(segment, to) - sharedSegments[to][from] - countShared(segment, from);
    if (rank < edgeRanks[from][to]) {
      edgeRanks[from][to] = rank;
      edgeSegments[from][to] = segment;
    }
  }

  /** Whether a unit of a segment may move between two members as far as racks are concerned. */
  private boolean keepsRackLimits(int segment, int from, int to) {
    if (!limitsRacks || quotas.rackOf(from) == quotas.rackOf(to)) {
      return true;
    }
    int[] counts = unitsOnRack[segment];
    return counts[quotas.rackOf(from)] > quotas.minCopiesOnRack(quotas.rackOf(from))
        && counts[quotas.rackOf(to)] < quotas.maxCopiesOnRack(quotas.rackOf(to));
  }

  /**
   * The number of segments that a member shares with the co-holders of a segment, summed over them.
   */
  private int countShared(int segment, int member) {
    int sum = 0;
    for (int other : coHolders(segment)) {
      sum += other != NO_MEMBER && other != member ? sharedSegments[member][other] : 0;
    }
    return sum;
  }

  private int[] coHolders(int segment) {
    return copyPlacement == null ? holders[segment] : copyPlacement.holders[segment];
  }

  private void addHolder(int segment, int member) {
    replaceHolder(segment, NO_MEMBER, member);
    adjustHeld(segment, member, 1);
  }

  private void removeHolder(int segment, int member) {
    replaceHolder(segment, member, NO_MEMBER);
    adjustHeld(segment, member, -1);
  }

  /** Counts a unit that a member has got, or with -1 one that it has given up. */
  private void adjustHeld(int segment, int member, int change) {
    held[segment][member] = change > 0;
    heldSegments[member].set(segment, change > 0);
    loads[member] += change;
    favouredLoads[member] += favoured[segment] == member ? change : 0;
    if (limitsRacks) {
      unitsOnRack[segment][quotas.rackOf(member)] += change;
    }
    adjustShared(segment, member, change);
  }

  private void replaceHolder(int segment, int old, int replacement) {
    int place = 0;
    while (holders[segment][place] != old) {
      place++;
    }
    holders[segment][place] = replacement;
  }

  private void adjustShared(int segment, int member, int change) {
    for (int other : coHolders(segment)) {
      if (other != NO_MEMBER && other != member) {
        sharedSegments[member][other] += change;
        if (copyPlacement == null) {
          sharedSegments[other][member] += change;
        }
      }
    }
  }
}
