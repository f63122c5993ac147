package io.cantle.core.segment;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Places a fixed number of units of each segment on distinct members, as cheaply as possible, so
 * that every member ends with its share of them, rounded down or up, and no rack has more or fewer
 * units of a segment than it should ({@link Shares}).
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
final class Placement {
  private static final int FORBIDDEN = -1;
  private static final int NOBODY = -1;
  private static final int NOTHING = -1;
  private static final int NONE = Integer.MAX_VALUE;

  private final int segments;
  private final int members;
  private final int units;
  private final Shares shares;
  private final int[] low;
  private final int[] high;

  /** Whether members share racks, so that it matters on which a unit is. */
  private final boolean racked;

  /** How many units of each segment are on each rack. */
  private final int[][] onRack;

  /** The number of the node that stands for the slack. */
  private final int slack;

  /** What a unit of a segment costs on a member; {@link #FORBIDDEN} unless said otherwise. */
  private final byte[][] costs;

  private final int[] favoured;
  private final boolean[][] held;

  /** The holders of each segment, for walking where {@link #held} is for asking. */
  private final int[][] holders;

  private final int[] loads;
  private final int[] favouredLoads;

  /** Whose holders keep a unit company; those of this placement if null. */
  private final @Nullable Placement among;

  /** In how many segments the first has a unit and the second keeps it company. */
  private final int[][] shared;

  /** For two members: the segment whose unit can go from one to the other most cheaply. */
  private final int[][] edges;

  /** For two members: the rank of that unit, by cost first. */
  private final long[][] ranks;

  /** For each member: whether its favoured units are those to stay. */
  private final boolean[] keeping;

  /** The copies of segments, placed by members' shares of them. */
  static Placement ofCopies(int segments, Shares shares) {
    return new Placement(segments, shares.copies(), shares, shares::low, shares::high, null);
  }

  /**
   * One of the copies of each segment, to be the primary.
   *
   * @param low of how many segments each member is to be the primary at least
   * @param high of how many at most
   */
  static Placement ofPrimaries(Placement holders, IntUnaryOperator low, IntUnaryOperator high) {
    int units = Math.min(1, holders.units);
    return new Placement(holders.segments, units, holders.shares, low, high, holders);
  }

  private Placement(
      int segments,
      int units,
      Shares shares,
      IntUnaryOperator low,
      IntUnaryOperator high,
      @Nullable Placement among) {
    this.among = among;
    this.segments = segments;
    this.members = shares.memberCount();
    this.units = units;
    this.shares = shares;
    this.low = new int[members];
    this.high = new int[members];
    Arrays.setAll(this.low, low);
    Arrays.setAll(this.high, high);
    this.racked = among == null && shares.rackCount() < members;
    this.onRack = new int[racked ? segments : 0][shares.rackCount()];
    this.slack = members;
    this.costs = new byte[segments][members];
    for (byte[] row : costs) {
      Arrays.fill(row, (byte) FORBIDDEN);
    }
    this.favoured = new int[segments];
    Arrays.fill(favoured, NOBODY);
    this.held = new boolean[segments][members];
    this.holders = new int[segments][units];
    for (int[] row : holders) {
      Arrays.fill(row, NOBODY);
    }
    this.loads = new int[members];
    this.favouredLoads = new int[members];
    this.shared = new int[members][members];
    this.edges = new int[members][members];
    this.ranks = new long[members][members];
    this.keeping = new boolean[members];
  }

  int memberCount() {
    return members;
  }

  /** Allows a unit of a segment on a member at a cost of 0 or more. */
  void cost(int segment, int member, int cost) {
    costs[segment][member] = (byte) cost;
  }

  /** Lets a unit stay where it is as long as another of the same cost can go instead. */
  void favour(int segment, int member) {
    favoured[segment] = member;
  }

  boolean holds(int segment, int member) {
    return held[segment][member];
  }

  int load(int member) {
    return loads[member];
  }

  /** Places all units; returns whether everybody has what it should. */
  boolean settle() {
    if (members == 0) {
      return true;
    }
    placeCheapest();
    for (int member = 0; member < members; member++) {
      findAllEdges(member);
    }
    while (!balanced()) {
      int[] path = cheapestPath();
      if (path.length == 0) {
        return false;
      }
      send(path);
    }
    return true;
  }

