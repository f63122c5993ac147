package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.ScanDefaults;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests a node that is alone: its caches, their asynchronous calls, and its end. */
final class SingleNodeTest {

  private static <T extends @Nullable Object> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void isItsOnlyMember() {
    try (SingleNode alone = new SingleNode()) {
      assertThat(alone.node.nodeName()).isEqualTo("single");
      assertThat(alone.node.members()).containsExactly("single");
      assertThat(alone.node.settled()).isTrue();
    }
  }

  @Test
  void asyncMethodsMatchTheirSyncMethods() {
    try (SingleNode alone = new SingleNode()) {
      Cache<String, Integer> cache = alone.node.cache("twins");
      assertThat(get(cache.putAsync("a", 1))).isNull();
      assertThat(get(cache.getAsync("a"))).isEqualTo(1);
      assertThat(get(cache.containsKeyAsync("a"))).isTrue();
      assertThat(get(cache.putIfAbsentAsync("a", 2))).isEqualTo(1);
      assertThat(get(cache.replaceAsync("a", 3))).isEqualTo(1);
      assertThat(get(cache.replaceAsync("a", 3, 4))).isTrue();
      assertThat(get(cache.computeAsync("a", (k, v) -> v == null ? 0 : v + 1))).isEqualTo(5);
      assertThat(get(cache.computeIfAbsentAsync("b", k -> 7))).isEqualTo(7);
      assertThat(get(cache.computeIfPresentAsync("b", (k, v) -> v + 1))).isEqualTo(8);
      assertThat(get(cache.mergeAsync("b", 2, Integer::sum))).isEqualTo(10);
      assertThat(get(cache.removeAsync("a", 9))).isFalse();
      assertThat(get(cache.removeAsync("a"))).isEqualTo(5);
      assertThat(get(cache.putAllAsync(Map.of("x", 1, "y", 2)))).isNull();
      assertThat(get(cache.mappingCountAsync())).isEqualTo(3);
      assertThat(get(cache.getAllAsync(List.of("x", "none")))).isEqualTo(Map.of("x", 1));
      assertThat(get(cache.removeAllAsync(List.of("x", "none")))).isNull();
      assertThat(get(cache.mappingCountAsync())).isEqualTo(2);
      assertThat(get(cache.clearAsync())).isNull();
      assertThat(cache.isEmpty()).isTrue();
    }
  }

