package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Assignments to members of different capacities, on racks. The expected results are computed
 * independently of the code under test. Shares are found by bisection, and the fewest moves by
 * trying everything. Where that takes too long, the test checks that no assignment makes fewer.
 */
final class OwnerAssignmentCapacityTest {
  private static final double[] CAPACITIES = {0, 0.25, 0.5, 1, 1, 1, 1, 2, 3.7, 40};

  /** Much less than the difference of two shares, much more than the error of a sum of them. */
  private static final double TINY = 1e-6;

  private record Host(int number, MemberCapacity seat) {}

  private static final Function<Host, MemberCapacity> SEATS = Host::seat;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 100})
  void keepsQuotasAndRacksWithMinimalMovesThroughJoinsAndLeaves(int owners) {
    int exact = 0;
    int all = 0;
    for (long seed = 0; seed < 40; seed++) {
      Random random = new Random(seed * 31 + owners);
      int segments = new int[] {1, 7, 64}[random.nextInt(3)];
      int racks = random.nextInt(6);
      boolean alike = random.nextInt(3) == 0;
      List<Host> hosts = new ArrayList<>();
      List<List<Host>> current = Collections.nCopies(segments, List.of());
      for (int step = 0, next = 0; step < 20; step++) {
        int change = 1 + (random.nextInt(4) == 0 ? random.nextInt(4) : 0);
        boolean join = hosts.size() < 2 || (hosts.size() < 20 && random.nextInt(5) < 3);
        for (int i = 0; i < change && (join || !hosts.isEmpty()); i++) {
          if (join) {
            hosts.add(random.nextInt(hosts.size() + 1), drawn(random, next++, racks, alike));
          } else {
            hosts.remove(random.nextInt(hosts.size()));
          }
        }
        String what = "seed " + seed + " step " + step + " " + hosts;
        List<List<Host>> result = OwnerAssignment.assign(current, hosts, SEATS, owners);
        check(what, hosts, owners, result);
        assertThat(couldMoveLess(current, hosts, owners, result)).as(what).isFalse();
        assertThat(OwnerAssignment.assign(result, hosts, SEATS, owners)).as(what).isEqualTo(result);
        assertThat(OwnerAssignment.assign(List.copyOf(current), hosts, SEATS, owners))
            .as(what)
            .isEqualTo(result);
        all++;
        exact += primariesOff(hosts, result) < 1 ? 1 : 0;
        current = result;
      }
    }
    // Unlucky roundings are rare.
    assertThat(exact).isGreaterThan(all * 95 / 100);
  }

  @Test
  void movesMatchTheMinimumOfAnExhaustiveSearch() {
    for (long seed = 0; seed < 600; seed++) {
      Random random = new Random(seed);
      int owners = 1 + random.nextInt(3);
      int racks = random.nextInt(4);
      boolean alike = random.nextBoolean();
      List<Host> everybody =
          IntStream.range(0, 6).mapToObj(i -> drawn(random, i, racks, alike)).toList();
      List<Host> hosts = everybody.subList(0, 2 + random.nextInt(4));
      List<List<Host>> current = new ArrayList<>();
      int segments = 1 + random.nextInt(4);
      for (int segment = 0; segment < segments; segment++) {
        List<Host> shuffled = new ArrayList<>(everybody);
        Collections.shuffle(shuffled, random);
        current.add(List.copyOf(shuffled.subList(0, random.nextInt(4))));
      }
      List<List<Host>> result = OwnerAssignment.assign(current, hosts, SEATS, owners);
      String what = "seed " + seed + " " + hosts + " from " + current;
      check(what, hosts, owners, result);
      int least = new Everything(current, hosts, owners).leastMoves(0, new HashMap<>());
      assertThat(moves(current, result)).as(what).isEqualTo(least);
    }
  }

  @Test
  void keepsCopiesOnDistinctRacksDespiteASmallRack() {
    List<Host> hosts = hosts("a 1", "b 1", "b 1", "b 1", "b 1", "b 1");
    List<List<Host>> result = OwnerAssignment.assign(nobody(100), hosts, SEATS, 2);
    assertThat(held(hosts, result)).containsExactly(100, 20, 20, 20, 20, 20);
    assertThat(led(hosts, result)).allMatch(count -> count == 16 || count == 17);
  }

  @Test
  void givesEveryRackACopyAndSharesTheOthersByCapacity() {
    List<Host> hosts = hosts("a 1", "b 1", "b 1", "b 2");
    List<List<Host>> result = OwnerAssignment.assign(nobody(100), hosts, SEATS, 3);
    assertThat(held(hosts, result)).containsExactly(100, 50, 50, 100);
  }

  @Test
  void distributesWhatALargeMemberCannotHold() {
    List<Host> hosts = hosts(" 10", " 1", " 3", " 0");
    List<List<Host>> result = OwnerAssignment.assign(nobody(280), hosts, SEATS, 2);
    assertThat(held(hosts, result)).containsExactly(280, 70, 210, 0);
    assertThat(led(hosts, result)).containsExactly(200, 20, 60, 0);
  }

  @Test
  void losingARackRecreatesOnlyTheCopiesItHeld() {
    List<Host> hosts = hosts("a 1", "a 1", "b 1", "b 1", "c 1", "c 1");
    List<List<Host>> before = OwnerAssignment.assign(nobody(240), hosts, SEATS, 2);
    List<List<Host>> after = OwnerAssignment.assign(before, hosts.subList(2, 6), SEATS, 2);
    assertThat(before).allMatch(owners -> racks(owners).size() == 2);
    assertThat(after).allMatch(owners -> racks(owners).size() == 2);
    assertThat(moves(before, after)).isEqualTo(160);
  }

  @Test
  void assignsNothingWhereNobodyHasCapacity() {
    List<Host> hosts = hosts(" 0", "a 0");
    assertThat(OwnerAssignment.assign(List.of(hosts, List.of()), hosts, SEATS, 2))
        .containsExactly(List.of(), List.of());
  }

  /** The largest case: 64 members on 16 racks with 3 capacities. */
  @Test
  void holdsFor64MembersAndAllSegments() {
    List<Host> hosts =
        IntStream.range(0, 64)
            .mapToObj(i -> new Host(i, MemberCapacity.of(1 + i % 3, "rack " + i % 16)))
            .toList();
    List<List<Host>> current = nobody(4096);
    for (int size : new int[] {60, 61, 64, 63, 50}) {
      List<List<Host>> after = OwnerAssignment.assign(current, hosts.subList(0, size), SEATS, 3);
      check(size + " members", hosts.subList(0, size), 3, after);
      current = after;
    }
  }

  private static Host drawn(Random random, int number, int racks, boolean alike) {
    double capacity = alike ? 1 : CAPACITIES[random.nextInt(CAPACITIES.length)];
    int rack = random.nextInt(racks + 1);
    return new Host(number, MemberCapacity.of(capacity, rack == 0 ? "" : "rack " + rack));
  }

  private static List<Host> hosts(String... racksAndCapacities) {
    return IntStream.range(0, racksAndCapacities.length)
        .mapToObj(
            i -> {
              String[] parts = racksAndCapacities[i].split(" ", -1);
              return new Host(i, MemberCapacity.of(Double.parseDouble(parts[1]), parts[0]));
            })
        .toList();
  }

  private static List<List<Host>> nobody(int segments) {
    return Collections.nCopies(segments, List.of());
  }

  private static List<Integer> held(List<Host> hosts, List<List<Host>> assigned) {
    Map<Host, Integer> counts = new HashMap<>();
    assigned.forEach(owners -> owners.forEach(owner -> counts.merge(owner, 1, Integer::sum)));
    return hosts.stream().map(host -> counts.getOrDefault(host, 0)).toList();
  }

  private static List<Integer> led(List<Host> hosts, List<List<Host>> assigned) {
    return held(hosts, assigned.stream().map(owners -> owners.stream().limit(1).toList()).toList());
  }

  private static int moves(List<List<Host>> before, List<List<Host>> after) {
    return IntStream.range(0, before.size())
        .map(
            segment ->
                (int)
                    after.get(segment).stream()
                        .filter(owner -> !before.get(segment).contains(owner))
                        .count())
        .sum();
  }

  /** The name of a rack, or a unique name for a member without one. */
  private static String rack(Host host) {
    return host.seat.rack().isEmpty() ? "alone " + host.number : host.seat.rack();
  }

  private static Set<String> racks(List<Host> hosts) {
    return hosts.stream().map(OwnerAssignmentCapacityTest::rack).collect(Collectors.toSet());
  }

  private static List<Host> able(List<Host> hosts) {
    return hosts.stream().filter(host -> host.seat.capacity() > 0).toList();
  }

  private static void check(String what, List<Host> hosts, int owners, List<List<Host>> assigned) {
    Terms terms = new Terms(hosts, owners, assigned.size());
    for (List<Host> list : assigned) {
      assertThat(list).as(what).doesNotHaveDuplicates();
      assertThat(terms.able.containsAll(list)).as(what).isTrue();
      assertThat(terms.fits(list)).as("%s: %s", what, list).isTrue();
    }
    List<Integer> held = held(hosts, assigned);
    for (int i = 0; i < hosts.size(); i++) {
      assertThat(held.get(i))
          .as("%s: copies of %s", what, hosts.get(i))
          .isBetween(terms.low(hosts.get(i)), terms.high(hosts.get(i)));
    }
    double off = primariesOff(hosts, assigned);
    assertThat(off).as("%s: primaries", what).isLessThan(terms.proportional ? 1 : 2);
  }

  /** How far the primaries of the worst member are from its share. */
  private static double primariesOff(List<Host> hosts, List<List<Host>> assigned) {
    double total = hosts.stream().mapToDouble(host -> host.seat.capacity()).sum();
    List<Integer> led = led(hosts, assigned);
    return total == 0
        ? 0
        : IntStream.range(0, hosts.size())
            .mapToDouble(
                i -> Math.abs(led.get(i) - assigned.size() * hosts.get(i).seat.capacity() / total))
            .max()
            .orElse(0);
  }

  /** The required shares, found by bisection: the share that makes all of them add up. */
  private static final class Terms {
    final List<Host> able;
    final int copies;
    final int distinct;
    final Map<Host, Double> shares = new HashMap<>();
    final Map<String, Double> rackShares = new TreeMap<>();
    final boolean proportional;

    Terms(List<Host> hosts, int owners, int segments) {
      able = able(hosts);
      copies = Math.min(owners, able.size());
      Map<String, List<Host>> byRack =
          able.stream().collect(Collectors.groupingBy(OwnerAssignmentCapacityTest::rack));
      distinct = Math.min(copies, byRack.size());
      boolean plenty = byRack.size() > copies;
      double level = level(byRack.values(), plenty);
      double total = able.stream().mapToDouble(host -> host.seat.capacity()).sum();
      boolean asCapacities = true;
      for (Map.Entry<String, List<Host>> rack : byRack.entrySet()) {
        double share = of(rack.getValue(), level, plenty);
        rackShares.put(rack.getKey(), share);
        double free = rack.getValue().stream().mapToDouble(h -> most(h, level)).sum();
        double weight = rack.getValue().stream().mapToDouble(h -> h.seat.capacity()).sum();
        for (Host host : rack.getValue()) {
          double mine =
              Math.abs(free - share) < TINY
                  ? most(host, level)
                  : share * host.seat.capacity() / weight;
          shares.put(host, mine * segments);
          asCapacities &= Math.abs(mine - copies * host.seat.capacity() / total) < TINY;
        }
      }
      proportional = asCapacities;
    }

    private double level(Collection<List<Host>> racks, boolean plenty) {
      double low = 0;
      double high = 1e6;
      for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        double sum = racks.stream().mapToDouble(rack -> of(rack, middle, plenty)).sum();
        if (sum < copies) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return high;
    }

    private static double most(Host host, double level) {
      return Math.min(1, host.seat.capacity() * level);
    }

    private static double of(List<Host> rack, double level, boolean plenty) {
      DoubleStream each = rack.stream().mapToDouble(host -> most(host, level));
      double weight = rack.stream().mapToDouble(host -> host.seat.capacity()).sum();
      return plenty ? Math.min(1, weight * level) : Math.max(1, each.sum());
    }

    int low(Host host) {
      return (int) Math.floor(shares.getOrDefault(host, 0.0) + TINY);
    }

    int high(Host host) {
      return (int) Math.ceil(shares.getOrDefault(host, 0.0) - TINY);
    }

    int least(String rack) {
      double share = rackShares.getOrDefault(rack, 0.0);
      return rackShares.size() <= copies || share > 1 - TINY ? 1 : 0;
    }

    int most(String rack) {
      double share = rackShares.getOrDefault(rack, 0.0);
      return rackShares.size() > copies || share < 1 + TINY ? 1 : copies;
    }

    /** Whether these hosts may be the owners of a segment. */
    boolean fits(List<Host> list) {
      Map<String, Long> counts =
          list.stream()
              .collect(
                  Collectors.groupingBy(OwnerAssignmentCapacityTest::rack, Collectors.counting()));
      return list.size() == copies
          && counts.size() == distinct
          && rackShares.keySet().stream()
              .allMatch(
                  rack -> {
                    long count = counts.getOrDefault(rack, 0L);
                    return count >= least(rack) && count <= most(rack);
                  });
    }
  }

  /** All possible assignments of few segments to few members. */
  private static final class Everything {
    private static final int IMPOSSIBLE = 1_000_000;

    private final List<List<Host>> current;
    private final List<Host> hosts;
    private final Terms terms;
    private final List<List<Host>> choices = new ArrayList<>();

    Everything(List<List<Host>> current, List<Host> hosts, int owners) {
      this.current = current;
      this.hosts = able(hosts);
      terms = new Terms(hosts, owners, current.size());
      for (int set = 0; set < 1 << this.hosts.size(); set++) {
        int chosen = set;
        List<Host> list =
            IntStream.range(0, this.hosts.size())
                .filter(i -> (chosen >> i & 1) == 1)
                .mapToObj(this.hosts::get)
                .toList();
        if (terms.fits(list)) {
          choices.add(list);
        }
      }
    }

    int leastMoves(int segment, Map<Host, Integer> held) {
      if (segment == current.size()) {
        return hosts.stream()
                .allMatch(
                    h ->
                        held.getOrDefault(h, 0) >= terms.low(h)
                            && held.getOrDefault(h, 0) <= terms.high(h))
            ? 0
            : IMPOSSIBLE;
      }
      int least = IMPOSSIBLE;
      for (List<Host> choice : choices) {
        Map<Host, Integer> with = new HashMap<>(held);
        choice.forEach(host -> with.merge(host, 1, Integer::sum));
        int moves = (int) choice.stream().filter(h -> !current.get(segment).contains(h)).count();
        least = Math.min(least, moves + leastMoves(segment + 1, with));
      }
      return least;
    }
  }

  /**
   * Whether copies could be exchanged so that fewer were moved. This is so if the graph of all
   * changes has a cycle of negative cost. Its nodes are the members, one for those that may hold
   * one more or less, the segments, and the racks of each segment.
   */
  private static boolean couldMoveLess(
      List<List<Host>> before, List<Host> hosts, int owners, List<List<Host>> after) {
    Terms terms = new Terms(hosts, owners, before.size());
    List<int[]> edges = new ArrayList<>();
    Map<Object, Integer> nodes = new HashMap<>();
    Function<Object, Integer> node = key -> nodes.computeIfAbsent(key, k -> nodes.size());
    List<Integer> held = held(hosts, after);
    for (Host host : terms.able) {
      int load = held.get(hosts.indexOf(host));
      if (load < terms.high(host)) {
        edges.add(new int[] {node.apply(host), node.apply("slack"), 0});
      }
      if (load > terms.low(host)) {
        edges.add(new int[] {node.apply("slack"), node.apply(host), 0});
      }
    }
    for (int segment = 0; segment < before.size(); segment++) {
      Set<Host> holders = new HashSet<>(after.get(segment));
      for (String rack : terms.rackShares.keySet()) {
        int place = node.apply(List.of(segment, rack));
        long count = holders.stream().filter(host -> rack(host).equals(rack)).count();
        if (count > terms.least(rack)) {
          edges.add(new int[] {place, node.apply(segment), 0});
        }
        if (count < terms.most(rack)) {
          edges.add(new int[] {node.apply(segment), place, 0});
        }
      }
      for (Host host : terms.able) {
        int place = node.apply(List.of(segment, rack(host)));
        int cost = before.get(segment).contains(host) ? 0 : 1;
        edges.add(
            holders.contains(host)
                ? new int[] {node.apply(host), place, -cost}
                : new int[] {place, node.apply(host), cost});
      }
    }
    int[] distances = new int[nodes.size()];
    boolean changed = true;
    for (int round = 0; changed && round <= nodes.size(); round++) {
      changed = false;
      for (int[] edge : edges) {
        if (distances[edge[0]] + edge[2] < distances[edge[1]]) {
          distances[edge[1]] = distances[edge[0]] + edge[2];
          changed = true;
        }
      }
    }
    return changed;
  }

  @Test
  void checkDetectsAvoidableMoves() {
    List<Host> hosts = hosts("a 1", "a 1", "b 1", "b 1");
    List<List<Host>> before = OwnerAssignment.assign(nobody(8), hosts, SEATS, 2);
    List<List<Host>> turned = new ArrayList<>(before);
    Collections.rotate(turned, 1);
    assertThat(couldMoveLess(before, hosts, 2, before)).isFalse();
    assertThat(moves(before, turned)).isPositive();
    assertThat(couldMoveLess(before, hosts, 2, turned)).isTrue();
    assertThat(Stream.of(before, turned).map(all -> held(hosts, all)).distinct()).hasSize(1);
  }
}
