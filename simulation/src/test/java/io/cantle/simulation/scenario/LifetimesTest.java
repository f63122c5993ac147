package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Entries end while others write them, segments move and owners die. */
final class LifetimesTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final CacheConfig EVERYWHERE = CacheConfig.replicated().segments(2);
  private static final Duration LIFE = Duration.ofSeconds(20);

  /** Clocks of scripts do not drift; what is asked takes time. */
  private static final Duration AFTER = LIFE.plusMillis(2);

  private static Cache<String, String> ending(Actor actor) {
    return actor.cache().lifespan(LIFE);
  }

  private static Map<String, String> all(Actor actor) {
    return actor.call(() -> new TreeMap<>(Data.iterated(actor.cache())));
  }

  /** Every way of looking, at every node: only what never ends is there. */
  private static void checkOnly(Stage stage, Map<String, String> expected) {
    for (Actor node : stage.steady()) {
      assertThat(node.call(() -> node.cache().mappingCount())).isEqualTo(expected.size());
      assertThat(all(node)).isEqualTo(expected);
      assertThat(node.call(() -> node.cache().values().stream().count()))
          .isEqualTo(expected.size());
      assertThat(node.call(() -> node.cache().get("ends"))).isNull();
      assertThat(node.call(() -> node.cache().containsKey("ends"))).isFalse();
    }
  }

  private static void put(Actor by) {
    by.call(
        () -> {
          ending(by).put("ends", "1");
          ending(by).putAll(Map.of("ends-a", "1", "ends-b", "2"));
          by.cache().put("stays", "3");
          return true;
        });
  }

  @Test
  void whatHasEndedIsSeenByNobody() {
    for (CacheConfig config : new CacheConfig[] {ONE_SEGMENT, EVERYWHERE}) {
      Script.play(
          stage -> {
            stage.grid(3, config);
            put(stage.steady().getFirst());
            stage.pass(LIFE.minusSeconds(5));
            assertThat(all(stage.steady().getLast())).hasSize(4);
            stage.pass(Duration.ofSeconds(6));
            checkOnly(stage, Map.of("stays", "3"));
            stage.settle();
          });
    }
  }

  /** The reaper comes every half second, counted from the first write; only who looks is first. */
  @Test
  void whoeverLooksFirstFindsThatItHasEndedBeforeTheReaperRan() {
    for (CacheConfig config : new CacheConfig[] {ONE_SEGMENT, EVERYWHERE}) {
      for (int look = 0; look < 5; look++) {
        int first = look;
        Script.play(
            stage -> {
              stage.grid(3, config);
              Actor writer = stage.steady().getFirst();
              writer.call(() -> ending(writer).put("ends", "1"));
              long written = stage.nowNanos();
              stage.pass(AFTER.minusNanos(stage.nowNanos() - written).plusMillis(20));
              Actor asks = stage.steady().get(stage.draw(3));
              switch (first) {
                case 0 -> assertThat(asks.call(() -> asks.cache().mappingCount())).isZero();
                case 1 -> assertThat(all(asks)).isEmpty();
                case 2 ->
                    assertThat(asks.call(() -> asks.cache().values().stream().count())).isZero();
                case 3 -> assertThat(asks.call(() -> asks.cache().get("ends"))).isNull();
                default -> assertThat(asks.call(() -> asks.cache().containsKey("ends"))).isFalse();
              }
              stage.settle();
            });
      }
    }
  }

  @Test
  void lifetimesAndVersionsSurviveAMoveAndWhatHasEndedIsNotMoved() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          put(stage.steady().getFirst());
          long began = stage.nowNanos();
          for (int i = 0; i < 2; i++) {
            stage.owners("ends").get(stage.draw(2)).kill();
            stage.awaitSettled();
          }
          // Whoever holds it now was told by who was told: the time left is the same.
          stage.pass(LIFE.minusSeconds(2).minusNanos(stage.nowNanos() - began));
          Actor asks = stage.steady().getFirst();
          assertThat(all(asks)).hasSize(4);
          stage.pass(Duration.ofSeconds(4));
          checkOnly(stage, Map.of("stays", "3"));
          stage.enter("late");
          stage.awaitSettled();
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void whatWasOnItsWayToAJoinerWhenItEndedDoesNotComeBack() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          put(stage.steady().getFirst());
          Actor source = stage.primary("ends");
          stage.pass(LIFE.minusSeconds(8));
          Rule moved = stage.hold(letter -> letter.answers(Kind.TRANSFER));
          stage.owners("ends").getLast().kill();
          stage.await("something to be moved", () -> moved.seen() > 0);
          stage.pass(Duration.ofSeconds(9));
          Actor other = stage.steady().getLast();
          assertThat(other.call(() -> other.cache().mappingCount())).isEqualTo(1);
          moved.release();
          stage.awaitSettled();
          source.kill();
          stage.awaitSettled();
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void anEndThatOnlyOneOwnerKnowsIsToldToNobodyOrKeptByAll() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          put(stage.steady().getFirst());
          Actor primary = stage.primary("ends");
          stage.pass(AFTER.minusMillis(700));
          Rule written = stage.hold(letter -> letter.is(Kind.REPLICATE));
          stage.pass(Duration.ofMillis(1_500));
          Actor asks = stage.stranger("ends");
          Outcome<Boolean> read = asks.begin(() -> asks.cache().containsKey("ends"));
          stage.pass(Duration.ofMillis(300));
          assertThat(read.done()).as("told although only the primary knows").isFalse();
          primary.kill();
          written.release();
          assertThat(read.value()).isFalse();
          stage.awaitSettled();
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void aPutAtTheMomentOfTheEndStaysForItsOwnTime() {
    Script.play(
        stage -> {
          stage.grid(3, ONE_SEGMENT);
          put(stage.steady().getFirst());
          stage.pass(LIFE.minusMillis(stage.draw(400)));
          Actor writer = stage.steady().getLast();
          Outcome<Boolean> put =
              writer.begin(
                  () -> {
                    ending(writer).put("ends", "again");
                    return true;
                  });
          if (stage.draw(2) == 0) {
            stage.primary("ends").kill();
          }
          if (writer.alive()) {
            put.value();
            stage.awaitSettled();
            Actor asks = stage.steady().getFirst();
            assertThat(asks.call(() -> asks.cache().get("ends"))).isEqualTo("again");
          }
          stage.pass(AFTER.plusSeconds(3));
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void whatIsReadAnywhereLivesOnThroughTheLossOfItsPrimary() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          Actor first = stage.steady().getFirst();
          first.call(
              () -> {
                first.cache().maxIdle(LIFE).put("ends", "1");
                first.cache().put("stays", "3");
                return true;
              });
          for (int i = 0; i < 3; i++) {
            stage.pass(Duration.ofSeconds(17));
            Actor reader = stage.steady().get(stage.draw(stage.steady().size()));
            assertThat(reader.call(() -> reader.cache().get("ends"))).isEqualTo("1");
            if (i == 1) {
              stage.primary("ends").kill();
            }
          }
          stage.pass(LIFE.multipliedBy(9).dividedBy(8).plusSeconds(3));
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void whatIsMergedAfterAPartitionEndsWhenItWouldHaveEndedThere() {
    Script.play(
        stage -> {
          stage.whenCut(WhenCut.available(MergePolicy.newer()));
          List<Actor> nodes = stage.grid(5, ONE_SEGMENT);
          Actor left = nodes.getFirst();
          Actor right = nodes.getLast();
          left.call(() -> left.cache().put("replaced", "0"));
          stage.split(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
          stage.pass(Duration.ofSeconds(9));
          // Who is about to go on alone may take a while to answer, and so may an iteration.
          long began = stage.nowNanos();
          for (Actor side : List.of(left, right)) {
            side.call(
                () -> {
                  side.cache().lifespan(Duration.ofSeconds(60)).put("of-" + side.name(), "1");
                  return true;
                });
          }
          long written = stage.nowNanos();
          right.call(() -> right.cache().lifespan(Duration.ofSeconds(5)).put("replaced", "1"));
          stage.pass(Duration.ofSeconds(10));
          stage.heal();
          stage.awaitSettled();
          // What had ended there had replaced what is here: it comes as ended.
          assertThat(all(left).keySet())
              .containsExactlyInAnyOrder("of-" + left.name(), "of-" + right.name());
          stage.pass(Duration.ofSeconds(45).minusNanos(stage.nowNanos() - began));
          assertThat(all(right)).hasSize(2);
          stage.pass(Duration.ofSeconds(63).minusNanos(stage.nowNanos() - written));
          checkOnly(stage, Map.of());
          stage.settle();
        });
  }

  @Test
  void readingIsNoWriteWhenSidesMerge() {
    for (boolean reads : new boolean[] {false, true}) {
      Script.play(
          stage -> {
            stage.whenCut(WhenCut.available(MergePolicy.remove()));
            List<Actor> nodes = stage.grid(5, EVERYWHERE);
            Actor left = nodes.getFirst();
            Actor right = nodes.getLast();
            left.call(() -> left.cache().maxIdle(Duration.ofSeconds(60)).put("ends", "0"));
            stage.pass(Duration.ofSeconds(9));
            stage.split(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
            stage.pass(Duration.ofSeconds(9));
            if (reads) {
              left.call(() -> left.cache().get("ends"));
            }
            right.call(() -> right.cache().put("ends", "1"));
            stage.pass(Duration.ofSeconds(2));
            stage.heal();
            stage.awaitSettled();
            assertThat(all(left)).as("reads " + reads).isEqualTo(Map.of("ends", "1"));
            stage.settle();
          });
    }
  }

  @Test
  void timeIsNobodysWriteWhenSidesMerge() {
    Script.play(
        stage -> {
          stage.whenCut(WhenCut.available(MergePolicy.majority()));
          List<Actor> nodes = stage.grid(5, EVERYWHERE);
          Actor left = nodes.getFirst();
          Actor right = nodes.getLast();
          left.call(() -> left.cache().lifespan(Duration.ofSeconds(14)).put("ends", "0"));
          stage.pass(Duration.ofSeconds(2));
          stage.split(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
          stage.pass(Duration.ofSeconds(8));
          right.call(() -> right.cache().put("ends", "1"));
          stage.pass(Duration.ofSeconds(8));
          assertThat(left.call(() -> left.cache().containsKey("ends"))).isFalse();
          stage.heal();
          stage.awaitSettled();
          assertThat(all(left)).isEqualTo(Map.of("ends", "1"));
          stage.settle();
        });
  }
}
