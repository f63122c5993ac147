package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.SegmentLostException;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that one owner is cut off and excluded, and the other dies before it served alone. Only the
 * excluded owner then holds what was acknowledged.
 */
final class ExcludedOwnerTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);

  private static StageNode leader(ScriptedStage stage) {
    return stage.nodeOf(stage.steadyNodes().getFirst().node().members().getFirst());
  }

  /**
   * Returns a key in which the leader has no part. The leader would deliver to itself what the
   * others do not receive.
   */
  private static String key(ScriptedStage stage) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "key" + i)
        .filter(key -> !stage.ownersOf(key).contains(leader(stage)))
        .findFirst()
        .orElseThrow();
  }

  /**
   * @param seconds how long after the death of the last owner the excluded one returns: before the
   *     dead one is excluded too, or when the segment is lost
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 6})
  void excludedOwnerRestoresAcknowledgedWrites(int seconds) {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS);
          String key = key(stage);
          StageNode primary = stage.primaryOf(key);
          StageNode backup = stage.ownersOf(key).getLast();
          StageNode other = leader(stage);
          other.call(() -> other.cache().put(key, "acknowledged"));
          // It opens the segment, and no other node learns of it.
          stage.dropMessages(
              letter -> letter.from() == primary && letter.isOneOf(MessageKind.REPORT));
          stage.isolate(backup);
          stage.await(
              "the backup to be excluded", () -> !other.node().members().contains(backup.name()));
          primary.kill();
          stage.advanceTime(Duration.ofSeconds(seconds));
          stage.heal();
          stage.await(
              "the backup to be back", () -> other.node().members().contains(backup.name()));
          stage.await(
              "the primary to be excluded", () -> !other.node().members().contains(primary.name()));
          assertThat(other.call(() -> other.cache().get(key))).isEqualTo("acknowledged");
          assertThat(nodes).hasSize(5);
          stage.settle();
        });
  }

  @Test
  void survivorServesOnlyAfterConfirmation() {
    StageScript.play(
        stage -> {
          stage.startGrid(5, SEGMENTS);
          String key = key(stage);
          StageNode primary = stage.primaryOf(key);
          StageNode backup = stage.ownersOf(key).getLast();
          StageNode other = leader(stage);
          other.call(() -> other.cache().put(key, "old"));
          MessageRule unknown =
              stage.dropMessages(
                  letter -> letter.from() == primary && letter.isOneOf(MessageKind.REPORT));
          stage.isolate(backup);
          stage.await(
              "the backup to be excluded", () -> !other.node().members().contains(backup.name()));
          PendingCall<String> put = other.beginCall(() -> other.cache().put(key, "alone"));
          stage.advanceTime(Duration.ofSeconds(3));
          assertThat(put.isDone()).isFalse();
          unknown.end();
          assertThat(put.value()).isEqualTo("old");
          primary.kill();
          stage.heal();
          stage.await(
              "the primary to be excluded", () -> !other.node().members().contains(primary.name()));
          stage.await(
              "the backup to be back", () -> other.node().members().contains(backup.name()));
          // A node that joined meanwhile may not have had all of it; the excluded one never
          // counts.
          PendingCall<String> got = other.beginCall(() -> other.cache().get(key));
          if (got.failure() == null) {
            assertThat(got.value()).isEqualTo("alone");
          } else {
            assertThat(got.failure()).isInstanceOf(SegmentLostException.class);
          }
        });
  }
}
