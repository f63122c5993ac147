package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.IntCacheStream;
import io.cantle.core.scan.ScanOptions;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that streams send, request, remember and keep no more than they must. */
class DataTransferTest {
  private static final int COUNT = 2_000;
  private static final AtomicInteger SEEN = new AtomicInteger();

  private final List<Flight> flights = Flight.some(3, COUNT);
  private final ListScanner scans = new ListScanner(3, flights);
  private final CacheStreamSource<Integer, Flight> cacheStreamSource = scans.streams();

  /** A use of a stream, and the most elements in the answer of a chunk. */
  record Use(String name, int most, Function<CacheStreamSource<Integer, Flight>, Object> use) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Use> topOnes() {
    return List.of(
        new Use("limit", 3, s -> s.keyStream().sorted().limit(3).toList()),
        new Use(
            "limit behind a map that stays here",
            3,
            s -> s.keyStream().sorted().map((Function<Integer, Object>) n -> n).limit(3).toList()),
        new Use(
            "limit by",
            3,
            s -> s.valueStream().sorted((a, b) -> a.number() - b.number()).limit(3).toList()),
        new Use(
            "limit in reverse",
            3,
            s -> s.keyStream().sorted(Comparator.reverseOrder()).limit(3).toList()),
        new Use(
            "limit by what is sendable",
            3,
            s -> {
              SerializableFunction<Flight, Integer> number = Flight::number;
              return s.valueStream().sorted(Comparator.comparing(number)).limit(3).toList();
            }),
        new Use(
            "limit by a key of it",
            3,
            s ->
                s.valueStream()
                    .sorted(SerializableComparator.comparing(Flight::carrier).reversed())
                    .limit(3)
                    .toList()),
        new Use(
            "limit by one number and another",
            3,
            s ->
                s.valueStream()
                    .sorted(
                        SerializableComparator.comparingInt(Flight::delayMinutes)
                            .thenComparing(SerializableComparator.comparingLong(Flight::number)))
                    .limit(3)
                    .toList()),
        new Use(
            "limit by one key and another",
            3,
            s ->
                s.valueStream()
                    .sorted(
                        SerializableComparator.comparing(Flight::carrier)
                            .thenComparing(Flight::number)
                            .thenComparing(flight -> flight.delayMinutes())
                            .thenComparing((one, other) -> one.number() - other.number())
                            .thenComparingInt(Flight::number)
                            .thenComparingLong(flight -> flight.number())
                            .thenComparingDouble(Flight::delayMinutes))
                    .limit(3)
                    .toList()),
        new Use("findFirst", 1, s -> s.keyStream().sorted().findFirst()),
        new Use("findAny", 1, s -> s.keyStream().sorted().findAny()),
        new Use("skip, limit", 5, s -> s.keyStream().sorted().skip(2).limit(3).toList()),
        new Use("skip, findFirst", 3, s -> s.keyStream().sorted().skip(2).findFirst()),
        new Use("limit, count", 3, s -> s.keyStream().sorted().limit(3).count()),
        new Use("map, limit", 3, s -> s.keyStream().sorted().map(k -> k + 1).limit(3).toList()),
        new Use("peek, skip, limit", 3, s -> s.keyStream().sorted().peek(k -> {}).skip(1).limit(2)),
        new Use("iterator", 3, s -> s.keyStream().sorted().limit(3).iterator().next()),
        new Use("ints", 3, s -> s.keyStream().mapToInt(k -> k).sorted().limit(3).sum()),
        new Use("first int", 1, s -> s.keyStream().mapToInt(k -> k).sorted().findFirst()),
        new Use("any long", 1, s -> s.keyStream().mapToLong(k -> k).sorted().findAny()),
        new Use("double", 2, s -> s.keyStream().mapToDouble(k -> k).sorted().skip(1).findFirst()),
        new Use("none", 0, s -> s.keyStream().sorted().limit(0).toList()));
  }

