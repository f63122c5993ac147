package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.SegmentLostException;
import io.cantle.core.node.Inspection;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments move while they are read and written, and those that move them die. */
final class TransferTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);
  private static final String KEY = "stable-1";
  private static final String WRITTEN = "stable-2";
  private static final String REMOVED = "stable-3";
  private static final String BORN = "born";

  private static Outcome<Boolean> change(Actor actor) {
    return actor.begin(
        () -> {
          actor.cache().put(WRITTEN, "newer");
          actor.cache().put(BORN, "newer");
          actor.cache().remove(REMOVED);
          return true;
        });
  }

  private static void checkChanged(Stage stage, Data data) {
    Map<String, String> expected = new TreeMap<>(data.entries());
    expected.put(WRITTEN, "newer");
    expected.put(BORN, "newer");
    expected.remove(REMOVED);
    for (Actor node : stage.steady()) {
      assertThat(node.call(() -> Data.iterated(node.cache()))).isEqualTo(expected);
      assertThat(node.call(() -> node.cache().get(REMOVED))).isNull();
      assertThat(node.call(() -> node.cache().mappingCount())).isEqualTo(expected.size());
    }
  }

  /** Leaves the copy that was fetched as the only one that anything can come from. */
  private static void killSource(Stage stage, Actor source) {
    source.kill();
    stage.awaitSettled();
  }

  @Test
  void whatIsMovedReplacesNothingNewerWhenItArrivesAfterThat() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          Data data = Data.small(50).putInto(stage.steady().getFirst());
          Actor source = stage.primary(KEY);
          Rule moved = stage.hold(letter -> letter.answers(Kind.TRANSFER));
          stage.owners(KEY).getLast().kill();
          stage.await("something to be moved", () -> moved.seen() > 0);
          change(stage.steady().getLast()).value();
          moved.release();
          checkMoved(stage, data, source);
        });
  }

  @Test
  void whatIsMovedReplacesNothingNewerWhenItArrivesBeforeThat() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          Data data = Data.small(50).putInto(stage.steady().getFirst());
          Actor source = stage.primary(KEY);
          Rule moved = stage.hold(letter -> letter.is(Kind.TRANSFER));
          stage.owners(KEY).getLast().kill();
          stage.await("something to be moved", () -> moved.seen() > 0);
          Rule written = stage.hold(letter -> letter.is(Kind.REPLICATE));
          Outcome<Boolean> change = change(stage.steady().getLast());
          stage.await("something to be written", () -> written.seen() > 0);
          moved.release();
          stage.pass(Duration.ofMillis(300));
          assertThat(change.done()).as("done although the joiner has not heard of it").isFalse();
          written.release();
          change.value();
          checkMoved(stage, data, source);
        });
  }

  /** Checks the change while its old owner is there, and on what was moved alone. */
  private static void checkMoved(Stage stage, Data data, Actor source) {
    stage.awaitSettled();
    checkChanged(stage, data);
    killSource(stage, source);
    checkChanged(stage, data);
    stage.settle();
  }

  @Test
  void aRemovedEntryStaysRemovedWhenItsOwnersDieOneAfterAnother() {
    Script.play(
        stage -> {
          stage.grid(5, ONE_SEGMENT);
          Data data = Data.small(20).putInto(stage.steady().getFirst());
          change(stage.steady().getFirst()).value();
          for (int i = 0; i < 3; i++) {
            List<Actor> owners = stage.owners(KEY);
            owners.get(stage.draw(owners.size())).kill();
            stage.awaitSettled();
            checkChanged(stage, data);
          }
          stage.settle();
        });
  }

  @Test
  void keysRemovedWhileSegmentsMoveAreGoneFromEveryCopy() {
    Script.play(
        stage -> {
          stage.grid(3, SEGMENTS);
          Data data = Data.small(120).putInto(stage.steady().getFirst());
          Rule slowed = stage.hold(letter -> letter.answers(Kind.TRANSFER));
          stage.enter("joiner").joined();
          stage.actor("n2").leave();
          Actor remover = stage.actor("n1");
          Outcome<Boolean> removed =
              remover.begin(
                  () -> {
                    for (String key : data.entries().keySet()) {
                      assertThat(remover.cache().remove(key)).isEqualTo(data.entries().get(key));
                      stage.rest(remover, 4_000_000);
                    }
                    return true;
                  });
          for (int i = 0; i < 30; i++) {
            stage.pass(Duration.ofMillis(20));
            slowed.flush();
          }
          slowed.release();
          removed.value();
          stage.settle();
          for (Actor node : stage.steady()) {
            assertThat(node.call(() -> Data.iterated(node.cache()))).isEmpty();
            assertThat(node.call(() -> node.cache().mappingCount())).isZero();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void losesNothingWhenTheJoinerDiesAmidATransfer(int pulls) {
    Script.play(
        stage -> {
          stage.grid(3, CacheConfig.distributed().owners(2).segments(2));
          Data data = Data.ofSeveralPulls().putInto(stage.steady().getFirst());
          Actor joiner = stage.enter("joiner");
          stage.before(
              letter -> letter.to() == joiner && letter.answers(Kind.TRANSFER),
              pulls,
              joiner::kill);
          stage.await("the joiner to die", () -> !joiner.alive());
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void goesOnFromAnotherOwnerWhenTheSourceDiesAmidATransfer(int pulls) {
    Script.play(
        stage -> {
          stage.grid(5, ONE_SEGMENT.owners(3));
          Data data = Data.ofSeveralPulls().putInto(stage.steady().getFirst());
          Actor source = stage.primary(KEY);
          stage.before(letter -> letter.answers(Kind.TRANSFER), pulls, source::kill);
          stage.owners(KEY).getLast().kill();
          stage.await("the source to die", () -> !source.alive());
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @Test
  void saysThatASegmentIsLostWhenItsSourceAndAllOtherOwnersDie() {
    Script.play(
        stage -> {
          stage.grid(4, ONE_SEGMENT);
          Data.ofSeveralPulls().putInto(stage.steady().getFirst());
          Actor source = stage.primary(KEY);
          // The joiner has one part of it by then, which must not be shown to anybody.
          stage.before(letter -> letter.answers(Kind.TRANSFER), 2, source::kill);
          stage.owners(KEY).getLast().kill();
          stage.await("the source to die", () -> !source.alive());
          stage.pass(Duration.ofSeconds(8));
          for (Actor node : stage.steady()) {
            List<Callable<Object>> calls =
                List.of(
                    () -> String.valueOf(node.cache().get(KEY)),
                    () -> String.valueOf(node.cache().put(KEY, "again")),
                    () -> String.valueOf(node.cache().remove(KEY)),
                    () -> node.cache().mappingCount(),
                    () -> node.cache().values().stream().count(),
                    () -> Data.iterated(node.cache()));
            for (Callable<Object> call : calls) {
              assertThat(node.begin(call).failure()).isInstanceOf(SegmentLostException.class);
            }
          }
        });
  }

  @Test
  void callsOfAMemberThatIsBehindAreRightOrTriedAgain() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, SEGMENTS);
          Data data = Data.small(60).putInto(nodes.getFirst());
          Actor behind = nodes.get(stage.draw(5));
          Load load = new Load(stage, nodes);
          Rule lost =
              stage.drop(
                  letter ->
                      letter.to() == behind
                          && letter.is(Kind.TOPOLOGY, Kind.ACCEPT, Kind.DECIDED, Kind.PREPARE));
          stage.enter("joiner");
          Outcome<Map<String, String>> entries = behind.begin(() -> Data.iterated(behind.cache()));
          Outcome<Boolean> reads =
              behind.begin(
                  () -> {
                    for (int round = 0; round < 20; round++) {
                      for (String key : data.entries().keySet()) {
                        assertThat(behind.cache().get(key)).isEqualTo(data.entries().get(key));
                      }
                      stage.rest(behind, 100_000_000);
                    }
                    return true;
                  });
          load.pass(Duration.ofMillis(1_500));
          lost.end();
          reads.value();
          assertThat(entries.value()).containsAllEntriesOf(data.entries());
          stage.settle();
          load.check();
        });
  }

  @Test
  void aMemberThatJustLostASegmentNeverAnswersThatAKeyIsNotThere() {
    Script.play(
        stage -> {
          stage.grid(2, SEGMENTS);
          Data data = Data.small(60).putInto(stage.steady().getFirst());
          boolean[] over = new boolean[1];
          List<Outcome<Boolean>> readers =
              stage.steady().stream()
                  .map(
                      reader ->
                          reader.begin(
                              () -> {
                                while (!over[0]) {
                                  for (String key : data.entries().keySet()) {
                                    assertThat(reader.cache().get(key)).isNotNull();
                                  }
                                  stage.rest(reader, 2_000_000);
                                }
                                return true;
                              }))
                  .toList();
          for (int i = 0; i < 3; i++) {
            stage.enter("j" + i).joined();
            stage.awaitSettled();
          }
          over[0] = true;
          readers.forEach(Outcome::value);
          stage.settle();
        });
  }

  @Test
  void aMoveThatIsOvertakenByOthersEndsCleanly() {
    Script.play(
        stage -> {
          stage.grid(3, SEGMENTS);
          Data data = Data.ofSeveralPulls().putInto(stage.steady().getFirst());
          Rule slowed = stage.hold(letter -> letter.answers(Kind.TRANSFER));
          Actor first = stage.enter("first").joined();
          stage.await("a first move", () -> slowed.seen() > 0);
          stage.enter("second").joined();
          stage.pass(Duration.ofMillis(200));
          slowed.flush();
          first.leave();
          stage.enter("third").joined();
          stage.pass(Duration.ofMillis(200));
          slowed.release();
          stage.await("the first to have left", () -> !first.alive());
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @Test
  void valuesOfAMegabyteSurviveAMove() {
    Script.play(
        2,
        stage -> {
          stage.grid(2, SEGMENTS);
          Data data = new Data(16, 1 << 20).putInto(stage.steady().getFirst());
          // So that their versions are not all of the same write.
          data.putInto(stage.steady().getLast());
          Map<String, Set<String>> before = versions(stage, data);
          assertThat(before.values()).allSatisfy(versions -> assertThat(versions).hasSize(1));
          stage.enter("joiner").joined();
          stage.awaitSettled();
          stage.actor("n1").leave().value();
          stage.settle();
          stage.steady().forEach(data::checkAt);
          assertThat(versions(stage, data)).isEqualTo(before);
        });
  }

  /** The versions any node holds of each key. */
  private static Map<String, Set<String>> versions(Stage stage, Data data) {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (Actor node : stage.steady()) {
      Inspection held = node.inspection();
      for (String key : data.entries().keySet()) {
        held.find(
            0,
            held.keyBytes(key),
            (bytes, value, epoch, index, tombstone) ->
                versions.computeIfAbsent(key, _ -> new TreeSet<>()).add(epoch + "/" + index));
      }
    }
    return versions;
  }

  @Test
  void everySegmentHasItsCopiesAndNobodyElseHoldsAnythingAfterNodesCameAndWent() {
    Script.play(
        stage -> {
          CacheConfig[] kinds = {
            SEGMENTS, SEGMENTS.owners(1), SEGMENTS.owners(3), CacheConfig.replicated().segments(8)
          };
          stage.grid(3, kinds[(int) (stage.seed() % kinds.length)]);
          Data data = Data.small(100).putInto(stage.steady().getFirst());
          Load load = new Load(stage, stage.steady().subList(0, 1));
          for (int i = 0; i < 4; i++) {
            stage.enter("j" + i).joined();
            if (stage.draw(2) == 0) {
              stage.steady().get(1 + stage.draw(2)).leave();
            }
            load.pass(Duration.ofMillis(stage.draw(500)));
          }
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void nothingMovesToAJoinerWhileThatIsSuspendedAndAllMovesOnceItGoesOn() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, SEGMENTS);
          Data data = Data.small(60).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          nodes.get(1).call(() -> suspended(nodes.get(1), true));
          Actor joiner = stage.enter("joiner").joined();
          load.at(joiner).pass(Duration.ofSeconds(3));
          assertThat(owned(joiner)).isZero();
          assertThat(joiner.node().rebalancingSuspended()).isTrue();
          data.checkAt(joiner);
          // Who leaves hands over all the same.
          nodes.get(2).leave().value();
          data.checkAt(joiner);
          joiner.call(() -> suspended(joiner, false));
          load.pass(Duration.ofSeconds(2));
          stage.settle();
          assertThat(owned(joiner)).isPositive();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  private static boolean suspended(Actor actor, boolean value) {
    actor.node().suspendRebalancing(value);
    return true;
  }

  /** How many segments a node is an owner of. */
  private static int owned(Actor actor) {
    int count = 0;
    for (int segment = 0; segment < SEGMENTS.segments(); segment++) {
      count += actor.inspection().part(0, segment) == Inspection.Part.OWNER ? 1 : 0;
    }
    return count;
  }
}
