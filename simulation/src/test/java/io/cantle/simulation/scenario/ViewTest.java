package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is removed and set through views is so on all nodes, though owners come and go. */
final class ViewTest {
  private static final CacheConfig TWO_OWNERS = CacheConfig.distributed().owners(2).segments(8);

  private static int number(String key) {
    return Integer.parseInt(key.substring(key.indexOf('-') + 1));
  }

  @Test
  void whatIsRemovedThroughIteratorsAndViewsIsGoneEverywhere() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, TWO_OWNERS);
          Data data = Data.small(200).putInto(nodes.getFirst());
          Map<String, String> expected = new TreeMap<>(data.entries());
          Actor reader = nodes.getFirst();

          during(stage, reader, ViewTest::removeEven, nodes.get(3)::kill);
          expected.keySet().removeIf(key -> number(key) % 2 == 0);
          checkAll(stage, expected);

          Actor other = nodes.get(1);
          other.call(() -> other.cache().values().removeIf(value -> value.startsWith("1")));
          expected.values().removeIf(value -> value.startsWith("1"));
          other.call(() -> other.cache().keySet().remove("stable-33"));
          other.call(() -> other.cache().entrySet().remove(Map.entry("stable-35", "another")));
          expected.remove("stable-33");
          checkAll(stage, expected);
        });
  }

  @Test
  void whatIsSetThroughAnIteratorIsSetEverywhere() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, TWO_OWNERS);
          Data data = Data.small(200).putInto(nodes.getFirst());
          Map<String, String> expected = new TreeMap<>(data.entries());
          Actor reader = nodes.getFirst();

          during(stage, reader, ViewTest::setAll, () -> stage.enter("joiner").joined());
          expected.replaceAll((key, value) -> value + "!");
          checkAll(stage, expected);
        });
  }

  private static void removeEven(Actor actor) {
    try (CloseableIterator<String> keys = actor.cache().keySet().iterator()) {
      while (keys.hasNext()) {
        if (number(keys.next()) % 2 == 0) {
          keys.remove();
        }
      }
    }
  }

  private static void setAll(Actor actor) {
    for (Map.Entry<String, String> entry : actor.cache().entrySet()) {
      entry.setValue(entry.getValue() + "!");
    }
  }

  /** Has something done, and something happen meanwhile. */
  private static void during(Stage stage, Actor actor, Consumer<Actor> work, Runnable change) {
    Outcome<Boolean> done =
        actor.begin(
            () -> {
              work.accept(actor);
              return true;
            });
    stage.pass(Duration.ofMillis(stage.draw(60)));
    change.run();
    done.value();
  }

  private static void checkAll(Stage stage, Map<String, String> expected) {
    stage.settle();
    for (Actor node : stage.steady()) {
      assertThat(node.call(() -> Data.iterated(node.cache()))).as("%s", node).isEqualTo(expected);
    }
  }
}