  @ParameterizedTest
  @MethodSource("topOnes")
  void sortedLimitIsEvaluatedByTheOwners(Use top) {
    Object result = top.use().apply(cacheStreamSource);

    assertThat(scans.entriesPulled).isZero();
    assertThat(scans.iteratorsOpen).isZero();
    // An element is a key, or a flight with its name, and a few bytes of encoding.
    assertThat(scans.partialMax).as("%s", result).isLessThanOrEqualTo(1 + top.most() * 128);
  }

  @Test
  void largeSortedLimitIsSortedLocally() {
    assertThat(
            cacheStreamSource
                .keyStream()
                .sorted()
                .limit(PipelineTask.MAX_FIRST_ELEMENTS + 1)
                .count())
        .isEqualTo(COUNT);

    assertThat(scans.entriesPulled).isEqualTo(COUNT);
    assertThat(scans.chunksDelivered).isZero();
  }

  @Test
  void oversizedSortedLimitIsSortedLocally() {
    Map<Integer, byte[]> blocks = new HashMap<>();
    for (int i = 0; i < 90; i++) {
      blocks.put(i, new byte[1 << 20]);
    }
    ListScanner longOnes = ListScanner.of(3, 10, blocks);
    List<Integer> completed = new ArrayList<>();
    CacheStreamSource<Integer, byte[]> of = longOnes.streamsOf();
    try (CacheStream<Map.Entry<Integer, byte[]>> entries =
        of.entryStream().segmentCompletionListener(completed::add)) {
      assertThat(
              entries
                  .sorted((left, right) -> right.getKey() - left.getKey())
                  .skip(1)
                  .limit(79)
                  .map(Map.Entry::getKey)
                  .toList())
          .isEqualTo(IntStream.iterate(88, i -> i - 1).limit(79).boxed().toList());
    }
    assertThat(longOnes.entriesPulled).isEqualTo(90);
    assertThat(longOnes.chunksDelivered)
        .as("after which it is known")
        .isLessThan(longOnes.chunkCount());
    assertThat(longOnes.iteratorsOpen).isZero();

    longOnes.entriesPulled = 0;
    assertThat(of.entryStream().sorted((l, r) -> r.getKey() - l.getKey()).limit(9).count())
        .isEqualTo(9);
    assertThat(longOnes.entriesPulled).isZero();
  }

