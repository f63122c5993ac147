package io.cantle.bench.streams;

import io.cantle.CacheCollectors;
import io.cantle.function.SerializableComparator;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Pipelines that collect.
 *
 * <p><b>Threading:</b> stateless.
 */
final class CollectPipelines {
  private CollectPipelines() {}

  static List<StreamPipeline> all() {
    return List.of(
        new StreamPipeline(
            "group_count",
            c ->
                c.values().stream()
                    .collect(
                        CacheCollectors.groupingBy(
                            FlightOf2013::origin, CacheCollectors.counting())),
            l ->
                l.values().stream()
                    .collect(Collectors.groupingBy(FlightOf2013::origin, Collectors.counting()))),
        new StreamPipeline(
            "group_average",
            c ->
                c.values().stream()
                    .filter(f -> !f.isCancelled())
                    .collect(
                        CacheCollectors.groupingBy(
                            FlightOf2013::carrier,
                            CacheCollectors.averagingInt(FlightOf2013::delay))),
            l ->
                l.values().stream()
                    .filter(f -> !f.isCancelled())
                    .collect(
                        Collectors.groupingBy(
                            FlightOf2013::carrier, Collectors.averagingInt(FlightOf2013::delay)))),
        new StreamPipeline(
            "group_nested",
            c ->
                c.values().stream()
                    .collect(
                        CacheCollectors.groupingBy(
                            FlightOf2013::hour,
                            TreeMap::new,
                            CacheCollectors.partitioningBy(
                                FlightOf2013::isDelayed, CacheCollectors.counting()))),
            l ->
                l.values().stream()
                    .collect(
                        Collectors.groupingBy(
                            FlightOf2013::hour,
                            TreeMap::new,
                            Collectors.partitioningBy(
                                FlightOf2013::isDelayed, Collectors.counting())))),
        new StreamPipeline(
            "group_max",
            c ->
                c.values().stream()
                    .collect(
                        CacheCollectors.groupingBy(
                            FlightOf2013::month,
                            CacheCollectors.maxBy(
                                SerializableComparator.comparingInt(FlightOf2013::delay)
                                    .thenComparing(FlightOf2013::id)))),
            l ->
                l.values().stream()
                    .collect(
                        Collectors.groupingBy(
                            FlightOf2013::month,
                            Collectors.maxBy(
                                Comparator.comparingInt(FlightOf2013::delay)
                                    .thenComparing(FlightOf2013::id))))),
        new StreamPipeline(
            "group_supplier",
            c ->
                c.values().stream()
                    .collect(
                        () ->
                            Collectors.groupingBy(
                                FlightOf2013::route, Collectors.summingInt(FlightOf2013::miles))),
            l ->
                l.values().stream()
                    .collect(
                        Collectors.groupingBy(
                            FlightOf2013::route, Collectors.summingInt(FlightOf2013::miles)))),
        new StreamPipeline(
            "partition",
            c ->
                c.values().stream()
                    .collect(
                        CacheCollectors.partitioningBy(
                            FlightOf2013::isDelayed, CacheCollectors.counting())),
            l ->
                l.values().stream()
                    .collect(
                        Collectors.partitioningBy(FlightOf2013::isDelayed, Collectors.counting()))),
        new StreamPipeline(
            StreamPipeline.TO_MAP,
            c ->
                c.entrySet().stream()
                    .collect(CacheCollectors.toMap(Map.Entry::getKey, Map.Entry::getValue)),
            l ->
                l.entries().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue))),
        new StreamPipeline(
            "to_map_merged",
            c ->
                c.values().stream()
                    .collect(CacheCollectors.toMap(FlightOf2013::route, f -> 1, Integer::sum)),
            l ->
                l.values().stream()
                    .collect(Collectors.toMap(FlightOf2013::route, f -> 1, Integer::sum))),
        new StreamPipeline(
            "teeing",
            c ->
                c.values().stream()
                    .collect(
                        CacheCollectors.teeing(
                            CacheCollectors.counting(),
                            CacheCollectors.summingInt(FlightOf2013::delay),
                            (count, minutes) -> count + " flights, " + minutes + " min")),
            l ->
                l.values().stream()
                    .collect(
                        Collectors.teeing(
                            Collectors.counting(),
                            Collectors.summingInt(FlightOf2013::delay),
                            (count, minutes) -> count + " flights, " + minutes + " min"))));
  }
}
