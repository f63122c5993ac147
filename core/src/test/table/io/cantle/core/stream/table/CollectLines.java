package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;

import io.cantle.CacheCollectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Lines that collect objects, on the owners and on the calling node. */
final class CollectLines {
  private CollectLines() {}

  static List<Line> all() {
    return List.of(
        any("collect toList", s -> s.keys().collect(() -> Collectors.toList())),
        any(
            "collect toList of nulls",
            s -> s.keys().map(k -> Odd.none(k)).collect(() -> Collectors.toList())),
        same("collect toSet", s -> s.values().map(Trip::carrier).collect(() -> Collectors.toSet())),
        any(
            "collect toUnmodifiableList",
            s -> s.keys().collect(() -> Collectors.toUnmodifiableList())),
        same(
            "collect toUnmodifiableList of nulls",
            s -> s.keys().map(k -> Odd.none(k)).collect(() -> Collectors.toUnmodifiableList())),
        same(
            "collect toCollection",
            s -> s.keys().collect(() -> Collectors.toCollection(TreeSet::new))),
        same(
            "collect toMap",
            s -> s.values().collect(() -> Collectors.toMap(Trip::number, Trip::carrier))),
        same(
            "collect toMap of keys that repeat",
            s -> s.values().collect(() -> Collectors.toMap(Trip::carrier, Trip::number))),
        same(
            "collect toMap, merged",
            s ->
                s.values()
                    .collect(() -> Collectors.toMap(Trip::carrier, Trip::minutes, Integer::sum))),
        same(
            "collect toMap into a sorted one",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.toMap(
                                Trip::carrier, Trip::minutes, Math::max, TreeMap::new))),
        same(
            "collect joining",
            s ->
                s.values()
                    .filter(t -> t.number() == 3)
                    .map(Trip::carrier)
                    .collect(() -> Collectors.joining(",", "<", ">"))),
        same(
            "collect joining equal ones",
            s -> s.values().map(t -> "x").collect(() -> Collectors.joining("-"))),
        same(
            "collect joining nothing",
            s ->
                s.values()
                    .map(Trip::carrier)
                    .filter(c -> false)
                    .collect(() -> Collectors.joining(",", "<", ">"))),
        same("collect counting", s -> s.keys().collect(() -> Collectors.counting())),
        same("collect minBy", s -> s.keys().collect(() -> Collectors.minBy(Integer::compare))),
        same(
            "collect maxBy of nothing",
            s -> s.keys().filter(k -> false).collect(() -> Collectors.maxBy(Integer::compare))),
        same(
            "collect summingInt",
            s -> s.values().collect(() -> Collectors.summingInt(Trip::minutes))),
        same(
            "collect summingLong",
            s -> s.keys().collect(() -> Collectors.summingLong(k -> k * 10_000_000_000L))),
        same(
            "collect summingDouble",
            s -> s.values().collect(() -> Collectors.summingDouble(t -> t.miles() / 3))),
        same(
            "collect averagingInt",
            s -> s.values().collect(() -> Collectors.averagingInt(Trip::minutes))),
        same(
            "collect averagingDouble",
            s -> s.values().collect(() -> Collectors.averagingDouble(t -> t.miles() / 7))),
        same(
            "collect averaging nothing",
            s ->
                s.values()
                    .filter(t -> false)
                    .collect(() -> Collectors.averagingLong(Trip::minutes))),
        same(
            "collect summarizingInt",
            s -> s.values().collect(() -> Collectors.summarizingInt(Trip::minutes))),
        same(
            "collect summarizingLong",
            s -> s.values().collect(() -> Collectors.summarizingLong(Trip::minutes))),
        same(
            "collect summarizingDouble",
            s -> s.values().collect(() -> Collectors.summarizingDouble(Trip::miles))),
        same(
            "collect reducing",
            s -> s.keys().collect(() -> Collectors.reducing(0, k -> k * 2, Integer::sum))),
        same(
            "collect reducing without identity",
            s -> s.keys().collect(() -> Collectors.reducing((a, b) -> Math.max(a, b)))),
        any(
            "collect groupingBy",
            s -> s.values().collect(() -> Collectors.groupingBy(Trip::carrier))),
        same(
            "collect groupingBy, counting",
            s ->
                s.values()
                    .collect(() -> Collectors.groupingBy(Trip::carrier, Collectors.counting()))),
        same(
            "collect groupingBy, averaging",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.groupingBy(
                                Trip::carrier, Collectors.averagingInt(Trip::minutes)))),
        same(
            "collect groupingBy, maxBy",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.groupingBy(
                                Trip::late, Collectors.maxBy((a, b) -> a.number() - b.number())))),
        same(
            "collect groupingBy twice",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.groupingBy(
                                Trip::carrier,
                                Collectors.groupingBy(Trip::late, Collectors.counting())))),
        same(
            "collect groupingBy into a sorted map",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.groupingBy(
                                Trip::carrier,
                                TreeMap::new,
                                Collectors.mapping(Trip::number, Collectors.toSet())))),
        same(
            "collect groupingByConcurrent",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.groupingByConcurrent(Trip::carrier, Collectors.counting()))),
        any(
            "collect partitioningBy",
            s -> s.keys().collect(() -> Collectors.partitioningBy(k -> k % 3 == 0))),
        same(
            "collect partitioningBy, summing",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.partitioningBy(
                                Trip::late, Collectors.summingInt(Trip::minutes)))),
        same(
            "collect filtering",
            s ->
                s.values()
                    .collect(
                        () ->
                            Collectors.groupingBy(
                                Trip::carrier,
                                Collectors.filtering(Trip::late, Collectors.counting())))),
        same(
            "collect flatMapping",
            s ->
                s.values()
                    .collect(
                        () -> Collectors.flatMapping(t -> t.stops().stream(), Collectors.toSet()))),
        same(
            "collect collectingAndThen",
            s ->
                s.keys()
                    .collect(() -> Collectors.collectingAndThen(Collectors.toList(), List::size))),
        same(
            "collect teeing",
            s ->
                s.keys()
                    .collect(
                        () ->
                            Collectors.teeing(
                                Collectors.counting(),
                                Collectors.summingInt(k -> k),
                                (count, sum) -> sum / count))),
        same(
            "collect after mapToObj",
            s ->
                s.keys()
                    .mapToInt(k -> k)
                    .mapToObj(k -> k % 5)
                    .collect(() -> Collectors.groupingBy(k -> k, Collectors.counting()))),
        same(
            "collect with one that can be sent",
            s ->
                s.values()
                    .collect(
                        CacheCollectors.serializableCollector(
                            () -> Collectors.groupingBy(Trip::carrier, Collectors.counting())))),
        any("collect with one of this node", s -> s.keys().collect(Collectors.toList())),
        same(
            "collect after a stage here",
            s ->
                s.values()
                    .limit(1_000_000)
                    .collect(() -> Collectors.groupingBy(Trip::carrier, Collectors.counting()))),
        same(
            "collect in order",
            s -> s.keys().sorted().limit(9).map(k -> "" + k).collect(Collectors.joining(","))),
        any(
            "collect in three parts",
            s ->
                s.keys()
                    .collect(
                        () -> new ArrayList<Integer>(),
                        (list, k) -> list.add(k),
                        (list, more) -> list.addAll(more))),
        same(
            "collect sums in three parts",
            s ->
                s.values()
                    .collect(
                        HashMap<String, Integer>::new,
                        (sums, t) -> sums.merge(t.carrier(), t.minutes(), Integer::sum),
                        (sums, more) ->
                            more.forEach((c, sum) -> sums.merge(c, sum, Integer::sum)))),
        same(
            "collect nothing in three parts",
            s ->
                s.keys()
                    .filter(k -> k < 0)
                    .collect(HashSet<Integer>::new, HashSet::add, HashSet::addAll)),
        same(
            "failing collector",
            s -> s.keys().collect(() -> Collectors.summingInt(k -> Odd.failing(k)))));
  }
}
