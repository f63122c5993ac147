package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;
import static io.cantle.core.stream.table.Line.some;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Lines for the terminal operations of a stream of objects, except collecting. */
final class EndLines {
  private EndLines() {}

  static List<Line> all() {
    return List.of(
        same("count", s -> s.entries().count()),
        same("count what is left", s -> s.values().filter(Trip::late).count()),
        same("count what comes of it", s -> s.values().flatMap(t -> t.stops().stream()).count()),
        same("count nothing", s -> s.keys().filter(k -> k < 0).count()),
        same("reduce", s -> s.keys().reduce((a, b) -> a + b)),
        same("reduce by a reference", s -> s.keys().reduce(Math::max)),
        same("reduce nothing", s -> s.keys().filter(k -> k < 0).reduce(Integer::sum)),
        same("reduce one", s -> s.keys().filter(k -> k == 7).reduce((a, b) -> -1)),
        same("reduce from", s -> s.keys().reduce(0, Integer::sum)),
        same("reduce from what counts, sequential", s -> s.keys().reduce(1_000, (a, b) -> a + b)),
        same(
            "reduce nothing from, sequential",
            s -> s.keys().filter(k -> k < 0).reduce(17, Integer::sum)),
        same("reduce to null", s -> s.keys().reduce((a, b) -> Odd.none(a))),
        same("fold", s -> s.values().reduce(0L, (sum, t) -> sum + t.minutes(), Long::sum)),
        same(
            "fold nothing",
            s ->
                s.values()
                    .filter(t -> false)
                    .reduce("", (a, t) -> a + t.carrier(), (a, b) -> a + b)),
        same(
            "fold to a text",
            s ->
                s.values()
                    .reduce(0, (length, t) -> length + t.carrier().length(), (a, b) -> a + b)),
        same("min", s -> s.keys().min((a, b) -> a - b)),
        same(
            "min by a comparator",
            s ->
                s.values()
                    .min(Comparator.comparingDouble(Trip::miles).thenComparingInt(Trip::number))),
        same("min of nothing", s -> s.keys().filter(k -> k < 0).min(Integer::compare)),
        same("max", s -> s.keys().max(Integer::compare)),
        same("max of entries", s -> s.entries().max(Map.Entry.comparingByKey())),
        same(
            "max of one null",
            s -> s.keys().filter(k -> k == 0).map(k -> Odd.none(k)).max((_, _) -> 0)),
        same("anyMatch", s -> s.keys().anyMatch(k -> k == 50)),
        same("anyMatch of none", s -> s.keys().anyMatch(k -> k < 0)),
        same("anyMatch of nothing", s -> s.keys().filter(k -> k < 0).anyMatch(k -> true)),
        same("allMatch", s -> s.keys().allMatch(k -> k >= 0)),
        same("allMatch but one", s -> s.keys().allMatch(k -> k != 50)),
        same("allMatch of nothing", s -> s.keys().filter(k -> k < 0).allMatch(k -> false)),
        same("noneMatch", s -> s.keys().noneMatch(k -> k < 0)),
        same("noneMatch but one", s -> s.keys().noneMatch(k -> k == 50)),
        same("noneMatch of nothing", s -> s.keys().filter(k -> k < 0).noneMatch(k -> true)),
        same("anyMatch of nulls", s -> s.keys().map(k -> Odd.none(k)).anyMatch(k -> k == null)),
        same("findFirst in order", s -> s.keys().sorted().findFirst()),
        same(
            "findFirst in order by",
            s -> s.values().sorted((a, b) -> b.number() - a.number()).findFirst()),
        same("findFirst, skip", s -> s.keys().sorted().skip(3).findFirst()),
        same("findFirst of nothing", s -> s.keys().filter(k -> k < 0).findFirst()),
        some("findFirst", s -> list(s.keys().findFirst()), s -> s.keys().toList()),
        some(
            "findAny",
            s -> list(s.values().filter(Trip::late).findAny()),
            s -> s.values().filter(Trip::late).map(Trip::number).toList()),
        same("findAny in order", s -> s.keys().sorted().findAny().isPresent()),
        same("findAny of nothing", s -> s.keys().filter(k -> k < 0).findAny()),
        same("findAny of nulls", s -> s.keys().map(k -> Odd.none(k)).findAny()),
        same("forEach", s -> Odd.consumedDuring(see -> s.keys().forEach(k -> see.accept(k)))),
        same(
            "forEachOnOwners",
            s -> Odd.seenDuring(() -> s.keys().forEachOnOwners(k -> Odd.recordSeen(k)))),
        same(
            "forEach by a variable",
            s -> Odd.consumedDuring(see -> s.values().map(Trip::carrier).forEach(see))),
        same(
            "forEachOnOwners by a reference",
            s -> Odd.seenDuring(() -> s.values().forEachOnOwners(Odd::recordSeen))),
        same(
            "forEachOnOwners of what is left",
            s ->
                Odd.seenDuring(
                    () ->
                        s.entries()
                            .filter(e -> e.getValue().late())
                            .map(e -> e.getKey())
                            .forEachOnOwners(k -> Odd.recordSeen(k)))),
        same(
            "forEach after a stage here",
            s -> Odd.consumedDuring(see -> s.keys().limit(1_000_000).forEach(k -> see.accept(k)))),
        same("forEachOrdered", s -> inOrder(s.keys().sorted()::forEachOrdered)),
        any("forEachOrdered without order", s -> inOrder(s.keys()::forEachOrdered)),
        any("toArray", s -> s.keys().toArray()),
        any("toArray of a type", s -> s.values().map(Trip::carrier).toArray(String[]::new)),
        same("toArray of a wrong type", s -> s.keys().toArray(String[]::new)),
        any("toList with nulls", s -> s.keys().map(k -> Odd.orNull(k)).toList()),
        same(
            "toList cannot be changed",
            s -> {
              s.keys().toList().add(1);
              return "it can";
            }),
        any("iterator", s -> inOrder(s.keys().map(k -> k + 1).iterator()::forEachRemaining)),
        same("iterator in order", s -> inOrder(s.keys().sorted().iterator()::forEachRemaining)),
        any("spliterator", s -> inOrder(s.keys().spliterator()::forEachRemaining)),
        any(
            "spliterator and a stage",
            s -> inOrder(s.keys().filter(k -> k > 4).spliterator()::forEachRemaining)),
        same("failing filter", s -> s.keys().filter(k -> Odd.failing(k) > 0).count()),
        same(
            "failing forEach",
            s -> {
              s.keys().forEach(k -> Odd.recordSeen(Odd.failing(k)));
              return "done";
            }),
        same(
            "failing forEachOnOwners",
            s -> {
              s.keys().forEachOnOwners(k -> Odd.recordSeen(Odd.failing(k)));
              return "done";
            }),
        same(
            "failing reduction",
            // Both operands fail, because the order in which elements are combined is open.
            s -> s.keys().reduce(0, (a, b) -> Odd.failing(a) + Odd.failing(b))),
        same("failing order", s -> s.keys().sorted((_, _) -> Odd.failing(40)).limit(3).toList()),
        same(
            "min of pairs",
            s ->
                s.values()
                    .map(t -> Map.entry(t.carrier(), t.number()))
                    .min(Map.Entry.comparingByValue())));
  }

  private static List<Integer> list(Optional<?> found) {
    return Stream.ofNullable(found.orElse(null))
        .map(element -> element instanceof Trip trip ? trip.number() : (Integer) element)
        .toList();
  }

  private static List<Integer> inOrder(
      java.util.function.Consumer<java.util.function.Consumer<Integer>> source) {
    List<Integer> elements = new ArrayList<>();
    source.accept(elements::add);
    return elements;
  }
}