  @Test
  void asyncCallFailsWithTheCallsException() {
    try (SingleNode alone = new SingleNode()) {
      Cache<String, Integer> cache = alone.node.cache("twins");
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(
              () ->
                  get(
                      cache.computeAsync(
                          "a",
                          (k, v) -> {
                            throw new IllegalArgumentException("mine");
                          })))
          .withCauseInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void cacheOpenedTwiceIsTheSame() {
    try (SingleNode alone = new SingleNode()) {
      Cache<String, Integer> first =
          alone.node.cache("same", CacheConfig.distributed().segments(3));
      first.put("a", 1);
      Cache<String, Integer> second = alone.node.cache("same");
      assertThat(second.config()).isEqualTo(CacheConfig.distributed().segments(3));
      assertThat(second.get("a")).isEqualTo(1);
      Cache<String, Integer> other = alone.node.cache("other");
      assertThat(other.get("a")).isNull();
      assertThat(other.config()).isEqualTo(CacheConfig.distributed());
    }
  }

  @Test
  void destroyedCacheRefusesCallsAndItsNameBeginsEmpty() {
    try (SingleNode alone = new SingleNode()) {
      Cache<String, Integer> old = alone.node.cache("users", CacheConfig.distributed().segments(3));
      alone.node.cache("other");
      old.put("a", 1);
      assertThat(alone.node.cacheNames()).containsExactly("other", "users");
      alone.node.destroy("users");
      assertThat(alone.node.cacheNames()).containsExactly("other");
      CacheConfig otherwise = CacheConfig.replicated().segments(2);
      Cache<String, Integer> begun = alone.node.cache("users", otherwise);
      assertThat(begun).isEmpty();
      begun.put("b", 2);
      for (Runnable call :
          List.<Runnable>of(
              () -> old.get("a"),
              () -> old.put("a", 2),
              () -> old.remove("a"),
              () -> old.merge("a", 1, Integer::sum),
              () -> assertThat(old.size()).isZero(),
              () -> assertThat(old.keySet().iterator()).isExhausted(),
              old::clear,
              () -> old.putAll(Map.of("b", 1)),
              () -> old.getAll(List.of("a")),
              () -> old.owners("a"))) {
        assertThatExceptionOfType(CacheDestroyedException.class)
            .isThrownBy(call::run)
            .withMessageContaining("cache \"users\" was destroyed")
            .satisfies(thrown -> assertThat(thrown.retrySafe()).isFalse());
      }
      assertThat(begun).isEqualTo(Map.of("b", 2));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> alone.node.destroy("none"))
          .withMessageContaining("the grid has no cache \"none\"");
    }
  }

  /** A request to run it may come late. */
  @Test
  void functionOnEntriesOfADestroyedCacheDoesNotBringItBack() {
    try (SingleNode alone = new SingleNode()) {
      alone.node.cache("users");
      CacheIdentity users = onlyCacheOf(alone);
      assertThat(alone.node.openForFunctions(users).name()).isEqualTo("users");
      alone.node.destroy("users");
      assertThatExceptionOfType(CacheDestroyedException.class)
          .isThrownBy(() -> alone.node.openForFunctions(users))
          .withMessageContaining("was destroyed");
      assertThat(alone.node.cacheNames()).isEmpty();
    }
  }

  /** A request may begin before its cache is destroyed, and go on after the next one is there. */
  @Test
  void functionOnEntriesOfADestroyedCacheDoesNotGetTheNextOneOfItsName() {
    try (SingleNode alone = new SingleNode()) {
      alone.node.cache("users");
      CacheIdentity users = onlyCacheOf(alone);
      Cache<Object, Object> begun = alone.node.openForFunctions(users);
      alone.node.destroy("users");
      Cache<Object, Object> next = alone.node.cache("users");
      assertThatExceptionOfType(CacheDestroyedException.class)
          .isThrownBy(() -> begun.put("a", 1))
          .withMessageContaining("cache \"users\" was destroyed");
      assertThatExceptionOfType(CacheDestroyedException.class)
          .isThrownBy(() -> alone.node.openForFunctions(users))
          .withMessageContaining("was destroyed");
      assertThat(next.isEmpty()).isTrue();
    }
  }

  /** A node may go over to the other side of a partition while it answers a request. */
  @Test
  void functionOnEntriesOfAnotherGridDoesNotGetTheCacheAtTheSamePlace() {
    try (SingleNode alone = new SingleNode()) {
      alone.node.cache("users");
      CacheIdentity here = onlyCacheOf(alone);
      CacheIdentity there =
          new CacheIdentity(new UUID(1, 2), here.lineage(), here.index(), here.createdNumber());
      assertThatExceptionOfType(CacheDestroyedException.class)
          .isThrownBy(() -> alone.node.openForFunctions(there))
          .withMessageContaining("cache \"users\" is of a grid that this node has left");
    }
  }

  private static CacheIdentity onlyCacheOf(SingleNode alone) {
    Topology topology = alone.node.node().topologyDriver.current();
    return CacheIdentity.of(topology, topology.caches().getFirst());
  }

  /** A node may adopt that a cache is destroyed while a thread opens it. */
  @Test
  void cacheThatIsDestroyedWhileItIsOpenedLeavesNoMetrics() {
    try (SingleNode alone = new SingleNode()) {
      Node node = alone.node.node();
      alone.node.cache("users");
      Topology before = node.topologyDriver.current();
      CacheOwnership cache = before.caches().getFirst();
      CacheResolver found =
          CacheResolver.ofFound(
              node.topologyDriver, node.environment.clock(), before, onlyCacheOf(alone));
      alone.node.destroy("users");
      assertThatExceptionOfType(CacheDestroyedException.class)
          .isThrownBy(
              () ->
                  alone.node.viewOf(
                      found, 0, cache.definition(), ScanDefaults.STANDARD, ClosedNodeGuard.NONE));
      List<String> left = new ArrayList<>();
      node.cacheMetrics.setListeners(open -> left.add(open.cacheName()), _ -> {});
      assertThat(left).isEmpty();
    }
  }

  @Test
  void cachesAreCreatedAndDestroyedManyTimes() {
    try (SingleNode alone = new SingleNode()) {
      for (int i = 0; i < 50; i++) {
        Cache<String, Integer> cache =
            alone.node.cache("brief", CacheConfig.distributed().segments(1 + i % 3));
        assertThat(cache.put("k", i)).isNull();
        alone.node.destroy("brief");
      }
      assertThat(alone.node.cacheNames()).isEmpty();
    }
  }

  @Test
  void differentConfigurationIsRefused() {
    try (SingleNode alone = new SingleNode()) {
      alone.node.cache("users", CacheConfig.distributed().segments(3)).put("a", 1);
      assertThatIllegalStateException()
          .isThrownBy(() -> alone.node.cache("users", CacheConfig.distributed().segments(4)))
          .withMessageContainingAll("\"users\"", "segments=3", "segments=4");
      assertThatIllegalStateException()
          .isThrownBy(() -> alone.node.cache("users", CacheConfig.replicated()))
          .withMessageContaining("REPLICATED");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> alone.node.cache("", CacheConfig.replicated()));
    }
  }

