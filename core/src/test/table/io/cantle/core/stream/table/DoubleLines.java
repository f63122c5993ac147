package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;
import static io.cantle.core.stream.table.Line.some;

import io.cantle.DoubleCacheStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleConsumer;
import java.util.stream.DoubleStream;

/** Lines over streams of {@code double} elements. */
final class DoubleLines {
  private DoubleLines() {}

  static List<Line> all() {
    return List.of(
        any("double: filter", s -> numbers(s).filter(n -> n > 3).toArray()),
        any("double: map", s -> numbers(s).map(n -> n * n).toArray()),
        any("double: mapToObj", s -> numbers(s).mapToObj(n -> "n" + n).toList()),
        any("double: mapToObj by a reference", s -> numbers(s).mapToObj(String::valueOf).toList()),
        any("double: mapToInt", s -> numbers(s).mapToInt(n -> (int) n).toArray()),
        any("double: mapToLong", s -> numbers(s).mapToLong(n -> (long) n).toArray()),
        any("double: flatMap", s -> numbers(s).flatMap(n -> DoubleStream.of(n, -n)).toArray()),
        any(
            "double: mapMulti",
            s ->
                numbers(s)
                    .mapMulti(
                        (n, sink) -> {
                          if (n > 0) {
                            sink.accept(n);
                            sink.accept(n + 1);
                          }
                        })
                    .toArray()),
        same(
            "double: peek",
            s ->
                Odd.seenDuring(
                    () -> {
                      var _ = numbers(s).peek(n -> Odd.recordSeen(n)).filter(n -> n > 1).sum();
                    })),
        any("double: boxed", s -> numbers(s).boxed().toList()),
        any("double: distinct", s -> numbers(s).distinct().toArray()),
        same("double: distinct, count", s -> numbers(s).map(n -> n % 7).distinct().count()),
        same("double: sorted", s -> numbers(s).sorted().toArray()),
        same("double: sorted, limit", s -> numbers(s).sorted().limit(9).toArray()),
        same("double: sorted, skip, limit", s -> numbers(s).sorted().skip(5).limit(9).toArray()),
        same("double: sorted, map, limit", s -> numbers(s).sorted().map(n -> n + 1).limit(9).sum()),
        some(
            "double: limit",
            s -> numbers(s).limit(9).boxed().toList(),
            s -> numbers(s).boxed().toList()),
        some(
            "double: skip",
            s -> numbers(s).skip(9).boxed().toList(),
            s -> numbers(s).boxed().toList()),
        same("double: takeWhile", s -> numbers(s).sorted().takeWhile(n -> n < 5).toArray()),
        same("double: dropWhile", s -> numbers(s).sorted().dropWhile(n -> n < 5).toArray()),
        same("double: takeWhile here", s -> numbers(s).takeWhile(n -> false).count()),
        any(
            "double: sequential, parallel, unordered",
            s -> numbers(s).parallel().unordered().sequential().toArray()),
        same("double: isParallel", s -> numbers(s).parallel().isParallel()),
        any("double: onClose", s -> numbers(s).onClose(() -> {}).toArray()),
        same("double: count", s -> numbers(s).filter(n -> n > 0).count()),
        same("double: sum", s -> numbers(s).sum()),
        same("double: sum of nothing", s -> numbers(s).filter(n -> false).sum()),
        same("double: average", s -> numbers(s).average()),
        same("double: average of nothing", s -> numbers(s).filter(n -> false).average()),
        same("double: min", s -> numbers(s).min()),
        same("double: max", s -> numbers(s).max()),
        same("double: min of nothing", s -> numbers(s).filter(n -> false).min()),
        same("double: max of nothing", s -> numbers(s).filter(n -> false).max()),
        same("double: summaryStatistics", s -> numbers(s).summaryStatistics()),
        same(
            "double: summaryStatistics of nothing",
            s -> numbers(s).filter(n -> false).summaryStatistics()),
        same(
            "double: summaryStatistics after a stage here",
            s -> numbers(s).skip(0).summaryStatistics()),
        same("double: reduce", s -> numbers(s).reduce((a, b) -> Math.max(a, b))),
        same("double: reduce nothing", s -> numbers(s).filter(n -> false).reduce((a, b) -> a)),
        same("double: reduce from, sequential", s -> numbers(s).reduce(5, Double::sum)),
        same(
            "double: reduce nothing from, sequential",
            s -> numbers(s).filter(n -> false).reduce(5, (a, b) -> a + b)),
        any(
            "double: collect",
            s ->
                numbers(s)
                    .collect(
                        () -> new ArrayList<Double>(),
                        (list, n) -> list.add(n),
                        (list, more) -> list.addAll(more))),
        same("double: anyMatch", s -> numbers(s).anyMatch(n -> n == 4)),
        same("double: allMatch", s -> numbers(s).allMatch(n -> n < 1_000_000)),
        same("double: noneMatch", s -> numbers(s).noneMatch(n -> n == 4)),
        same(
            "double: allMatch of nothing", s -> numbers(s).filter(n -> false).allMatch(n -> false)),
        some("double: findAny", s -> list(numbers(s).findAny()), s -> numbers(s).boxed().toList()),
        some(
            "double: findFirst",
            s -> list(numbers(s).findFirst()),
            s -> numbers(s).boxed().toList()),
        same("double: findFirst in order", s -> list(numbers(s).sorted().findFirst())),
        same("double: findFirst of nothing", s -> list(numbers(s).filter(n -> false).findFirst())),
        same("double: findAny in order", s -> numbers(s).sorted().findAny().isPresent()),
        same(
            "double: forEach",
            s -> Odd.consumedDuring(see -> numbers(s).forEach(n -> see.accept(n)))),
        same(
            "double: forEachOnOwners",
            s -> Odd.seenDuring(() -> numbers(s).forEachOnOwners(n -> Odd.recordSeen(n)))),
        same(
            "double: forEach after a stage here",
            s -> Odd.consumedDuring(see -> numbers(s).skip(0).forEach(n -> see.accept(n)))),
        same(
            "double: forEachOrdered",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).sorted().forEachOrdered(n -> seen.add(n));
              return seen;
            }),
        any(
            "double: iterator",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).iterator().forEachRemaining((DoubleConsumer) n -> seen.add(n));
              return seen;
            }),
        any(
            "double: spliterator",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).spliterator().forEachRemaining((DoubleConsumer) n -> seen.add(n));
              return seen;
            }),
        any("double: concat", s -> DoubleStream.concat(numbers(s), numbers(s)).toArray()),
        same("double: failing map", s -> numbers(s).map(n -> Odd.failing(40)).sum()),
        same(
            "double: sum with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).sum()),
        same(
            "double: average with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).average()),
        same(
            "double: summary with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).summaryStatistics()),
        same(
            "double: least with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).min()),
        same(
            "double: greatest with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).max()),
        same(
            "double: sorted with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).sorted().toArray()),
        same(
            "double: sorted, limit with not a number",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.NaN : k).sorted().limit(3).toArray()),
        same(
            "double: sum with an infinity",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k).sum()),
        same(
            "double: average with an infinity",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k).average()),
        same(
            "double: summary with an infinity",
            s ->
                s.keys()
                    .mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k)
                    .summaryStatistics()),
        same(
            "double: least with an infinity",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k).min()),
        same(
            "double: greatest with an infinity",
            s -> s.keys().mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k).max()),
        same(
            "double: sorted with an infinity",
            s ->
                s.keys()
                    .mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k)
                    .sorted()
                    .toArray()),
        same(
            "double: sorted, limit with an infinity",
            s ->
                s.keys()
                    .mapToDouble(k -> k == 31 ? Double.POSITIVE_INFINITY : k)
                    .sorted()
                    .limit(3)
                    .toArray()),
        same(
            "double: sum with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .sum()),
        same(
            "double: average with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .average()),
        same(
            "double: summary with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .summaryStatistics()),
        same(
            "double: least with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .min()),
        same(
            "double: greatest with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .max()),
        same(
            "double: sorted with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .sorted()
                    .toArray()),
        same(
            "double: sorted, limit with both infinities",
            s ->
                s.keys()
                    .mapToDouble(
                        k ->
                            k == 31
                                ? Double.POSITIVE_INFINITY
                                : k == 90 ? Double.NEGATIVE_INFINITY : k)
                    .sorted()
                    .limit(3)
                    .toArray()),
        same("double: sum beyond doubles", s -> s.keys().mapToDouble(k -> Double.MAX_VALUE).sum()),
        same(
            "double: summary beyond doubles",
            s -> s.keys().mapToDouble(k -> Double.MAX_VALUE).summaryStatistics()),
        same(
            "double: both zeros",
            s -> s.keys().mapToDouble(k -> k % 2 == 0 ? 0.0 : -0.0).sorted().toArray()),
        same(
            "double: least of both zeros",
            s -> s.keys().mapToDouble(k -> k % 2 == 0 ? 0.0 : -0.0).min()),
        same("double: sum of thirds", s -> s.keys().mapToDouble(k -> k / 3.0).sum()),
        same(
            "double: only what is not a number",
            s -> s.keys().mapToDouble(k -> Double.NaN).summaryStatistics()),
        same(
            "double: distinct of what is not a number",
            s -> s.keys().mapToDouble(k -> k % 2 == 0 ? Double.NaN : 1).distinct().count()));
  }

  private static DoubleCacheStream numbers(Source source) {
    return source.values().mapToDouble(t -> t.miles() / 8);
  }

  private static List<?> list(OptionalDouble found) {
    return found.isPresent() ? List.of(found.getAsDouble()) : List.of();
  }
}
