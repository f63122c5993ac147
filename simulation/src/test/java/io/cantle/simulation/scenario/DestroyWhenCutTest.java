package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Tests what becomes of a cache that one side of an available grid destroys while it is cut: the
 * side that goes on decides.
 */
final class DestroyWhenCutTest {
  private static final String BRIEF = "brief";
  private static final CacheConfig CONFIG = CacheConfig.distributed().owners(2).segments(4);

  /** Of this each side holds everything that was written before the cut. */
  private static final CacheConfig EVERYWHERE = CacheConfig.replicated().segments(4);

  private static final CacheConfig OTHERWISE = CacheConfig.distributed().owners(2).segments(3);

  /** This long after a cut, both sides serve. */
  private static final Duration APART = Duration.ofSeconds(9);

  private static final int KEY_COUNT = 12;

  private static Cache<String, String> open(StageNode at) {
    return at.call(() -> at.node().cache(BRIEF));
  }

  private static void put(StageNode at, Cache<String, String> cache, String prefix) {
    at.call(() -> putEntries(cache, prefix));
  }

  private static boolean putEntries(Cache<String, String> cache, String prefix) {
    cache.putAll(entries(prefix));
    return true;
  }

  private static Map<String, String> entries(String prefix) {
    Map<String, String> entries = new TreeMap<>();
    for (int i = 0; i < KEY_COUNT; i++) {
      entries.put(prefix + i, prefix);
    }
    return entries;
  }

  private static Map<String, String> entries(String... prefixes) {
    Map<String, String> entries = new TreeMap<>();
    for (String prefix : prefixes) {
      entries.putAll(entries(prefix));
    }
    return entries;
  }

  private static UUID gridOf(StageNode node) {
    return node.inspection().topology().gridId();
  }

  private static void destroy(StageNode at) {
    at.call(
        () -> {
          at.node().destroy(BRIEF);
          return true;
        });
  }

  /** A grid of four that is cut, and the handles that two nodes had before. */
  private record CutGrid(
      ScriptedStage stage,
      List<StageNode> nodes,
      StageNode destroyer,
      StageNode writer,
      Cache<String, String> destroyersOld,
      Cache<String, String> writersOld) {
    /** Starts it, and cuts it after so many nodes. */
    static CutGrid start(ScriptedStage stage, int left) {
      stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
      List<StageNode> nodes = stage.startGrid(4, CONFIG);
      Cache<String, String> begun =
          nodes.getFirst().call(() -> nodes.getFirst().node().cache(BRIEF, EVERYWHERE));
      put(nodes.getFirst(), begun, "before-");
      boolean isFirst = stage.drawBelow(2) == 0;
      StageNode destroyer = isFirst ? nodes.getFirst() : nodes.getLast();
      StageNode writer = isFirst ? nodes.getLast() : nodes.getFirst();
      CutGrid grid = new CutGrid(stage, nodes, destroyer, writer, open(destroyer), open(writer));
      stage.advanceTime(Duration.ofSeconds(1));
      stage.partition(List.of(nodes.subList(0, left), nodes.subList(left, 4)));
      stage.advanceTime(APART);
      return grid;
    }

    /** Returns whether the side of the destroyer has gone on, once all is merged. */
    boolean heal() {
      UUID its = gridOf(destroyer);
      assertThat(gridOf(writer)).as("grid of the other side").isNotEqualTo(its);
      stage.heal();
      stage.settle();
      return gridOf(destroyer).equals(its);
    }

    void assertOldIsDestroyed(StageNode node, Cache<String, String> old) {
      assertThat(node.beginCall(() -> old.get("before-0")).failure())
          .isInstanceOf(CacheDestroyedException.class)
          .hasMessageContaining("cache \"" + BRIEF + "\" was destroyed");
    }
  }

