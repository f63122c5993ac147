package io.cantle.cluster.idioms;

import $Package$.$Map$;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Streams of numbers. */
public final class $Where$NumberIdioms {
  private $Where$NumberIdioms() {}

  /** The idioms. */
  public static List<Idiom<$Map$<Integer, Order>>> all() {
    IdiomList<$Map$<Integer, Order>> idioms = new IdiomList<>();
    addSums(idioms);
    addStages(idioms);
    addEnds(idioms);
    return idioms.all();
  }

  private static void addSums(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same("sum", orders -> orders.values().stream().mapToInt(Order::quantity).sum());
    idioms.same(
        "sum of a lambda",
        orders -> orders.values().stream().mapToDouble(o -> o.quantity() * o.price()).sum());
    idioms.same("sum of longs", orders -> orders.keySet().stream().mapToLong(id -> id).sum());
    idioms.same(
        "sum of unboxed", orders -> orders.keySet().stream().mapToInt(Integer::intValue).sum());
    idioms.same(
        "average",
        orders -> orders.values().stream().mapToDouble(Order::price).average().orElse(0));
    idioms.same(
        "average of nothing",
        orders -> orders.keySet().stream().filter(id -> id < 0).mapToInt(id -> id).average());
    idioms.same("max", orders -> orders.values().stream().mapToInt(Order::quantity).max());
    idioms.same("min", orders -> orders.values().stream().mapToDouble(Order::total).min());
    idioms.same(
        "statistics",
        orders -> {
          IntSummaryStatistics all =
              orders.values().stream().mapToInt(Order::quantity).summaryStatistics();
          return List.of(all.getCount(), all.getMin(), all.getMax(), all.getSum());
        });
    idioms.same(
        "count", orders -> orders.values().stream().mapToInt(Order::quantity).distinct().count());
    idioms.same(
        "reduce ints",
        orders -> orders.keySet().stream().mapToInt(id -> id).reduce(0, Integer::sum));
    idioms.same(
        "reduce ints from five",
        orders -> orders.keySet().stream().mapToInt(id -> id).reduce(5, (a, b) -> a + b));
    idioms.same(
        "reduce nothing from five",
        orders ->
            orders.keySet().stream()
                .filter(id -> id < 0)
                .mapToInt(id -> id)
                .reduce(5, Integer::sum));
    idioms.same(
        "reduce to a maximum",
        orders -> orders.values().stream().mapToDouble(Order::total).reduce(Math::max));
    idioms.refused(
        "reduce by a difference",
        "is not associative",
        "let it run on the calling node",
        orders -> orders.keySet().stream().mapToLong(id -> id).reduce(1_000, (a, b) -> a - b));
    idioms.same(
        "reduce by a difference on this node",
        orders -> {
          IntBinaryOperator minus = (a, b) -> a - b;
          return orders.keySet().stream().mapToInt(id -> id).reduce(1_000, minus);
        });
  }

