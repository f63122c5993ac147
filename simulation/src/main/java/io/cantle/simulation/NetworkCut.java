package io.cantle.simulation;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * The set of links of the network that a cut blocks. A node is identified by the index of its
 * transport. The shape decides whether a node that starts later belongs to a side or to none.
 *
 * <p><b>Threading:</b> immutable.
 */
final class NetworkCut {
  private static final int NO_SIDE = -1;

  private final SimulatedFault shape;
  private final int[] sides;
  private final int count;

  /** The greatest distance in a ring at which two nodes still hear each other. */
  private final int reach;

  private NetworkCut(SimulatedFault shape, int[] sides, int count, int reach) {
    this.shape = shape;
    this.sides = sides;
    this.count = count;
    this.reach = reach;
  }

  /**
   * Draws which nodes do not hear each other.
   *
   * @param places the indexes of the transports of the present nodes, two or more
   */
  static NetworkCut drawCut(SimulatedFault shape, List<Integer> places, SplittableRandom random) {
    int size = places.stream().mapToInt(place -> place).max().orElse(0) + 1;
    int[] sides = new int[size];
    Arrays.fill(sides, NO_SIDE);
    int[] order = shuffled(places, random);
    int nodes = order.length;
    int count = 2;
    int reach = 0;
    switch (shape) {
      case HALVES -> assignSides(order, sides, random.nextInt(1, nodes), nodes);
      case ALONE -> assignSides(order, sides, 1, nodes);
      case ONE_WAY -> assignSides(order, sides, random.nextInt(1, nodes), nodes);
      case BRIDGE -> {
        // The last node hears both sides.
        assignSides(order, sides, Math.max(1, (nodes - 1) / 2), nodes - 1);
      }
      case SHARDS -> {
        count = 3;
        assignSides(order, sides, Math.max(1, nodes / 2), nodes);
        sides[order[nodes - 1]] = 2;
      }
      case RING -> {
        count = nodes;
        for (int i = 0; i < nodes; i++) {
          sides[order[i]] = i;
        }
        // With the neighbours on both sides and itself, each node hears just about a majority.
        reach = Math.max(1, (nodes / 2 + 1) / 2);
      }
      default -> throw new IllegalArgumentException(shape + " cuts nothing");
    }
    return new NetworkCut(shape, sides, count, reach);
  }

  /**
   * Returns a cut that blocks messages from some nodes to others. All other links stay open, those
   * of later nodes included.
   */
  static NetworkCut oneWay(Collection<Integer> from, Collection<Integer> to) {
    int size = Stream.concat(from.stream(), to.stream()).mapToInt(place -> place).max().orElse(0);
    int[] sides = new int[size + 1];
    Arrays.fill(sides, NO_SIDE);
    from.forEach(place -> sides[place] = 0);
    to.forEach(place -> sides[place] = 1);
    return new NetworkCut(SimulatedFault.ONE_WAY, sides, 2, 0);
  }

  /** Assigns side 0 to the first nodes, and side 1 to those up to the end. */
  private static void assignSides(int[] order, int[] sides, int first, int end) {
    for (int i = 0; i < end; i++) {
      sides[order[i]] = i < first ? 0 : 1;
    }
  }

  private static int[] shuffled(List<Integer> places, SplittableRandom random) {
    int[] order = places.stream().mapToInt(place -> place).toArray();
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int moved = order[i];
      order[i] = order[other];
      order[other] = moved;
    }
    return order;
  }

  SimulatedFault shape() {
    return shape;
  }

  /** Returns whether the cut blocks messages from one node to another. */
  boolean isCut(int from, int to) {
    int one = sideOf(from);
    int other = sideOf(to);
    if (one == other || one == NO_SIDE || other == NO_SIDE) {
      return false;
    }
    return switch (shape) {
      case ONE_WAY -> one == 0;
      case RING -> {
        int apart = Math.abs(one - other);
        yield Math.min(apart, count - apart) > reach;
      }
      default -> true;
    };
  }

  private int sideOf(int place) {
    if (place < sides.length) {
      return sides[place];
    }
    return shape == SimulatedFault.RING || shape == SimulatedFault.ONE_WAY
        ? NO_SIDE
        : place % count;
  }

  /** Returns how many of these nodes the others may have to do without. */
  int disturbs(List<Integer> places) {
    int[] sizes = new int[count];
    for (int place : places) {
      if (sideOf(place) != NO_SIDE) {
        sizes[sideOf(place)]++;
      }
    }
    int largest = Arrays.stream(sizes).max().orElse(0);
    return switch (shape) {
      case HALVES, ALONE, SHARDS -> places.size() - largest;
      case RING -> places.size();
      default -> largest;
    };
  }

  @Override
  public String toString() {
    return shape + " " + Arrays.toString(sides);
  }
}
