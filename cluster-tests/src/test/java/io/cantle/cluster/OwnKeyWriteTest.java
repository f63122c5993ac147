package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.Grid;
import io.cantle.function.SerializableConsumer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a function which writes the key it runs for is refused at once, whatever runs it and
 * however it writes: through asynchronous calls, streams that run at the owners, and functions that
 * run at other nodes too. Only threads that the application makes itself cannot be followed; what
 * becomes of their writes is tested with functions at the primary.
 */
@Timeout(120)
final class OwnKeyWriteTest {
  private static final AtomicInteger RUNS = new AtomicInteger();

  private static TestGrid cluster = new TestGrid(0);
  private static Grid local = Grid.local();

  /** The cache for functions that are sent, which cannot capture one. */
  @SuppressWarnings("NullAway.Init") // It is set before each test.
  private static Cache<String, Integer> shared;

  /** A cache with entries at all nodes. */
  @SuppressWarnings("NullAway.Init") // It is set before each test.
  private static Cache<Integer, Integer> others;

  /** A key of {@link #shared} that another node decides, where there is one. */
  private static String elsewhere = "";

  /** A write of the key "a". */
  interface OwnKeyWrite extends SerializableConsumer<Cache<String, Integer>> {}

  /** A call with a function for the key "a" which makes that write. */
  interface FunctionCall extends BiConsumer<Cache<String, Integer>, OwnKeyWrite> {}

  /** One way to do it. */
  record Case(
      String name,
      Cache<String, Integer> cache,
      Cache<Integer, Integer> others,
      FunctionCall call,
      OwnKeyWrite write) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void join() {
    cluster = TestGrid.ofSize(3);
  }

  @AfterAll
  static void close() {
    cluster.close();
    local.close();
  }

  private static Map<String, OwnKeyWrite> writes() {
    Map<String, OwnKeyWrite> writes = new LinkedHashMap<>();
    writes.put("put", cache -> cache.put("a", 7));
    writes.put("remove", cache -> cache.remove("a"));
    writes.put("replace", cache -> cache.replace("a", 1, 7));
    writes.put("putAll", cache -> cache.putAll(Map.of("a", 7)));
    writes.put("clear", cache -> cache.clear());
    writes.put("merge", cache -> cache.merge("a", 1, Integer::sum));
    writes.put("computeIfPresent", cache -> cache.computeIfPresent("a", (k, v) -> v + 1));
    writes.put("another view", cache -> cache.lifespan(Duration.ofHours(1)).put("a", 7));
    writes.put("a view of the keys", cache -> cache.keySet().remove("a"));
    writes.put("putAsync", cache -> await(cache.putAsync("a", 7)));
    writes.put("mergeAsync", cache -> await(cache.mergeAsync("a", 1, Integer::sum)));
    return writes;
  }

  private static Map<String, OwnKeyWrite> writesElsewhere() {
    Map<String, OwnKeyWrite> writes = new LinkedHashMap<>();
    writes.put(
        "a function of another key", c -> shared.compute(elsewhere, (k, v) -> shared.put("a", 7)));
    writes.put(
        "an asynchronous function",
        c -> await(shared.computeAsync(elsewhere, (k, v) -> shared.merge("a", 1, Integer::sum))));
    writes.put(
        "a function of a function",
        c ->
            shared.compute(
                elsewhere,
                (k, v) -> shared.computeIfAbsent("one more", other -> shared.put("a", 7))));
    writes.put(
        "the owners", c -> others.keySet().stream().forEachOnOwners(k -> shared.put("a", 7)));
    writes.put(
        "workers of the owners",
        c -> others.keySet().stream().parallel().forEachOnOwners(k -> shared.put("a", 7)));
    writes.put(
        "what the owners map",
        c -> assertThat(others.keySet().stream().map(k -> shared.put("a", 7)).toList()).isEmpty());
    writes.put(
        "what the owners map for an iterator",
        c -> others.keySet().stream().map(k -> shared.put("a", 7)).iterator().next());
    writes.put(
        "what the owners map for a subscriber",
        c -> drain(others.keySet().stream().map(k -> shared.put("a", 7)).publisher()));
    writes.put(
        "a parallel stream", c -> others.keySet().parallelStream().forEach(OwnKeyWriteTest::put));
    return writes;
  }

