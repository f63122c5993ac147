package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;
import static io.cantle.core.stream.table.Line.some;

import io.cantle.IntCacheStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Lines over streams of {@code int} elements. */
final class IntLines {
  private IntLines() {}

  static List<Line> all() {
    return List.of(
        any("int: filter", s -> numbers(s).filter(n -> n > 3).toArray()),
        any("int: map", s -> numbers(s).map(n -> n * n).toArray()),
        any("int: mapToObj", s -> numbers(s).mapToObj(n -> "n" + n).toList()),
        any("int: mapToObj by a reference", s -> numbers(s).mapToObj(String::valueOf).toList()),
        any("int: mapToLong", s -> numbers(s).mapToLong(n -> n * 10_000_000_000L).toArray()),
        any("int: mapToDouble", s -> numbers(s).mapToDouble(n -> n / 2.0).toArray()),
        any("int: flatMap", s -> numbers(s).flatMap(n -> IntStream.of(n, -n)).toArray()),
        any(
            "int: mapMulti",
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
            "int: peek",
            s ->
                Odd.seenDuring(
                    () -> {
                      var _ = numbers(s).peek(n -> Odd.recordSeen(n)).filter(n -> n > 1).sum();
                    })),
        any("int: boxed", s -> numbers(s).boxed().toList()),
        any("int: asLongStream", s -> numbers(s).asLongStream().map(n -> n << 33).toArray()),
        any("int: asDoubleStream", s -> numbers(s).asDoubleStream().map(n -> n / 4).toArray()),
        any("int: distinct", s -> numbers(s).distinct().toArray()),
        same("int: distinct, count", s -> numbers(s).map(n -> n % 7).distinct().count()),
        same("int: sorted", s -> numbers(s).sorted().toArray()),
        same("int: sorted, limit", s -> numbers(s).sorted().limit(9).toArray()),
        same("int: sorted, skip, limit", s -> numbers(s).sorted().skip(5).limit(9).toArray()),
        same("int: sorted, map, limit", s -> numbers(s).sorted().map(n -> n + 1).limit(9).sum()),
        some(
            "int: limit",
            s -> numbers(s).limit(9).boxed().toList(),
            s -> numbers(s).boxed().toList()),
        some(
            "int: skip",
            s -> numbers(s).skip(9).boxed().toList(),
            s -> numbers(s).boxed().toList()),
        same("int: takeWhile", s -> numbers(s).sorted().takeWhile(n -> n < 5).toArray()),
        same("int: dropWhile", s -> numbers(s).sorted().dropWhile(n -> n < 5).toArray()),
        same("int: takeWhile here", s -> numbers(s).takeWhile(n -> false).count()),
        any(
            "int: sequential, parallel, unordered",
            s -> numbers(s).parallel().unordered().sequential().toArray()),
        same("int: isParallel", s -> numbers(s).parallel().isParallel()),
        any("int: onClose", s -> numbers(s).onClose(() -> {}).toArray()),
        same("int: count", s -> numbers(s).filter(n -> n > 0).count()),
        same("int: sum", s -> numbers(s).sum()),
        same("int: sum of nothing", s -> numbers(s).filter(n -> false).sum()),
        same("int: average", s -> numbers(s).average()),
        same("int: average of nothing", s -> numbers(s).filter(n -> false).average()),
        same("int: min", s -> numbers(s).min()),
        same("int: max", s -> numbers(s).max()),
        same("int: min of nothing", s -> numbers(s).filter(n -> false).min()),
        same("int: max of nothing", s -> numbers(s).filter(n -> false).max()),
        same("int: summaryStatistics", s -> numbers(s).summaryStatistics()),
        same(
            "int: summaryStatistics of nothing",
            s -> numbers(s).filter(n -> false).summaryStatistics()),
        same(
            "int: summaryStatistics after a stage here",
            s -> numbers(s).skip(0).summaryStatistics()),
        same("int: reduce", s -> numbers(s).reduce((a, b) -> Math.max(a, b))),
        same("int: reduce nothing", s -> numbers(s).filter(n -> false).reduce((a, b) -> a)),
        same("int: reduce from, sequential", s -> numbers(s).reduce(5, Integer::sum)),
        same(
            "int: reduce nothing from, sequential",
            s -> numbers(s).filter(n -> false).reduce(5, (a, b) -> a + b)),
        any(
            "int: collect",
            s ->
                numbers(s)
                    .collect(
                        () -> new ArrayList<Integer>(),
                        (list, n) -> list.add(n),
                        (list, more) -> list.addAll(more))),
        same("int: anyMatch", s -> numbers(s).anyMatch(n -> n == 4)),
        same("int: allMatch", s -> numbers(s).allMatch(n -> n < 1_000_000)),
        same("int: noneMatch", s -> numbers(s).noneMatch(n -> n == 4)),
        same("int: allMatch of nothing", s -> numbers(s).filter(n -> false).allMatch(n -> false)),
        some("int: findAny", s -> list(numbers(s).findAny()), s -> numbers(s).boxed().toList()),
        some("int: findFirst", s -> list(numbers(s).findFirst()), s -> numbers(s).boxed().toList()),
        same("int: findFirst in order", s -> list(numbers(s).sorted().findFirst())),
        same("int: findFirst of nothing", s -> list(numbers(s).filter(n -> false).findFirst())),
        same("int: findAny in order", s -> numbers(s).sorted().findAny().isPresent()),
        same(
            "int: forEach", s -> Odd.consumedDuring(see -> numbers(s).forEach(n -> see.accept(n)))),
        same(
            "int: forEachOnOwners",
            s -> Odd.seenDuring(() -> numbers(s).forEachOnOwners(n -> Odd.recordSeen(n)))),
        same(
            "int: forEach after a stage here",
            s -> Odd.consumedDuring(see -> numbers(s).skip(0).forEach(n -> see.accept(n)))),
        same(
            "int: forEachOrdered",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).sorted().forEachOrdered(n -> seen.add(n));
              return seen;
            }),
        any(
            "int: iterator",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).iterator().forEachRemaining((IntConsumer) n -> seen.add(n));
              return seen;
            }),
        any(
            "int: spliterator",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).spliterator().forEachRemaining((IntConsumer) n -> seen.add(n));
              return seen;
            }),
        any("int: concat", s -> IntStream.concat(numbers(s), numbers(s)).toArray()),
        same("int: failing map", s -> numbers(s).map(n -> Odd.failing(40)).sum()),
        same("int: sum that overflows", s -> s.keys().mapToInt(k -> Integer.MAX_VALUE - k).sum()),
        same(
            "int: average beyond ints",
            s -> s.keys().mapToInt(k -> Integer.MAX_VALUE - k).average()),
        same(
            "int: summary beyond ints",
            s -> s.keys().mapToInt(k -> Integer.MIN_VALUE + k).summaryStatistics()));
  }

  private static IntCacheStream numbers(Source source) {
    return source.values().mapToInt(t -> t.minutes());
  }

  private static List<?> list(OptionalInt found) {
    return found.isPresent() ? List.of(found.getAsInt()) : List.of();
  }
}
