package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A cache is opened as it is, whatever the node that opens it knows by then. */
final class OpeningTest {
  private static final CacheConfig UNUSUAL = CacheConfig.distributed().owners(3).segments(7);
  private static final Set<Kind> NEWS = Set.of(Kind.TOPOLOGY, Kind.ACCEPT, Kind.DECIDED);

  @Test
  void findsTheConfigurationOfCacheWhoseTopologyHasNotComeYet() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, CacheConfig.distributed().segments(3));
          Actor late = nodes.getLast();
          Rule news = stage.hold(letter -> letter.to() == late && NEWS.contains(letter.kind()));
          nodes.getFirst().call(() -> nodes.getFirst().node().cache("unusual", UNUSUAL));
          var opened = late.begin(() -> late.node().cache("unusual").config());
          stage.pass(Duration.ofMillis(500));
          news.release();
          assertThat(opened.value()).isEqualTo(UNUSUAL);
        });
  }

  @Test
  void aNodeThatIsToDoOtherwiseWhenItIsCutOffIsRefused() {
    Script.playInFairWeather(
        5,
        stage -> {
          List<Actor> nodes = stage.grid(2, CacheConfig.distributed().segments(3));
          stage.whenCut(WhenCut.available(MergePolicy.newer()));
          assertThatThrownBy(stage.enter("other")::joined)
              .hasStackTraceContaining("IllegalStateException")
              .hasStackTraceContaining("WhenCut.stop()")
              .hasStackTraceContaining("WhenCut.available(MergePolicy.newer())");
          stage.awaitSettled();
          assertThat(nodes.getFirst().node().members()).containsExactlyInAnyOrder("n1", "n2");
        });
  }

  @Test
  void aNodeThatFoundedAloneServesNoMoreInAGridThatIsToDoOtherwise() {
    Script.play(
        stage -> {
          stage.cache(CacheConfig.distributed().segments(3));
          Actor other = stage.enter("other").joined();
          stage.whenCut(WhenCut.available(MergePolicy.newer()));
          Actor first = stage.enter("first");
          stage.isolate(other);
          first.joined();
          first.call(() -> first.cache().put("key", "value"));
          assertThat(other.node().members()).containsExactly("other");
          stage.heal();
          stage.pass(Duration.ofSeconds(10));
          assertThatThrownBy(() -> other.call(() -> other.cache().get("key")))
              .hasStackTraceContaining("serves no more")
              .hasStackTraceContaining("WhenCut.stop()");
        });
  }

  @Test
  void nodesThatOpenOneCacheAtOnceHaveItWithOneConfiguration() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, CacheConfig.distributed().segments(3));
          var opened =
              nodes.stream().map(node -> node.begin(() -> node.node().cache("usual"))).toList();
          assertThat(opened)
              .allSatisfy(
                  cache -> assertThat(cache.value().config()).isEqualTo(CacheConfig.distributed()));
        });
  }
}
