package io.cantle.core.segment;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Places a fixed number of units of each segment on distinct members, as cheaply as possible, so
 * that every member ends with its share of them, rounded down or up, and no rack has more or fewer
 * units of a segment than it should ({@link PlacementQuotas}).
 *
 * <p>It is a minimum-cost flow, solved by successive shortest paths on the graph of the
 * <em>members</em> rather than that of the segments. There is an edge from a member to another if
 * some unit can go from the one to the other, as long as the cheapest such unit makes it. One more
 * node is the slack: whoever may take a unit more without exceeding its share rounded up leads to
 * it for nothing, and it leads for nothing to whoever may give one without falling below its share
 * rounded down. The first placement is the cheapest of all, balance left aside; then units are sent
 * from a member with too many along the cheapest path to one with too few, until nobody has too
 * many or too few. A cheapest placement stays the cheapest for its loads when it is changed along a
 * cheapest path, so the last one is the cheapest of the balanced.
 *
 * <p>A unit goes from rack to rack only where the one has a unit of that segment to spare and the
 * other has room for it; within a rack it goes as it likes. Two units of one segment that go from
 * rack to rack at once may be one too many for a rack that each would fit. But then the first of
 * them could go where the second goes, on a path that costs no more and has fewer edges: of equally
 * cheap paths one with the fewest is taken.
 *
 * <p>Among equally cheap units the choice is free. It is used to let favoured units stay where they
 * are and to mix the pairs of members who share a segment, so that a member that goes leaves its
 * work to all others.
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

  /** Whether members share racks, so that it matters on which a unit is. */
  private final boolean limitsRacks;

  /** How many units of each segment are on each rack. */
  private final int[][] unitsOnRack;

  /** The number of the node that stands for the slack. */
  private final int slackNode;

  /** What a unit of a segment costs on a member; {@link #FORBIDDEN} unless said otherwise. */
  private final byte[][] costs;

  private final int[] favoured;
  private final boolean[][] held;

  /** The holders of each segment, for walking where {@link #held} is for asking. */
  private final int[][] holders;

  private final int[] loads;
  private final int[] favouredLoads;

  /** Whose holders keep a unit company; those of this placement if null. */
  private final @Nullable MinCostPlacement copyPlacement;

  /** In how many segments the first has a unit and the second keeps it company. */
  private final int[][] sharedSegments;

  /** For two members: the segment whose unit can go from one to the other most cheaply. */
  private final int[][] edgeSegments;

  /** For two members: the rank of that unit, by cost first. */
  private final long[][] edgeRanks;

  /** For each member: whether its favoured units are those to stay. */
  private final boolean[] favouredStay;

  /** The copies of segments, placed by members' shares of them. */
  static MinCostPlacement ofCopies(int segments, PlacementQuotas quotas) {
    return new MinCostPlacement(
        segments, quotas.copiesPerSegment(), quotas, quotas::minCopies, quotas::maxCopies, null);
  }

  /**
   * One of the copies of each segment, to be the primary.
   *
   * @param low of how many segments each member is to be the primary at least
   * @param high of how many at most
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
    this.minLoads = new int[memberCount];
    this.maxLoads = new int[memberCount];
    Arrays.setAll(this.minLoads, low);
    Arrays.setAll(this.maxLoads, high);
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

  /** Lets a unit stay where it is as long as another of the same cost can go instead. */
  void setFavoured(int segment, int member) {
    favoured[segment] = member;
  }

  boolean holds(int segment, int member) {
    return held[segment][member];
  }

  int load(int member) {
    return loads[member];
  }

  /** Places all units; returns whether everybody has what it should. */
  boolean solve() {
    if (memberCount == 0) {
      return true;
    }
    placeCheapest();
    for (int member = 0; member < memberCount; member++) {
      findAllEdges(member);
    }
    while (!isBalanced()) {
      int[] path = cheapestPath();
      if (path.length == 0) {
        return false;
      }
      moveAlong(path);
    }
    return true;
  }

  /**
   * Places every unit where it costs least. Units that cost nothing come first, for all segments,
   * so that the others see the loads they leave and fill the gaps.
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

  /** Whether a rack may have one more of a segment, and the others still as many as they should. */
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
    // How full they are: of members with equal shares, how much they hold.
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
   * The cheapest path that makes the placement more balanced: from a member with too many units to
   * one with too few; if there is none with too few, or with too many, to or from the slack. Empty
   * if there is no path.
   */
  private int[] cheapestPath() {
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
      // Bellman and Ford: at most one round for each member.
    }
    int end = tooFew ? NO_MEMBER : slackNode;
    for (int member = 0; member < memberCount; member++) {
      if (loads[member] < minLoads[member]
          && (end == NO_MEMBER || distances[member] < distances[end])) {
        end = member;
      }
    }
    return distances[end] == UNREACHABLE ? new int[0] : pathTo(end, previous);
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

  /** What an edge costs whatever goes along it: all on a path are less than the least of costs. */
  private int stepCost() {
    return limitsRacks ? 1 : 0;
  }

  private static int[] pathTo(int end, int[] previous) {
    int length = 1;
    for (int node = end; previous[node] != NO_MEMBER; node = previous[node]) {
      length++;
    }
    int[] path = new int[length];
    for (int node = end; length > 0; node = previous[node]) {
      path[--length] = node;
    }
    return path;
  }

  /** Sends a unit along every edge of a path; one to or from the slack stands for none. */
  private void moveAlong(int[] path) {
    int[] movedSegments = new int[path.length - 1];
    for (int step = 0; step < movedSegments.length; step++) {
      boolean real = path[step] != slackNode && path[step + 1] != slackNode;
      movedSegments[step] = real ? edgeSegments[path[step]][path[step + 1]] : NO_SEGMENT;
    }
    for (int step = 0; step < movedSegments.length; step++) {
      if (movedSegments[step] != NO_SEGMENT) {
        removeHolder(movedSegments[step], path[step]);
      }
    }
    for (int step = 0; step < movedSegments.length; step++) {
      if (movedSegments[step] != NO_SEGMENT) {
        addHolder(movedSegments[step], path[step + 1]);
      }
    }
    for (int segment : movedSegments) {
      if (segment != NO_SEGMENT) {
        updateEdges(segment);
      }
    }
    for (int member : path) {
      if (member != slackNode && favouredStay[member] != keepsFavoured(member)) {
        findAllEdges(member);
      }
    }
  }

  /** Replaces the edges a moved segment no longer makes, and tries it for those it now can make. */
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

  /** A member gives its favoured units first as long as it has more than its share of them. */
  private boolean keepsFavoured(int member) {
    return !quotas.exceedsPrimaries(member, favouredLoads[member]);
  }

  /** Finds the unit that a member can give to another most cheaply. */
  private void findEdge(int from, int to) {
    edgeSegments[from][to] = NO_SEGMENT;
    edgeRanks[from][to] = Long.MAX_VALUE;
    // Members start at different segments, lest the first of equals is every member's choice.
    int start = (int) ((long) segmentCount * to / memberCount);
    for (int segment = start; segment < segmentCount; segment++) {
      considerEdge(segment, from, to);
    }
    for (int segment = 0; segment < start; segment++) {
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

  /** Whether a unit of a segment may go from a member to another as far as racks matter. */
  private boolean keepsRackLimits(int segment, int from, int to) {
    if (!limitsRacks || quotas.rackOf(from) == quotas.rackOf(to)) {
      return true;
    }
    int[] counts = unitsOnRack[segment];
    return counts[quotas.rackOf(from)] > quotas.minCopiesOnRack(quotas.rackOf(from))
        && counts[quotas.rackOf(to)] < quotas.maxCopiesOnRack(quotas.rackOf(to));
  }

  /** How many segments a member shares with the company of a segment, over all of it. */
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
    adjustShared(segment, member, 1);
    replaceHolder(segment, NO_MEMBER, member);
    held[segment][member] = true;
    loads[member]++;
    if (limitsRacks) {
      unitsOnRack[segment][quotas.rackOf(member)]++;
    }
    favouredLoads[member] += favoured[segment] == member ? 1 : 0;
  }

  private void removeHolder(int segment, int member) {
    replaceHolder(segment, member, NO_MEMBER);
    adjustShared(segment, member, -1);
    held[segment][member] = false;
    loads[member]--;
    if (limitsRacks) {
      unitsOnRack[segment][quotas.rackOf(member)]--;
    }
    favouredLoads[member] -= favoured[segment] == member ? 1 : 0;
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
