package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;
import static io.cantle.core.stream.table.Line.some;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Lines with stages that need an order, or all elements. */
final class OrderLines {
  private OrderLines() {}

  static List<Line> all() {
    return List.of(
        same("sorted", s -> s.keys().sorted().toList()),
        same("sorted values", s -> s.values().sorted().toList()),
        same("sorted by a lambda", s -> s.keys().sorted((a, b) -> b - a).toList()),
        same("sorted by a comparator", s -> s.keys().sorted(Comparator.reverseOrder()).toList()),
        same("sorted entries", s -> s.entries().sorted(Map.Entry.comparingByKey()).toList()),
        same(
            "sorted twice",
            s ->
                s.values()
                    .sorted((a, b) -> a.number() - b.number())
                    .sorted((a, b) -> a.minutes() - b.minutes())
                    .toList()),
        same(
            "sorted what is late",
            s ->
                s.values()
                    .filter(Trip::late)
                    .sorted((a, b) -> b.number() - a.number())
                    .map(Trip::number)
                    .toList()),
        same(
            "sorted with nulls",
            s ->
                s.keys()
                    .map(k -> Odd.orNull(k))
                    .sorted(Comparator.nullsFirst(Comparator.naturalOrder()))
                    .toList()),
        same("sorted what has no order", s -> s.entries().sorted().toList()),
        same(
            "sorted nulls without an order",
            s -> s.keys().map(k -> Odd.orNull(k)).sorted().toList()),
        same("sorted, limit", s -> s.keys().sorted().limit(5).toList()),
        same("sorted, limit none", s -> s.keys().sorted().limit(0).toList()),
        same("sorted, limit more than there are", s -> s.keys().sorted().limit(1_000_000).toList()),
        same(
            "sorted by a lambda, limit",
            s ->
                s.values()
                    .sorted((a, b) -> Integer.compare(b.number(), a.number()))
                    .limit(7)
                    .toList()),
        same(
            "sorted, limit with equal ones",
            s ->
                s.values()
                    .sorted((a, b) -> a.minutes() - b.minutes())
                    .limit(20)
                    .map(Trip::minutes)
                    .toList()),
        same(
            "sorted with nulls, limit",
            s ->
                s.keys()
                    .map(k -> Odd.orNull(k))
                    .sorted(
                        (a, b) ->
                            Comparator.nullsFirst(Comparator.<Integer>naturalOrder()).compare(a, b))
                    .limit(60)
                    .toList()),
        same("sorted, skip", s -> s.keys().sorted().skip(9).toList()),
        same("sorted, skip more than there are", s -> s.keys().sorted().skip(1_000_000).toList()),
        same("sorted, skip, limit", s -> s.keys().sorted().skip(9).limit(4).toList()),
        same(
            "sorted, skip, limit near the end",
            s -> s.keys().sorted((a, b) -> b - a).skip(s.keys().count() - 2).limit(5).toList()),
        same(
            "sorted, skip, limit beyond counting",
            s -> s.keys().sorted().skip(Long.MAX_VALUE).limit(Long.MAX_VALUE).toList()),
        same("sorted, limit, skip", s -> s.keys().sorted().limit(9).skip(4).toList()),
        same("sorted, limit, limit", s -> s.keys().sorted().limit(9).limit(4).toList()),
        same("sorted, map, limit", s -> s.keys().sorted().map(k -> -k).limit(4).toList()),
        same(
            "sorted, limit, sorted, limit",
            s -> s.keys().sorted().limit(9).sorted((a, b) -> b - a).limit(3).toList()),
        same("sorted, peek, limit", s -> s.keys().sorted().peek(k -> {}).limit(4).toList()),
        same(
            "sorted, distinct, limit",
            s -> s.values().map(Trip::minutes).sorted().distinct().limit(6).toList()),
        same(
            "distinct, sorted, limit",
            s ->
                s.values().map(Trip::minutes).distinct().sorted((a, b) -> b - a).limit(6).toList()),
        same("limit, sorted", s -> s.keys().limit(1_000_000).sorted().toList()),
        same("skip none, sorted", s -> s.keys().skip(0).sorted().toList()),
        some("limit", s -> s.keys().limit(5).toList(), s -> s.keys().toList()),
        some("limit entries", s -> s.entries().limit(30).toList(), s -> s.entries().toList()),
        some("limit none", s -> s.values().limit(0).toList(), s -> s.values().toList()),
        some(
            "limit what is late",
            s -> s.values().filter(Trip::late).limit(5).toList(),
            s -> s.values().filter(Trip::late).toList()),
        some("skip", s -> s.keys().skip(20).toList(), s -> s.keys().toList()),
        some("skip, limit", s -> s.keys().skip(20).limit(7).toList(), s -> s.keys().toList()),
        some("limit, skip", s -> s.keys().limit(20).skip(7).toList(), s -> s.keys().toList()),
        some(
            "limit, map",
            s -> s.keys().limit(20).map(k -> k + 1).toList(),
            s -> s.keys().map(k -> k + 1).toList()),
        some("skip all", s -> s.keys().skip(1_000_000).toList(), s -> s.keys().toList()),
        same("limit, count", s -> s.keys().limit(11).count()),
        same("skip, count", s -> s.keys().skip(11).count()),
        same("limit below none", s -> s.keys().limit(-1).toList()),
        same("skip below none", s -> s.keys().skip(-1).toList()),
        any("distinct keys", s -> s.keys().distinct().toList()),
        any("distinct entries", s -> s.entries().filter(e -> e.getKey() > 3).distinct().toList()),
        any("distinct values", s -> s.values().map(Trip::minutes).distinct().toList()),
        any("distinct with null", s -> s.keys().map(k -> Odd.orNull(k)).distinct().toList()),
        same("distinct, count", s -> s.values().map(Trip::carrier).distinct().count()),
        any("distinct lists", s -> s.values().map(Trip::stops).distinct().toList()),
        same("takeWhile", s -> s.keys().sorted().takeWhile(k -> k < 30).toList()),
        same("takeWhile none", s -> s.keys().takeWhile(k -> false).toList()),
        any("takeWhile all", s -> s.keys().takeWhile(k -> true).toList()),
        same("dropWhile", s -> s.keys().sorted().dropWhile(k -> k < 30).toList()),
        any("dropWhile none", s -> s.keys().dropWhile(k -> false).toList()),
        same("dropWhile all", s -> s.keys().dropWhile(k -> true).toList()),
        same(
            "takeWhile, dropWhile",
            s -> s.keys().sorted().takeWhile(k -> k < 30).dropWhile(k -> k < 20).toList()));
  }
}
