package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that many keys read at once all have their values, whichever nodes come and go. */
final class BulkReadTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);

  private static Map<String, String> readAll(StageNode node, ImmutableEntries data) {
    return node.cache().getAll(data.entries().keySet());
  }

  @ParameterizedTest
  @EnumSource(names = {"BULK_READ", "RESPONSE"})
  void bulkReadSurvivesAPrimaryCrash(MessageKind moment) {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(1_500).putInto(nodes.getFirst());
          StageNode victim = nodes.get(2);
          stage.runBefore(
              letter ->
                  letter.isOneOf(moment)
                      && victim == (moment == MessageKind.BULK_READ ? letter.to() : letter.from()),
              1 + stage.drawBelow(3),
              victim::kill);
          StageNode caller = nodes.getFirst();
          assertThat(caller.call(() -> readAll(caller, data))).isEqualTo(data.entries());
        });
  }

  @Test
  void bulkReadSurvivesJoinsAndLeaves() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          StageNode caller = nodes.getFirst();
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(caller);
          PendingCall<Map<String, String>> read = caller.beginCall(() -> readAll(caller, data));
          StageNode joiner = stage.startNode("joiner");
          stage.advanceTime(Duration.ofMillis(stage.drawBelow(40)));
          nodes.get(1).leave();
          assertThat(read.value()).isEqualTo(data.entries());
          joiner.awaitJoined();
        });
  }

  @Test
  void removedKeysAreGoneAtEveryNode() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(600).putInto(nodes.getFirst());
          StageNode remover = nodes.get(1);
          remover.call(
              () -> {
                remover.cache().removeAll(data.entries().keySet());
                return true;
              });
          nodes.forEach(
              node -> assertThat(node.call(() -> readAll(node, data))).as(node.name()).isEmpty());
        });
  }
}