  private static <T> void drain(CachePublisher<T> publisher) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    publisher.subscribe(
        new Flow.Subscriber<T>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(T element) {}

          @Override
          public void onError(Throwable thrown) {
            ended.completeExceptionally(thrown);
          }

          @Override
          public void onComplete() {
            ended.complete(true);
          }
        });
    ended.join();
  }

  private static void put(int ignored) {
    shared.put("a", 7);
  }

  private static Map<String, FunctionCall> calls() {
    Map<String, FunctionCall> calls = new LinkedHashMap<>();
    calls.put("compute", (cache, w) -> cache.compute("a", (k, v) -> run(w, shared, v)));
    calls.put("compute, captured", (cache, w) -> cache.compute("a", (k, v) -> run(w, cache, v)));
    calls.put(
        "compute, plain",
        (cache, w) -> {
          BiFunction<String, @Nullable Integer, Integer> plain = (k, v) -> run(w, cache, v);
          cache.compute("a", plain);
        });
    calls.put(
        "computeIfPresent, captured",
        (cache, w) -> cache.computeIfPresent("a", (k, v) -> run(w, cache, v)));
    calls.put("merge", (cache, w) -> cache.merge("a", 1, (v, more) -> run(w, shared, v)));
    calls.put("merge, captured", (cache, w) -> cache.merge("a", 1, (v, n) -> run(w, cache, v)));
    calls.put("replaceAll", (cache, w) -> cache.replaceAll((k, v) -> run(w, shared, v)));
    calls.put("replaceAll, captured", (cache, w) -> cache.replaceAll((k, v) -> run(w, cache, v)));
    calls.put(
        "computeAsync", (cache, w) -> await(cache.computeAsync("a", (k, v) -> run(w, shared, v))));
    calls.put(
        "computeAsync, captured",
        (cache, w) -> await(cache.computeAsync("a", (k, v) -> run(w, cache, v))));
    calls.put(
        "a function within a function of another key, captured",
        (cache, w) ->
            cache.compute(
                "a",
                (k, v) -> {
                  Function<String, Integer> inner = other -> run(w, cache, v);
                  return cache.computeIfAbsent("other", inner);
                }));
    return calls;
  }

  private static int run(
      OwnKeyWrite write, Cache<String, Integer> cache, @Nullable Integer present) {
    RUNS.incrementAndGet();
    write.accept(cache);
    return present == null ? 1 : present + 1;
  }

  private static void await(CompletionStage<?> call) {
    call.toCompletableFuture().join();
  }

  static List<Case> cases() {
    Map<String, Cache<String, Integer>> caches = new LinkedHashMap<>();
    caches.put("one node", local.cache("numbers"));
    caches.put("local", cluster.node(0).cache("own", CacheConfig.local()));
    caches.put("three nodes", cluster.node(1).cache("numbers"));
    caches.put("three copies", cluster.node(2).cache("copies", CacheConfig.replicated()));
    IdentityHashMap<Cache<String, Integer>, Cache<Integer, Integer>> others =
        new IdentityHashMap<>();
    caches.forEach(
        (where, cache) -> {
          Grid grid = where.equals("one node") ? local : cluster.node(1);
          Cache<Integer, Integer> filled = grid.cache("others");
          IntStream.range(0, 20).forEach(key -> filled.put(key, key));
          others.put(cache, filled);
        });
    Map<String, OwnKeyWrite> writes = writes();
    writes.putAll(writesElsewhere());
    List<Case> cases = new ArrayList<>();
    caches.forEach(
        (where, cache) ->
            calls()
                .forEach(
                    (call, caller) ->
                        writes.forEach(
                            (write, writer) ->
                                cases.add(
                                    new Case(
                                        "%s: %s, %s".formatted(where, call, write),
                                        cache,
                                        Objects.requireNonNull(others.get(cache)),
                                        caller,
                                        writer)))));
    return cases;
  }

  private static String elsewhere(Cache<String, Integer> cache) {
    return IntStream.range(0, 100)
        .mapToObj(number -> "elsewhere " + number)
        .filter(key -> !cache.owners(key).getFirst().equals(cache.owners("a").getFirst()))
        .findFirst()
        .orElse("elsewhere");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isRefusedAtOnce(Case tried) {
    shared = tried.cache;
    others = tried.others;
    elsewhere = elsewhere(shared);
    shared.clear();
    shared.put("a", 1);
    RUNS.set(0);
    assertThatThrownBy(() -> tried.call.accept(tried.cache, tried.write))
        .hasStackTraceContaining("a function must not write the key it runs for");
    assertThat(RUNS).hasValueLessThanOrEqualTo(2);
    assertThat(shared).isEqualTo(Map.of("a", 1));
  }
}
