package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that entries expire while others write them, segments move and owners die. */
final class LifetimesTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final CacheConfig EVERYWHERE = CacheConfig.replicated().segments(2);
  private static final Duration LIFE = Duration.ofSeconds(20);

  /** The clocks of scripts do not drift; what is requested takes time. */
  private static final Duration AFTER = LIFE.plusMillis(2);

  private static Cache<String, String> ending(StageNode actor) {
    return actor.cache().lifespan(LIFE);
  }

  private static Map<String, String> all(StageNode actor) {
    return actor.call(() -> new TreeMap<>(ImmutableEntries.iterated(actor.cache())));
  }

  /** Checks at every node, in every way to read, that only entries without a lifetime are there. */
  private static void checkOnly(ScriptedStage stage, Map<String, String> expected) {
    for (StageNode node : stage.steadyNodes()) {
      assertThat(node.call(() -> node.cache().mappingCount())).isEqualTo(expected.size());
      assertThat(all(node)).isEqualTo(expected);
      assertThat(node.call(() -> node.cache().values().stream().count()))
          .isEqualTo(expected.size());
      assertThat(node.call(() -> node.cache().get("ends"))).isNull();
      assertThat(node.call(() -> node.cache().containsKey("ends"))).isFalse();
    }
  }

  private static void put(StageNode by) {
    by.call(
        () -> {
          ending(by).put("ends", "1");
          ending(by).putAll(Map.of("ends-a", "1", "ends-b", "2"));
          by.cache().put("stays", "3");
          return true;
        });
  }

  @Test
  void expiredEntryIsSeenByNobody() {
    for (CacheConfig config : new CacheConfig[] {ONE_SEGMENT, EVERYWHERE}) {
      StageScript.play(
          stage -> {
            stage.startGrid(3, config);
            put(stage.steadyNodes().getFirst());
            stage.advanceTime(LIFE.minusSeconds(5));
            assertThat(all(stage.steadyNodes().getLast())).hasSize(4);
            stage.advanceTime(Duration.ofSeconds(6));
            checkOnly(stage, Map.of("stays", "3"));
            stage.settle();
          });
    }
  }

  /** The reaper runs every half second, counted from its commit; only a read is earlier. */
  @Test
  void expiredEntryIsInvisibleBeforeTheReaperRuns() {
    for (CacheConfig config : new CacheConfig[] {ONE_SEGMENT, EVERYWHERE}) {
      for (int look = 0; look < 5; look++) {
        int first = look;
        StageScript.play(
            stage -> {
              stage.startGrid(3, config);
              StageNode writer = stage.steadyNodes().getFirst();
              writer.call(() -> ending(writer).put("ends", "1"));
              long written = stage.nowNanos();
              stage.advanceTime(AFTER.minusNanos(stage.nowNanos() - written).plusMillis(20));
              StageNode asks = stage.steadyNodes().get(stage.drawBelow(3));
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
  void lifetimesAndVersionsSurviveAMove() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          put(stage.steadyNodes().getFirst());
          long began = stage.nowNanos();
          for (int i = 0; i < 2; i++) {
            stage.ownersOf("ends").get(stage.drawBelow(2)).kill();
            stage.awaitSettled();
          }
          // Each new owner took the lifetime over from the former one: the time left is the same.
          stage.advanceTime(LIFE.minusSeconds(2).minusNanos(stage.nowNanos() - began));
          StageNode asks = stage.steadyNodes().getFirst();
          assertThat(all(asks)).hasSize(4);
          stage.advanceTime(Duration.ofSeconds(4));
          checkOnly(stage, Map.of("stays", "3"));
          stage.startNode("late");
          stage.awaitSettled();
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void entryExpiringDuringATransferStaysExpired() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          put(stage.steadyNodes().getFirst());
          StageNode source = stage.primaryOf("ends");
          stage.advanceTime(LIFE.minusSeconds(8));
          MessageRule moved = stage.holdMessages(letter -> letter.isAnswerTo(MessageKind.TRANSFER));
          stage.ownersOf("ends").getLast().kill();
          stage.await("something to be moved", () -> moved.seenCount() > 0);
          stage.advanceTime(Duration.ofSeconds(9));
          StageNode other = stage.steadyNodes().getLast();
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
  void uncommittedExpiryIsEitherLostOrKeptByAll() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          put(stage.steadyNodes().getFirst());
          StageNode primary = stage.primaryOf("ends");
          stage.advanceTime(AFTER.minusMillis(700));
          MessageRule written = stage.holdMessages(letter -> letter.isOneOf(MessageKind.REPLICATE));
          stage.advanceTime(Duration.ofMillis(1_500));
          StageNode asks = stage.nonOwnerOf("ends");
          PendingCall<Boolean> read = asks.beginCall(() -> asks.cache().containsKey("ends"));
          stage.advanceTime(Duration.ofMillis(300));
          assertThat(read.isDone()).as("told although only the primary knows").isFalse();
          primary.kill();
          written.release();
          assertThat(read.value()).isFalse();
          stage.awaitSettled();
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void putAtTheMomentOfExpiryHasItsOwnLifetime() {
    StageScript.play(
        stage -> {
          stage.startGrid(3, ONE_SEGMENT);
          put(stage.steadyNodes().getFirst());
          stage.advanceTime(LIFE.minusMillis(stage.drawBelow(400)));
          StageNode writer = stage.steadyNodes().getLast();
          PendingCall<Boolean> put =
              writer.beginCall(
                  () -> {
                    ending(writer).put("ends", "again");
                    return true;
                  });
          if (stage.drawBelow(2) == 0) {
            stage.primaryOf("ends").kill();
          }
          if (writer.isAlive()) {
            put.value();
            stage.awaitSettled();
            StageNode asks = stage.steadyNodes().getFirst();
            assertThat(asks.call(() -> asks.cache().get("ends"))).isEqualTo("again");
          }
          stage.advanceTime(AFTER.plusSeconds(3));
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void readEntryStaysAliveAfterLosingItsPrimary() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          StageNode first = stage.steadyNodes().getFirst();
          first.call(
              () -> {
                first.cache().maxIdle(LIFE).put("ends", "1");
                first.cache().put("stays", "3");
                return true;
              });
          for (int i = 0; i < 3; i++) {
            stage.advanceTime(Duration.ofSeconds(17));
            StageNode reader = stage.steadyNodes().get(stage.drawBelow(stage.steadyNodes().size()));
            assertThat(reader.call(() -> reader.cache().get("ends"))).isEqualTo("1");
            if (i == 1) {
              stage.primaryOf("ends").kill();
            }
          }
          stage.advanceTime(LIFE.multipliedBy(9).dividedBy(8).plusSeconds(3));
          checkOnly(stage, Map.of("stays", "3"));
          stage.settle();
        });
  }

  @Test
  void mergedEntryExpiresAsItWouldHave() {
    StageScript.play(
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(5, ONE_SEGMENT);
          StageNode left = nodes.getFirst();
          StageNode right = nodes.getLast();
          left.call(() -> left.cache().put("replaced", "0"));
          stage.partition(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
          stage.advanceTime(Duration.ofSeconds(9));
          // A node that is about to go on alone may take a while to answer, and so may an
          // iteration.
          long began = stage.nowNanos();
          for (StageNode side : List.of(left, right)) {
            side.call(
                () -> {
                  side.cache().lifespan(Duration.ofSeconds(60)).put("of-" + side.name(), "1");
                  return true;
                });
          }
          long written = stage.nowNanos();
          right.call(() -> right.cache().lifespan(Duration.ofSeconds(5)).put("replaced", "1"));
          stage.advanceTime(Duration.ofSeconds(10));
          stage.heal();
          stage.awaitSettled();
          // What had expired there had replaced what is here: it arrives as expired.
          assertThat(all(left).keySet())
              .containsExactlyInAnyOrder("of-" + left.name(), "of-" + right.name());
          stage.advanceTime(Duration.ofSeconds(45).minusNanos(stage.nowNanos() - began));
          assertThat(all(right)).hasSize(2);
          stage.advanceTime(Duration.ofSeconds(63).minusNanos(stage.nowNanos() - written));
          checkOnly(stage, Map.of());
          stage.settle();
        });
  }

  @Test
  void readIsNoWriteWhenSidesMerge() {
    for (boolean reads : new boolean[] {false, true}) {
      StageScript.play(
          stage -> {
            stage.setWhenCut(WhenCut.available(MergePolicy.remove()));
            List<StageNode> nodes = stage.startGrid(5, EVERYWHERE);
            StageNode left = nodes.getFirst();
            StageNode right = nodes.getLast();
            left.call(() -> left.cache().maxIdle(Duration.ofSeconds(60)).put("ends", "0"));
            stage.advanceTime(Duration.ofSeconds(9));
            stage.partition(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
            stage.advanceTime(Duration.ofSeconds(9));
            if (reads) {
              left.call(() -> left.cache().get("ends"));
            }
            right.call(() -> right.cache().put("ends", "1"));
            stage.advanceTime(Duration.ofSeconds(2));
            stage.heal();
            stage.awaitSettled();
            assertThat(all(left)).as("reads " + reads).isEqualTo(Map.of("ends", "1"));
            stage.settle();
          });
    }
  }

  @Test
  void expiryIsNoWriteWhenSidesMerge() {
    StageScript.play(
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.majority()));
          List<StageNode> nodes = stage.startGrid(5, EVERYWHERE);
          StageNode left = nodes.getFirst();
          StageNode right = nodes.getLast();
          left.call(() -> left.cache().lifespan(Duration.ofSeconds(14)).put("ends", "0"));
          stage.advanceTime(Duration.ofSeconds(2));
          stage.partition(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
          stage.advanceTime(Duration.ofSeconds(8));
          right.call(() -> right.cache().put("ends", "1"));
          stage.advanceTime(Duration.ofSeconds(8));
          assertThat(left.call(() -> left.cache().containsKey("ends"))).isFalse();
          stage.heal();
          stage.awaitSettled();
          assertThat(all(left)).isEqualTo(Map.of("ends", "1"));
          stage.settle();
        });
  }
}
