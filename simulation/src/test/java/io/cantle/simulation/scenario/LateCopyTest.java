package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a grid that stays available, in which a segment begins empty because its owners are all
 * away. Replicas of different age return in any order. Each key has the last value it had, and what
 * was removed stays removed.
 */
final class LateCopyTest {
  private static final CacheConfig CACHE = CacheConfig.distributed().owners(2).segments(4);
  private static final int NODES = 7;
  private static final int KEYS = 16;

  /** No two sides wrote the same key, so none of these may be asked. */
  private static MergePolicy policy(String name) {
    return switch (name) {
      case "newer" -> MergePolicy.newer();
      case "majority" -> MergePolicy.majority();
      case "remove" -> MergePolicy.remove();
      default ->
          MergePolicy.custom(
              (cache, key, ours, theirs) -> {
                throw new IllegalStateException("asked for " + ours + " and " + theirs);
              });
    };
  }

  private static StageNode without(List<StageNode> nodes, List<StageNode> away) {
    return nodes.stream().filter(node -> !away.contains(node)).findFirst().orElseThrow();
  }

  private static void awaitMembers(ScriptedStage stage, StageNode by, int count) {
    stage.await(count + " members", () -> by.node().members().size() == count);
  }

  /**
   * A returning node is told by the only remaining one that others own what it held. Those have
   * died meanwhile, which nobody knows yet.
   */
  @Test
  void returningNodeKeepsItsReplicasDespiteDeadOwners() {
    StageScript.play(
        10,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(5, CACHE);
          nodes.getFirst().call(() -> nodes.getFirst().cache().put("k0", "once"));
          stage.advanceTime(Duration.ofSeconds(1));
          StageNode away = stage.ownersOf("k0").get(stage.drawBelow(2));
          long justBeforeItsReturn = stage.nowNanos() + Duration.ofMillis(19_800).toNanos();
          stage.pause(away, Duration.ofSeconds(20));
          List<StageNode> there = new ArrayList<>(nodes);
          there.remove(away);
          awaitMembers(stage, there.getFirst(), 4);
          stage.advanceTime(Duration.ofNanos(justBeforeItsReturn - stage.nowNanos()));
          there.removeAll(stage.ownersOf("k0", there.getFirst()));
          StageNode left = there.get(stage.drawBelow(there.size()));
          nodes.stream()
              .filter(node -> !node.equals(away) && !node.equals(left))
              .forEach(StageNode::kill);
          awaitMembers(stage, left, 2);
          stage.settle();
          for (StageNode actor : List.of(left, away)) {
            assertThat(actor.call(() -> ImmutableEntries.iterated(actor.cache())))
                .as("at %s", actor)
                .containsEntry("k0", "once");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"newer", "majority", "remove", "custom"})
  void lastWriteSurvivesAnOutdatedOwnerReturningFirst(String policy) {
    StageScript.play(
        10,
        stage -> {
          stage.setWhenCut(WhenCut.available(policy(policy)));
          List<StageNode> nodes = stage.startGrid(NODES, CACHE);
          StageNode first = nodes.getFirst();
          Map<String, String> expected = new TreeMap<>();
          for (int i = 0; i < KEYS; i++) {
            String key = "k" + i;
            first.call(() -> first.cache().put(key, "older"));
          }
          stage.advanceTime(Duration.ofSeconds(1));
          StageNode outdated = stage.ownersOf("k0").get(stage.drawBelow(2));
          stage.pause(outdated, Duration.ofSeconds(30));
          StageNode there = without(nodes, List.of(outdated));
          awaitMembers(stage, there, NODES - 1);
          stage.advanceTime(Duration.ofSeconds(5));
          for (int i = 0; i < KEYS; i++) {
            String key = "k" + i;
            if (i % 2 == 0) {
              there.call(() -> there.cache().put(key, "newer"));
              expected.put(key, "newer");
            } else {
              there.call(() -> there.cache().remove(key));
            }
          }
          stage.advanceTime(Duration.ofSeconds(2));
          List<StageNode> away = new ArrayList<>(stage.ownersOf("k0", there));
          away.forEach(owner -> stage.pause(owner, Duration.ofSeconds(40)));
          away.add(outdated);
          StageNode left = without(nodes, away);
          awaitMembers(stage, left, NODES - 3);
          assertThat(left.call(() -> left.cache().get("k0"))).as("begun empty").isNull();
          awaitMembers(stage, left, NODES - 2);
          awaitMembers(stage, left, NODES);
          stage.settle();
          for (StageNode actor : nodes) {
            assertThat(actor.call(() -> ImmutableEntries.iterated(actor.cache())))
                .as("at %s", actor)
                .isEqualTo(expected);
          }
        });
  }
}
