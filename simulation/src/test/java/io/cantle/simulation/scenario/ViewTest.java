package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Tests that what is removed and set through views is so on all nodes, while owners join and leave.
 */
final class ViewTest {
  private static final CacheConfig TWO_OWNERS = CacheConfig.distributed().owners(2).segments(8);

  private static int number(String key) {
    return Integer.parseInt(key.substring(key.indexOf('-') + 1));
  }

  @Test
  void removalsThroughViewsReachAllNodes() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(200).putInto(nodes.getFirst());
          Map<String, String> expected = new TreeMap<>(data.entries());
          StageNode reader = nodes.getFirst();

          during(stage, reader, ViewTest::removeEven, nodes.get(3)::kill);
          expected.keySet().removeIf(key -> number(key) % 2 == 0);
          checkAll(stage, expected);

          StageNode other = nodes.get(1);
          other.call(() -> other.cache().values().removeIf(value -> value.startsWith("1")));
          expected.values().removeIf(value -> value.startsWith("1"));
          other.call(() -> other.cache().keySet().remove("stable-33"));
          other.call(() -> other.cache().entrySet().remove(Map.entry("stable-35", "another")));
          expected.remove("stable-33");
          checkAll(stage, expected);
        });
  }

  @Test
  void setThroughAnIteratorReachesAllNodes() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(200).putInto(nodes.getFirst());
          Map<String, String> expected = new TreeMap<>(data.entries());
          StageNode reader = nodes.getFirst();

          during(stage, reader, ViewTest::setAll, () -> stage.startNode("joiner").awaitJoined());
          expected.replaceAll((key, value) -> value + "!");
          checkAll(stage, expected);
        });
  }

  private static void removeEven(StageNode actor) {
    try (CloseableIterator<String> keys = actor.cache().keySet().iterator()) {
      while (keys.hasNext()) {
        if (number(keys.next()) % 2 == 0) {
          keys.remove();
        }
      }
    }
  }

  private static void setAll(StageNode actor) {
    for (Map.Entry<String, String> entry : actor.cache().entrySet()) {
      entry.setValue(entry.getValue() + "!");
    }
  }

  /** Runs an action, and another one meanwhile. */
  private static void during(
      ScriptedStage stage, StageNode actor, Consumer<StageNode> work, Runnable change) {
    PendingCall<Boolean> done =
        actor.beginCall(
            () -> {
              work.accept(actor);
              return true;
            });
    stage.advanceTime(Duration.ofMillis(stage.drawBelow(60)));
    change.run();
    done.value();
  }

  private static void checkAll(ScriptedStage stage, Map<String, String> expected) {
    stage.settle();
    for (StageNode node : stage.steadyNodes()) {
      assertThat(node.call(() -> ImmutableEntries.iterated(node.cache())))
          .as("%s", node)
          .isEqualTo(expected);
    }
  }
}
