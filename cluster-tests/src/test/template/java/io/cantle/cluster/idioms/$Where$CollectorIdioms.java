package io.cantle.cluster.idioms;

import $Package$.$Map$;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Collectors, groups, and collecting in three parts. */
public final class $Where$CollectorIdioms {
  private $Where$CollectorIdioms() {}

  /** The idioms. */
  public static List<Idiom<$Map$<Integer, Order>>> all() {
    IdiomList<$Map$<Integer, Order>> idioms = new IdiomList<>();
    addCollectors(idioms);
    addGroups(idioms);
    addParts(idioms);
    return idioms.all();
  }

  private static void addCollectors(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "toList", orders -> orders.values().stream().map(Order::id).collect(Collectors.toList()));
    idioms.same(
        "toSet", orders -> orders.values().stream().map(Order::city).collect(Collectors.toSet()));
    idioms.same(
        "toCollection",
        orders ->
            orders.values().stream()
                .map(Order::city)
                .collect(Collectors.toCollection(TreeSet::new))
                .first());
    idioms.same(
        "toUnmodifiableList",
        orders -> orders.keySet().stream().collect(Collectors.toUnmodifiableList()));
    idioms.same(
        "toMap",
        orders ->
            orders.values().stream().collect(Collectors.toMap(Order::id, Function.identity())));
    idioms.same(
        "toMap of entries",
        orders ->
            orders.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().city())));
    idioms.same(
        "toMap with a merge",
        orders ->
            orders.values().stream()
                .collect(Collectors.toMap(Order::city, Order::quantity, Integer::sum)));
    idioms.same(
        "toMap in order",
        orders ->
            orders.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.comparing(Order::id).reversed()))
                .collect(
                    Collectors.toMap(
                        Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, LinkedHashMap::new))
                .toString());
    idioms.same(
        "joining",
        orders ->
            orders.values().stream()
                .map(Order::city)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", ", "[", "]")));
    idioms.same("counting", orders -> orders.values().stream().collect(Collectors.counting()));
    idioms.same(
        "summingInt",
        orders -> orders.values().stream().collect(Collectors.summingInt(Order::quantity)));
    idioms.same(
        "averagingDouble",
        orders -> orders.values().stream().collect(Collectors.averagingDouble(o -> o.total())));
    idioms.same(
        "summarizingInt",
        orders ->
            orders.values().stream().collect(Collectors.summarizingInt(Order::quantity)).getMax());
    idioms.same(
        "minBy",
        orders ->
            orders.values().stream().collect(Collectors.minBy(Comparator.comparing(Order::id))));
    idioms.same(
        "reducing",
        orders ->
            orders.values().stream()
                .collect(Collectors.reducing(10, Order::quantity, Integer::sum)));
    idioms.same(
        "teeing",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.teeing(
                        Collectors.counting(),
                        Collectors.summingInt(Order::quantity),
                        (count, sum) -> sum + " of " + count)));
    idioms.same(
        "collectingAndThen",
        orders ->
            orders.keySet().stream()
                .collect(Collectors.collectingAndThen(Collectors.toSet(), ids -> ids.size())));
    idioms.same(
        "toCollection of a list that is there",
        orders -> {
          List<Integer> target = new ArrayList<>(List.of(-1));
          orders.keySet().stream().collect(Collectors.toCollection(() -> target));
          return target;
        });
  }

  private static void addGroups(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "groupingBy",
        orders -> orders.values().stream().collect(Collectors.groupingBy(Order::city)));
    idioms.same(
        "groupingBy with a lambda",
        orders ->
            orders.values().stream()
                .collect(Collectors.groupingBy(o -> o.city().charAt(0), Collectors.counting())));
    idioms.same(
        "groupingBy and summing",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(Order::city, Collectors.summingInt(Order::quantity))));
    idioms.same(
        "groupingBy and averaging",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(Order::item, Collectors.averagingDouble(Order::price))));
    idioms.same(
        "groupingBy in order",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(
                        Order::city,
                        TreeMap::new,
                        Collectors.mapping(Order::item, Collectors.toSet())))
                .firstEntry()
                .getValue());
    idioms.same(
        "groupingBy and maxBy",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(
                        Order::city, Collectors.maxBy(Comparator.comparing(Order::id)))));
    idioms.same(
        "groupingBy in two levels",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(
                        Order::city, Collectors.groupingBy(Order::item, Collectors.counting()))));
    idioms.same(
        "groupingBy and filtering",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(
                        Order::city, Collectors.filtering(Order::isSmall, Collectors.counting()))));
    idioms.same(
        "groupingBy and flatMapping",
        orders ->
            orders.values().stream()
                .collect(
                    Collectors.groupingBy(
                        Order::city,
                        Collectors.flatMapping(o -> o.tags().stream(), Collectors.toSet()))));
    idioms.same(
        "partitioningBy",
        orders ->
            orders.values().stream()
                .collect(Collectors.partitioningBy(Order::isSmall, Collectors.counting())));
    idioms.same(
        "the largest group",
        orders ->
            orders.values().stream()
                .collect(Collectors.groupingBy(o -> o.id() % 7 == 0 ? "a" : "b"))
                .entrySet()
                .stream()
                .max(Comparator.comparingInt(e -> e.getValue().size()))
                .map(Map.Entry::getKey)
                .orElseThrow());
    idioms.same(
        "distinct by key with toMap",
        orders ->
            orders.values().stream()
                .collect(Collectors.toMap(Order::city, o -> 1, (a, b) -> a))
                .keySet());
  }

  private static void addParts(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "collect to a list",
        orders -> {
          List<Integer> ids =
              orders.keySet().stream().collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
          return ids;
        });
    idioms.same(
        "collect to a set",
        orders ->
            orders.values().stream()
                .map(Order::city)
                .collect(HashSet<String>::new, HashSet::add, HashSet::addAll));
    idioms.same(
        "collect to a text",
        orders ->
            orders.values().stream()
                .map(Order::city)
                .collect(StringBuilder::new, StringBuilder::append, StringBuilder::append)
                .length());
    idioms.same(
        "collect to counts",
        orders ->
            orders.values().stream()
                .collect(
                    () -> new HashMap<String, Integer>(),
                    (counts, o) -> counts.merge(o.city(), 1, Integer::sum),
                    (counts, more) -> more.forEach((c, n) -> counts.merge(c, n, Integer::sum))));
    idioms.same(
        "collect to counts in arrays",
        orders -> {
          Map<String, int[]> counts =
              orders.values().stream()
                  .collect(
                      () -> new HashMap<String, int[]>(),
                      (map, o) -> map.computeIfAbsent(o.city(), c -> new int[1])[0]++,
                      (map, other) ->
                          other.forEach(
                              (c, n) ->
                                  map.merge(
                                      c,
                                      n,
                                      (a, b) -> {
                                        a[0] += b[0];
                                        return a;
                                      })));
          return counts.get("Rome")[0];
        });
    idioms.same(
        "collect to a sum in an array",
        orders ->
            orders.values().stream()
                .collect(
                    () -> new double[1],
                    (sum, o) -> sum[0] += o.total(),
                    (sum, more) -> sum[0] += more[0])[0]);
    idioms.refused(
        "collect to a list that is not empty at first",
        "collect begins with [-1], which is no identity of its combiner",
        "add what else there is to the result",
        orders -> {
          List<Integer> ids =
              orders.keySet().stream()
                  .collect(() -> new ArrayList<>(List.of(-1)), List::add, List::addAll);
          return ids;
        });
    idioms.refused(
        "collect without a combiner",
        "no identity of its combiner",
        "the combiner puts their results together",
        orders -> {
          List<Integer> ids =
              orders.keySet().stream().collect(ArrayList::new, ArrayList::add, (a, b) -> {});
          return ids;
        });
  }
}