  /**
   * Places every unit where it costs least. Units that cost nothing come first, for all segments,
   * so that the others see the loads they leave and fill the gaps.
   */
  private void placeCheapest() {
    for (int segment = 0; segment < segments; segment++) {
      if (favoured[segment] >= 0) {
        hold(segment, favoured[segment]);
      }
    }
    for (int cost = 0; cost <= Byte.MAX_VALUE; cost++) {
      boolean complete = true;
      for (int segment = 0; segment < segments; segment++) {
        complete &= fill(segment, cost);
      }
      if (complete) {
        return;
      }
    }
    throw new IllegalStateException(
        "a segment has fewer than " + units + " members to choose from");
  }

  private boolean fill(int segment, int cost) {
    for (int missing = missing(segment); missing > 0; missing--) {
      int best = -1;
      for (int member = 0; member < members; member++) {
        if (costs[segment][member] == cost
            && !held[segment][member]
            && hasRoom(segment, shares.rack(member))
            && (best < 0 || fitsBetter(segment, member, best))) {
          best = member;
        }
      }
      if (best < 0) {
        return false;
      }
      hold(segment, best);
    }
    return true;
  }

  /** Whether a rack may have one more of a segment, and the others still as many as they should. */
  private boolean hasRoom(int segment, int rack) {
    if (!racked) {
      return true;
    }
    int[] counts = onRack[segment];
    int wanted = counts[rack] < shares.least(rack) ? -1 : 0;
    for (int other = 0; other < counts.length; other++) {
      wanted += Math.max(0, shares.least(other) - counts[other]);
    }
    return counts[rack] < shares.most(rack) && wanted < missing(segment);
  }

  private int missing(int segment) {
    int missing = 0;
    for (int holder : holders[segment]) {
      missing += holder == NOBODY ? 1 : 0;
    }
    return missing;
  }

  private boolean fitsBetter(int segment, int member, int best) {
    // How full they are: of members with equal shares, how much they hold.
    long full = (long) loads[member] * high[best] - (long) loads[best] * high[member];
    return full != 0 ? full < 0 : sharing(segment, member) < sharing(segment, best);
  }

