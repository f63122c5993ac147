package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.SegmentLostException;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One owner is cut off and excluded, the other dies before it served alone: what is acknowledged is
 * held by the excluded one, and by nobody else.
 */
final class ExcludedOwnerTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);

  private static Actor leader(Stage stage) {
    return stage.actor(stage.steady().getFirst().node().members().getFirst());
  }

  /** A key that the leader has no part in, who would tell itself what others do not hear. */
  private static String key(Stage stage) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "key" + i)
        .filter(key -> !stage.owners(key).contains(leader(stage)))
        .findFirst()
        .orElseThrow();
  }

  /**
   * @param seconds how long after the death of the last owner the excluded one is back: before that
   *     one is excluded too, or when the segment is lost
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 6})
  void bringsBackWhatWasAcknowledgedBeforeTheOtherDied(int seconds) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, SEGMENTS);
          String key = key(stage);
          Actor primary = stage.primary(key);
          Actor backup = stage.owners(key).getLast();
          Actor other = leader(stage);
          other.call(() -> other.cache().put(key, "acknowledged"));
          // It opens the segment and nobody hears of it.
          stage.drop(letter -> letter.from() == primary && letter.is(Kind.REPORT));
          stage.isolate(backup);
          stage.await(
              "the backup to be excluded", () -> !other.node().members().contains(backup.name()));
          primary.kill();
          stage.pass(Duration.ofSeconds(seconds));
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
  void theOtherServesOnlyOnceItIsKnownThatTheExcludedMissesWhatItWrites() {
    Script.play(
        stage -> {
          stage.grid(5, SEGMENTS);
          String key = key(stage);
          Actor primary = stage.primary(key);
          Actor backup = stage.owners(key).getLast();
          Actor other = leader(stage);
          other.call(() -> other.cache().put(key, "old"));
          Rule unknown = stage.drop(letter -> letter.from() == primary && letter.is(Kind.REPORT));
          stage.isolate(backup);
          stage.await(
              "the backup to be excluded", () -> !other.node().members().contains(backup.name()));
          Outcome<String> put = other.begin(() -> other.cache().put(key, "alone"));
          stage.pass(Duration.ofSeconds(3));
          assertThat(put.done()).isFalse();
          unknown.end();
          assertThat(put.value()).isEqualTo("old");
          primary.kill();
          stage.heal();
          stage.await(
              "the primary to be excluded", () -> !other.node().members().contains(primary.name()));
          stage.await(
              "the backup to be back", () -> other.node().members().contains(backup.name()));
          // Who joined meanwhile may not have had all of it; the excluded one never counts.
          Outcome<String> got = other.begin(() -> other.cache().get(key));
          if (got.failure() == null) {
            assertThat(got.value()).isEqualTo("alone");
          } else {
            assertThat(got.failure()).isInstanceOf(SegmentLostException.class);
          }
        });
  }
}
