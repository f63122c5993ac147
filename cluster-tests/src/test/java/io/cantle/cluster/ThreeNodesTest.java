package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.Grid;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ThreeNodesTest {
  private TestGrid cluster = new TestGrid(0);

  /** A value of our own: any record of an allowed package. */
  record Fruit(String name, int grams) {}

  @BeforeAll
  void join() {
    cluster = TestGrid.ofSize(3);
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private Cache<String, Fruit> on(int node, String name) {
    return cluster.node(node).cache(name);
  }

  @Test
  void allNodesAgreeOnTheMembersOldestFirst() {
    assertThat(cluster.nodes())
        .allSatisfy(
            node -> assertThat(node.members()).containsExactly("node-0", "node-1", "node-2"));
  }

  @Test
  void everyNodeReportsHealth() {
    on(0, "whole").put("a", new Fruit("plum", 1));
    for (int node = 0; node < 3; node++) {
      Grid each = cluster.node(node);
      ConditionWait.until(each.nodeName() + " is settled", each::settled, each::members);
    }
  }

  @Test
  void writesAreReadableOnEveryNode() {
    for (int writer = 0; writer < 3; writer++) {
      Cache<String, Fruit> written = on(writer, "written");
      for (int index = 0; index < 50; index++) {
        String key = writer + "-" + index;
        assertThat(written.put(key, new Fruit("plum", index))).isNull();
        for (int reader = 0; reader < 3; reader++) {
          assertThat(on(reader, "written").get(key)).isEqualTo(new Fruit("plum", index));
        }
      }
    }
  }

  @Test
  void entriesHaveTwoOwnersSpreadOverThreeNodes() {
    Cache<String, Fruit> spread = on(0, "spread");
    List<List<String>> owners =
        IntStream.range(0, 300).mapToObj(index -> spread.owners("key-" + index)).toList();
    assertThat(owners).allMatch(both -> both.size() == 2 && new HashSet<>(both).size() == 2);
    assertThat(owners.stream().map(List::getFirst).collect(Collectors.toSet()))
        .containsExactlyInAnyOrder("node-0", "node-1", "node-2");
    assertThat(on(2, "spread").owners("key-7")).isEqualTo(spread.owners("key-7"));
  }

  @Test
  void conditionalWritesAgreeOnEveryNode() {
    Fruit apple = new Fruit("apple", 150);
    Fruit pear = new Fruit("pear", 180);
    assertThat(on(0, "conditional").putIfAbsent("a", apple)).isNull();
    assertThat(on(1, "conditional").putIfAbsent("a", pear)).isEqualTo(apple);
    assertThat(on(2, "conditional").replace("a", pear, apple)).isFalse();
    assertThat(on(2, "conditional").replace("a", apple, pear)).isTrue();
    assertThat(on(0, "conditional").replace("b", apple)).isNull();
    assertThat(on(1, "conditional").remove("a", apple)).isFalse();
    assertThat(on(1, "conditional").remove("a")).isEqualTo(pear);
    assertThat(on(2, "conditional")).doesNotContainKey("a");
  }

  @Test
  void concurrentMergesLoseNoIncrement() {
    List<Thread> threads =
        cluster.nodes().stream()
            .map(node -> node.<String, Integer>cache("counters"))
            .map(
                counters ->
                    Thread.startVirtualThread(
                        () -> {
                          for (int count = 0; count < 100; count++) {
                            counters.merge("hits-" + count % 3, 1, Integer::sum);
                          }
                        }))
            .toList();
    ConditionWait.until(
        "the end of all threads", () -> threads.stream().noneMatch(Thread::isAlive), () -> threads);
    Cache<String, Integer> counters = cluster.node(0).cache("counters");
    assertThat(counters.values().stream().reduce(0, Integer::sum)).isEqualTo(300);
  }

  @Test
  void asynchronousMethodsDoTheSame() {
    Cache<String, Integer> cache = cluster.node(0).cache("twins");
    Cache<String, Integer> other = cluster.node(2).cache("twins");
    assertThat(answer(cache.putAsync("a", 1))).isNull();
    assertThat(answer(other.getAsync("a"))).isEqualTo(1);
    assertThat(answer(other.containsKeyAsync("b"))).isFalse();
    assertThat(answer(other.putIfAbsentAsync("a", 2))).isEqualTo(1);
    assertThat(answer(cache.replaceAsync("a", 3))).isEqualTo(1);
    assertThat(answer(cache.replaceAsync("a", 1, 4))).isFalse();
    assertThat(answer(other.mergeAsync("a", 4, Integer::sum))).isEqualTo(7);
    assertThat(answer(other.computeAsync("b", (_, present) -> present == null ? 9 : 0)))
        .isEqualTo(9);
    assertThat(answer(cache.computeIfAbsentAsync("c", _ -> 5))).isEqualTo(5);
    assertThat(answer(other.computeIfPresentAsync("c", (_, present) -> present + 1))).isEqualTo(6);
    assertThat(answer(cache.removeAsync("c", 5))).isFalse();
    assertThat(answer(cache.removeAsync("c"))).isEqualTo(6);
    answer(cache.putAllAsync(Map.of("x", 1, "y", 2)));
    assertThat(answer(other.mappingCountAsync())).isEqualTo(4);
    answer(other.clearAsync());
    assertThat(cache).isEmpty();
  }

  private static <T extends @Nullable Object> T answer(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Test
  void bulkPutSizeAndClearWork() {
    Map<String, Fruit> many =
        IntStream.range(0, 5_000)
            .boxed()
            .collect(Collectors.toMap(index -> "fruit-" + index, index -> new Fruit("fig", index)));
    on(0, "many").putAll(many);
    for (int node = 0; node < 3; node++) {
      Cache<String, Fruit> cache = on(node, "many");
      assertThat(cache.size()).isEqualTo(5_000);
      assertThat(cache.mappingCount()).isEqualTo(5_000);
      assertThat(cache.equals(many)).isTrue();
      assertThat(new HashSet<>(cache.keySet())).isEqualTo(many.keySet());
    }
    on(1, "many").clear();
    for (int node = 0; node < 3; node++) {
      assertThat(on(node, "many").isEmpty()).isTrue();
      assertThat(on(node, "many").keySet().iterator().hasNext()).isFalse();
    }
  }

  @Test
  void replicatedEntriesAreOnEveryNode() {
    for (int node = 0; node < 3; node++) {
      Cache<String, Fruit> cache = cluster.node(node).cache("everywhere", CacheConfig.replicated());
      cache.put("from-" + node, new Fruit("date", node));
      assertThat(cache.owners("from-" + node))
          .containsExactlyInAnyOrder("node-0", "node-1", "node-2");
    }
    for (Grid node : cluster.nodes()) {
      Cache<String, Fruit> cache = node.cache("everywhere");
      assertThat(cache.config().mode()).isEqualTo(CacheMode.REPLICATED);
      assertThat(cache.keySet()).containsExactlyInAnyOrder("from-0", "from-1", "from-2");
      assertThat(cache.get("from-1")).isEqualTo(new Fruit("date", 1));
    }
  }

  @Test
  void localEntriesStayOnTheirNode() {
    for (int node = 0; node < 3; node++) {
      Cache<String, Integer> own = cluster.node(node).cache("own", CacheConfig.local());
      assertThat(own).isEmpty();
      own.put("a", node);
    }
    for (int node = 0; node < 3; node++) {
      Cache<String, Integer> own = cluster.node(node).cache("own", CacheConfig.local());
      assertThat(own).hasSize(1).containsEntry("a", node);
    }
  }

  @Test
  void refusesCacheWithOtherConfigurationNamingBoth() {
    cluster.node(0).cache("one-way", CacheConfig.distributed().segments(64));
    assertThatThrownBy(() -> cluster.node(1).cache("one-way", CacheConfig.replicated()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("one-way")
        .hasMessageContaining(CacheConfig.distributed().segments(64).toString())
        .hasMessageContaining(CacheConfig.replicated().toString());
    assertThat(cluster.node(2).cache("one-way").config().segments()).isEqualTo(64);
  }
}
