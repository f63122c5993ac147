package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.ScanCursor;
import io.cantle.ScanDefaults;
import io.cantle.ScanDefaults.Distribution;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.publish.CacheScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.scan.PartialReader;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests the defaults of iterations that each node chooses for itself. */
final class ScanDefaultsTest {
  private static final ScanDefaults CHOSEN =
      new ScanDefaults(40, Delivery.AT_MOST_ONCE, Distribution.SEQUENTIAL);

  private static final ScanOptions CHOSEN_OPTIONS =
      ScanOptions.ALL.batch(40).delivery(Delivery.AT_MOST_ONCE).sequential(true);

  private static final CacheDefinition USERS =
      CacheDefinition.named("users", CacheConfig.distributed().segments(4));

  private final List<ScanOptions> asked = new ArrayList<>();

  /** A use of a cache. */
  record Use(String name, Function<Cache<String, Integer>, Object> use) {
    @Override
    public String toString() {
      return name;
    }
  }

  static final List<Use> ITERATIONS =
      List.of(
          new Use("keys", cache -> cache.keySet().iterator().hasNext()),
          new Use("values", cache -> cache.values().iterator().hasNext()),
          new Use("entries", cache -> cache.entrySet().iterator().hasNext()),
          new Use("for each", ScanDefaultsTest::visitAll),
          new Use("stream", cache -> cache.values().stream().map(i -> i).iterator().hasNext()),
          new Use("reduction", cache -> cache.values().stream().filter(i -> i > 0).count()),
          new Use("publisher", ScanDefaultsTest::publish));

  static final List<Use> WHOLE =
      List.of(
          new Use("containsValue", cache -> cache.containsValue(1)),
          new Use("hashCode", Object::hashCode),
          new Use("replaceAll", ScanDefaultsTest::replaceAll),
          new Use("keySet removeIf", cache -> cache.keySet().removeIf(_ -> true)),
          new Use("keySet retainAll", cache -> cache.keySet().retainAll(Set.of())),
          new Use("values removeIf", cache -> cache.values().removeIf(_ -> true)),
          new Use("values remove", cache -> cache.values().remove(1)),
          new Use("values retainAll", cache -> cache.values().retainAll(Set.of())),
          new Use("entrySet removeIf", cache -> cache.entrySet().removeIf(_ -> true)),
          new Use("entrySet retainAll", cache -> cache.entrySet().retainAll(Set.of())));

