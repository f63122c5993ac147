package io.cantle.chaos;

import io.cantle.chaos.TestNetwork.Link;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The shapes of partitions: which links each of them cuts.
 *
 * <p><b>Threading:</b> immutable.
 */
final class PartitionShape {
  private PartitionShape() {}

  /** Returns the cut between two groups that do not hear each other, the second with a majority. */
  static Set<Link> halves(int nodes, SplittableRandom random) {
    List<Integer> order = shuffled(nodes, random);
    int small = Math.max(1, (nodes - 1) / 2);
    return cutWhere(order, (a, b) -> (a < small) != (b < small));
  }

  /** Returns the cut of one node from all others. */
  static Set<Link> isolated(int nodes, int alone) {
    return cutWhere(IntStream.range(0, nodes).boxed().toList(), (a, b) -> a == alone || b == alone);
  }

  /** Returns the cut by which one node is not heard, or does not hear. */
  static Set<Link> oneWay(int nodes, int place, boolean deaf) {
    return cutWhere(
        IntStream.range(0, nodes).boxed().toList(), (a, b) -> deaf ? b == place : a == place);
  }

  /** Returns the cut between two groups, where one node hears both. */
  static Set<Link> bridge(int nodes, SplittableRandom random) {
    List<Integer> order = shuffled(nodes, random);
    int middle = nodes / 2;
    return cutWhere(order, (a, b) -> (a < middle && b > middle) || (a > middle && b < middle));
  }

  /** Returns the cut by which each node hears only its two neighbours. */
  static Set<Link> ring(int nodes, SplittableRandom random) {
    return cutWhere(
        shuffled(nodes, random),
        (a, b) -> {
          int apart = Math.abs(a - b);
          return apart > 1 && apart < nodes - 1;
        });
  }

  /** Returns the nodes that can talk both ways with less than a majority, themselves included. */
  static Set<Integer> nodesWithoutMajority(int nodes, Set<Link> cut) {
    return IntStream.range(0, nodes)
        .filter(
            place ->
                IntStream.range(0, nodes)
                        .filter(
                            other ->
                                !cut.contains(new Link(place, other))
                                    && !cut.contains(new Link(other, place)))
                        .count()
                    <= nodes / 2)
        .boxed()
        .collect(Collectors.toSet());
  }

  private static Set<Link> cutWhere(List<Integer> order, BiPredicate<Integer, Integer> apart) {
    Set<Link> links = new HashSet<>();
    for (int a = 0; a < order.size(); a++) {
      for (int b = 0; b < order.size(); b++) {
        if (a != b && apart.test(a, b)) {
          links.add(new Link(order.get(a), order.get(b)));
        }
      }
    }
    return links;
  }

  private static List<Integer> shuffled(int nodes, SplittableRandom random) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
    Collections.shuffle(order, new Random(random.nextLong()));
    return order;
  }
}
