package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheStream;
import io.cantle.CallTimeoutException;
import io.cantle.Delivery;
import io.cantle.Grid;
import io.cantle.SegmentSignal;
import io.cantle.core.stream.table.CollectorPair;
import io.cantle.core.stream.table.JdkCalls;
import io.cantle.core.stream.table.Line;
import io.cantle.core.stream.table.Source;
import io.cantle.core.stream.table.Trip;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterators;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that every pipeline of the table returns over each kind of cache what it returns in the
 * JDK. Over a distributed cache it runs in every way. Over the other kinds each pipeline takes some
 * of the ways in turn, so that each way meets a quarter of the pipelines or more.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PipelineTableTest {
  private static final Map<Integer, Trip> TRIP_COUNT = Trip.some(2, 600);

  /**
   * So many that nodes share them in many ways, and so few that small batches end within a segment.
   */
  private static final int SEGMENT_COUNT = 32;

  private static final List<Line> LINES = Line.all();
  private static final String DISTRIBUTED = "distributed";

  /** In the names of the ways that read at most once. */
  private static final String NO_REHASH = "no rehash";

  /**
   * How often a way that reads at most once is run before a mismatch counts. It may miss a segment
   * whose owner pauses for longer than its lease, and on a busy machine that happens.
   */
  private static final int RUNS_AT_MOST_ONCE = 3;

  private static final List<Way> WAYS = ways();

  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  /** A way to run a pipeline, which is a change of the stream that it begins with. */
  private record Way(String name, UnaryOperator<CacheStream<Object>> change) {
    Way thenPublish(PublishedStream.Kind kind) {
      return new Way(name + ", " + kind, s -> PublishedStream.publish(change.apply(s), kind));
    }
  }

  private final Map<String, Cache<Integer, Trip>> caches = new LinkedHashMap<>();
  private TestGrid cluster = new TestGrid(0);
  private @Nullable Grid alone;

  static List<Line> lines() {
    return LINES;
  }

  /**
   * Returns the pipelines that do not fail. Without the failing element, the others have no
   * determined result.
   */
  static List<Line> linesThatEnd() {
    Source jdk = Source.of(TRIP_COUNT);
    return LINES.stream().filter(line -> !(line.run(jdk) instanceof Class<?>)).toList();
  }

  @BeforeAll
  void open() {
    cluster = TestGrid.ofSize(3);
    Grid local = Grid.local();
    alone = local;
    CacheConfig spread = CacheConfig.distributed().owners(2).segments(SEGMENT_COUNT);
    caches.put("a grid of one", local.cache("trips", spread));
    Grid asking = cluster.node(1);
    caches.put(
        "local", asking.cache("trips of one node", CacheConfig.local().segments(SEGMENT_COUNT)));
    caches.put(
        "replicated",
        asking.cache("trips everywhere", CacheConfig.replicated().segments(SEGMENT_COUNT)));
    caches.put(DISTRIBUTED, asking.cache("trips", spread));
    caches.values().forEach(cache -> cache.putAll(TRIP_COUNT));
    cluster
        .nodes()
        .forEach(node -> ConditionWait.until("the grid is settled", node::settled, node::members));
  }

  @AfterAll
  void close() {
    cluster.close();
    if (alone != null) {
      alone.close();
    }
  }

  private static List<Way> ways() {
    return List.of(
        new Way("here", JdkCalls::to),
        new Way(NO_REHASH, CacheStream::disableRehashAware),
        new Way("one by one", CacheStream::sequentialDistribution),
        new Way(NO_REHASH + ", one by one", s -> s.disableRehashAware().sequentialDistribution()),
        new Way("parallel", CacheStream::parallel),
        new Way("small batches", s -> s.distributedBatchSize(7)),
        new Way("in time", s -> s.timeout(Duration.ofMinutes(1))),
        new Way("at least once", s -> s.delivery(Delivery.AT_LEAST_ONCE)));
  }

  private static List<Way> awareAndNot() {
    return List.of(new Way("", s -> s), new Way(NO_REHASH, CacheStream::disableRehashAware));
  }

  private static List<Way> publishedWays() {
    return awareAndNot().stream()
        .flatMap(way -> Arrays.stream(PublishedStream.Kind.values()).map(way::thenPublish))
        .toList();
  }

  /** Returns all of these ways for a distributed cache, and this many in turn for another. */
  private static List<Way> some(List<Way> ways, int count, String kind, Line line) {
    int first = count * LINES.indexOf(line);
    return kind.equals(DISTRIBUTED)
        ? ways
        : IntStream.range(first, first + count)
            .mapToObj(place -> ways.get(place % ways.size()))
            .toList();
  }

  @ParameterizedTest
  @MethodSource("lines")
  void streamsMatchTheJdk(Line line) {
    List<String> wrong = new ArrayList<>();
    caches.forEach(
        (kind, cache) -> {
          Source plain = source(cache);
          run(line, kind, plain, wrong);
          for (Way way : some(WAYS, 2, kind, line)) {
            run(line, kind + ", " + way.name(), plain.withChange(way.change()), wrong);
          }
        });
    assertThat(wrong).isEmpty();
  }

  @Test
  void collectorsMatchTheJdk() {
    List<String> wrong = new ArrayList<>();
    for (CollectorPair pair : CollectorPair.all()) {
      caches.forEach(
          (kind, cache) ->
              pair.describeMismatch(cache.values().stream(), TRIP_COUNT.values())
                  .ifPresent(text -> wrong.add(kind + ": " + text)));
    }
    assertThat(wrong).isEmpty();
  }

  /** A publisher cannot emit null. Where there is a null it fails, as the rules demand. */
  @ParameterizedTest
  @MethodSource("lines")
  void publishersMatchTheJdk(Line line) {
    List<String> wrong = new ArrayList<>();
    caches.forEach(
        (kind, cache) -> {
          for (Way way : some(publishedWays(), 2, kind, line)) {
            Source source = source(cache).withChange(way.change());
            publish(line, kind + ", " + way.name(), TRIP_COUNT, source, wrong);
          }
        });
    assertThat(wrong).isEmpty();
  }

  private static void publish(
      Line line, String way, Map<Integer, Trip> trips, Source cache, List<String> wrong) {
    boolean ofNulls =
        line.run(Source.of(trips)) instanceof Collection<?> all
            && all.stream().anyMatch(Objects::isNull);
    check(
        way,
        () -> {
          Object result = line.run(cache);
          return ofNulls && NullPointerException.class.equals(result)
              ? Optional.empty()
              : line.describeMismatch(trips, result);
        },
        wrong);
  }

  /** Runs a pipeline in this way, and adds what is wrong with its result, if anything. */
  private static void check(String way, Supplier<Optional<String>> run, List<String> wrong) {
    Optional<String> mismatch = run.get();
    for (int runs = 1;
        mismatch.isPresent() && way.contains(NO_REHASH) && runs < RUNS_AT_MOST_ONCE;
        runs++) {
      mismatch = run.get();
    }
    mismatch.ifPresent(text -> wrong.add(way + ": " + text));
  }

  @ParameterizedTest
  @MethodSource("linesThatEnd")
  void filteredStreamsMatchTheJdk(Line line) {
    Map<Integer, Trip> few = new TreeMap<>(TRIP_COUNT);
    few.keySet().removeIf(key -> key % 3 == 0);
    Set<Integer> keys = new HashSet<>(few.keySet());
    keys.add(-1);
    keys.add(TRIP_COUNT.size());
    List<String> wrong = new ArrayList<>();
    caches.forEach(
        (kind, cache) -> {
          Set<Integer> segments = new HashSet<>();
          for (int segment = 0; segment < cache.config().segments(); segment += 2) {
            segments.add(segment);
          }
          Map<Integer, Trip> within = new TreeMap<>(TRIP_COUNT);
          within.keySet().retainAll(keysIn(cache, segments));
          Map<Integer, Trip> both = new TreeMap<>(within);
          both.keySet().retainAll(keys);
          assertThat(both).hasSizeBetween(1, within.size() - 1);
          for (Way aware : some(awareAndNot(), 1, kind, line)) {
            Source source = source(cache).withChange(aware.change());
            String way = kind + ", " + aware.name();
            run(line, way + ", keys", few, source.withChange(s -> s.filterKeys(keys)), wrong);
            run(
                line,
                way + ", segments",
                within,
                source.withChange(s -> s.filterKeySegments(segments)),
                wrong);
            publish(
                line,
                way + ", both, published",
                both,
                source.withChange(
                    s ->
                        PublishedStream.publish(
                            s.filterKeySegments(segments).filterKeys(keys),
                            PublishedStream.Kind.SPLIT)),
                wrong);
          }
        });
    assertThat(wrong).isEmpty();
  }

  /** Returns the keys of these segments, as reported by a publisher of all of them. */
  private static Set<Integer> keysIn(Cache<Integer, Trip> cache, Set<Integer> segments) {
    return PublishedStream.signals(cache.keySet().stream().publisher()).stream()
        .filter(signal -> segments.contains(signal.segment()))
        .filter(SegmentSignal.Element.class::isInstance)
        .map(signal -> ((SegmentSignal.Element<Integer>) signal).value())
        .collect(Collectors.toSet());
  }

  /** Returns the terminal operations that have to see the whole stream. */
  private static Map<String, Function<CacheStream<Integer>, Object>> ends() {
    Map<String, Function<CacheStream<Integer>, Object>> ends = new LinkedHashMap<>();
    ends.put("toList", CacheStream::toList);
    ends.put("count", CacheStream::count);
    ends.put("count of some", s -> s.filter(k -> k % 2 == 0).count());
    ends.put("iterator", s -> count(s.iterator()));
    ends.put("spliterator", s -> count(Spliterators.iterator(s.spliterator())));
    ends.put("collect", s -> s.collect(() -> Collectors.counting()));
    ends.put("reduce", s -> s.reduce(0, Integer::sum));
    ends.put("sum", s -> s.mapToInt(k -> k).sum());
    ends.put("forEach", PipelineTableTest::forEachElement);
    ends.put("forEachOnOwners", PipelineTableTest::forEachOnOwners);
    ends.put("first in order", s -> s.sorted().limit(3).toList());
    ends.put("in order", s -> s.sorted().toList());
    ends.put("allMatch", s -> s.allMatch(k -> k >= 0));
    ends.put("publisher", s -> PublishedStream.publish(s, PublishedStream.Kind.WHOLE).toList());
    ends.put("split", s -> PublishedStream.publish(s, PublishedStream.Kind.SPLIT).toList());
    ends.put(
        "by segment", s -> PublishedStream.publish(s, PublishedStream.Kind.BY_SEGMENT).toList());
    return ends;
  }

  private static int count(Iterator<Integer> iterator) {
    int count = 0;
    for (; iterator.hasNext(); count++) {
      iterator.next();
    }
    return count;
  }

  private static boolean forEachElement(CacheStream<Integer> stream) {
    stream.forEach(k -> SEEN.add("seen"));
    return true;
  }

  private static boolean forEachOnOwners(CacheStream<Integer> stream) {
    stream.forEachOnOwners(k -> SEEN.add("seen"));
    return true;
  }

  /**
   * Each requested segment is reported, those without elements too, for each terminal operation.
   */
  @Test
  void eachCompletedSegmentIsReportedOnce() {
    Set<Integer> some = Set.of(1, 3, 5, 8);
    List<String> wrong = new ArrayList<>();
    caches.forEach(
        (kind, cache) ->
            ends()
                .forEach(
                    (name, end) -> {
                      Set<Integer> all = new HashSet<>();
                      for (int segment = 0; segment < cache.config().segments(); segment++) {
                        all.add(segment);
                      }
                      for (boolean aware : new boolean[] {true, false}) {
                        CacheStream<Integer> keys =
                            aware
                                ? cache.keySet().stream()
                                : cache.keySet().stream().disableRehashAware();
                        String way = kind + (aware ? ", " : ", " + NO_REHASH + ", ") + name;
                        completes(way, keys, end, all, wrong);
                        completes(way, keys.filterKeySegments(some), end, some, wrong);
                      }
                    }));
    assertThat(wrong).isEmpty();
  }

  private static void completes(
      String way,
      CacheStream<Integer> keys,
      Function<CacheStream<Integer>, Object> end,
      Set<Integer> segments,
      List<String> wrong) {
    check(
        way,
        () -> {
          List<Integer> completed = Collections.synchronizedList(new ArrayList<>());
          Object result = end.apply(keys.segmentCompletionListener(completed::add));
          assertThat(result).as(way).isNotNull();
          return Set.copyOf(completed).equals(segments) && completed.size() == segments.size()
              ? Optional.empty()
              : Optional.of(completed + " of " + segments.size());
        },
        wrong);
  }

  /** A short limit ends the pipeline, and a long one changes nothing. */
  @Test
  void slowPipelineTimesOut() {
    caches.forEach(
        (kind, cache) -> {
          for (boolean aware : new boolean[] {true, false}) {
            CacheStream<Integer> keys =
                aware ? cache.keySet().stream() : cache.keySet().stream().disableRehashAware();
            List<String> wrong = new ArrayList<>();
            check(
                kind + (aware ? "" : ", " + NO_REHASH),
                () -> {
                  int size = keys.timeout(Duration.ofMinutes(1)).toList().size();
                  return size == TRIP_COUNT.size() ? Optional.empty() : Optional.of(size + " keys");
                },
                wrong);
            assertThat(wrong).isEmpty();
            CacheStream<Integer> slow =
                keys.timeout(Duration.ofMillis(50)).filterKeys(Set.of(1)).filter(k -> delays());
            assertThatThrownBy(slow::count).as(kind).isInstanceOf(CallTimeoutException.class);
            assertThatThrownBy(slow::toList).as(kind).isInstanceOf(CallTimeoutException.class);
            for (PublishedStream.Kind published : PublishedStream.Kind.values()) {
              assertThatThrownBy(() -> PublishedStream.publish(slow, published).toList())
                  .as(kind + ", " + published)
                  .isInstanceOf(CallTimeoutException.class);
            }
          }
        });
  }

  private static boolean delays() {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    for (long left; (left = end - System.nanoTime()) > 0; ) {
      LockSupport.parkNanos(left);
    }
    return true;
  }

  /** The owners are nodes of this process, so what they are given can be seen here. */
  @Test
  void functionsReceiveTheCacheOfTheirNode() {
    caches.forEach(
        (kind, cache) -> {
          SEEN.clear();
          cache.values().stream()
              .filter(t -> t.late())
              .<Integer, Trip>forEachWithCache(
                  (own, t) -> SEEN.add(own.name() + own.getOrDefault(t.number(), t).number()));
          cache.keySet().stream()
              .mapToInt(k -> k)
              .<Integer, Trip>forEachWithCache((own, k) -> SEEN.add(own.name() + " int " + k));

          Set<String> expected = new HashSet<>();
          for (Trip trip : TRIP_COUNT.values()) {
            expected.add(cache.name() + " int " + trip.number());
            if (trip.late()) {
              expected.add(cache.name() + trip.number());
            }
          }
          assertThat(SEEN).as(kind).isEqualTo(expected);
        });
  }

  private static void run(Line line, String way, Source cache, List<String> wrong) {
    run(line, way, TRIP_COUNT, cache, wrong);
  }

  private static void run(
      Line line, String way, Map<Integer, Trip> trips, Source cache, List<String> wrong) {
    check(way, () -> line.describeMismatch(trips, line.run(cache)), wrong);
  }

  private static Source source(Cache<Integer, Trip> cache) {
    return new Source() {
      @Override
      public CacheStream<Map.Entry<Integer, Trip>> entries() {
        return cache.entrySet().stream();
      }

      @Override
      public CacheStream<Integer> keys() {
        return cache.keySet().stream();
      }

      @Override
      public CacheStream<Trip> values() {
        return cache.values().stream();
      }
    };
  }
}
