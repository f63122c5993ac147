package io.cantle.core.stream.table;

import static io.cantle.core.stream.table.Line.any;
import static io.cantle.core.stream.table.Line.same;

import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.Gatherers;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Lines with stages over objects. */
final class StageLines {
  private StageLines() {}

  static List<Line> all() {
    return List.of(
        any("keys", s -> s.keys().toList()),
        any("values", s -> s.values().toList()),
        any("entries", s -> s.entries().toList()),
        any("filter keys", s -> s.keys().filter(k -> k % 3 == 0).toList()),
        any("filter values", s -> s.values().filter(Trip::late).toList()),
        any("filter entries", s -> s.entries().filter(e -> e.getKey() % 2 == 0).toList()),
        any("filter all away", s -> s.values().filter(t -> false).toList()),
        any("filter thrice", s -> s.keys().filter(k -> k > 9).filter(k -> k % 2 == 1).toList()),
        any("map", s -> s.keys().map(k -> -k).toList()),
        any("map by a reference", s -> s.values().map(Trip::carrier).toList()),
        any("map by an overloaded method", s -> s.keys().map(String::valueOf).toList()),
        any("map entries to keys", s -> s.entries().map(Map.Entry::getKey).toList()),
        any("map entries to values", s -> s.entries().map(e -> e.getValue()).toList()),
        any("map to what it holds", s -> s.values().map(t -> t.stops()).toList()),
        any("map some to null", s -> s.keys().map(k -> Odd.orNull(k)).toList()),
        any("map all to null", s -> s.keys().map(k -> Odd.none(k)).toList()),
        any("map to pairs", s -> s.values().map(t -> Map.entry(t.carrier(), t.miles())).toList()),
        any("map there and back", s -> s.keys().map(k -> k + 0.5).map(d -> d.intValue()).toList()),
        any("map to an array", s -> s.values().map(t -> List.of(t.number(), t.minutes())).toList()),
        any("mapToInt", s -> s.values().mapToInt(t -> t.minutes()).toArray()),
        any("mapToLong", s -> s.values().mapToLong(t -> 1L << (t.number() % 60)).toArray()),
        any("mapToDouble", s -> s.values().mapToDouble(Trip::miles).toArray()),
        any("flatMap", s -> s.values().flatMap(t -> t.stops().stream()).toList()),
        any("flatMap to null", s -> s.keys().flatMap(k -> StageLines.<Integer>nothing()).toList()),
        any(
            "flatMap to many",
            s ->
                s.keys()
                    .flatMap(k -> Stream.iterate(k, x -> x + 1).limit(50).filter(x -> x % 25 == 0))
                    .toList()),
        any("flatMapToInt", s -> s.values().flatMapToInt(t -> t.carrier().chars()).toArray()),
        any("flatMapToLong", s -> s.keys().flatMapToLong(k -> LongStream.of(k, -k)).toArray()),
        any(
            "flatMapToDouble",
            s ->
                s.keys()
                    .flatMapToDouble(
                        k -> k % 2 == 0 ? DoubleStream.empty() : DoubleStream.of(k, 0.5))
                    .toArray()),
        any(
            "mapMulti",
            s ->
                s.keys()
                    .<String>mapMulti(
                        (k, sink) -> {
                          for (int i = k % 3; i > 0; i--) {
                            sink.accept(k + "." + i);
                          }
                        })
                    .toList()),
        any(
            "mapMultiToInt",
            s ->
                s.keys()
                    .mapMultiToInt(
                        (k, sink) -> {
                          sink.accept(k);
                          sink.accept(-k);
                        })
                    .toArray()),
        any(
            "mapMultiToLong",
            s ->
                s.keys()
                    .mapMultiToLong(
                        (k, sink) -> {
                          if (k % 2 == 0) {
                            sink.accept(k * 10_000_000_000L);
                          }
                        })
                    .toArray()),
        any(
            "mapMultiToDouble",
            s -> s.keys().mapMultiToDouble((k, sink) -> sink.accept(k / 3.0)).toArray()),
        same(
            "peek",
            s ->
                Odd.seenDuring(
                    () -> {
                      long _ =
                          s.keys()
                              .filter(k -> k > 5)
                              .peek(k -> Odd.recordSeen(k))
                              .map(k -> k % 2)
                              .reduce(0, Integer::sum);
                    })),
        any(
            "peek and pull",
            s -> s.values().peek(t -> Odd.recordSeen(t)).map(Trip::number).toList()),
        any("boxed ints", s -> s.values().mapToInt(Trip::minutes).boxed().toList()),
        any(
            "through all shapes",
            s ->
                s.keys()
                    .mapToInt(k -> k)
                    .asLongStream()
                    .mapToDouble(l -> l / 2.0)
                    .mapToObj(d -> "d" + d)
                    .mapToLong(t -> t.length())
                    .mapToInt(l -> (int) l)
                    .boxed()
                    .toList()),
        any("gather nothing", s -> s.keys().gather(Gatherers.mapConcurrent(2, k -> k)).toList()),
        same("gather windows", s -> s.keys().sorted().gather(Gatherers.windowFixed(7)).toList()),
        same(
            "gather scan",
            s ->
                s.keys()
                    .sorted()
                    .gather(Gatherers.<Integer, Integer>scan(() -> 0, Integer::sum))
                    .toList()),
        any(
            "gather fold",
            s -> s.keys().gather(Gatherers.<Integer, Integer>fold(() -> 0, Integer::sum)).toList()),
        any(
            "owners go on where gather was",
            s ->
                s.keys()
                    .gather(Gatherers.windowFixed(1))
                    .map(w -> w.getFirst() + 1)
                    .filter(k -> k % 2 == 0)
                    .toList()),
        same("failing map", s -> s.keys().map(k -> Odd.failing(k)).toList()),
        same(
            "failing flatMap", s -> s.keys().flatMapToInt(k -> IntStream.of(Odd.failing(k))).sum()),
        same("a stream that is parallel", s -> s.keys().parallel().isParallel()),
        same("a stream that is not", s -> s.keys().parallel().sequential().isParallel()),
        any("unordered", s -> s.keys().unordered().map(k -> k + 1).toList()),
        any(
            "onClose",
            s -> {
              try (Stream<Integer> stream = s.keys().onClose(() -> {})) {
                return stream.toList();
              }
            }),
        any("concat", s -> Stream.concat(s.keys(), s.keys().map(k -> k - 1)).toList()));
  }

  // The JDK treats null as an empty stream, though its types as annotated here do not say so.
  @SuppressWarnings("NullAway")
  private static <T> Stream<T> nothing() {
    return null;
  }
}