  @Test
  void limitStopsPulling() {
    assertThat(cacheStreamSource.valueStream().limit(5).toList()).hasSize(5);

    assertThat(scans.entriesPulled).isLessThan(100);
    assertThat(scans.recordedOptions.getLast().batch()).isEqualTo(5);
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void distinctHoldsWithAtLeastOnceDelivery() {
    scans.repeats = true;
    List<Integer> keys = cacheStreamSource.keyStream().distinct().sorted().toList();

    CacheStream<Integer> twice = cacheStreamSource.keyStream().delivery(Delivery.AT_LEAST_ONCE);
    assertThat(twice.count()).isEqualTo(COUNT);
    assertThat(twice.iterator()).toIterable().hasSize(2 * COUNT);
    assertThat(twice.distinct().sorted().toList()).isEqualTo(keys);
    assertThat(twice.filter((Predicate<Integer>) k -> true).distinct().count()).isEqualTo(COUNT);
    assertThat(twice.filter(k -> k >= 0).distinct().count()).isEqualTo(COUNT);
    assertThat(cacheStreamSource.entryStream().delivery(Delivery.AT_LEAST_ONCE).distinct().count())
        .isEqualTo(COUNT);
    assertThat(cacheStreamSource.entryStream().distinct().delivery(Delivery.AT_LEAST_ONCE).count())
        .isEqualTo(COUNT);
  }

  @Test
  void limitOfZeroPullsNothing() {
    assertThat(cacheStreamSource.valueStream().limit(0).toList()).isEmpty();

    assertThat(scans.entriesPulled).isZero();
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void matchStopsWhenDecided() {
    assertThat(cacheStreamSource.keyStream().anyMatch(k -> k == 3)).isTrue();
    assertThat(cacheStreamSource.keyStream().allMatch(k -> k != 3)).isFalse();
    assertThat(cacheStreamSource.keyStream().noneMatch(k -> k == 3)).isFalse();
    assertThat(cacheStreamSource.keyStream().findAny()).isPresent();
    assertThat(cacheStreamSource.keyStream().mapToInt(k -> k).findFirst()).isPresent();

    assertThat(scans.chunksDelivered).isLessThan(scans.chunkCount());
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void equalElementsOfOneAnswerAreSentOnce() {
    long carriers = flights.stream().map(Flight::carrier).distinct().count();

    assertThat(cacheStreamSource.valueStream().map(Flight::carrier).distinct().count())
        .isEqualTo(carriers);
    assertThat(cacheStreamSource.valueStream().mapToInt(f -> f.number() % 2).distinct().sum())
        .isEqualTo(1);

    assertThat(scans.entriesPulled).isEqualTo(2 * COUNT);
    assertThat(scans.elementsMade).isLessThanOrEqualTo((int) (carriers + 2) * scans.chunkCount());
  }

  @Test
  void distinctKeysNeedNoSet() {
    assertThat(
            cacheStreamSource
                .keyStream()
                .distinct()
                .spliterator()
                .hasCharacteristics(Spliterator.DISTINCT))
        .isTrue();
    assertThat(cacheStreamSource.keyStream().distinct().limit(5).toList()).hasSize(5);
    assertThat(
            cacheStreamSource
                .entryStream()
                .filter(e -> e.getKey() > 1)
                .distinct()
                .limit(5)
                .toList())
        .hasSize(5);

    assertThat(scans.entriesPulled).isLessThan(200);
  }

  @Test
  void forEachOnOwnersReturnsNoElements() {
    SEEN.set(0);
    cacheStreamSource.valueStream().forEachOnOwners(f -> SEEN.incrementAndGet());
    cacheStreamSource.keyStream().mapToInt(k -> k).forEachOnOwners(k -> SEEN.incrementAndGet());
    cacheStreamSource
        .valueStream()
        .<Integer, Flight>forEachWithCache((cache, f) -> SEEN.addAndGet(cache.name().length()));

    assertThat(SEEN.get()).isGreaterThanOrEqualTo(COUNT * 9);
    assertThat(scans.partialMax).isZero();
    assertThat(scans.entriesPulled).isZero();
  }

  @Test
  void terminalOperationsReturnOneResultPerChunk() {
    assertThat(cacheStreamSource.keyStream().map(k -> 1).reduce(0, Integer::sum)).isEqualTo(COUNT);
    assertThat(
            cacheStreamSource
                .valueStream()
                .mapToDouble(Flight::distance)
                .summaryStatistics()
                .getCount())
        .isEqualTo(COUNT);
    assertThat(cacheStreamSource.valueStream().filter(f -> f.late()).count()).isPositive();

    assertThat(scans.entriesPulled).isZero();
    assertThat(scans.partialMax).isLessThan(40);
  }

  /**
   * The identity counts once, not once for each chunk: neither it nor the start of a fold is sent
   * twice.
   */
  @Test
  void identityCountsOnceForAnEmptyCache() {
    assertThat(cacheStreamSource.keyStream().filter(k -> false).reduce(7, Integer::sum))
        .isEqualTo(7);
    assertThat(cacheStreamSource.keyStream().reduce(7, Integer::sum))
        .isEqualTo(IntStream.range(0, COUNT).sum() + 7);
    assertThat(
            cacheStreamSource
                .keyStream()
                .mapToInt(k -> k)
                .filter(k -> false)
                .reduce(7, Integer::sum))
        .isEqualTo(7);
    assertThat(scans.chunksDelivered).isGreaterThan(3);
  }

  @Test
  void settingsApplyToTheReturnedStream() {
    CacheStream<Integer> plain = cacheStreamSource.keyStream();
    CacheStream<Integer> set =
        plain
            .distributedBatchSize(3)
            .sequentialDistribution()
            .disableRehashAware()
            .filterKeySegments(Set.of(1, 2))
            .filterKeys(Set.of(5))
            .segmentCompletionListener(segment -> {})
            .timeout(Duration.ofSeconds(9))
            .parallel();

    assertThat(set.map(k -> k).count()).isEqualTo(COUNT);
    ScanOptions asked = scans.recordedOptions.getLast();
    assertThat(asked.batch()).isEqualTo(3);
    assertThat(asked.sequential()).isTrue();
    assertThat(asked.parallel()).isTrue();
    assertThat(asked.delivery()).isEqualTo(Delivery.AT_MOST_ONCE);
    assertThat(asked.keys()).hasSize(1);
    assertThat(asked.listeners()).hasSize(1);
    assertThat(asked.timeoutNanos()).isEqualTo(9_000_000_000L);

    assertThat(plain.map(k -> k).count()).isEqualTo(COUNT);
    assertThat(scans.recordedOptions.getLast()).isEqualTo(ScanOptions.ALL);
    assertThat(cacheStreamSource.valueStream().iterator()).hasNext();
    assertThat(scans.recordedOptions.getLast()).isEqualTo(ScanOptions.ALL);
  }

  @Test
  void settingsApplyAnywhereInTheChain() {
    long sum =
        cacheStreamSource
            .keyStream()
            .filter(k -> k > 5)
            .distributedBatchSize(9)
            .mapToInt(k -> k)
            .delivery(Delivery.AT_LEAST_ONCE)
            .asLongStream()
            .sequentialDistribution()
            .sum();

    assertThat(sum).isEqualTo(IntStream.range(6, COUNT).sum());
    assertThat(scans.recordedOptions.getLast())
        .isEqualTo(ScanOptions.ALL.batch(9).delivery(Delivery.AT_LEAST_ONCE).sequential(true));
  }

  @Test
  void repeatedFiltersBothApply() {
    var _ =
        cacheStreamSource
            .keyStream()
            .filterKeys(Set.of(1, 2, 3))
            .filterKeys(Set.of(2, 3, 4))
            .count();
    assertThat(scans.recordedOptions.getLast().keys()).hasSize(2);
    var _ = cacheStreamSource.keyStream().filterKeys(Set.of(1)).filterKeys(Set.of(4)).count();
    assertThat(scans.recordedOptions.getLast().keys()).isEmpty();
  }

  @Test
  void refusesInvalidSettings() {
    CacheStream<Integer> keys = cacheStreamSource.keyStream();
    assertThatThrownBy(() -> keys.distributedBatchSize(0)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> keys.distributedBatchSize(ScanOptions.MAX_BATCH_ELEMENTS + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> keys.timeout(Duration.ZERO)).hasMessageContaining("not PT0S");
    assertThatThrownBy(() -> keys.filterKeySegments(Set.of(-1))).hasMessageContaining("-1");
    assertThatThrownBy(() -> keys.filterKeySegments(Set.of(4_096))).hasMessageContaining("4096");
    assertThat(keys.timeout(Duration.ofSeconds(Long.MAX_VALUE)).count()).isEqualTo(COUNT);
    assertThat(scans.recordedOptions.getLast().timeoutNanos()).isPositive();
  }

  @Test
  void closeStopsEveryOpenIterator() {
    CacheStream<Integer> keys = cacheStreamSource.keyStream();
    CloseableIterator<Integer> recorded = keys.iterator();
    assertThat(recorded.next()).isNotNull();
    IntCacheStream ints = keys.mapToInt(k -> k).skip(1);
    PrimitiveIterator.OfInt primitives = ints.iterator();
    assertThat(primitives.nextInt()).isPositive();
    CacheStream<Integer> skipped = keys.skip(1);
    CloseableIterator<Integer> here = skipped.iterator();
    assertThat(here.next()).isNotNull();
    assertThat(scans.iteratorsOpen).isEqualTo(3);

    keys.close();
    assertThat(recorded.hasNext()).isFalse();
    assertThat(scans.iteratorsOpen).isEqualTo(2);
    ints.close();
    skipped.close();
    assertThat(here.hasNext()).isFalse();
    assertThat(scans.iteratorsOpen).isZero();
  }

  @Test
  void untouchedEntryIsNotReencoded() {
    List<Map.Entry<Integer, Flight>> first =
        cacheStreamSource.entryStream().sorted((a, b) -> b.getKey() - a.getKey()).limit(1).toList();

    assertThat(first).isEqualTo(List.of(Map.entry(COUNT - 1, flights.getLast())));
  }
}
