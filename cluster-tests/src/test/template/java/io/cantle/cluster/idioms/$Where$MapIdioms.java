package io.cantle.cluster.idioms;

import $Package$.$Map$;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** Calls of a map and of its views. */
public final class $Where$MapIdioms {
  private $Where$MapIdioms() {}

  /** The idioms. */
  public static List<Idiom<$Map$<Integer, Order>>> all() {
    IdiomList<$Map$<Integer, Order>> idioms = new IdiomList<>();
    addCalls(idioms);
    addFunctions(idioms);
    addIterations(idioms);
    addViews(idioms);
    return idioms.all();
  }

  private static void addCalls(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same("get", orders -> orders.get(7));
    idioms.same("get nothing", orders -> orders.get(-1));
    idioms.same("getOrDefault", orders -> orders.getOrDefault(-1, Order.of(0)));
    idioms.same(
        "Optional of a get",
        orders -> Optional.ofNullable(orders.get(3)).map(Order::city).orElse("none"));
    idioms.same("put", orders -> orders.put(7, Order.of(8)));
    idioms.same("put another", orders -> orders.put(700, Order.of(8)));
    idioms.same("putIfAbsent", orders -> orders.putIfAbsent(7, Order.of(8)));
    idioms.same("putIfAbsent of another", orders -> orders.putIfAbsent(700, Order.of(8)));
    idioms.same("replace", orders -> orders.replace(7, Order.of(8)));
    idioms.same("replace if equal", orders -> orders.replace(7, Order.of(7), Order.of(8)));
    idioms.same(
        "replace if equal to another", orders -> orders.replace(7, Order.of(8), Order.of(9)));
    idioms.same("remove", orders -> orders.remove(7));
    idioms.same("remove if equal", orders -> orders.remove(7, Order.of(7)));
    idioms.same("containsKey", orders -> orders.containsKey(7) && !orders.containsKey(-1));
    idioms.same("containsValue", orders -> orders.containsValue(Order.of(7)));
    idioms.same("size", orders -> orders.size());
    idioms.same(
        "clear",
        orders -> {
          orders.clear();
          return orders.isEmpty();
        });
    idioms.same(
        "putAll",
        orders -> {
          orders.putAll(Map.of(700, Order.of(1), 701, Order.of(2)));
          return orders.size();
        });
  }

  private static void addFunctions(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same("compute", orders -> orders.compute(7, (id, order) -> Order.of(id + 1)));
    idioms.same(
        "compute with null",
        orders -> orders.compute(700, (id, order) -> order == null ? Order.of(id) : order));
    int more = 5;
    idioms.same(
        "compute with a captured number",
        orders ->
            orders.computeIfPresent(7, (id, order) -> order.withQuantity(order.quantity() + more)));
    idioms.same("computeIfAbsent", orders -> orders.computeIfAbsent(700, id -> Order.of(id)));
    idioms.same("computeIfAbsent by a reference", orders -> orders.computeIfAbsent(700, Order::of));
    idioms.same("computeIfAbsent of what is there", orders -> orders.computeIfAbsent(7, Order::of));
    idioms.same(
        "merge",
        orders -> orders.merge(7, Order.of(9), (a, b) -> a.quantity() > b.quantity() ? a : b));
    idioms.same("merge by a reference", orders -> orders.merge(7, Order.of(9), Order::sum));
    idioms.same("merge of another", orders -> orders.merge(700, Order.of(9), Order::sum));
    idioms.same(
        "compute by a variable",
        orders -> {
          BiFunction<Integer, Order, Order> next = (id, order) -> Order.of(id + 1);
          return orders.compute(7, next);
        });
    idioms.same(
        "replaceAll",
        orders -> {
          orders.replaceAll((id, order) -> order.withQuantity(id));
          return orders.get(7);
        });
    idioms.same(
        "replaceAll by a captured map",
        orders -> {
          Map<String, Integer> quantities = new HashMap<>(Map.of("pen", 100, "ink", 200));
          orders.replaceAll(
              (id, order) -> order.withQuantity(quantities.getOrDefault(order.item(), 0)));
          return orders.get(7);
        });
    idioms.same(
        "count calls of compute",
        orders -> {
          AtomicInteger calls = new AtomicInteger();
          orders.compute(
              7,
              (id, order) -> {
                calls.incrementAndGet();
                return order;
              });
          return calls.get();
        });
    idioms.same(
        "take from a queue in computeIfAbsent",
        orders -> {
          Iterator<Order> spare = List.of(Order.of(1)).iterator();
          return orders.computeIfAbsent(700, id -> spare.next());
        });
    idioms.refused(
        "note in a list what compute does",
        "variable \"log\" of type java.util.ArrayList",
        "Let the call return its result",
        orders -> {
          List<Integer> log = new ArrayList<>();
          orders.compute(
              7,
              (id, order) -> {
                log.add(id);
                return order;
              });
          return log;
        });
    idioms.same(
        "note in a list what a compute of a variable does",
        orders -> {
          List<Integer> log = new ArrayList<>();
          BiFunction<Integer, Order, Order> noting =
              (id, order) -> {
                log.add(id);
                return order;
              };
          orders.compute(7, noting);
          return log;
        });
  }