  private static void addStages(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "boxed", orders -> orders.values().stream().mapToInt(Order::quantity).boxed().toList());
    idioms.same(
        "mapToObj",
        orders -> orders.keySet().stream().mapToInt(id -> id).mapToObj(id -> "no " + id).toList());
    idioms.same(
        "mapToObj by a constructor",
        orders -> orders.keySet().stream().mapToInt(id -> id).mapToObj(Integer::toString).toList());
    idioms.same(
        "filter and map",
        orders ->
            orders.keySet().stream()
                .mapToInt(id -> id)
                .filter(id -> id % 2 == 0)
                .map(id -> -id)
                .sum());
    idioms.same(
        "asDoubleStream",
        orders -> orders.keySet().stream().mapToInt(id -> id).asDoubleStream().sum());
    idioms.same(
        "asLongStream", orders -> orders.keySet().stream().mapToInt(id -> id).asLongStream().max());
    idioms.same(
        "mapToDouble of ints",
        orders -> orders.keySet().stream().mapToInt(id -> id).mapToDouble(id -> id / 2.0).sum());
    idioms.same(
        "flatMap of ints",
        orders ->
            orders.keySet().stream()
                .mapToInt(id -> id)
                .flatMap(id -> IntStream.range(0, id))
                .count());
    idioms.same(
        "flatMapToLong",
        orders -> orders.values().stream().flatMapToLong(o -> LongStream.of(o.id(), 1)).sum());
    idioms.same(
        "mapMultiToInt",
        orders ->
            orders.values().stream()
                .mapMultiToInt((o, sink) -> o.tags().forEach(tag -> sink.accept(tag.length())))
                .sum());
    idioms.inOrder(
        "sorted to an array",
        orders -> orders.values().stream().mapToInt(Order::quantity).sorted().toArray());
    idioms.inOrder(
        "limit in order",
        orders ->
            orders.keySet().stream().mapToInt(id -> id).sorted().skip(3).limit(4).boxed().toList());
    idioms.inOrder(
        "takeWhile in order",
        orders ->
            orders.keySet().stream().mapToInt(id -> id).sorted().takeWhile(id -> id < 9).toArray());
    idioms.same(
        "boxed and collected",
        orders ->
            orders.values().stream()
                .mapToInt(Order::quantity)
                .boxed()
                .collect(Collectors.groupingBy(q -> q % 3, Collectors.counting())));
  }

  private static void addEnds(IdiomList<$Map$<Integer, Order>> idioms) {
    idioms.same(
        "forEach by a reference",
        orders -> {
          List<Integer> all = new ArrayList<>();
          orders.values().stream().mapToInt(Order::quantity).forEach(all::add);
          return all;
        });
    idioms.same(
        "forEach to a holder",
        orders -> {
          long[] sum = new long[1];
          orders.values().stream().mapToLong(Order::quantity).forEach(n -> sum[0] += n);
          return sum[0];
        });
    idioms.same(
        "forEach to an atomic",
        orders -> {
          AtomicInteger sum = new AtomicInteger();
          orders.values().stream().mapToInt(Order::quantity).forEach(sum::addAndGet);
          return sum.get();
        });
    idioms.same(
        "forEach to an adder",
        orders -> {
          LongAdder sum = new LongAdder();
          orders.keySet().stream().mapToLong(id -> id).forEach(sum::add);
          return sum.sum();
        });
    idioms.same(
        "forEach to statistics",
        orders -> {
          DoubleSummaryStatistics all = new DoubleSummaryStatistics();
          orders.values().stream().mapToDouble(Order::price).forEach(all);
          return all.getCount() + " up to " + all.getMax();
        });
    idioms.same(
        "forEachOrdered",
        orders -> {
          StringBuilder text = new StringBuilder();
          orders.keySet().stream().mapToInt(id -> id).sorted().forEachOrdered(text::append);
          return text.toString();
        });
    idioms.same(
        "anyMatch", orders -> orders.keySet().stream().mapToInt(id -> id).anyMatch(id -> id == 7));
    idioms.same(
        "iterator",
        orders -> {
          int sum = 0;
          PrimitiveIterator.OfInt ids = orders.keySet().stream().mapToInt(id -> id).iterator();
          while (ids.hasNext()) {
            sum += ids.nextInt();
          }
          return sum;
        });
    idioms.same(
        "collect to statistics",
        orders ->
            orders.values().stream()
                .mapToInt(Order::quantity)
                .collect(
                    IntSummaryStatistics::new,
                    IntSummaryStatistics::accept,
                    IntSummaryStatistics::combine)
                .getSum());
    idioms.same(
        "collect to statistics of doubles",
        orders ->
            orders.values().stream()
                .mapToDouble(Order::price)
                .collect(
                    DoubleSummaryStatistics::new,
                    DoubleSummaryStatistics::accept,
                    DoubleSummaryStatistics::combine)
                .getSum());
    idioms.same(
        "collect to a list",
        orders ->
            orders.values().stream()
                .mapToInt(Order::quantity)
                .collect(ArrayList<Integer>::new, ArrayList::add, ArrayList::addAll));
  }
}
