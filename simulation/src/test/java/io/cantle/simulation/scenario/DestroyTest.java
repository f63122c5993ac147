package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.CloseableIterator;
import io.cantle.NotAvailableException;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests that a destroyed cache is gone at every node, and that one of its name begins empty,
 * whichever nodes were away meanwhile.
 */
final class DestroyTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);
  private static final CacheConfig OTHERWISE = CacheConfig.replicated().segments(3);

  private static void destroy(StageNode node) {
    destroy(node, ScriptedStage.CACHE);
  }

  private static void destroy(StageNode node, String name) {
    node.call(
        () -> {
          node.node().destroy(name);
          return true;
        });
  }

  private static Cache<String, String> open(StageNode node, CacheConfig config) {
    return node.call(() -> node.node().cache(ScriptedStage.CACHE, config));
  }

  private static void assertDestroyed(StageNode node) {
    assertThat(node.beginCall(() -> node.cache().get("stable-1")).failure())
        .isInstanceOf(CacheDestroyedException.class)
        .hasMessageContaining("\"" + ScriptedStage.CACHE + "\" was destroyed");
    assertThat(node.beginCall(() -> node.cache().put("stable-1", "new")).failure())
        .isInstanceOf(CacheDestroyedException.class);
    assertThat(node.beginCall(() -> node.cache().size()).failure())
        .isInstanceOf(CacheDestroyedException.class);
    assertThat(node.beginCall(() -> node.cache().getAll(List.of("stable-1"))).failure())
        .isInstanceOf(CacheDestroyedException.class);
    assertThat(
            node.beginCall(
                    () -> {
                      node.cache().putAll(Map.of("stable-1", "new"));
                      return true;
                    })
                .failure())
        .isInstanceOf(CacheDestroyedException.class);
    assertThat(node.beginCall(() -> node.cache().compute("k", (key, value) -> "new")).failure())
        .isInstanceOf(CacheDestroyedException.class);
  }

  @Test
  void destroyedCacheIsGoneAtEveryNodeAndItsNameBeginsEmpty() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries.ofSmallEntries(100).putInto(nodes.getFirst());
          destroy(nodes.get(1));
          for (StageNode node : nodes) {
            assertThat(node.call(() -> node.node().cacheNames())).isEmpty();
            assertThat(node.inspection().inspector().findReplica(0, 0)).as(node.name()).isNull();
            assertDestroyed(node);
          }
          Cache<String, String> begun = open(nodes.getLast(), OTHERWISE);
          assertThat(nodes.getLast().call(() -> ImmutableEntries.iterated(begun))).isEmpty();
          nodes.getLast().call(() -> begun.put("stable-1", "another"));
          for (StageNode node : nodes) {
            assertDestroyed(node);
            Cache<String, String> found = open(node, OTHERWISE);
            assertThat(node.call(() -> ImmutableEntries.iterated(found)))
                .isEqualTo(Map.of("stable-1", "another"));
          }
        });
  }

  @Test
  void destroyOfAnUnknownCacheSaysSo() {
    StageScript.play(
        2,
        stage -> {
          StageNode node = stage.startGrid(2, SEGMENTS).getFirst();
          assertThat(
                  node.beginCall(
                          () -> {
                            node.node().destroy("none");
                            return true;
                          })
                      .failure())
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("the grid has no cache \"none\"");
        });
  }

  @Test
  void nodeThatWasCutOffMeanwhileBringsNothingBack() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries.ofSmallEntries(100).putInto(nodes.getFirst());
          StageNode away = nodes.get(stage.drawBelow(4));
          StageNode other = nodes.get(away == nodes.getFirst() ? 1 : 0);
          stage.isolate(away);
          destroy(other);
          Cache<String, String> begun = open(other, SEGMENTS);
          other.call(() -> begun.put("stable-1", "another"));
          stage.heal();
          stage.awaitSettled();
          assertDestroyed(away);
          Cache<String, String> found = open(away, SEGMENTS);
          assertThat(away.call(() -> ImmutableEntries.iterated(found)))
              .isEqualTo(Map.of("stable-1", "another"));
          assertThat(away.inspection().inspector().findReplica(0, 0)).isNull();
        });
  }

  /** It wakes with the cache of before in its topology (seed 23 of the workload). */
  @Test
  void nodeThatWasAwayDestroysTheCacheThatHasTheNameNow() {
    AtomicInteger destroyedCount = new AtomicInteger();
    StageScript.play(
        20,
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries.ofSmallEntries(10).putInto(nodes.getFirst());
          StageNode away = nodes.getLast();
          StageNode other = nodes.getFirst();
          stage.pause(away, Duration.ofSeconds(30));
          destroy(other);
          Cache<String, String> begun = open(other, SEGMENTS);
          other.call(() -> begun.put("stable-1", "another"));
          PendingCall<Boolean> destroyed =
              away.beginCall(
                  () -> {
                    away.node().destroy(ScriptedStage.CACHE);
                    return true;
                  });
          stage.await("the end of the call", destroyed::isDone);
          if (destroyed.failure() == null) {
            assertThat(other.beginCall(() -> begun.get("stable-1")).failure())
                .isInstanceOf(CacheDestroyedException.class);
            destroyedCount.incrementAndGet();
          } else {
            assertThat(destroyed.failure()).isInstanceOf(NotAvailableException.class);
            assertThat(other.call(() -> begun.get("stable-1"))).isEqualTo("another");
          }
        });
    assertThat(destroyedCount.get()).as("calls that destroyed the next cache").isPositive();
  }

  @Test
  void callsInProgressEndClearly() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode reader = nodes.get(1);
          CloseableIterator<Map.Entry<String, String>> all =
              reader.call(() -> reader.cache().entrySet().iterator());
          reader.call(all::next);
          StageNode writer = nodes.get(2);
          PendingCall<Boolean> put =
              writer.beginCall(
                  () -> {
                    while (true) {
                      writer.cache().putAll(data.entries());
                    }
                  });
          destroy(nodes.getFirst());
          assertThat(put.failure()).isInstanceOf(CacheDestroyedException.class);
          assertThat(
                  reader
                      .beginCall(
                          () -> {
                            all.forEachRemaining(entry -> {});
                            return true;
                          })
                      .failure())
              .isInstanceOf(CacheDestroyedException.class)
              .hasMessageContaining("was destroyed");
        });
  }

  @Test
  void cacheIsDestroyedWhileItMoves() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(2, SEGMENTS);
          ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode joiner = stage.startNode("joiner");
          stage.runBefore(
              letter -> letter.isOneOf(MessageKind.TRANSFER),
              1 + stage.drawBelow(3),
              () ->
                  nodes
                      .getFirst()
                      .beginCall(
                          () -> {
                            nodes.getFirst().node().destroy(ScriptedStage.CACHE);
                            return true;
                          }));
          stage.await(
              "the cache to be gone",
              () ->
                  stage.steadyNodes().stream()
                      .allMatch(node -> node.inspection().topology().caches().isGoneEverywhere(0)));
          joiner.awaitJoined();
          stage.await("all to be settled", () -> nodes.getFirst().node().settled());
          for (StageNode node : stage.steadyNodes()) {
            Cache<String, String> found = open(node, SEGMENTS);
            assertThat(node.call(found::isEmpty)).isTrue();
          }
        });
  }

  @Test
  void destroyWaitsForAMemberThatIsStillAllowedToAnswer() {
    StageScript.playOnReliableNetwork(
        10,
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS.owners(3));
          ImmutableEntries.ofSmallEntries(10).putInto(nodes.getFirst());
          StageNode slow = nodes.get(2);
          // All owners learn that the entries are committed.
          stage.advanceTime(Duration.ofSeconds(1));
          stage.dropTopologiesTo(slow);
          PendingCall<Boolean> destroyed =
              nodes
                  .getFirst()
                  .beginCall(
                      () -> {
                        nodes.getFirst().node().destroy(ScriptedStage.CACHE);
                        return true;
                      });
          stage.advanceTime(Duration.ofMillis(300));
          if (!slow.inspection().topology().caches().isDestroyed(0)) {
            assertThat(slow.call(() -> slow.cache().get("stable-1"))).isNotNull();
            assertThat(destroyed.isDone()).isFalse();
          }
          stage.releaseMessages();
          assertThat(destroyed.value()).isTrue();
          assertDestroyed(slow);
        });
  }

  /** A local cache is its node's own, whatever other nodes or the grid have under its name. */
  @Test
  void localCacheIsDestroyedAtItsNodeOnly() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(2, SEGMENTS);
          nodes.getFirst().call(() -> nodes.getFirst().cache().put("k", "of the grid"));
          Cache<String, String> own = openLocal(nodes.getFirst(), "own");
          Cache<String, String> others = openLocal(nodes.getLast(), "own");
          destroy(nodes.getFirst(), "own");
          assertThat(nodes.getFirst().call(() -> nodes.getFirst().node().cacheNames()))
              .containsExactly(ScriptedStage.CACHE);
          assertThat(nodes.getFirst().beginCall(() -> own.get("k")).failure())
              .isInstanceOf(CacheDestroyedException.class)
              .hasMessageContaining("cache \"own\" was destroyed");
          assertThat(openLocal(nodes.getFirst(), "own").statistics().ownedEntries()).isOne();
          assertThat(nodes.getLast().call(() -> others.get("k"))).isEqualTo("own");
          assertThat(nodes.getLast().call(() -> nodes.getLast().cache().get("k")))
              .isEqualTo("of the grid");
        });
  }

  @Test
  void cacheOfTheGridIsDestroyedBeforeALocalOneOfItsName() {
    StageScript.play(
        2,
        stage -> {
          List<StageNode> nodes = stage.startGrid(2, SEGMENTS);
          StageNode node = nodes.getFirst();
          Cache<String, String> own = openLocal(node, ScriptedStage.CACHE);
          destroy(node, ScriptedStage.CACHE);
          assertDestroyed(nodes.getLast());
          assertThat(node.call(() -> own.get("k"))).isEqualTo(ScriptedStage.CACHE);
          destroy(node, ScriptedStage.CACHE);
          assertThat(node.beginCall(() -> own.get("k")).failure())
              .isInstanceOf(CacheDestroyedException.class);
        });
  }

  private static Cache<String, String> openLocal(StageNode node, String name) {
    return node.call(
        () -> {
          Cache<String, String> opened = node.node().cache(name, CacheConfig.local());
          opened.put("k", name);
          return opened;
        });
  }

  @Test
  void concurrentDestroysAndCreationsAgree() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries.ofSmallEntries(10).putInto(nodes.getFirst());
          List<PendingCall<Boolean>> calls =
              nodes.stream()
                  .map(
                      node ->
                          node.beginCall(
                              () -> {
                                node.node().destroy(ScriptedStage.CACHE);
                                return true;
                              }))
                  .toList();
          calls.forEach(call -> assertThat(call.value()).isTrue());
          List<PendingCall<Cache<String, String>>> opened =
              nodes.stream()
                  .map(
                      node ->
                          node.beginCall(
                              () ->
                                  node.node().<String, String>cache(ScriptedStage.CACHE, SEGMENTS)))
                  .toList();
          nodes.getFirst().call(() -> opened.getFirst().value().put("k", "v"));
          for (int i = 0; i < 3; i++) {
            Cache<String, String> cache = opened.get(i).value();
            assertThat(nodes.get(i).call(() -> cache.get("k"))).isEqualTo("v");
          }
        });
  }
}