  private static void addIterations(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "loop over entries",
        orders -> {
          int sum = 0;
          for (Map.Entry<Integer, Order> entry : orders.entrySet()) {
            sum += entry.getKey() * entry.getValue().quantity();
          }
          return sum;
        });
    idioms.same(
        "loop over keys",
        orders -> {
          Set<String> cities = new TreeSet<>();
          for (Integer id : orders.keySet()) {
            cities.add(orders.get(id).city());
          }
          return cities;
        });
    idioms.same(
        "loop over values",
        orders -> {
          double most = 0;
          for (Order order : orders.values()) {
            most = Math.max(most, order.total());
          }
          return most;
        });
    idioms.same(
        "forEach",
        orders -> {
          Map<String, Integer> sums = new TreeMap<>();
          orders.forEach((id, order) -> sums.merge(order.city(), order.quantity(), Integer::sum));
          return sums;
        });
    idioms.same(
        "forEach by a reference",
        orders -> {
          Map<Integer, Order> copy = new HashMap<>();
          orders.forEach(copy::put);
          return copy;
        });
    idioms.same(
        "forEach of the entries",
        orders -> {
          Map<Integer, String> cities = new HashMap<>();
          orders.entrySet().forEach(entry -> cities.put(entry.getKey(), entry.getValue().city()));
          return cities;
        });
    idioms.same(
        "forEach of the keys by a reference",
        orders -> {
          Set<Integer> ids = new HashSet<>();
          orders.keySet().forEach(ids::add);
          return ids;
        });
    idioms.same(
        "forEach of the values by a reference",
        orders -> {
          List<Order> all = new ArrayList<>();
          orders.values().forEach(all::add);
          return all;
        });
    idioms.same(
        "remove by an iterator",
        orders -> {
          for (Iterator<Map.Entry<Integer, Order>> i = orders.entrySet().iterator();
              i.hasNext(); ) {
            if (i.next().getValue().isSmall()) {
              i.remove();
            }
          }
          return orders.size();
        });
    idioms.same(
        "setValue of entries",
        orders -> {
          for (Map.Entry<Integer, Order> entry : orders.entrySet()) {
            entry.setValue(entry.getValue().withQuantity(1));
          }
          return orders.get(7);
        });
    idioms.same(
        "spliterator",
        orders -> {
          List<Order> all = new ArrayList<>();
          orders.values().spliterator().forEachRemaining(all::add);
          return all;
        });
    idioms.same(
        "iterator of keys",
        orders -> {
          List<Integer> ids = new ArrayList<>();
          orders.keySet().iterator().forEachRemaining(ids::add);
          return ids;
        });
  }

  private static void addViews(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same("removeIf of keys", orders -> orders.keySet().removeIf(id -> id % 2 == 0));
    idioms.same("removeIf of values", orders -> orders.values().removeIf(Order::isSmall));
    idioms.same(
        "removeIf of entries",
        orders ->
            orders.entrySet().removeIf(e -> e.getKey() > 9 && e.getValue().city().startsWith("R")));
    idioms.same(
        "removeIf with a captured set",
        orders -> {
          Set<String> seen = new HashSet<>();
          orders.values().removeIf(order -> seen.add(order.city()) && order.id() < 0);
          return seen;
        });
    idioms.same("removeIf of none", orders -> orders.keySet().removeIf(id -> id < 0));
    idioms.same("removeAll of keys", orders -> orders.keySet().removeAll(Set.of(1, 2, 700)));
    idioms.same("retainAll of keys", orders -> orders.keySet().retainAll(Set.of(1, 2, 700)));
    idioms.same("remove of a value", orders -> orders.values().remove(Order.of(7)));
    idioms.same("remove of a key", orders -> orders.keySet().remove(7));
    idioms.same("contains of keys", orders -> orders.keySet().contains(7));
    idioms.same("contains of values", orders -> orders.values().contains(Order.of(7)));
    idioms.same(
        "contains of entries", orders -> orders.entrySet().contains(Map.entry(7, Order.of(7))));
    idioms.same("containsAll", orders -> orders.keySet().containsAll(List.of(1, 2, 3)));
    idioms.same("equals", orders -> orders.equals(new HashMap<>(orders)));
    idioms.same(
        "keys equal a set", orders -> orders.keySet().equals(new HashSet<>(orders.keySet())));
    idioms.same("keys to an array", orders -> orders.keySet().toArray(new Integer[0]));
    idioms.same("values to an array", orders -> orders.values().toArray(Order[]::new));
    idioms.same("values to a list", orders -> new ArrayList<>(orders.values()));
    idioms.same("keys to a sorted set", orders -> new TreeSet<>(orders.keySet()).first());
    idioms.same("copy to a sorted map", orders -> new TreeMap<>(orders).firstEntry().getValue());
    idioms.same("Map.copyOf", orders -> Map.copyOf(orders));
    idioms.same("List.copyOf", orders -> List.copyOf(orders.values()));
    idioms.same("Set.copyOf", orders -> Set.copyOf(orders.keySet()));
    idioms.same("Collections.max of keys", orders -> Collections.max(orders.keySet()));
    idioms.same(
        "Collections.max of values",
        orders ->
            Collections.max(
                orders.values(), Comparator.comparing(Order::total).thenComparing(Order::id)));
    idioms.same("unmodifiable view", orders -> Collections.unmodifiableMap(orders).get(7));
  }
}
