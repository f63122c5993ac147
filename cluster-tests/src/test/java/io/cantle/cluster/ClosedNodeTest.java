package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.Grid;
import io.cantle.ScanCursor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that everything that belongs to a closed node says that it is closed. */
@Timeout(180)
final class ClosedNodeTest {
  /** More than all that a scan buffers, so that whatever is open has more to fetch. */
  private static final int ENTRY_COUNT = 20_000;

  private static final CacheConfig CONFIG = CacheConfig.distributed().segments(64);

  @Test
  void localNode() {
    Grid grid = Grid.local();
    check(grid, grid);
  }

  @Test
  void nodeAlone() {
    try (TestGrid cluster = TestGrid.ofSize(1)) {
      check(cluster.node(0), cluster.node(0));
    }
  }

  @Test
  void oneOfThreeNodes() {
    try (TestGrid cluster = TestGrid.ofSize(3)) {
      check(cluster.node(2), cluster.node(0));
    }
  }

  private static void check(Grid closed, Grid writer) {
    Cache<Integer, String> filled = writer.cache("filled", CONFIG);
    Map<Integer, String> entries = new LinkedHashMap<>();
    for (int i = 0; i < ENTRY_COUNT; i++) {
      entries.put(i, "value of some length " + i);
    }
    filled.putAll(entries);
    Cache<Integer, String> cache = closed.cache("filled", CONFIG);
    Map<String, Callable<?>> calls = new LinkedHashMap<>();
    addCallsOnKeys(calls, cache);
    addCallsOnAll(calls, cache);
    addAsyncCalls(calls, cache);
    addCallsOnGrid(calls, closed);
    Map<String, Callable<?>> opened = openEverything(cache);

    closed.close();

    SoftAssertions soft = new SoftAssertions();
    opened.forEach((name, call) -> checkSaysClosed(soft, "opened before: " + name, closed, call));
    calls.forEach((name, call) -> checkSaysClosed(soft, name, closed, call));
    soft.assertAll();
  }

  private static void checkSaysClosed(
      SoftAssertions soft, String name, Grid closed, Callable<?> call) {
    long began = System.nanoTime();
    Throwable thrown = null;
    try {
      call.call();
    } catch (CompletionException e) {
      thrown = e.getCause();
    } catch (Exception e) {
      thrown = e;
    }
    soft.assertThat(thrown)
        .as(name)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("node " + closed.nodeName() + " is closed; join its grid again");
    soft.assertThat(Duration.ofNanos(System.nanoTime() - began))
        .as("time of " + name)
        .isLessThan(Duration.ofSeconds(5));
  }

  // ------------------------------------------------------------------ what was opened before

  /** Opens an iterator and so on, uses each a little, and returns what goes on with them. */
  private static Map<String, Callable<?>> openEverything(Cache<Integer, String> cache) {
    Map<String, Callable<?>> opened = new LinkedHashMap<>();
    opened.put("iterator of keys", drain(cache.keySet().iterator()));
    opened.put("iterator of values", drain(cache.values().iterator()));
    opened.put("iterator of entries", drain(cache.entrySet().iterator()));
    opened.put("iterator of a stream", drain(cache.values().stream().map(v -> v + 1).iterator()));
    ManualSubscriber subscriber = new ManualSubscriber();
    cache.values().stream().publisher().subscribe(subscriber);
    subscriber.awaitFirst();
    opened.put("subscription", () -> run(subscriber::drain));
    ManualSubscriber ofPart = new ManualSubscriber();
    cache.values().stream().publisher().split(2).getFirst().subscribe(ofPart);
    ofPart.awaitFirst();
    opened.put("subscription to a part", () -> run(ofPart::drain));
    CacheStream<String> stream = cache.values().stream().filter(v -> v.endsWith("7"));
    opened.put("stream: count", stream::count);
    opened.put("stream: toList", stream::toList);
    opened.put("stream: sorted", () -> stream.sorted().limit(3).toList());
    opened.put("stream: anyMatch", () -> stream.anyMatch(v -> v.isEmpty()));
    opened.put("stream: iterator", () -> stream.iterator().hasNext());
    CachePublisher<String> publisher = stream.publisher();
    opened.put("publisher: subscribe", () -> subscribeAndDrain(publisher));
    opened.put("publisher: by segment", () -> subscribeAndDrain(publisher.bySegment()));
    opened.put("publisher: split", () -> publisher.split(2));
    ScanCursor cursor = cache.scan(ScanCursor.START, 10).next();
    opened.put("page", () -> cache.scan(cursor, 10));
    return opened;
  }

  private static Callable<?> drain(CloseableIterator<?> iterator) {
    assertThat(iterator.next()).isNotNull();
    return () -> {
      while (iterator.hasNext()) {
        iterator.next();
      }
      return true;
    };
  }

  private static boolean subscribeAndDrain(Flow.Publisher<?> publisher) {
    ManualSubscriber subscriber = new ManualSubscriber();
    publisher.subscribe(subscriber);
    return run(subscriber::drain);
  }

  private static boolean run(Runnable action) {
    action.run();
    return true;
  }

  /** Requests one element, then all others. */
  private static final class ManualSubscriber implements Flow.Subscriber<Object> {
    private final CompletableFuture<Flow.Subscription> subscription = new CompletableFuture<>();
    private final CompletableFuture<Object> first = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    @Override
    public void onSubscribe(Flow.Subscription opened) {
      subscription.complete(opened);
    }