  @Test
  void closedViewRefusesCallsAndKeepsEntries() {
    try (SingleNode alone = new SingleNode()) {
      Cache<String, Integer> cache = alone.node.cache("closing");
      cache.put("a", 1);
      cache.close();
      cache.close();
      List<Runnable> calls =
          List.of(
              () -> cache.get("a"),
              () -> cache.put("a", 2),
              () -> cache.remove("a"),
              () -> assertThat(cache.containsKey("a")).isFalse(),
              () -> cache.compute("a", (k, v) -> 1),
              () -> assertThat(cache.size()).isZero(),
              cache::clear,
              () -> cache.putAll(Map.of("b", 1)),
              () -> assertThat(cache.getAll(List.of("a"))).isEmpty(),
              () -> cache.removeAll(List.of("a")),
              () -> assertThat(cache.keySet().iterator()).isExhausted(),
              () -> assertThat(cache.values().stream().count()).isZero());
      for (int i = 0; i < calls.size(); i++) {
        assertThatIllegalStateException()
            .as("call %s", i)
            .isThrownBy(calls.get(i)::run)
            .withMessageContainingAll("\"closing\"", "closed");
      }
      assertThat(alone.node.<String, Integer>cache("closing").get("a")).isEqualTo(1);
    }
  }

  @Test
  void closedNodeRefusesCalls() {
    SingleNode alone = new SingleNode();
    Cache<String, Integer> cache = alone.node.cache("users");
    cache.put("a", 1);
    alone.node.close();
    alone.node.close();
    for (Runnable call :
        List.<Runnable>of(
            () -> cache.get("a"),
            () -> cache.put("a", 2),
            () -> assertThat(cache.size()).isZero(),
            cache::clear,
            () -> cache.putAll(Map.of("b", 1)),
            () -> cache.getAll(List.of("a")),
            () -> cache.removeAll(List.of("a")),
            () -> cache.owners("a"),
            () -> alone.node.cache("users"))) {
      assertThatIllegalStateException()
          .isThrownBy(call::run)
          .withMessageContainingAll("single", "closed");
    }
    assertThat(alone.node.nodeName()).isEqualTo("single");
  }

  @Test
  void closeEndsItsEnvironmentOnce() {
    AtomicInteger ends = new AtomicInteger();
    try (SystemEnvironment environment = new SystemEnvironment("ends")) {
      NodeGrid node =
          Node.startLocal(
              GridConfig.named("ends"),
              SingleNodeTest.class.getClassLoader(),
              environment.environment(),
              ends::incrementAndGet);
      assertThat(node.nodeName()).isEqualTo("alone");
      node.close();
      node.close();
    }
    assertThat(ends).hasValue(1);
  }

