package io.cantle.core.segment;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Places a fixed number of units of each segment on distinct members, as cheaply as possible, so
 * that every member ends with the average number of units, rounded down or up.
 *
 * <p>It is a minimum-cost flow, solved by successive shortest paths on the graph of the
 * <em>members</em> rather than that of the segments. There is an edge from a member to another if
 * some unit can go from the one to the other, as long as the cheapest such unit makes it. One more
 * node is the slack: whoever may take a unit more without exceeding the average rounded up leads to
 * it for nothing, and it leads for nothing to whoever may give one without falling below the
 * average rounded down. The first placement is the cheapest of all, balance left aside; then units
 * are sent from a member with too many along the cheapest path to one with too few, until nobody
 * has too many or too few. A cheapest placement stays the cheapest for its loads when it is changed
 * along a cheapest path, so the last one is the cheapest of the balanced.
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
  private final int low;
  private final int high;

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

  /** A placement of {@code units} units for each segment, at most one on each member. */
  Placement(int segments, int members, int units) {
    this(segments, members, units, null);
  }

  /** A placement of one unit for each segment, on one of its holders in another placement. */
  static Placement among(Placement holders) {
    return new Placement(holders.segments, holders.members, Math.min(1, holders.units), holders);
  }

  private Placement(int segments, int members, int units, @Nullable Placement among) {
    this.among = among;
    this.segments = segments;
    this.members = members;
    this.units = units;
    this.low = members == 0 ? 0 : segments * units / members;
    this.high = members == 0 ? 0 : (segments * units + members - 1) / members;
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

  /** Places all units. */
  void settle() {
    if (members == 0) {
      return;
    }
    placeCheapest();
    for (int member = 0; member < members; member++) {
      findAllEdges(member);
    }
    int[] path = cheapestPath();
    while (path.length > 0) {
      send(path);
      path = cheapestPath();
    }
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

  private int missing(int segment) {
    int missing = 0;
    for (int holder : holders[segment]) {
      missing += holder == NOBODY ? 1 : 0;
    }
    return missing;
  }

  private boolean fitsBetter(int segment, int member, int best) {
    return loads[member] != loads[best]
        ? loads[member] < loads[best]
        : sharing(segment, member) < sharing(segment, best);
  }

  /**
   * The cheapest path that makes the placement more balanced: from a member with too many units to
   * one with too few; if there is none with too few, or with too many, to or from the slack. Empty
   * if the placement is balanced.
   */
  private int[] cheapestPath() {
    boolean tooMany = false;
    boolean tooFew = false;
    for (int load : loads) {
      tooMany |= load > high;
      tooFew |= load < low;
    }
    if (!tooMany && !tooFew) {
      return new int[0];
    }
    int[] distances = new int[members + 1];
    int[] previous = new int[members + 1];
    Arrays.fill(previous, NOBODY);
    for (int member = 0; member < members; member++) {
      distances[member] = loads[member] > high ? 0 : NONE;
    }
    distances[slack] = tooMany ? NONE : 0;
    while (relax(distances, previous)) {
      // Bellman and Ford: at most one round for each member.
    }
    int end = tooFew ? NOBODY : slack;
    for (int member = 0; member < members; member++) {
      if (loads[member] < low && (end == NOBODY || distances[member] < distances[end])) {
        end = member;
      }
    }
    if (distances[end] == NONE) {
      throw new IllegalStateException("no member can take a unit of " + Arrays.toString(loads));
    }
    return pathTo(end, previous);
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
      return to != slack && loads[to] > low ? 0 : NONE;
    }
    if (to == slack) {
      return loads[from] < high ? 0 : NONE;
    }
    int segment = edges[from][to];
    return segment == NOTHING ? NONE : costs[segment][to] - costs[segment][from];
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
        if (edges[from][to] == segment && (!holds[from] || holds[to])) {
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
    return (long) favouredLoads[member] * members <= segments;
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
    if (!held[segment][from] || held[segment][to] || costs[segment][to] == FORBIDDEN) {
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
    favouredLoads[member] += favoured[segment] == member ? 1 : 0;
  }

  private void release(int segment, int member) {
    replaceHolder(segment, member, NOBODY);
    share(segment, member, -1);
    held[segment][member] = false;
    loads[member]--;
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
