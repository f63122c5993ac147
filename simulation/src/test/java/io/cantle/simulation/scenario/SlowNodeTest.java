package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Tests that one node that is slow, and alive, does not make the others slow. */
final class SlowNodeTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(16);
  private static final Duration SLOW = Duration.ofSeconds(5);

  /** Every call takes one or two round trips of the network; a slow one takes many. */
  private static final long QUICK_NANOS = Duration.ofMillis(400).toNanos();

  private static final long BOUND_NANOS = Duration.ofSeconds(2).toNanos();

  @Test
  void slowProcessorDelaysOnlyCallsToItsNode() {
    playWithSlowNode(
        (stage, slow) -> {
          long end = stage.nowNanos() + SLOW.toNanos();
          while (stage.nowNanos() < end) {
            stage.suspend(slow, Duration.ofMillis(45));
            stage.advanceTime(Duration.ofMillis(50));
          }
        });
  }

  @Test
  void slowLinkDelaysOnlyCallsToItsNode() {
    playWithSlowNode(
        (stage, slow) -> {
          MessageRule link =
              stage.holdMessages(letter -> letter.to() == slow || letter.from() == slow);
          long end = stage.nowNanos() + SLOW.toNanos();
          while (stage.nowNanos() < end) {
            stage.advanceTime(Duration.ofMillis(50));
            link.deliverHeld();
          }
          link.release();
        });
  }

  /** Checks calls while one node of four is slow for as long as the delay takes. */
  private static void playWithSlowNode(BiConsumer<ScriptedStage, StageNode> delay) {
    StageScript.playOnReliableNetwork(
        10,
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries.ofSmallEntries(40).putInto(nodes.getFirst());
          StageNode slow = nodes.get(stage.drawBelow(4));
          Slowest slowest = new Slowest(stage, nodes, slow);
          delay.accept(stage, slow);
          slowest.check(nodes.size());
        });
  }

  /** The longest times that calls of the other nodes take, with the slow node and without it. */
  private static final class Slowest {
    private final ScriptedStage stage;
    private final StageNode slow;
    private final List<PendingCall<Boolean>> clients = new ArrayList<>();
    private boolean over;
    private long with;
    private long without;
    private int count;

    Slowest(ScriptedStage stage, List<StageNode> nodes, StageNode slow) {
      this.stage = stage;
      this.slow = slow;
      for (StageNode node : nodes) {
        if (node != slow) {
          clients.add(node.beginCall(() -> work(node)));
        }
      }
    }

    private boolean work(StageNode node) {
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
        stage.restNode(node, 20_000_000);
      }
      return true;
    }

    void check(int members) {
      over = true;
      clients.forEach(PendingCall::value);
      assertThat(count).isGreaterThan(100);
      assertThat(without).as("without the slow node").isLessThan(QUICK_NANOS);
      assertThat(with).as("with the slow node").isLessThan(BOUND_NANOS);
      assertThat(stage.steadyNodes().getFirst().node().members())
          .as("nobody left")
          .hasSize(members);
      stage.settle();
    }
  }
}
