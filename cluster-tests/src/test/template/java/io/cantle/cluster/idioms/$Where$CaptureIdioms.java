package io.cantle.cluster.idioms;

import $Package$.$Map$;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Functions that capture something, to read it or to change it. */
public final class $Where$CaptureIdioms {
  /** How to get the same on this node. */
  private static final String RUN_HERE =
      "To run it on this node, pass the function as its java.util.function type";

  private static final String RETURN_IT = "Let the call return its result";

  private $Where$CaptureIdioms() {}

  /** The idioms. */
  public static List<Idiom<$Map$<Integer, Order>>> all() {
    IdiomList<$Map$<Integer, Order>> idioms = new IdiomList<>();
    addReads(idioms);
    addConsumers(idioms);
    addChanges(idioms);
    addRightForms(idioms);
    return idioms.all();
  }

  private static void addReads(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "filter by a number and a text",
        orders -> {
          int least = 5;
          String city = "Rome";
          return orders.values().stream()
              .filter(o -> o.quantity() >= least && o.city().equals(city))
              .count();
        });
    idioms.same(
        "filter by a date",
        orders -> {
          LocalDate day = LocalDate.of(2024, 2, 29);
          return orders.keySet().stream().filter(id -> day.plusDays(id).getYear() == 2024).count();
        });
    idioms.same(
        "filter by a record",
        orders -> {
          Order other = Order.of(3);
          return orders.values().stream().filter(o -> o.item().equals(other.item())).count();
        });
    idioms.same(
        "filter by a set",
        orders -> {
          Set<String> wanted = new HashSet<>(List.of("Rome", "Lima"));
          return orders.values().stream().filter(o -> wanted.contains(o.city())).count();
        });
    idioms.same(
        "filter by an immutable set and a reference",
        orders -> {
          Set<String> wanted = Set.of("Rome", "Lima");
          return orders.values().stream().map(Order::city).filter(wanted::contains).count();
        });
    idioms.same(
        "map by a map",
        orders -> {
          Map<String, Integer> rates = new HashMap<>(Map.of("Rome", 3));
          return orders.values().stream()
              .mapToInt(o -> rates.getOrDefault(o.city(), 1) * o.quantity())
              .sum();
        });
    idioms.same(
        "map by a list",
        orders -> {
          List<String> names = new ArrayList<>(List.of("zero", "one", "two"));
          return orders.keySet().stream().map(id -> names.get(id % 3)).toList();
        });
    idioms.same(
        "map by an array",
        orders -> {
          int[][] table = {{1, 2}, {3, 4}};
          return orders.keySet().stream().mapToInt(id -> table[id % 2][id / 2 % 2]).sum();
        });
    idioms.inOrder(
        "sort by the place in a list",
        orders -> {
          List<String> cities = List.of("Lima", "Rome", "Oslo", "Bern", "Cairo");
          return orders.values().stream()
              .map(Order::city)
              .distinct()
              .sorted((a, b) -> Integer.compare(cities.indexOf(a), cities.indexOf(b)))
              .toList();
        });
    idioms.inOrder(
        "sort by the place in a list, with comparing",
        orders -> {
          List<String> cities = List.of("Lima", "Rome", "Oslo", "Bern", "Cairo");
          return orders.values().stream()
              .map(Order::city)
              .distinct()
              .sorted(Comparator.comparing(cities::indexOf))
              .toList();
        });
  }

  private static void addConsumers(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "forEach to a list",
        orders -> {
          List<String> cities = new ArrayList<>();
          orders.values().stream().forEach(o -> cities.add(o.city()));
          return cities;
        });
    idioms.same(
        "forEach to an atomic",
        orders -> {
          AtomicInteger count = new AtomicInteger();
          orders.values().stream().filter(Order::isSmall).forEach(o -> count.incrementAndGet());
          return count.get();
        });
    idioms.same(
        "forEach to a holder",
        orders -> {
          int[] count = {0};
          orders.values().stream().forEach(o -> count[0] += o.quantity());
          return count[0];
        });
    idioms.same(
        "forEach to a map",
        orders -> {
          Map<String, Integer> sums = new HashMap<>();
          orders.values().stream().forEach(o -> sums.merge(o.city(), o.quantity(), Integer::sum));
          return sums;
        });
    idioms.same(
        "forEach to a map of adders",
        orders -> {
          Map<String, LongAdder> sums = new ConcurrentHashMap<>();
          orders.values().stream()
              .forEach(o -> sums.computeIfAbsent(o.city(), c -> new LongAdder()).add(o.quantity()));
          return sums.get("Rome").sum();
        });
    idioms.same(
        "forEach to a text",
        orders -> {
          StringBuilder text = new StringBuilder();
          orders.keySet().stream().sorted().forEach(text::append);
          return text.toString();
        });
    idioms.same(
        "forEach by a variable",
        orders -> {
          Set<Integer> ids = new TreeSet<>();
          Consumer<Integer> add = ids::add;
          orders.keySet().stream().forEach(add);
          return ids;
        });
  }

  private static void addChanges(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.refused(
        "count in a filter",
        "variable \"count\" of type java.util.concurrent.atomic.AtomicInteger captured by the lambda",
        RUN_HERE,
        orders -> {
          AtomicInteger count = new AtomicInteger();
          return orders.values().stream().filter(o -> count.incrementAndGet() > 0).count();
        });
    idioms.refused(
        "number elements in a map",
        "variable \"next\" of type java.util.concurrent.atomic.AtomicInteger",
        RETURN_IT,
        orders -> {
          AtomicInteger next = new AtomicInteger();
          return orders.values().stream().map(o -> next.getAndIncrement()).toList();
        });
    idioms.refused(
        "count by a reference",
        "bound to the method reference java.util.concurrent.atomic.AtomicInteger::addAndGet",
        RUN_HERE,
        orders -> {
          AtomicInteger count = new AtomicInteger();
          return orders.values().stream().map(Order::quantity).map(count::addAndGet).count() * 0;
        });
    idioms.refused(
        "read an atomic",
        "variable \"least\"",
        "or read its value into a local variable first",
        orders -> {
          AtomicInteger least = new AtomicInteger(5);
          return orders.values().stream().filter(o -> o.quantity() > least.get()).count();
        });
    idioms.refused(
        "add up in a map of adders",
        "it contains a java.util.concurrent.atomic.LongAdder",
        RETURN_IT,
        orders -> {
          Map<String, LongAdder> sums = new HashMap<>();
          sums.put("Rome", new LongAdder());
          long found =
              orders.values().stream()
                  .filter(
                      o -> {
                        LongAdder sum = sums.get(o.city());
                        if (sum != null) {
                          sum.increment();
                        }
                        return sum != null;
                      })
                  .count();
          return found + sums.get("Rome").sum();
        });
    idioms.refused(
        "add to a list in a peek",
        "variable \"seen\" of type java.util.ArrayList captured by the lambda",
        RETURN_IT,
        orders -> {
          List<Integer> seen = new ArrayList<>();
          long count =
              orders.values().stream().peek(o -> seen.add(o.id())).map(Order::id).toList().size();
          return count + seen.size();
        });
    idioms.refused(
        "add to a list in a peek by a reference",
        "add would change a copy of it",
        RUN_HERE,
        orders -> {
          List<Order> seen = new ArrayList<>();
          return orders.values().stream().peek(seen::add).filter(Order::isSmall).count();
        });
    idioms.refused(
        "distinct by key",
        "variable \"seen\" of type java.util.HashSet captured by the lambda",
        "give the function as its java.util.function type",
        orders -> {
          Set<String> seen = new HashSet<>();
          return orders.values().stream().filter(o -> seen.add(o.city())).count();
        });
    idioms.refused(
        "distinct by key, pulled",
        "variable \"seen\" of type java.util.HashSet captured by the lambda",
        RETURN_IT,
        orders -> {
          Set<String> seen = new HashSet<>();
          return orders.values().stream().filter(o -> seen.add(o.city())).toList().size();
        });
    idioms.refused(
        "distinct by a reference",
        "variable \"seen\" of type java.util.HashSet bound to the method reference",
        RUN_HERE,
        orders -> {
          Set<String> seen = new HashSet<>();
          return orders.values().stream().map(Order::city).filter(seen::add).count();
        });
    idioms.refused(
        "count in a holder",
        "variable \"count\" of type int[] captured by the lambda",
        RETURN_IT,
        orders -> {
          int[] count = {0};
          boolean any = orders.values().stream().anyMatch(o -> count[0]++ > 1_000);
          return any ? -1 : count[0];
        });
    idioms.refused(
        "remember results in a map",
        "variable \"known\" of type java.util.HashMap captured by the lambda",
        RETURN_IT,
        orders -> {
          Map<String, Integer> known = new HashMap<>();
          return orders.values().stream()
              .mapToInt(o -> known.computeIfAbsent(o.city(), String::length))
              .sum();
        });
    idioms.refused(
        "append to a text",
        "variable \"text\" of type java.lang.StringBuilder",
        RETURN_IT,
        orders -> {
          StringBuilder text = new StringBuilder();
          return orders.keySet().stream().filter(id -> text.append(id).isEmpty()).count();
        });
    idioms.refused(
        "take a sample by chance",
        "variable \"random\" of type java.util.Random",
        RUN_HERE,
        orders -> {
          Random random = new Random(1);
          return orders.keySet().stream().filter(id -> random.nextInt(10) < 0).count();
        });
  }

  private static void addRightForms(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "count in a filter on this node",
        orders -> {
          AtomicInteger count = new AtomicInteger();
          Predicate<Order> counting = o -> count.incrementAndGet() > 0;
          return orders.values().stream().filter(counting).map(Order::id).toList().size()
              + count.get();
        });
    idioms.same(
        "distinct by key on this node",
        orders -> {
          Set<String> seen = new HashSet<>();
          Predicate<Order> isNew = o -> seen.add(o.city());
          return orders.values().stream().filter(isNew).map(Order::city).toList();
        });
    idioms.same(
        "read an atomic first",
        orders -> {
          AtomicInteger least = new AtomicInteger(5);
          int limit = least.get();
          return orders.values().stream().filter(o -> o.quantity() > limit).count();
        });
    idioms.inOrder(
        "change what was captured after a stage that runs on this node",
        orders -> {
          List<Integer> seen = new ArrayList<>();
          orders.keySet().stream().sorted().filter(id -> seen.add(id)).forEach(id -> {});
          return seen;
        });
  }
}