  @Test
  void sideThatGoesOnDecidesWhetherTheCacheIsDestroyed() {
    StageScript.play(
        40,
        stage -> {
          CutGrid grid = CutGrid.start(stage, 1 + stage.drawBelow(3));
          destroy(grid.destroyer);
          put(grid.writer, grid.writersOld, "written-");
          if (grid.heal()) {
            assertThat(grid.nodes)
                .allSatisfy(
                    node ->
                        assertThat(node.call(() -> node.node().cacheNames()))
                            .doesNotContain(BRIEF));
            grid.assertOldIsDestroyed(grid.writer, grid.writersOld);
            grid.assertOldIsDestroyed(grid.destroyer, grid.destroyersOld);
            assertThat(
                    grid.nodes.stream()
                        .mapToLong(node -> node.node().mergeLosses().destroyed())
                        .sum())
                .as("each value that the other side wrote is counted once")
                .isEqualTo(KEY_COUNT);
            Cache<String, String> begun = open(grid.writer);
            assertThat(grid.writer.call(begun::isEmpty)).isTrue();
            assertThat(begun.statistics().puts()).as("puts of the new cache").isZero();
          } else {
            for (StageNode node : grid.nodes) {
              Cache<String, String> found = open(node);
              assertThat(node.call(() -> ImmutableEntries.iterated(found)))
                  .as("at %s", node)
                  .isEqualTo(entries("before-", "written-"));
            }
            // The grid in which it was destroyed is no more, and nobody was told.
            assertThat(grid.writer.call(() -> grid.writersOld.get("before-0")))
                .isEqualTo("before-");
          }
        });
  }

  @Test
  void nextCacheOfTheNameGetsNothingOfTheDestroyedOne() {
    StageScript.play(
        40,
        stage -> {
          CutGrid grid = CutGrid.start(stage, 1 + stage.drawBelow(3));
          destroy(grid.destroyer);
          Cache<String, String> begun =
              grid.destroyer.call(() -> grid.destroyer.node().cache(BRIEF, OTHERWISE));
          put(grid.destroyer, begun, "begun-");
          put(grid.writer, grid.writersOld, "written-");
          // What the side that gives way has created is merged by its name.
          Map<String, String> expected =
              grid.heal() ? entries("begun-") : entries("before-", "written-", "begun-");
          for (StageNode node : grid.nodes) {
            Cache<String, String> found = open(node);
            stage.await(
                "everything to be merged",
                () -> node.call(() -> ImmutableEntries.iterated(found)).equals(expected));
          }
        });
  }

  /**
   * Owners are asked who merges a replica. The cache may be another one by the time they answer.
   */
  @Test
  void cacheThatIsDestroyedDuringAMergeHasASuccessorThatGetsNothing() {
    StageScript.play(
        40,
        stage -> {
          CutGrid grid = CutGrid.start(stage, 2);
          put(grid.destroyer, grid.destroyersOld, "destroyers-");
          put(grid.writer, grid.writersOld, "writers-");
          MessageRule merging =
              stage.holdMessages(letter -> letter.isOneOf(MessageKind.MERGED_REQUEST));
          stage.heal();
          stage.await(
              "all to be in one grid that merges",
              () ->
                  merging.seenCount() > 0
                      && grid.nodes.stream()
                          .allMatch(node -> node.node().members().size() == grid.nodes.size()));
          destroy(grid.destroyer);
          Cache<String, String> begun =
              grid.writer.call(() -> grid.writer.node().cache(BRIEF, OTHERWISE));
          put(grid.writer, begun, "begun-");
          stage.settle();
          for (StageNode node : grid.nodes) {
            Cache<String, String> found = open(node);
            assertThat(node.call(() -> ImmutableEntries.iterated(found)))
                .as("at %s", node)
                .isEqualTo(entries("begun-"));
          }
        });
  }

  /** A node may come back late, with what another one has brought to the grid already. */
  @Test
  void valuesThatWereMergedBeforeTheCacheWasDestroyedAreNotCounted() {
    StageScript.play(
        20,
        stage -> {
          CutGrid grid = CutGrid.start(stage, 2);
          put(grid.writer, grid.writersOld, "written-");
          // Both owners learn that all is committed.
          stage.advanceTime(Duration.ofSeconds(1));
          StageNode late = grid.writer;
          List<StageNode> early = grid.nodes.stream().filter(node -> !node.equals(late)).toList();
          // A node that went on alone would not know what became of the grid before.
          stage.pause(late, Duration.ofSeconds(30));
          stage.heal();
          stage.await(
              "the others to be in one grid that has the values",
              () ->
                  early.stream()
                          .allMatch(
                              node ->
                                  node.node().members().size() == early.size()
                                      && node.node().settled())
                      && grid.destroyer
                          .call(() -> ImmutableEntries.iterated(grid.destroyersOld))
                          .equals(entries("before-", "written-")));
          destroy(grid.destroyer);
          stage.settle();
          assertThat(
                  grid.nodes.stream()
                      .mapToLong(node -> node.node().mergeLosses().destroyed())
                      .sum())
              .isZero();
        });
  }
}
