package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheStream;
import io.cantle.Delivery;
import io.cantle.core.stream.table.JdkCalls;
import io.cantle.core.stream.table.Line;
import io.cantle.core.stream.table.Source;
import io.cantle.core.stream.table.Trip;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every pipeline of the table gives the same result over a cache as in the JDK. */
class PipelineTableTest {
  private static final int COUNT = 130;
  private static final Map<Integer, Trip> TRIPS = Trip.some(1, COUNT);

  /**
   * Methods without a line in the table, because they say how a stream is used and not what it
   * does.
   */
  private static final Set<String> OTHERS = Set.of("close");

  /**
   * Marks lines whose initial value is no identity, which the JDK counts once for each of its
   * threads.
   */
  private static final String SEQUENTIAL = ", sequential";

  static List<Line> lines() {
    return Line.all();
  }

  @ParameterizedTest
  @MethodSource("lines")
  void matchesTheJdk(Line line) {
    for (long seed = 1; seed <= 3; seed++) {
      Source cache = source(seed, 20, TRIPS);
      Random random = new Random(seed);
      check(line, "owners, seed " + seed, TRIPS, cache);
      check(line, "here", TRIPS, cache.withChange(JdkCalls::to));
      check(
          line,
          "owners and here, seed " + seed,
          TRIPS,
          cache.withChange(s -> JdkCalls.to(s, () -> random.nextInt(3) == 0)));
    }
  }

  @ParameterizedTest
  @MethodSource("lines")
  void matchesTheJdkWithEverySetting(Line line) {
    Source cache = source(4, 3, TRIPS);
    check(line, "parallel", TRIPS, cache.withChange(CacheStream::parallel));
    if (!line.name().endsWith(SEQUENTIAL)) {
      check(line, "parallel, here", TRIPS, cache.withChange(s -> JdkCalls.to(s.parallel())));
    }
    check(line, "small batches", TRIPS, cache.withChange(s -> s.distributedBatchSize(1)));
    check(line, "one by one", TRIPS, cache.withChange(CacheStream::sequentialDistribution));
    check(line, "at most once", TRIPS, cache.withChange(CacheStream::disableRehashAware));
    check(line, "at least once", TRIPS, cache.withChange(s -> s.delivery(Delivery.AT_LEAST_ONCE)));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void matchesTheJdkForFewAndNoEntries(Line line) {
    for (int count : new int[] {0, 1, 2}) {
      Map<Integer, Trip> few = Trip.some(1, count);
      check(line, count + " entries", few, source(5, 2, few));
      check(line, count + " entries, here", few, source(5, 2, few).withChange(JdkCalls::to));
    }
  }

  @Test
  void hasEveryOperationOfTheJdk() {
    Source jdk = Source.of(TRIPS);
    Line.all().forEach(line -> line.run(jdk));
    List<String> missing = new ArrayList<>();
    for (Class<?> type :
        List.of(Stream.class, IntStream.class, LongStream.class, DoubleStream.class)) {
      for (Method method : type.getMethods()) {
        if (!Modifier.isStatic(method.getModifiers())
            && !method.isBridge()
            && !OTHERS.contains(method.getName())
            && !JdkCalls.called().contains(method)) {
          missing.add(method.toString());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  /** A failure counts as a result, so every failure must be an intended one. */
  @Test
  void expectedFailuresMatchTheJdk() {
    Source jdk = Source.of(TRIPS);
    assertThat(Line.all().stream().filter(line -> line.run(jdk) instanceof Class<?>))
        .extracting(Line::name)
        .containsExactly(
            "failing map",
            "failing flatMap",
            "sorted what has no order",
            "sorted nulls without an order",
            "limit below none",
            "skip below none",
            "reduce to null",
            "max of one null",
            "findAny of nulls",
            "toArray of a wrong type",
            "toList cannot be changed",
            "failing filter",
            "failing forEach",
            "failing forEachOnOwners",
            "failing reduction",
            "failing order",
            "collect toUnmodifiableList of nulls",
            "collect toMap of keys that repeat",
            "failing collector",
            "int: failing map",
            "long: failing map",
            "double: failing map");
  }

  private static Source source(long seed, int chunk, Map<Integer, Trip> trips) {
    ListScanner scans = ListScanner.of(seed, chunk, trips);
    CacheStreamSource<Integer, Trip> cacheStreamSource = scans.streamsOf();
    return new Source() {
      @Override
      public CacheStream<Map.Entry<Integer, Trip>> entries() {
        return cacheStreamSource.entryStream();
      }

      @Override
      public CacheStream<Integer> keys() {
        return cacheStreamSource.keyStream();
      }

      @Override
      public CacheStream<Trip> values() {
        return cacheStreamSource.valueStream();
      }
    };
  }

  private static void check(Line line, String way, Map<Integer, Trip> trips, Source cache) {
    assertThat(line.describeMismatch(trips, line.run(cache)))
        .as("%s: %s", line.name(), way)
        .isEmpty();
  }

  @Test
  void onlyStreamsOfIntsAndLongsCanBeWidened() {
    for (Class<?> type : List.of(RecordedStream.class, RecordedDoubleStream.class)) {
      assertThat(type.getMethods())
          .extracting(Method::getName)
          .as(type.getSimpleName())
          .doesNotContain("asLongStream", "asDoubleStream");
    }
  }
}