  private static Object publish(Cache<String, Integer> cache) {
    return assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.keySet().stream().publisher());
  }

  private static Object visitAll(Cache<String, Integer> cache) {
    cache.forEach((_, _) -> {});
    return cache;
  }

  private static Object replaceAll(Cache<String, Integer> cache) {
    BiFunction<String, Integer, Integer> plain = (_, value) -> value + 1;
    cache.replaceAll(plain);
    return cache;
  }

  @ParameterizedTest
  @FieldSource("ITERATIONS")
  void iterationsReadAsTheDefaultsSay(Use use) {
    withCache(use.use());

    assertThat(asked).isNotEmpty().allMatch(CHOSEN_OPTIONS::equals);
  }

  @ParameterizedTest
  @FieldSource("WHOLE")
  void callsOnTheWholeMapReadEachEntryOnceWhateverTheDefaults(Use use) {
    withCache(use.use());

    assertThat(asked).isNotEmpty().allMatch(CHOSEN_OPTIONS.delivery(Delivery.EXACTLY_ONCE)::equals);
  }

  @Test
  void aStreamOverridesEachDefault() {
    withCache(
        cache ->
            cache.keySet().stream()
                .distributedBatchSize(9)
                .delivery(Delivery.EXACTLY_ONCE)
                .parallelDistribution()
                .iterator()
                .hasNext());

    assertThat(asked).containsExactly(ScanOptions.ALL.batch(9));
  }

  @Test
  void viewsWithALifetimeKeepTheDefaults() {
    withCache(
        cache -> {
          Cache<String, Integer> view =
              cache.lifespan(Duration.ofHours(1)).maxIdle(Duration.ofHours(1));
          assertThat(view.config().scanDefaults()).isEqualTo(CHOSEN);
          return view.keySet().iterator();
        });

    assertThat(asked).containsExactly(CHOSEN_OPTIONS);
  }

  @Test
  void aCacheIsOpenedWithOtherDefaultsEachTime() {
    try (SingleNode alone = new SingleNode()) {
      CacheConfig config = CacheConfig.distributed().segments(4);
      Cache<String, Integer> usual = alone.node.cache("users", config);
      Cache<String, Integer> chosen = alone.node.cache("users", config.scanDefaults(CHOSEN));
      Cache<String, Integer> named = alone.node.cache("users");
      chosen.put("a", 1);

      assertThat(usual.config()).isEqualTo(config);
      assertThat(chosen.config()).isEqualTo(config.scanDefaults(CHOSEN));
      assertThat(named.config()).isEqualTo(config);
      assertThat(List.of(usual.get("a"), named.get("a"))).containsExactly(1, 1);
      assertThat(chosen.keySet()).containsExactly("a");
    }
  }

  @Test
  void theCacheOfTheGridKnowsNoDefaults() {
    CacheConfig config = CacheConfig.distributed();

    assertThat(new CacheDefinition("users", config.scanDefaults(CHOSEN)))
        .isEqualTo(new CacheDefinition("users", config));
  }

  @Test
  void refusesABatchThatIsOutOfRange() {
    for (int size : new int[] {0, ScanDefaults.MAX_BATCH_SIZE + 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ScanDefaults.STANDARD.distributedBatchSize(size))
          .withMessageContaining("distributedBatchSize")
          .withMessageContaining(Integer.toString(size));
    }
  }

  @Test
  void defaultsAreShownWhereTheyAreNotTheUsual() {
    assertThat(CacheConfig.distributed().toString()).doesNotContain("scanDefaults");
    assertThat(CacheConfig.distributed().scanDefaults(CHOSEN).toString())
        .contains("scanDefaults=ScanDefaults[distributedBatchSize=40, delivery=AT_MOST_ONCE");
  }

  /** Uses a cache with the chosen defaults, whose scans are recorded and find nothing. */
  private void withCache(Function<Cache<String, Integer>, Object> use) {
    try (SingleNode alone = new SingleNode("io.cantle.core.node")) {
      Node node = alone.node.node();
      alone.node.cache("users", USERS.config());
      CacheResolver resolver =
          new CacheResolver(node.topologyDriver, node.environment.clock(), USERS);
      ByteCache byteCache =
          new ByteCache(
              resolver,
              node.client,
              node.bulkReadClient,
              node.bulkClient,
              ClosedNodeGuard.NONE,
              node.environment.clock(),
              node.cacheMetrics.open(USERS, 0, resolver::requireNotDestroyed),
              USERS.defaultLifetime());
      AsyncCallExecutor asyncCalls =
          new AsyncCallExecutor(node.environment.threads(), node.errorMessages);
      var _ =
          use.apply(
              new CacheView<>(
                  USERS,
                  CHOSEN,
                  byteCache,
                  new RecordingScanner(),
                  node.codec,
                  asyncCalls,
                  new SubscriptionExecutor(node.environment.threads(), "closed"),
                  new ComputeMethods<>(
                      byteCache,
                      node.codec,
                      node.objectCache,
                      asyncCalls,
                      new CallerRunAdvice("users", "single", true),
                      "single")));
    }
  }

  private final class RecordingScanner implements CacheScanner {
    @Override
    public void reduce(byte[] task, ScanOptions options, PartialReader partials) {
      asked.add(options);
    }

    @Override
    public <T> CloseableIterator<T> iterate(PullClient.ScanSpec spec, Function<Input, T> reader) {
      asked.add(spec.options());
      Iterator<T> none = List.<T>of().iterator();
      return new CloseableIterator<>() {
        @Override
        public boolean hasNext() {
          return none.hasNext();
        }

        @Override
        public T next() {
          return none.next();
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public <T> CachePublisher<T> publish(PullClient.ScanSpec spec, Function<Input, T> reader) {
      asked.add(spec.options());
      throw new UnsupportedOperationException("nothing is published here");
    }

    @Override
    public <K, V> ScanPage<K, V> page(
        ScanCursor cursor, int limit, Function<Input, Map.Entry<K, V>> reader) {
      throw new UnsupportedOperationException("no page is read here");
    }

    @Override
    public long count(ScanOptions options) {
      asked.add(options);
      return 0;
    }

    @Override
    public boolean ownsAll() {
      return false;
    }
  }
}
