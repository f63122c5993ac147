package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;
import static io.cantle.core.stream.table.Line.some;

import io.cantle.LongCacheStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Lines over streams of {@code long} elements. */
final class LongLines {
  private LongLines() {}

  static List<Line> all() {
    return List.of(
        any("long: filter", s -> numbers(s).filter(n -> n > 3).toArray()),
        any("long: map", s -> numbers(s).map(n -> n * n).toArray()),
        any("long: mapToObj", s -> numbers(s).mapToObj(n -> "n" + n).toList()),
        any("long: mapToObj by a reference", s -> numbers(s).mapToObj(String::valueOf).toList()),
        any("long: mapToInt", s -> numbers(s).mapToInt(n -> (int) n).toArray()),
        any("long: mapToDouble", s -> numbers(s).mapToDouble(n -> n / 2.0).toArray()),
        any("long: flatMap", s -> numbers(s).flatMap(n -> LongStream.of(n, -n)).toArray()),
        any(
            "long: mapMulti",
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
            "long: peek",
            s ->
                Odd.seenDuring(
                    () -> {
                      var _ = numbers(s).peek(n -> Odd.recordSeen(n)).filter(n -> n > 1).sum();
                    })),
        any("long: boxed", s -> numbers(s).boxed().toList()),
        any("long: asDoubleStream", s -> numbers(s).asDoubleStream().map(n -> n / 4).toArray()),
        any("long: distinct", s -> numbers(s).distinct().toArray()),
        same("long: distinct, count", s -> numbers(s).map(n -> n % 7).distinct().count()),
        same("long: sorted", s -> numbers(s).sorted().toArray()),
        same("long: sorted, limit", s -> numbers(s).sorted().limit(9).toArray()),
        same("long: sorted, skip, limit", s -> numbers(s).sorted().skip(5).limit(9).toArray()),
        same("long: sorted, map, limit", s -> numbers(s).sorted().map(n -> n + 1).limit(9).sum()),
        some(
            "long: limit",
            s -> numbers(s).limit(9).boxed().toList(),
            s -> numbers(s).boxed().toList()),
        some(
            "long: skip",
            s -> numbers(s).skip(9).boxed().toList(),
            s -> numbers(s).boxed().toList()),
        same("long: takeWhile", s -> numbers(s).sorted().takeWhile(n -> n < 5).toArray()),
        same("long: dropWhile", s -> numbers(s).sorted().dropWhile(n -> n < 5).toArray()),
        same("long: takeWhile here", s -> numbers(s).takeWhile(n -> false).count()),
        any(
            "long: sequential, parallel, unordered",
            s -> numbers(s).parallel().unordered().sequential().toArray()),
        same("long: isParallel", s -> numbers(s).parallel().isParallel()),
        any("long: onClose", s -> numbers(s).onClose(() -> {}).toArray()),
        same("long: count", s -> numbers(s).filter(n -> n > 0).count()),
        same("long: sum", s -> numbers(s).sum()),
        same("long: sum of nothing", s -> numbers(s).filter(n -> false).sum()),
        same("long: average", s -> numbers(s).average()),
        same("long: average of nothing", s -> numbers(s).filter(n -> false).average()),
        same("long: min", s -> numbers(s).min()),
        same("long: max", s -> numbers(s).max()),
        same("long: min of nothing", s -> numbers(s).filter(n -> false).min()),
        same("long: max of nothing", s -> numbers(s).filter(n -> false).max()),
        same("long: summaryStatistics", s -> numbers(s).summaryStatistics()),
        same(
            "long: summaryStatistics of nothing",
            s -> numbers(s).filter(n -> false).summaryStatistics()),
        same(
            "long: summaryStatistics after a stage here",
            s -> numbers(s).skip(0).summaryStatistics()),
        same("long: reduce", s -> numbers(s).reduce((a, b) -> Math.max(a, b))),
        same("long: reduce nothing", s -> numbers(s).filter(n -> false).reduce((a, b) -> a)),
        same("long: reduce from, sequential", s -> numbers(s).reduce(5, Long::sum)),
        same(
            "long: reduce nothing from, sequential",
            s -> numbers(s).filter(n -> false).reduce(5, (a, b) -> a + b)),
        any(
            "long: collect",
            s ->
                numbers(s)
                    .collect(
                        () -> new ArrayList<Long>(),
                        (list, n) -> list.add(n),
                        (list, more) -> list.addAll(more))),
        same("long: anyMatch", s -> numbers(s).anyMatch(n -> n == 4)),
        same("long: allMatch", s -> numbers(s).allMatch(n -> n < 1_000_000)),
        same("long: noneMatch", s -> numbers(s).noneMatch(n -> n == 4)),
        same("long: allMatch of nothing", s -> numbers(s).filter(n -> false).allMatch(n -> false)),
        some("long: findAny", s -> list(numbers(s).findAny()), s -> numbers(s).boxed().toList()),
        some(
            "long: findFirst", s -> list(numbers(s).findFirst()), s -> numbers(s).boxed().toList()),
        same("long: findFirst in order", s -> list(numbers(s).sorted().findFirst())),
        same("long: findFirst of nothing", s -> list(numbers(s).filter(n -> false).findFirst())),
        same("long: findAny in order", s -> numbers(s).sorted().findAny().isPresent()),
        same(
            "long: forEach",
            s -> Odd.consumedDuring(see -> numbers(s).forEach(n -> see.accept(n)))),
        same(
            "long: forEachOnOwners",
            s -> Odd.seenDuring(() -> numbers(s).forEachOnOwners(n -> Odd.recordSeen(n)))),
        same(
            "long: forEach after a stage here",
            s -> Odd.consumedDuring(see -> numbers(s).skip(0).forEach(n -> see.accept(n)))),
        same(
            "long: forEachOrdered",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).sorted().forEachOrdered(n -> seen.add(n));
              return seen;
            }),
        any(
            "long: iterator",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).iterator().forEachRemaining((LongConsumer) n -> seen.add(n));
              return seen;
            }),
        any(
            "long: spliterator",
            s -> {
              List<Object> seen = new ArrayList<>();
              numbers(s).spliterator().forEachRemaining((LongConsumer) n -> seen.add(n));
              return seen;
            }),
        any("long: concat", s -> LongStream.concat(numbers(s), numbers(s)).toArray()),
        same("long: failing map", s -> numbers(s).map(n -> Odd.failing(40)).sum()),
        same("long: sum that overflows", s -> s.keys().mapToLong(k -> Long.MAX_VALUE - k).sum()),
        same(
            "long: extremes",
            s ->
                s.keys()
                    .mapToLong(k -> k % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE)
                    .summaryStatistics()));
  }

  private static LongCacheStream numbers(Source source) {
    return source.values().mapToLong(t -> t.minutes() * 3L);
  }

  private static List<?> list(OptionalLong found) {
    return found.isPresent() ? List.of(found.getAsLong()) : List.of();
  }
}