    @Override
    public void onNext(Object element) {
      first.complete(element);
    }

    @Override
    public void onError(Throwable thrown) {
      end.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
      end.complete(null);
    }

    void awaitFirst() {
      subscription.join().request(1);
      first.join();
    }

    void drain() {
      subscription.join().request(Long.MAX_VALUE);
      end.join();
    }
  }

  // ------------------------------------------------------------------ what is called after

  private static void addCallsOnKeys(Map<String, Callable<?>> calls, Cache<Integer, String> cache) {
    calls.put("get", () -> cache.get(1));
    calls.put("containsKey", () -> cache.containsKey(1));
    calls.put("put", () -> cache.put(1, "a"));
    calls.put("putIfAbsent", () -> cache.putIfAbsent(1, "a"));
    calls.put("remove", () -> cache.remove(1));
    calls.put("remove if equal", () -> cache.remove(1, "a"));
    calls.put("replace", () -> cache.replace(1, "a"));
    calls.put("replace if equal", () -> cache.replace(1, "a", "b"));
    calls.put("compute", () -> cache.compute(1, (key, value) -> "a"));
    calls.put("computeIfAbsent", () -> cache.computeIfAbsent(1, key -> "a"));
    calls.put("computeIfPresent", () -> cache.computeIfPresent(1, (key, value) -> "a"));
    calls.put("merge", () -> cache.merge(1, "a", (left, right) -> left + right));
    calls.put("owners", () -> cache.owners(1));
    calls.put("lifespan", () -> cache.lifespan(Duration.ofDays(1)));
    calls.put("maxIdle", () -> cache.maxIdle(Duration.ofDays(1)));
  }

  private static void addCallsOnAll(Map<String, Callable<?>> calls, Cache<Integer, String> cache) {
    calls.put("putAll", () -> run(() -> cache.putAll(Map.of(1, "a", 2, "b"))));
    calls.put("replaceAll", () -> run(() -> cache.replaceAll((key, value) -> "a")));
    calls.put("clear", () -> run(cache::clear));
    calls.put("getAll", () -> cache.getAll(List.of(1, 2)));
    calls.put("removeAll", () -> run(() -> cache.removeAll(List.of(1, 2))));
    calls.put("getAllAsync", () -> await(cache.getAllAsync(List.of(1, 2))));
    calls.put("removeAllAsync", () -> await(cache.removeAllAsync(List.of(1, 2))));
    calls.put("size", cache::size);
    calls.put("mappingCount", cache::mappingCount);
    calls.put("isEmpty", cache::isEmpty);
    calls.put("containsValue", () -> cache.containsValue("a"));
    calls.put("scan", () -> cache.scan(ScanCursor.START, 10));
    calls.put("keySet: iterator", () -> cache.keySet().iterator().hasNext());
    calls.put("values: stream", () -> cache.values().stream().count());
    calls.put("entrySet: removeIf", () -> cache.entrySet().removeIf(entry -> true));
    calls.put("entrySet: contains", () -> cache.entrySet().contains(Map.entry(1, "a")));
  }

  private static void addAsyncCalls(Map<String, Callable<?>> calls, Cache<Integer, String> cache) {
    calls.put("getAsync", () -> await(cache.getAsync(1)));
    calls.put("containsKeyAsync", () -> await(cache.containsKeyAsync(1)));
    calls.put("putAsync", () -> await(cache.putAsync(1, "a")));
    calls.put("putIfAbsentAsync", () -> await(cache.putIfAbsentAsync(1, "a")));
    calls.put("removeAsync", () -> await(cache.removeAsync(1)));
    calls.put("replaceAsync", () -> await(cache.replaceAsync(1, "a")));
    calls.put("computeAsync", () -> await(cache.computeAsync(1, (key, value) -> "a")));
    calls.put("mergeAsync", () -> await(cache.mergeAsync(1, "a", (left, right) -> "b")));
    calls.put("putAllAsync", () -> await(cache.putAllAsync(Map.of(1, "a"))));
    calls.put("clearAsync", () -> await(cache.clearAsync()));
    calls.put("mappingCountAsync", () -> await(cache.mappingCountAsync()));
  }

  private static @Nullable Object await(CompletionStage<?> stage) {
    return stage.toCompletableFuture().join();
  }

  private static void addCallsOnGrid(Map<String, Callable<?>> calls, Grid grid) {
    calls.put("cache", () -> grid.cache("filled"));
    calls.put("cache with configuration", () -> grid.cache("filled", CONFIG));
    calls.put("new cache", () -> grid.cache("another"));
    calls.put("members", grid::members);
    calls.put("cacheNames", grid::cacheNames);
    calls.put("onMembership", () -> grid.onMembership(event -> {}));
    calls.put("destroy", () -> run(() -> grid.destroy("filled")));
    calls.put("destroy of an unknown cache", () -> run(() -> grid.destroy("unknown")));
    calls.put("lostSegments", () -> grid.lostSegments("filled"));
    calls.put("acceptLoss", () -> grid.acceptLoss("filled"));
    calls.put("suspendRebalancing", () -> run(() -> grid.suspendRebalancing(true)));
    calls.put("rebalancingSuspended", grid::rebalancingSuspended);
    calls.put("recoverVoters", () -> run(() -> grid.recoverVoters(List.of("another"))));
  }
}
