package io.cantle.core.stream.table;

import io.cantle.CacheCollector;
import io.cantle.CacheCollectors;
import io.cantle.function.SerializableComparator;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A collector for owners and the JDK's collector that means the same.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param name what it collects
 * @param ours the collector for owners
 * @param jdk the JDK's
 */
public record CollectorPair(
    String name, CacheCollector<Trip, ?, ?> ours, Collector<Trip, ?, ?> jdk) {

  /** All collectors, alone and within each other. */
  public static List<CollectorPair> all() {
    List<CollectorPair> pairs = new ArrayList<>();
    pairs.addAll(groups());
    pairs.addAll(maps());
    pairs.addAll(collections());
    pairs.addAll(numbers());
    pairs.addAll(single());
    pairs.addAll(around());
    return pairs;
  }

  /**
   * Says what is wrong with what the collector makes of a stream, or its failure; empty if nothing
   * is.
   *
   * @param stream a stream of a cache, or of the JDK
   * @param trips the same elements
   */
  public Optional<String> describeMismatch(Stream<Trip> stream, Collection<Trip> trips) {
    Object expected = resultOf(trips.stream(), jdk);
    Object result = resultOf(stream, ours);
    return Objects.equals(expected, result)
        ? Optional.empty()
        : Optional.of(name + ": " + result + " and not " + expected);
  }

  /** The result, or the class of the exception that caused its failure. */
  private static @Nullable Object resultOf(Stream<Trip> stream, Collector<Trip, ?, ?> collector) {
    try {
      return comparable(stream.collect(collector));
    } catch (RuntimeException e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      return cause.getClass();
    }
  }

  private static List<CollectorPair> groups() {
    return List.of(
        new CollectorPair(
            "groupingBy",
            sizes(CacheCollectors.groupingBy(Trip::carrier)),
            Collectors.collectingAndThen(Collectors.groupingBy(Trip::carrier), Sizes::of)),
        new CollectorPair(
            "groupingBy, counting",
            CacheCollectors.groupingBy(t -> t.carrier(), CacheCollectors.counting()),
            Collectors.groupingBy(Trip::carrier, Collectors.counting())),
        new CollectorPair(
            "groupingBy into a sorted map",
            CacheCollectors.groupingBy(
                Trip::carrier, TreeMap::new, CacheCollectors.averagingInt(Trip::minutes)),
            Collectors.groupingBy(
                Trip::carrier, TreeMap::new, Collectors.averagingInt(Trip::minutes))),
        new CollectorPair(
            "groupingBy of groupingBy of maxBy",
            CacheCollectors.groupingBy(
                Trip::carrier,
                CacheCollectors.groupingBy(
                    Trip::late,
                    CacheCollectors.maxBy(SerializableComparator.comparingInt(Trip::number)))),
            Collectors.groupingBy(
                Trip::carrier,
                Collectors.groupingBy(
                    Trip::late, Collectors.maxBy(Comparator.comparingInt(Trip::number))))),
        new CollectorPair(
            "groupingBy of the best, finished",
            CacheCollectors.groupingBy(
                Trip::carrier,
                CacheCollectors.collectingAndThen(
                    CacheCollectors.minBy(
                        SerializableComparator.comparingDouble(Trip::miles)
                            .reversed()
                            .thenComparingInt(Trip::number)),
                    best -> best.map(Trip::number).orElse(-1))),
            Collectors.groupingBy(
                Trip::carrier,
                Collectors.collectingAndThen(
                    Collectors.minBy(
                        Comparator.comparingDouble(Trip::miles)
                            .reversed()
                            .thenComparingInt(Trip::number)),
                    best -> best.map(Trip::number).orElse(-1)))),
        new CollectorPair(
            "groupingBy a key that is null",
            CacheCollectors.groupingBy(t -> Odd.none(t.number())),
            Collectors.groupingBy(t -> Odd.none(t.number()))),
        new CollectorPair(
            "groupingByConcurrent",
            sizes(CacheCollectors.groupingByConcurrent(Trip::carrier)),
            Collectors.collectingAndThen(
                Collectors.groupingByConcurrent(Trip::carrier), Sizes::of)),
        new CollectorPair(
            "groupingByConcurrent, summing",
            CacheCollectors.groupingByConcurrent(
                Trip::carrier, CacheCollectors.summingInt(Trip::minutes)),
            Collectors.groupingByConcurrent(Trip::carrier, Collectors.summingInt(Trip::minutes))),
        new CollectorPair(
            "groupingByConcurrent into a sorted map",
            CacheCollectors.groupingByConcurrent(
                Trip::carrier, ConcurrentSkipListMap::new, CacheCollectors.counting()),
            Collectors.groupingByConcurrent(
                Trip::carrier, ConcurrentSkipListMap::new, Collectors.counting())),
        new CollectorPair(
            "partitioningBy",
            sizes(CacheCollectors.partitioningBy(Trip::late)),
            Collectors.collectingAndThen(Collectors.partitioningBy(Trip::late), Sizes::of)),
        new CollectorPair(
            "partitioningBy of toSet",
            CacheCollectors.partitioningBy(
                Trip::late, CacheCollectors.mapping(Trip::carrier, CacheCollectors.toSet())),
            Collectors.partitioningBy(
                Trip::late, Collectors.mapping(Trip::carrier, Collectors.toSet()))));
  }

  private static List<CollectorPair> maps() {
    return List.of(
        new CollectorPair(
            "toMap",
            CacheCollectors.toMap(Trip::number, t -> t),
            Collectors.toMap(Trip::number, t -> t)),
        new CollectorPair(
            "toMap of keys that repeat",
            CacheCollectors.toMap(Trip::carrier, Trip::number),
            Collectors.toMap(Trip::carrier, Trip::number)),
        new CollectorPair(
            "toMap of values that are null",
            CacheCollectors.toMap(Trip::number, t -> Odd.none(t.number())),
            Collectors.toMap(Trip::number, t -> Odd.none(t.number()))),
        new CollectorPair(
            "toMap, merged",
            CacheCollectors.toMap(Trip::carrier, Trip::minutes, Integer::sum),
            Collectors.toMap(Trip::carrier, Trip::minutes, Integer::sum)),
        new CollectorPair(
            "toMap into a sorted map",
            CacheCollectors.toMap(Trip::carrier, Trip::minutes, Math::max, TreeMap::new),
            Collectors.toMap(Trip::carrier, Trip::minutes, Math::max, TreeMap::new)),
        new CollectorPair(
            "toUnmodifiableMap",
            CacheCollectors.toUnmodifiableMap(Trip::number, Trip::carrier),
            Collectors.toUnmodifiableMap(Trip::number, Trip::carrier)),
        new CollectorPair(
            "toUnmodifiableMap, merged",
            CacheCollectors.toUnmodifiableMap(Trip::late, Trip::minutes, Integer::sum),
            Collectors.toUnmodifiableMap(Trip::late, Trip::minutes, Integer::sum)),
        new CollectorPair(
            "toConcurrentMap",
            CacheCollectors.toConcurrentMap(Trip::number, Trip::carrier),
            Collectors.toConcurrentMap(Trip::number, Trip::carrier)),
        new CollectorPair(
            "toConcurrentMap, merged",
            CacheCollectors.toConcurrentMap(Trip::carrier, Trip::minutes, Integer::sum),
            Collectors.toConcurrentMap(Trip::carrier, Trip::minutes, Integer::sum)),
        new CollectorPair(
            "toConcurrentMap into a sorted map",
            CacheCollectors.toConcurrentMap(
                Trip::carrier, Trip::minutes, Math::min, ConcurrentSkipListMap::new),
            Collectors.toConcurrentMap(
                Trip::carrier, Trip::minutes, Math::min, ConcurrentSkipListMap::new)));
  }

  private static List<CollectorPair> collections() {
    return List.of(
        new CollectorPair(
            "toList",
            CacheCollectors.collectingAndThen(CacheCollectors.toList(), Sizes::sorted),
            Collectors.collectingAndThen(Collectors.toList(), Sizes::sorted)),
        new CollectorPair(
            "toUnmodifiableList",
            CacheCollectors.collectingAndThen(CacheCollectors.toUnmodifiableList(), Sizes::sorted),
            Collectors.collectingAndThen(Collectors.toUnmodifiableList(), Sizes::sorted)),
        new CollectorPair("toSet", CacheCollectors.toSet(), Collectors.toSet()),
        new CollectorPair(
            "toUnmodifiableSet",
            CacheCollectors.toUnmodifiableSet(),
            Collectors.toUnmodifiableSet()),
        new CollectorPair(
            "toUnmodifiableSet of null",
            CacheCollectors.mapping(t -> Odd.none(t.number()), CacheCollectors.toUnmodifiableSet()),
            Collectors.mapping(t -> Odd.none(t.number()), Collectors.toUnmodifiableSet())),
        new CollectorPair(
            "toCollection",
            CacheCollectors.toCollection(TreeSet::new),
            Collectors.toCollection(TreeSet::new)),
        new CollectorPair(
            "joining",
            CacheCollectors.mapping(t -> "x", CacheCollectors.joining()),
            Collectors.mapping(t -> "x", Collectors.joining())),
        new CollectorPair(
            "joining with commas",
            CacheCollectors.mapping(t -> "x", CacheCollectors.joining(",")),
            Collectors.mapping(t -> "x", Collectors.joining(","))),
        new CollectorPair(
            "joining in brackets",
            CacheCollectors.mapping(
                t -> "x",
                CacheCollectors.joining(
                    CharBuffer.wrap("-"), CharBuffer.wrap("<"), CharBuffer.wrap(">"))),
            Collectors.mapping(t -> "x", Collectors.joining("-", "<", ">"))));
  }

  private static List<CollectorPair> numbers() {
    return List.of(
        new CollectorPair("counting", CacheCollectors.counting(), Collectors.counting()),
        new CollectorPair(
            "summingInt",
            CacheCollectors.summingInt(Trip::minutes),
            Collectors.summingInt(Trip::minutes)),
        new CollectorPair(
            "summingLong",
            CacheCollectors.summingLong(t -> t.number() * 10_000_000_000L),
            Collectors.summingLong(t -> t.number() * 10_000_000_000L)),
        new CollectorPair(
            "summingDouble",
            CacheCollectors.summingDouble(Trip::miles),
            Collectors.summingDouble(Trip::miles)),
        new CollectorPair(
            "averagingInt",
            CacheCollectors.averagingInt(Trip::minutes),
            Collectors.averagingInt(Trip::minutes)),
        new CollectorPair(
            "averagingLong",
            CacheCollectors.averagingLong(Trip::number),
            Collectors.averagingLong(Trip::number)),
        new CollectorPair(
            "averagingDouble",
            CacheCollectors.averagingDouble(Trip::miles),
            Collectors.averagingDouble(Trip::miles)),
        new CollectorPair(
            "summarizingInt",
            CacheCollectors.summarizingInt(Trip::minutes),
            Collectors.summarizingInt(Trip::minutes)),
        new CollectorPair(
            "summarizingLong",
            CacheCollectors.summarizingLong(Trip::number),
            Collectors.summarizingLong(Trip::number)),
        new CollectorPair(
            "summarizingDouble",
            CacheCollectors.summarizingDouble(Trip::miles),
            Collectors.summarizingDouble(Trip::miles)),
        new CollectorPair(
            "summingInt that fails",
            CacheCollectors.summingInt(t -> Odd.failing(t.number())),
            Collectors.summingInt(t -> Odd.failing(t.number()))));
  }

  private static List<CollectorPair> single() {
    return List.of(
        new CollectorPair(
            "minBy",
            CacheCollectors.minBy(SerializableComparator.naturalOrder()),
            Collectors.minBy(Comparator.naturalOrder())),
        new CollectorPair(
            "maxBy",
            CacheCollectors.maxBy((a, b) -> Integer.compare(a.number(), b.number())),
            Collectors.maxBy(Comparator.naturalOrder())),
        new CollectorPair(
            "maxBy in reverse",
            CacheCollectors.maxBy(SerializableComparator.reverseOrder()),
            Collectors.maxBy(Comparator.reverseOrder())),
        new CollectorPair(
            "reducing",
            CacheCollectors.reducing((a, b) -> a.number() > b.number() ? a : b),
            Collectors.reducing((a, b) -> a.number() > b.number() ? a : b)),
        new CollectorPair(
            "reducing from an identity",
            CacheCollectors.mapping(Trip::minutes, CacheCollectors.reducing(0, Integer::sum)),
            Collectors.mapping(Trip::minutes, Collectors.reducing(0, Integer::sum))),
        new CollectorPair(
            "reducing what is mapped",
            CacheCollectors.reducing(0, Trip::minutes, Integer::sum),
            Collectors.reducing(0, Trip::minutes, Integer::sum)));
  }

  private static List<CollectorPair> around() {
    return List.of(
        new CollectorPair(
            "groupingBy of mapping",
            CacheCollectors.groupingBy(
                Trip::late, CacheCollectors.mapping(Trip::carrier, CacheCollectors.toSet())),
            Collectors.groupingBy(
                Trip::late, Collectors.mapping(Trip::carrier, Collectors.toSet()))),
        new CollectorPair(
            "groupingBy of filtering",
            CacheCollectors.groupingBy(
                Trip::carrier, CacheCollectors.filtering(Trip::late, CacheCollectors.counting())),
            Collectors.groupingBy(
                Trip::carrier, Collectors.filtering(Trip::late, Collectors.counting()))),
        new CollectorPair(
            "flatMapping",
            CacheCollectors.flatMapping(t -> t.stops().stream(), CacheCollectors.toSet()),
            Collectors.flatMapping(t -> t.stops().stream(), Collectors.toSet())),
        new CollectorPair(
            "collectingAndThen",
            CacheCollectors.collectingAndThen(CacheCollectors.toList(), List::size),
            Collectors.collectingAndThen(Collectors.toList(), List::size)),
        new CollectorPair(
            "collectingAndThen null",
            CacheCollectors.collectingAndThen(CacheCollectors.counting(), n -> Odd.none(0)),
            Collectors.collectingAndThen(Collectors.counting(), n -> Odd.none(0))),
        new CollectorPair(
            "teeing",
            CacheCollectors.teeing(
                CacheCollectors.counting(),
                CacheCollectors.averagingInt(Trip::minutes),
                (count, average) -> count + " of " + average),
            Collectors.teeing(
                Collectors.counting(),
                Collectors.averagingInt(Trip::minutes),
                (count, average) -> count + " of " + average)),
        new CollectorPair(
            "groupingBy of teeing of maxBy",
            CacheCollectors.groupingBy(
                Trip::carrier,
                CacheCollectors.teeing(
                    CacheCollectors.minBy(SerializableComparator.<Trip>naturalOrder()),
                    CacheCollectors.maxBy(SerializableComparator.<Trip>naturalOrder()),
                    (least, most) -> List.of(least, most).toString())),
            Collectors.groupingBy(
                Trip::carrier,
                Collectors.teeing(
                    Collectors.minBy(Comparator.<Trip>naturalOrder()),
                    Collectors.maxBy(Comparator.<Trip>naturalOrder()),
                    (least, most) -> List.of(least, most).toString()))),
        new CollectorPair(
            "groupingBy of a collector of the user",
            CacheCollectors.groupingBy(
                Trip::late, CacheCollectors.serializableCollector(() -> Sizes.longest())),
            Collectors.groupingBy(Trip::late, Sizes.longest())));
  }

  /** Makes the sizes of groups the result, since the lists in them have no order. */
  private static <K> CacheCollector<Trip, ?, Object> sizes(
      CacheCollector<Trip, ?, ? extends Map<K, List<Trip>>> groups) {
    return CacheCollectors.collectingAndThen(groups, Sizes::of);
  }

  private static @Nullable Object comparable(@Nullable Object result) {
    return switch (result) {
      case IntSummaryStatistics all -> all.toString();
      case LongSummaryStatistics all -> all.toString();
      case DoubleSummaryStatistics all -> all.toString();
      case null, default -> result;
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