  @Test
  void localCachesAreSeparateFromGridCaches() {
    try (SystemEnvironment environment = new SystemEnvironment("local")) {
      NodeGrid node = single(environment, 1).start();
      Cache<String, Integer> shared = node.cache("same");
      shared.put("a", 1);
      Cache<String, Integer> local = node.cache("same", CacheConfig.local());
      assertThat(local.get("a")).isNull();
      local.put("a", 2);
      assertThat(shared.get("a")).isEqualTo(1);
      assertThat(node.<String, Integer>cache("same", CacheConfig.local()).get("a")).isEqualTo(2);
      assertThat(local.owners("a")).containsExactly(node.nodeName());
      node.close();
      assertThatIllegalStateException().isThrownBy(() -> local.get("a"));
      assertThatIllegalStateException().isThrownBy(() -> node.cache("same", CacheConfig.local()));
    }
  }

  @Test
  void tooFewMembersIsReported() {
    try (SystemEnvironment environment = new SystemEnvironment("few")) {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> single(environment, 3).start())
          .withMessageContainingAll("single", "\"test\"", "100 ms", "initialMembers", "3");
    }
  }

  @Test
  void helloOfAnotherReleaseIsReported() {
    byte[] hello = ManualNetwork.bytes(MessageKind.HELLO, 0);
    hello[0]--;
    try (SystemEnvironment environment = new SystemEnvironment("late")) {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> single(environment, 3, hello).start())
          .withMessageContainingAll(
              "single", "100 ms", "elder speaks message version " + hello[0], "release")
          .withMessageNotContaining("initialMembers");
    }
  }

  /**
   * A node with a network on which no other node is; that differs from a node without a network.
   *
   * @param received messages from a node that has gone since
   */
  private static Node single(
      SystemEnvironment environment, int initialMembers, byte[]... received) {
    Member self = ManualNetwork.member("single");
    Transport nobodyElse =
        new Transport() {
          @Override
          public void start(Receiver receiver) {
            receiver.onMembersChanged(List.of(self));
            for (byte[] message : received) {
              receiver.receive(ManualNetwork.member("elder"), new Input(message));
            }
          }

          @Override
          public Member self() {
            return self;
          }

          @Override
          public void send(Member to, Output message) {}

          @Override
          public void close() {}
        };
    return new Node(
        GridConfig.named("test")
            .nodeName("single")
            .initialMembers(initialMembers)
            // A node that waits for others waits in vain.
            .timeout(initialMembers > 1 ? Duration.ofMillis(100) : Duration.ofSeconds(20)),
        SingleNodeTest.class.getClassLoader(),
        nobodyElse,
        environment.environment(),
        NodeStore.NONE,
        () -> {});
  }

  @Test
  void asyncCallAfterCloseFails() {
    SingleNode alone = new SingleNode();
    Cache<String, Integer> cache = alone.node.cache("users");
    alone.node.close();
    assertThat(cache.getAsync("a").toCompletableFuture())
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void subscriptionAfterCloseNamesTheNode() {
    SingleNode alone = new SingleNode();
    Cache<String, Integer> cache = alone.node.cache("users");
    List<Flow.Publisher<Integer>> publishers =
        List.of(
            cache.values().stream().publisher(),
            cache.values().stream().limit(1).publisher(),
            cache.values().stream().publisher().split(1).getFirst());
    alone.node.close();
    for (Flow.Publisher<Integer> publisher : publishers) {
      List<Throwable> errors = new ArrayList<>();
      publisher.subscribe(
          new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
              subscription.request(1);
            }

            @Override
            public void onNext(Integer element) {
              throw new AssertionError(element);
            }

            @Override
            public void onError(Throwable error) {
              errors.add(error);
            }

            @Override
            public void onComplete() {
              throw new AssertionError("complete");
            }
          });
      assertThat(errors)
          .singleElement()
          .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
          .hasMessage("node single is closed; join its grid again");
    }
  }
}
