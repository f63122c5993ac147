package io.cantle.bench.streams;

import io.cantle.function.SerializableComparator;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Pipelines that count, find, sort, reduce and list.
 *
 * <p><b>Threading:</b> stateless.
 */
final class ElementPipelines {
  private ElementPipelines() {}

  static List<StreamPipeline> all() {
    return List.of(
        new StreamPipeline("count", c -> c.values().stream().count(), l -> (long) l.size()),
        new StreamPipeline(
            "filter_count",
            c -> c.values().stream().filter(f -> f.isDelayed()).count(),
            l -> l.values().stream().filter(f -> f.isDelayed()).count()),
        new StreamPipeline(
            "any_match",
            c -> c.values().stream().anyMatch(f -> f.delay() > 1_300),
            l -> l.values().stream().anyMatch(f -> f.delay() > 1_300)),
        new StreamPipeline(
            "all_match",
            c -> c.values().stream().allMatch(f -> f.miles() > 0),
            l -> l.values().stream().allMatch(f -> f.miles() > 0)),
        new StreamPipeline(
            "none_match",
            c -> c.values().stream().noneMatch(f -> f.destination().equals("ZZZ")),
            l -> l.values().stream().noneMatch(f -> f.destination().equals("ZZZ"))),
        new StreamPipeline(
            "sum",
            c -> c.values().stream().mapToInt(f -> f.miles()).sum(),
            l -> l.values().stream().mapToInt(f -> f.miles()).sum()),
        new StreamPipeline(
            "average",
            c ->
                c.values().stream()
                    .filter(f -> !f.isCancelled())
                    .mapToInt(f -> f.delay())
                    .average(),
            l ->
                l.values().stream()
                    .filter(f -> !f.isCancelled())
                    .mapToInt(f -> f.delay())
                    .average()),
        new StreamPipeline(
            "summary",
            c -> c.values().stream().mapToInt(f -> f.delay()).summaryStatistics().toString(),
            l -> l.values().stream().mapToInt(f -> f.delay()).summaryStatistics().toString()),
        new StreamPipeline(
            "reduce",
            c -> c.values().stream().map(f -> f.miles()).reduce(0, Integer::max),
            l -> l.values().stream().map(f -> f.miles()).reduce(0, Integer::max)),
        new StreamPipeline(
            "max",
            c -> c.values().stream().max((a, b) -> Integer.compare(a.delay(), b.delay())),
            l -> l.values().stream().max((a, b) -> Integer.compare(a.delay(), b.delay()))),
        new StreamPipeline(
            "min_key",
            c -> c.keySet().stream().min(SerializableComparator.naturalOrder()),
            l -> l.keys().stream().min(Comparator.naturalOrder())),
        new StreamPipeline(
            StreamPipeline.SORTED_LIMIT,
            c ->
                c.values().stream()
                    .sorted(
                        SerializableComparator.comparingInt(FlightOf2013::delay)
                            .reversed()
                            .thenComparing(FlightOf2013::id))
                    .limit(10)
                    .toList(),
            l ->
                l.values().stream()
                    .sorted(
                        Comparator.comparingInt(FlightOf2013::delay)
                            .reversed()
                            .thenComparing(FlightOf2013::id))
                    .limit(10)
                    .toList()),
        new StreamPipeline(
            StreamPipeline.SORTED_LIMIT + "_keys",
            c -> c.keySet().stream().sorted().limit(10).toList(),
            l -> l.keys().stream().sorted().limit(10).toList()),
        new StreamPipeline(
            StreamPipeline.SORTED_LIMIT + "_ints",
            c -> c.values().stream().mapToInt(f -> f.delay()).sorted().limit(10).boxed().toList(),
            l -> l.values().stream().mapToInt(f -> f.delay()).sorted().limit(10).boxed().toList()),
        new StreamPipeline(
            "distinct_count",
            c -> c.values().stream().map(f -> f.route()).distinct().count(),
            l -> l.values().stream().map(f -> f.route()).distinct().count()),
        new StreamPipeline(
            "distinct_sorted",
            c -> c.values().stream().map(f -> f.destination()).distinct().sorted().toList(),
            l -> l.values().stream().map(f -> f.destination()).distinct().sorted().toList()),
        new StreamPipeline(
            "filter_to_list",
            c -> new HashSet<>(c.values().stream().filter(f -> f.delay() > 120).toList()),
            l -> new HashSet<>(l.values().stream().filter(f -> f.delay() > 120).toList())),
        new StreamPipeline(
            "map_to_set",
            c ->
                new HashSet<>(
                    c.values().stream().filter(f -> f.isCancelled()).map(f -> f.flight()).toList()),
            l ->
                new HashSet<>(
                    l.values().stream()
                        .filter(f -> f.isCancelled())
                        .map(f -> f.flight())
                        .toList())),
        new StreamPipeline(
            "flat_map",
            c ->
                c.values().stream()
                    .flatMap(f -> Stream.of(f.origin(), f.destination()))
                    .filter(a -> a.startsWith("J"))
                    .count(),
            l ->
                l.values().stream()
                    .flatMap(f -> Stream.of(f.origin(), f.destination()))
                    .filter(a -> a.startsWith("J"))
                    .count()),
        new StreamPipeline(
            "limit",
            c -> c.values().stream().filter(f -> f.isDelayed()).limit(100).count(),
            l -> l.values().stream().filter(f -> f.isDelayed()).limit(100).count()),
        new StreamPipeline(
            StreamPipeline.ITERATE,
            c -> {
              long miles = 0;
              for (Map.Entry<FlightId, FlightOf2013> entry : c.entrySet()) {
                miles += entry.getValue().miles();
              }
              return miles;
            },
            l -> {
              long miles = 0;
              for (Map.Entry<FlightId, FlightOf2013> entry : l.entries()) {
                miles += entry.getValue().miles();
              }
              return miles;
            }));
  }
}
