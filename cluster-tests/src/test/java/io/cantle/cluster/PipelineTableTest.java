package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheStream;
import io.cantle.Grid;
import io.cantle.core.stream.table.JdkCalls;
import io.cantle.core.stream.table.Line;
import io.cantle.core.stream.table.Source;
import io.cantle.core.stream.table.Trip;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every pipeline of the table gives over each kind of cache what it gives in the JDK. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PipelineTableTest {
  private static final Map<Integer, Trip> TRIPS = Trip.some(2, 600);

  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  private final Map<String, Cache<Integer, Trip>> caches = new LinkedHashMap<>();
  private Cluster cluster = new Cluster(0);
  private @Nullable Grid alone;

  static List<Line> lines() {
    return Line.all();
  }

  @BeforeAll
  void open() {
    cluster = Cluster.of(3);
    Grid local = Grid.local();
    alone = local;
    caches.put("a grid of one", local.cache("trips"));
    Grid asking = cluster.node(1);
    caches.put("local", asking.cache("trips of one node", CacheConfig.local()));
    caches.put("replicated", asking.cache("trips everywhere", CacheConfig.replicated()));
    caches.put("distributed", asking.cache("trips", CacheConfig.distributed().owners(2)));
    caches.values().forEach(cache -> cache.putAll(TRIPS));
    cluster
        .nodes()
        .forEach(node -> Await.until("the grid is settled", node::settled, node::members));
  }

  @AfterAll
  void close() {
    cluster.close();
    if (alone != null) {
      alone.close();
    }
  }

  @ParameterizedTest
  @MethodSource("lines")
  void givesWhatTheJdkGives(Line line) {
    List<String> wrong = new ArrayList<>();
    caches.forEach(
        (kind, cache) -> {
          Source plain = source(cache);
          Source once = plain.each(CacheStream::disableRehashAware);
          run(line, kind, plain, wrong);
          run(line, kind + ", here", plain.each(JdkCalls::to), wrong);
          run(line, kind + ", no rehash", once, wrong);
          run(line, kind + ", one by one", plain.each(s -> s.sequentialDistribution()), wrong);
          run(
              line,
              kind + ", no rehash, one by one",
              once.each(s -> s.sequentialDistribution()),
              wrong);
          run(line, kind + ", parallel", plain.each(CacheStream::parallel), wrong);
          run(line, kind + ", small batches", plain.each(s -> s.distributedBatchSize(7)), wrong);
        });
    assertThat(wrong).isEmpty();
  }

  /** The owners are nodes of this process, so what they are given can be seen here. */
  @Test
  void givesFunctionsTheCacheOfTheirNode() {
    caches.forEach(
        (kind, cache) -> {
          SEEN.clear();
          cache.values().stream()
              .filter(t -> t.late())
              .<Integer, Trip>forEach(
                  (own, t) -> SEEN.add(own.name() + own.getOrDefault(t.number(), t).number()));
          cache.keySet().stream()
              .mapToInt(k -> k)
              .<Integer, Trip>forEach((own, k) -> SEEN.add(own.name() + " int " + k));

          Set<String> expected = new HashSet<>();
          for (Trip trip : TRIPS.values()) {
            expected.add(cache.name() + " int " + trip.number());
            if (trip.late()) {
              expected.add(cache.name() + trip.number());
            }
          }
          assertThat(SEEN).as(kind).isEqualTo(expected);
        });
  }

  private static void run(Line line, String way, Source cache, List<String> wrong) {
    line.wrong(TRIPS, line.run(cache)).ifPresent(text -> wrong.add(way + ": " + text));
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