  private boolean balanced() {
    for (int member = 0; member < members; member++) {
      if (loads[member] > high[member] || loads[member] < low[member]) {
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
    for (int member = 0; member < members; member++) {
      tooMany |= loads[member] > high[member];
      tooFew |= loads[member] < low[member];
    }
    int[] distances = new int[members + 1];
    int[] previous = new int[members + 1];
    Arrays.fill(previous, NOBODY);
    for (int member = 0; member < members; member++) {
      distances[member] = loads[member] > high[member] ? 0 : NONE;
    }
    distances[slack] = tooMany ? NONE : 0;
    while (relax(distances, previous)) {
      // Bellman and Ford: at most one round for each member.
    }
    int end = tooFew ? NOBODY : slack;
    for (int member = 0; member < members; member++) {
      if (loads[member] < low[member] && (end == NOBODY || distances[member] < distances[end])) {
        end = member;
      }
    }
    return distances[end] == NONE ? new int[0] : pathTo(end, previous);
  }

  private boolean relax(int[] distances, int[] previous) {
    boolean changed = false;
    for (int from = 0; from <= members; from++) {
      if (distances[from] == NONE) {
        continue;
      }
      for (int to = 0; to <= members; to++) {
        int cost = edgeCost(from, to);
        if (cost != NONE && distances[from] + cost < distances[to]) {
          distances[to] = distances[from] + cost;
          previous[to] = from;
          changed = true;
        }
      }
    }
    return changed;
  }

  private int edgeCost(int from, int to) {
    if (from == slack) {
      return to != slack && loads[to] > low[to] ? step() : NONE;
    }
    if (to == slack) {
      return loads[from] < high[from] ? step() : NONE;
    }
    int segment = edges[from][to];
    int cost = segment == NOTHING ? 0 : costs[segment][to] - costs[segment][from];
    return segment == NOTHING ? NONE : racked ? cost * (members + 2) + step() : cost;
  }

  /** What an edge costs whatever goes along it: all on a path are less than the least of costs. */
  private int step() {
    return racked ? 1 : 0;
  }

  private static int[] pathTo(int end, int[] previous) {
    int length = 1;
    for (int at = end; previous[at] != NOBODY; at = previous[at]) {
      length++;
    }
    int[] path = new int[length];
    for (int at = end; length > 0; at = previous[at]) {
      path[--length] = at;
    }
    return path;
  }

  /** Sends a unit along every edge of a path; one to or from the slack stands for none. */
  private void send(int[] path) {
    int[] moved = new int[path.length - 1];
    for (int step = 0; step < moved.length; step++) {
      boolean real = path[step] != slack && path[step + 1] != slack;
      moved[step] = real ? edges[path[step]][path[step + 1]] : NOTHING;
    }
    for (int step = 0; step < moved.length; step++) {
      if (moved[step] != NOTHING) {
        release(moved[step], path[step]);
      }
    }
    for (int step = 0; step < moved.length; step++) {
      if (moved[step] != NOTHING) {
        hold(moved[step], path[step + 1]);
      }
    }
    for (int segment : moved) {
      if (segment != NOTHING) {
        mendEdges(segment);
      }
    }
    for (int member : path) {
      if (member != slack && keeping[member] != keepsFavoured(member)) {
        findAllEdges(member);
      }
    }
  }

  /** Replaces the edges a moved segment no longer makes, and tries it for those it now can make. */
  private void mendEdges(int segment) {
    boolean[] holds = held[segment];
    for (int from = 0; from < members; from++) {
      for (int to = 0; to < members; to++) {
        if (edges[from][to] == segment
            && (!holds[from] || holds[to] || !staysApart(segment, from, to))) {
          findEdge(from, to);
        }
      }
    }
    for (int from : holders[segment]) {
      for (int to = 0; to < members; to++) {
        offer(segment, from, to);
      }
    }
  }

  private void findAllEdges(int from) {
    keeping[from] = keepsFavoured(from);
    for (int to = 0; to < members; to++) {
      findEdge(from, to);
    }
  }

  /** A member gives its favoured units first as long as it has more than its share of them. */
  private boolean keepsFavoured(int member) {
    return !shares.exceedsPrimaries(member, favouredLoads[member]);
  }

  /** Finds the unit that a member can give to another most cheaply. */
  private void findEdge(int from, int to) {
    edges[from][to] = NOTHING;
    ranks[from][to] = Long.MAX_VALUE;
    // Members start at different segments, lest the first of equals is every member's choice.
    int start = (int) ((long) segments * to / members);
    for (int segment = start; segment < segments; segment++) {
      offer(segment, from, to);
    }
    for (int segment = 0; segment < start; segment++) {
      offer(segment, from, to);
    }
  }

  private void offer(int segment, int from, int to) {
    if (!held[segment][from]
        || held[segment][to]
        || costs[segment][to] == FORBIDDEN
        || !staysApart(segment, from, to)) {
      return;
    }
    int cost = costs[segment][to] - costs[segment][from];
    long stay = (favoured[segment] == from) == keeping[from] ? 1 : 0;
    long rank = (2L * cost + stay) << 32;
    if (rank - Integer.MAX_VALUE > ranks[from][to]) {
      return;
    }
    rank += sharing(segment, to) - shared[to][from] - sharing(segment, from);
    if (rank < ranks[from][to]) {
      ranks[from][to] = rank;
      edges[from][to] = segment;
    }
  }

  /** Whether a unit of a segment may go from a member to another as far as racks matter. */
  private boolean staysApart(int segment, int from, int to) {
    if (!racked || shares.rack(from) == shares.rack(to)) {
      return true;
    }
    int[] counts = onRack[segment];
    return counts[shares.rack(from)] > shares.least(shares.rack(from))
        && counts[shares.rack(to)] < shares.most(shares.rack(to));
  }

  /** How many segments a member shares with the company of a segment, over all of it. */
  private int sharing(int segment, int member) {
    int sum = 0;
    for (int other : company(segment)) {
      sum += other != NOBODY && other != member ? shared[member][other] : 0;
    }
    return sum;
  }

  private int[] company(int segment) {
    return among == null ? holders[segment] : among.holders[segment];
  }

  private void hold(int segment, int member) {
    share(segment, member, 1);
    replaceHolder(segment, NOBODY, member);
    held[segment][member] = true;
    loads[member]++;
    if (racked) {
      onRack[segment][shares.rack(member)]++;
    }
    favouredLoads[member] += favoured[segment] == member ? 1 : 0;
  }

  private void release(int segment, int member) {
    replaceHolder(segment, member, NOBODY);
    share(segment, member, -1);
    held[segment][member] = false;
    loads[member]--;
    if (racked) {
      onRack[segment][shares.rack(member)]--;
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

  private void share(int segment, int member, int change) {
    for (int other : company(segment)) {
      if (other != NOBODY && other != member) {
        shared[member][other] += change;
        if (among == null) {
          shared[other][member] += change;
        }
      }
    }
  }
}
