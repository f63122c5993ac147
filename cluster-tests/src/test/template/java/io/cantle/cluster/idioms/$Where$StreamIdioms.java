package io.cantle.cluster.idioms;

import $Package$.$Map$;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Streams of objects, with all but collectors. */
public final class $Where$StreamIdioms {
  private $Where$StreamIdioms() {}

  /** The idioms. */
  public static List<Idiom<$Map$<Integer, Order>>> all() {
    IdiomList<$Map$<Integer, Order>> idioms = new IdiomList<>();
    addStages(idioms);
    addOrders(idioms);
    addEnds(idioms);
    addReductions(idioms);
    addSources(idioms);
    return idioms.all();
  }

  private static void addStages(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "filter and map",
        orders ->
            orders.values().stream().filter(o -> o.quantity() > 9).map(o -> o.item()).toList());
    idioms.same(
        "filter and map by references",
        orders -> orders.values().stream().filter(Order::isSmall).map(Order::id).toList());
    idioms.same(
        "filter by Predicate.not",
        orders -> orders.values().stream().filter(Predicate.not(Order::isSmall)).count());
    idioms.same(
        "filter by a variable",
        orders -> {
          Predicate<Order> small = Order::isSmall;
          return orders.values().stream().filter(small.negate().or(o -> o.id() > 3)).count();
        });
    idioms.same(
        "filter out nulls", orders -> orders.values().stream().filter(Objects::nonNull).count());
    idioms.same(
        "map entries to keys",
        orders -> orders.entrySet().stream().map(Map.Entry::getKey).toList());
    idioms.same(
        "map entries to something of both",
        orders -> orders.entrySet().stream().map(e -> e.getKey() + e.getValue().city()).toList());
    idioms.same(
        "map by an overloaded method",
        orders -> orders.keySet().stream().map(String::valueOf).toList());
    idioms.same(
        "map to a text",
        orders -> orders.keySet().stream().map(Object::toString).map(String::length).toList());
    idioms.same(
        "map by a constructor",
        orders -> orders.values().stream().map(Order::city).map(StringBuilder::new).count());
    idioms.same(
        "map by identity", orders -> orders.keySet().stream().map(Function.identity()).toList());
    idioms.same(
        "distinct", orders -> orders.values().stream().map(Order::city).distinct().toList());
    idioms.same(
        "flatMap", orders -> orders.values().stream().flatMap(o -> o.tags().stream()).toList());
    idioms.same(
        "flatMap by a reference",
        orders -> orders.values().stream().map(Order::tags).flatMap(Collection::stream).toList());
    idioms.same(
        "flatMap to a few",
        orders ->
            orders.values().stream()
                .flatMap(o -> Stream.of(o.city(), o.item()))
                .distinct()
                .toList());
    idioms.same(
        "flatMap by Stream::of",
        orders -> orders.values().stream().map(Order::city).flatMap(Stream::of).toList());
    idioms.same(
        "mapMulti",
        orders ->
            orders.values().stream()
                .<String>mapMulti(
                    (order, sink) -> {
                      for (String tag : order.tags()) {
                        sink.accept(tag.toUpperCase(Locale.ROOT));
                      }
                    })
                .toList());
    idioms.inOrder(
        "gather windows in order",
        orders -> orders.keySet().stream().sorted().gather(Gatherers.windowFixed(7)).toList());
    idioms.inOrder(
        "gather a running sum",
        orders ->
            orders.keySet().stream()
                .sorted()
                .gather(Gatherers.scan(() -> 0, Integer::sum))
                .toList());
    idioms.inOrder(
        "takeWhile", orders -> orders.keySet().stream().sorted().takeWhile(id -> id < 9).toList());
    idioms.inOrder(
        "dropWhile", orders -> orders.keySet().stream().sorted().dropWhile(id -> id < 9).toList());
    idioms.same("peek", orders -> orders.values().stream().peek(Order::total).count());
  }

  private static void addOrders(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.inOrder("sorted", orders -> orders.keySet().stream().sorted().toList());
    idioms.inOrder(
        "sorted backwards",
        orders -> orders.keySet().stream().sorted(Comparator.reverseOrder()).toList());
    idioms.inOrder(
        "sorted by Collections.reverseOrder",
        orders -> orders.keySet().stream().sorted(Collections.reverseOrder()).limit(3).toList());
    idioms.inOrder(
        "sorted by a lambda",
        orders -> orders.keySet().stream().sorted((a, b) -> b - a).limit(5).toList());
    idioms.inOrder(
        "sorted by a reference",
        orders -> orders.keySet().stream().sorted(Integer::compare).skip(2).limit(3).toList());
    idioms.inOrder(
        "sorted by comparing",
        orders ->
            orders.values().stream()
                .sorted(Comparator.comparing(Order::total).thenComparing(Order::id))
                .map(Order::id)
                .toList());
    idioms.inOrder(
        "sorted by comparing with a lambda",
        orders ->
            orders.values().stream()
                .sorted(Comparator.comparing(o -> o.quantity() * 100 + o.id()))
                .map(Order::id)
                .toList());
    idioms.inOrder(
        "sorted by comparing and reversed",
        orders ->
            orders.values().stream()
                .sorted(
                    Comparator.comparingInt(Order::quantity).reversed().thenComparing(Order::id))
                .limit(5)
                .toList());
    idioms.inOrder(
        "sorted by a comparator in two steps",
        orders ->
            orders.values().stream()
                .sorted(
                    Comparator.comparing(Order::city, Comparator.reverseOrder())
                        .thenComparingInt(Order::id))
                .map(Order::id)
                .toList());
    idioms.inOrder(
        "sorted by keys",
        orders ->
            orders.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getKey)
                .toList());
    idioms.inOrder(
        "sorted by values",
        orders ->
            orders.entrySet().stream()
                .map(e -> Map.entry(e.getKey(), e.getKey() * 7 % 101))
                .sorted(Map.Entry.comparingByValue())
                .limit(5)
                .toList());
    idioms.inOrder(
        "sorted by values backwards",
        orders ->
            orders.entrySet().stream()
                .sorted(
                    Map.Entry.<Integer, Order>comparingByValue(Comparator.comparing(Order::id))
                        .reversed())
                .limit(5)
                .map(Map.Entry::getKey)
                .toList());
    idioms.inOrder(
        "sorted without case",
        orders ->
            orders.values().stream()
                .map(Order::city)
                .distinct()
                .sorted(String.CASE_INSENSITIVE_ORDER)
                .toList());
    idioms.inOrder(
        "sorted by an unbound reference",
        orders ->
            orders.values().stream()
                .map(Order::city)
                .distinct()
                .sorted(String::compareToIgnoreCase)
                .toList());
    idioms.inOrder(
        "sorted with nulls last",
        orders ->
            orders.values().stream()
                .map(Order::item)
                .distinct()
                .sorted(Comparator.nullsLast(Comparator.naturalOrder()))
                .toList());
    idioms.inOrder(
        "first in order",
        orders ->
            orders.values().stream()
                .sorted(Comparator.comparing(Order::id))
                .findFirst()
                .map(Order::item)
                .orElse("none"));
    idioms.inOrder(
        "second page",
        orders -> orders.keySet().stream().sorted().skip(10).limit(10).map(orders::get).toList());
  }

  private static void addEnds(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same("count", orders -> orders.values().stream().filter(o -> o.price() > 3).count());
    idioms.same("anyMatch", orders -> orders.values().stream().anyMatch(o -> o.quantity() == 3));
    idioms.same("allMatch", orders -> orders.keySet().stream().allMatch(id -> id >= 0));
    idioms.same("noneMatch", orders -> orders.values().stream().noneMatch(Order::isSmall));
    idioms.same("findFirst", orders -> orders.keySet().stream().filter(id -> id == 7).findFirst());
    idioms.same(
        "findAny or else",
        orders -> orders.values().stream().filter(o -> o.id() < 0).findAny().orElse(null));
    idioms.same(
        "min by a comparator",
        orders -> orders.values().stream().min(Comparator.comparing(Order::id)));
    idioms.same(
        "max by a comparator",
        orders ->
            orders.values().stream()
                .max(Comparator.comparingDouble(Order::total).thenComparingInt(Order::id))
                .map(Order::item)
                .orElse("none"));
    idioms.same("max by a reference", orders -> orders.keySet().stream().max(Integer::compareTo));
    idioms.same(
        "max in natural order",
        orders -> orders.keySet().stream().max(Comparator.naturalOrder()).get());
    idioms.same(
        "max entry",
        orders ->
            orders.entrySet().stream()
                .max(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .get());
    idioms.same("toList", orders -> orders.values().stream().toList());
    idioms.same("toArray", orders -> orders.keySet().stream().toArray());
    idioms.same(
        "toArray of a type",
        orders -> orders.values().stream().map(Order::city).toArray(String[]::new));
    idioms.same(
        "forEach by a reference",
        orders -> {
          List<Order> all = new ArrayList<>();
          orders.values().stream().forEach(all::add);
          return all;
        });
    idioms.same(
        "forEach of what is left",
        orders -> {
          List<Integer> ids = new ArrayList<>();
          orders.values().stream().filter(Order::isSmall).map(o -> o.id()).forEach(ids::add);
          return ids;
        });
    idioms.same(
        "forEach entry",
        orders -> {
          Set<String> all = new HashSet<>();
          orders.entrySet().stream().forEach(e -> all.add(e.getKey() + e.getValue().item()));
          return all;
        });
    idioms.same(
        "forEach to a printer",
        orders -> {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
          orders.values().stream().map(Order::city).forEach(out::println);
          return bytes.toString(StandardCharsets.UTF_8).lines().toList();
        });
    idioms.same(
        "forEachOrdered",
        orders -> {
          List<Integer> ids = new ArrayList<>();
          orders.keySet().stream().sorted().forEachOrdered(ids::add);
          return ids.toString();
        });
    idioms.same(
        "iterator",
        orders -> {
          int sum = 0;
          for (Iterator<Integer> i = orders.keySet().stream().iterator(); i.hasNext(); ) {
            sum += i.next();
          }
          return sum;
        });
    idioms.same(
        "spliterator",
        orders -> {
          List<Integer> ids = new ArrayList<>();
          orders.keySet().stream().spliterator().forEachRemaining(ids::add);
          return ids;
        });
    idioms.same(
        "try with resources",
        orders -> {
          List<String> log = new ArrayList<>();
          try (var stream = orders.values().stream().onClose(() -> log.add("closed"))) {
            log.add(stream.map(Order::id).filter(id -> id < 3).toList().size() + " found");
          }
          return log;
        });
    idioms.same(
        "ifPresent",
        orders -> {
          List<Integer> found = new ArrayList<>();
          orders.keySet().stream().sorted().skip(3).findFirst().ifPresent(found::add);
          return found;
        });
  }

  private static void addReductions(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same("reduce", orders -> orders.keySet().stream().reduce(0, Integer::sum));
    idioms.same("reduce by a lambda", orders -> orders.keySet().stream().reduce((a, b) -> a + b));
    idioms.same("reduce to a maximum", orders -> orders.keySet().stream().reduce(Math::max));
    idioms.same("reduce from ten", orders -> orders.keySet().stream().reduce(10, Integer::sum));
    idioms.same(
        "reduce nothing from ten",
        orders -> orders.keySet().stream().filter(id -> id < 0).reduce(10, Integer::sum));
    idioms.same(
        "reduce with a combiner",
        orders -> orders.values().stream().reduce(0, (n, o) -> n + o.quantity(), Integer::sum));
    idioms.same(
        "reduce to a maximum from five",
        orders ->
            orders.values().stream().reduce(5, (n, o) -> Math.max(n, o.quantity()), Integer::max));
    idioms.refused(
        "reduce from ten with a combiner",
        "reduce begins with 10, which is no identity of its combiner",
        "add what else there is to the result",
        orders -> orders.values().stream().reduce(10, (n, o) -> n + o.quantity(), Integer::sum));
    idioms.same(
        "reduce to zero with a combiner, and add ten",
        orders ->
            10 + orders.values().stream().reduce(0, (n, o) -> n + o.quantity(), Integer::sum));
    idioms.refused(
        "reduce with a combiner that keeps one side",
        "no identity of its combiner",
        "the combiner puts their results together",
        orders -> orders.values().stream().reduce(0, (n, o) -> n + o.quantity(), (a, b) -> a));
    idioms.refused(
        "reduce with a combiner that is never to be called",
        "the combiner of reduce threw java.lang.UnsupportedOperationException",
        "the combiner puts their results together",
        orders ->
            orders.values().stream()
                .reduce(
                    0,
                    (n, o) -> n + o.quantity(),
                    (a, b) -> {
                      throw new UnsupportedOperationException();
                    }));
    idioms.refused(
        "reduce by a difference",
        "is not associative",
        "give it as a BinaryOperator",
        orders -> orders.keySet().stream().reduce(1_000, (a, b) -> a - b));
    idioms.same(
        "reduce to a product",
        orders ->
            orders.keySet().stream().filter(id -> id > 0 && id < 9).reduce(1, (a, b) -> a * b));
  }

  private static void addSources(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "parallel", orders -> orders.values().stream().parallel().filter(Order::isSmall).count());
    idioms.same(
        "parallelStream",
        orders -> orders.values().parallelStream().map(Order::quantity).reduce(0, Integer::sum));
    idioms.same(
        "unordered and sequential",
        orders -> orders.keySet().stream().unordered().sequential().count());
    idioms.same(
        "concat",
        orders ->
            Stream.concat(orders.keySet().stream(), orders.values().stream().map(Order::quantity))
                .toList());
    idioms.same(
        "stream of a spliterator",
        orders -> StreamSupport.stream(orders.values().spliterator(), false).count());
    idioms.same(
        "loop over a stream",
        orders -> {
          Stream<Integer> ids = orders.keySet().stream().filter(id -> id > 3);
          int sum = 0;
          for (Integer id : (Iterable<Integer>) ids::iterator) {
            sum += id;
          }
          return sum;
        });
    idioms.same(
        "stream of several maps",
        orders -> Stream.of(orders, orders).flatMap(m -> m.keySet().stream()).toList());
    idioms.same(
        "stream of some keys",
        orders -> Stream.of(1, 2, 700).map(orders::get).filter(Objects::nonNull).toList());
    idioms.same(
        "stream of an array of keys",
        orders ->
            Arrays.stream(orders.keySet().toArray(new Integer[0]))
                .map(orders::get)
                .map(Order::city)
                .collect(Collectors.toSet()));
    idioms.refused(
        "look up each key",
        "variable \"orders\"",
        "To run it on this node, pass the function as its java.util.function type",
        orders -> orders.keySet().stream().map(orders::get).toList());
    idioms.same(
        "look up each key on this node",
        orders -> {
          Function<Integer, Order> get = orders::get;
          return orders.keySet().stream().map(get).toList();
        });
    idioms.refused(
        "look up the key after each",
        "variable \"orders\"",
        "To run it on this node, pass the function as its java.util.function type",
        orders -> orders.keySet().stream().filter(id -> orders.containsKey(id + 1)).count());
  }
}
