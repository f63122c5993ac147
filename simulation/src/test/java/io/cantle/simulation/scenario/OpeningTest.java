package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that a cache is opened as it is defined, whatever the opening node knows by then. */
final class OpeningTest {
  private static final CacheConfig UNUSUAL = CacheConfig.distributed().owners(3).segments(7);
  private static final Set<MessageKind> NEWS =
      Set.of(MessageKind.TOPOLOGY, MessageKind.ACCEPT, MessageKind.DECIDED);

  @Test
  void opensExistingCacheBeforeItsTopologyArrives() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, CacheConfig.distributed().segments(3));
          StageNode late = nodes.getLast();
          MessageRule news =
              stage.holdMessages(letter -> letter.to() == late && NEWS.contains(letter.kind()));
          nodes.getFirst().call(() -> nodes.getFirst().node().cache("unusual", UNUSUAL));
          var opened = late.beginCall(() -> late.node().cache("unusual").config());
          stage.advanceTime(Duration.ofMillis(500));
          news.release();
          assertThat(opened.value()).isEqualTo(UNUSUAL);
        });
  }

  @Test
  void nodeWithOtherPartitionHandlingIsRefused() {
    StageScript.playOnReliableNetwork(
        5,
        stage -> {
          List<StageNode> nodes = stage.startGrid(2, CacheConfig.distributed().segments(3));
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          assertThatThrownBy(stage.startNode("other")::awaitJoined)
              .hasStackTraceContaining("IllegalStateException")
              .hasStackTraceContaining("WhenCut.stop()")
              .hasStackTraceContaining("WhenCut.available(MergePolicy.newer())");
          stage.awaitSettled();
          assertThat(nodes.getFirst().node().members()).containsExactlyInAnyOrder("n1", "n2");
        });
  }

  @Test
  void loneFounderStopsServingBesideAnIncompatibleGrid() {
    StageScript.play(
        stage -> {
          stage.setCacheConfig(CacheConfig.distributed().segments(3));
          StageNode other = stage.startNode("other").awaitJoined();
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          StageNode first = stage.startNode("first");
          stage.isolate(other);
          first.awaitJoined();
          first.call(() -> first.cache().put("key", "value"));
          assertThat(other.node().members()).containsExactly("other");
          stage.heal();
          stage.advanceTime(Duration.ofSeconds(10));
          assertThatThrownBy(() -> other.call(() -> other.cache().get("key")))
              .hasStackTraceContaining("serves no more")
              .hasStackTraceContaining("WhenCut.stop()");
        });
  }

  @Test
  void concurrentOpensAgreeOnOneConfiguration() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, CacheConfig.distributed().segments(3));
          var opened =
              nodes.stream().map(node -> node.beginCall(() -> node.node().cache("usual"))).toList();
          assertThat(opened)
              .allSatisfy(
                  cache -> assertThat(cache.value().config()).isEqualTo(CacheConfig.distributed()));
        });
  }
}
