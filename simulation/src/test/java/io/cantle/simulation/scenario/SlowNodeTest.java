package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One node that is slow, and alive, does not make the others slow. */
final class SlowNodeTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(16);
  private static final Duration SLOW = Duration.ofSeconds(5);

  /** Every message takes one turn of the network or two; a slow one takes many. */
  private static final long QUICK_NANOS = Duration.ofMillis(400).toNanos();

  private static final long BOUND_NANOS = Duration.ofSeconds(2).toNanos();

  @Test
  void callsThatDoNotNeedANodeWithATenthOfItsProcessorAreAsQuickAsEver() {
    Script.playInFairWeather(
        10,
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Data.small(40).putInto(nodes.getFirst());
          Actor slow = nodes.get(stage.draw(4));
          Slowest slowest = new Slowest(stage, nodes, slow);
          long end = stage.nowNanos() + SLOW.toNanos();
          while (stage.nowNanos() < end) {
            stage.stun(slow, Duration.ofMillis(45));
            stage.pass(Duration.ofMillis(50));
          }
          slowest.check(nodes.size());
        });
  }

  @Test
  void callsThatDoNotNeedANodeBehindASlowLinkAreAsQuickAsEver() {
    Script.playInFairWeather(
        10,
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Data.small(40).putInto(nodes.getFirst());
          Actor slow = nodes.get(stage.draw(4));
          Slowest slowest = new Slowest(stage, nodes, slow);
          Rule link = stage.hold(letter -> letter.to() == slow || letter.from() == slow);
          long end = stage.nowNanos() + SLOW.toNanos();
          while (stage.nowNanos() < end) {
            stage.pass(Duration.ofMillis(50));
            link.flush();
          }
          link.release();
          slowest.check(nodes.size());
        });
  }

  /** The longest that calls of the other nodes take, with the slow one and without it. */
  private static final class Slowest {
    private final Stage stage;
    private final Actor slow;
    private final List<Outcome<Boolean>> clients = new ArrayList<>();
    private boolean over;
    private long with;
    private long without;
    private int count;

    Slowest(Stage stage, List<Actor> nodes, Actor slow) {
      this.stage = stage;
      this.slow = slow;
      for (Actor node : nodes) {
        if (node != slow) {
          clients.add(node.begin(() -> work(node)));
        }
      }
    }

    private boolean work(Actor node) {
      for (int i = 0; !over; i++) {
        String key = "stable-" + i % 40;
        boolean needed = node.cache().owners(key).contains(slow.name());
        long began = stage.nowNanos();
        if (i % 2 == 0) {
          node.cache().put(key, "" + i);
        } else {
          node.cache().get(key);
        }
        long took = stage.nowNanos() - began;
        if (needed) {
          with = Math.max(with, took);
        } else {
          without = Math.max(without, took);
          count++;
        }
        stage.rest(node, 20_000_000);
      }
      return true;
    }

    void check(int members) {
      over = true;
      clients.forEach(Outcome::value);
      assertThat(count).isGreaterThan(100);
      assertThat(without).as("without the slow node").isLessThan(QUICK_NANOS);
      assertThat(with).as("with the slow node").isLessThan(BOUND_NANOS);
      assertThat(stage.steady().getFirst().node().members()).as("nobody left").hasSize(members);
      stage.settle();
    }
  }
}
