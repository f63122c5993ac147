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
import io.cantle.simulation.probe.NodeProbe;
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

/** Tests that segments move while they are read and written, and the nodes that move them die. */
final class TransferTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);
  private static final String KEY = "stable-1";
  private static final String WRITTEN = "stable-2";
  private static final String REMOVED = "stable-3";
  private static final String BORN = "born";

  private static PendingCall<Boolean> change(StageNode actor) {
    return actor.beginCall(
        () -> {
          actor.cache().put(WRITTEN, "newer");
          actor.cache().put(BORN, "newer");
          actor.cache().remove(REMOVED);
          return true;
        });
  }

  private static void checkChanged(ScriptedStage stage, ImmutableEntries data) {
    Map<String, String> expected = new TreeMap<>(data.entries());
    expected.put(WRITTEN, "newer");
    expected.put(BORN, "newer");
    expected.remove(REMOVED);
    for (StageNode node : stage.steadyNodes()) {
      assertThat(node.call(() -> ImmutableEntries.iterated(node.cache()))).isEqualTo(expected);
      assertThat(node.call(() -> node.cache().get(REMOVED))).isNull();
      assertThat(node.call(() -> node.cache().mappingCount())).isEqualTo(expected.size());
    }
  }

  /** Leaves the fetched replica as the only source of the data. */
  private static void killSource(ScriptedStage stage, StageNode source) {
    source.kill();
    stage.awaitSettled();
  }

  @Test
  void lateTransferReplacesNothingNewer() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          ImmutableEntries data =
              ImmutableEntries.ofSmallEntries(50).putInto(stage.steadyNodes().getFirst());
          StageNode source = stage.primaryOf(KEY);
          MessageRule moved = stage.holdMessages(letter -> letter.isAnswerTo(MessageKind.TRANSFER));
          stage.ownersOf(KEY).getLast().kill();
          stage.await("something to be moved", () -> moved.seenCount() > 0);
          change(stage.steadyNodes().getLast()).value();
          moved.release();
          checkMoved(stage, data, source);
        });
  }

  @Test
  void earlyTransferReplacesNothingNewer() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          ImmutableEntries data =
              ImmutableEntries.ofSmallEntries(50).putInto(stage.steadyNodes().getFirst());
          StageNode source = stage.primaryOf(KEY);
          MessageRule moved = stage.holdMessages(letter -> letter.isOneOf(MessageKind.TRANSFER));
          stage.ownersOf(KEY).getLast().kill();
          stage.await("something to be moved", () -> moved.seenCount() > 0);
          MessageRule written = stage.holdMessages(letter -> letter.isOneOf(MessageKind.REPLICATE));
          PendingCall<Boolean> change = change(stage.steadyNodes().getLast());
          stage.await("something to be written", () -> written.seenCount() > 0);
          moved.release();
          stage.advanceTime(Duration.ofMillis(300));
          assertThat(change.isDone()).as("done although the joiner has not heard of it").isFalse();
          written.release();
          change.value();
          checkMoved(stage, data, source);
        });
  }

  /** Checks the change while its old owner is present, and on the moved data alone. */
  private static void checkMoved(ScriptedStage stage, ImmutableEntries data, StageNode source) {
    stage.awaitSettled();
    checkChanged(stage, data);
    killSource(stage, source);
    checkChanged(stage, data);
    stage.settle();
  }

  @Test
  void removedEntryStaysRemovedAfterConsecutiveCrashes() {
    StageScript.play(
        stage -> {
          stage.startGrid(5, ONE_SEGMENT);
          ImmutableEntries data =
              ImmutableEntries.ofSmallEntries(20).putInto(stage.steadyNodes().getFirst());
          change(stage.steadyNodes().getFirst()).value();
          for (int i = 0; i < 3; i++) {
            List<StageNode> owners = stage.ownersOf(KEY);
            owners.get(stage.drawBelow(owners.size())).kill();
            stage.awaitSettled();
            checkChanged(stage, data);
          }
          stage.settle();
        });
  }

  @Test
  void keysRemovedDuringAMoveAreGoneEverywhere() {
    StageScript.play(
        stage -> {
          stage.startGrid(3, SEGMENTS);
          ImmutableEntries data =
              ImmutableEntries.ofSmallEntries(120).putInto(stage.steadyNodes().getFirst());
          MessageRule slowed =
              stage.holdMessages(letter -> letter.isAnswerTo(MessageKind.TRANSFER));
          stage.startNode("joiner").awaitJoined();
          stage.nodeOf("n2").leave();
          StageNode remover = stage.nodeOf("n1");
          PendingCall<Boolean> removed =
              remover.beginCall(
                  () -> {
                    for (String key : data.entries().keySet()) {
                      assertThat(remover.cache().remove(key)).isEqualTo(data.entries().get(key));
                      stage.restNode(remover, 4_000_000);
                    }
                    return true;
                  });
          for (int i = 0; i < 30; i++) {
            stage.advanceTime(Duration.ofMillis(20));
            slowed.deliverHeld();
          }
          slowed.release();
          removed.value();
          stage.settle();
          for (StageNode node : stage.steadyNodes()) {
            assertThat(node.call(() -> ImmutableEntries.iterated(node.cache()))).isEmpty();
            assertThat(node.call(() -> node.cache().mappingCount())).isZero();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void joinerCrashDuringATransferLosesNothing(int pulls) {
    StageScript.play(
        stage -> {
          stage.startGrid(3, CacheConfig.distributed().owners(2).segments(2));
          ImmutableEntries data =
              ImmutableEntries.spanningSeveralPulls().putInto(stage.steadyNodes().getFirst());
          StageNode joiner = stage.startNode("joiner");
          stage.runBefore(
              letter -> letter.to() == joiner && letter.isAnswerTo(MessageKind.TRANSFER),
              pulls,
              joiner::kill);
          stage.await("the joiner to die", () -> !joiner.isAlive());
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void transferContinuesFromAnotherOwner(int pulls) {
    StageScript.play(
        stage -> {
          stage.startGrid(5, ONE_SEGMENT.owners(3));
          ImmutableEntries data =
              ImmutableEntries.spanningSeveralPulls().putInto(stage.steadyNodes().getFirst());
          StageNode source = stage.primaryOf(KEY);
          stage.runBefore(letter -> letter.isAnswerTo(MessageKind.TRANSFER), pulls, source::kill);
          stage.ownersOf(KEY).getLast().kill();
          stage.await("the source to die", () -> !source.isAlive());
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
        });
  }

  @Test
  void segmentIsReportedLostWhenAllOwnersDieDuringATransfer() {
    StageScript.play(
        stage -> {
          stage.startGrid(4, ONE_SEGMENT);
          ImmutableEntries.spanningSeveralPulls().putInto(stage.steadyNodes().getFirst());
          StageNode source = stage.primaryOf(KEY);
          // The joiner has one part by then, which no reader may see.
          stage.runBefore(letter -> letter.isAnswerTo(MessageKind.TRANSFER), 2, source::kill);
          stage.ownersOf(KEY).getLast().kill();
          stage.await("the source to die", () -> !source.isAlive());
          stage.advanceTime(Duration.ofSeconds(8));
          for (StageNode node : stage.steadyNodes()) {
            List<Callable<Object>> calls =
                List.of(
                    () -> String.valueOf(node.cache().get(KEY)),
                    () -> String.valueOf(node.cache().put(KEY, "again")),
                    () -> String.valueOf(node.cache().remove(KEY)),
                    () -> node.cache().mappingCount(),
                    () -> node.cache().values().stream().count(),
                    () -> ImmutableEntries.iterated(node.cache()));
            for (Callable<Object> call : calls) {
              assertThat(node.beginCall(call).failure()).isInstanceOf(SegmentLostException.class);
            }
          }
        });
  }

  @Test
  void callsOfALaggingMemberAreCorrectOrRetried() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          StageNode behind = nodes.get(stage.drawBelow(5));
          RecordingClients load = new RecordingClients(stage, nodes);
          MessageRule lost = stage.dropTopologiesTo(behind);
          stage.startNode("joiner");
          PendingCall<Map<String, String>> entries =
              behind.beginCall(() -> ImmutableEntries.iterated(behind.cache()));
          PendingCall<Boolean> reads =
              behind.beginCall(
                  () -> {
                    for (int round = 0; round < 20; round++) {
                      for (String key : data.entries().keySet()) {
                        assertThat(behind.cache().get(key)).isEqualTo(data.entries().get(key));
                      }
                      stage.restNode(behind, 100_000_000);
                    }
                    return true;
                  });
          load.workFor(Duration.ofMillis(1_500));
          lost.end();
          reads.value();
          assertThat(entries.value()).containsAllEntriesOf(data.entries());
          stage.settle();
          load.checkAll();
        });
  }

  @Test
  void formerOwnerNeverReportsAKeyAsAbsent() {
    StageScript.play(
        stage -> {
          stage.startGrid(2, SEGMENTS);
          ImmutableEntries data =
              ImmutableEntries.ofSmallEntries(60).putInto(stage.steadyNodes().getFirst());
          boolean[] over = new boolean[1];
          List<PendingCall<Boolean>> readers =
              stage.steadyNodes().stream()
                  .map(
                      reader ->
                          reader.beginCall(
                              () -> {
                                while (!over[0]) {
                                  for (String key : data.entries().keySet()) {
                                    assertThat(reader.cache().get(key)).isNotNull();
                                  }
                                  stage.restNode(reader, 2_000_000);
                                }
                                return true;
                              }))
                  .toList();
          for (int i = 0; i < 3; i++) {
            stage.startNode("j" + i).awaitJoined();
            stage.awaitSettled();
          }
          over[0] = true;
          readers.forEach(PendingCall::value);
          stage.settle();
        });
  }

  @Test
  void overtakenMoveEndsCleanly() {
    StageScript.play(
        stage -> {
          stage.startGrid(3, SEGMENTS);
          ImmutableEntries data =
              ImmutableEntries.spanningSeveralPulls().putInto(stage.steadyNodes().getFirst());
          MessageRule slowed =
              stage.holdMessages(letter -> letter.isAnswerTo(MessageKind.TRANSFER));
          StageNode first = stage.startNode("first").awaitJoined();
          stage.await("a first move", () -> slowed.seenCount() > 0);
          stage.startNode("second").awaitJoined();
          stage.advanceTime(Duration.ofMillis(200));
          slowed.deliverHeld();
          first.leave();
          stage.startNode("third").awaitJoined();
          stage.advanceTime(Duration.ofMillis(200));
          slowed.release();
          stage.await("the first to have left", () -> !first.isAlive());
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
        });
  }

  @Test
  void megabyteValuesSurviveAMove() {
    StageScript.play(
        2,
        stage -> {
          stage.startGrid(2, SEGMENTS);
          ImmutableEntries data =
              new ImmutableEntries(16, 1 << 20).putInto(stage.steadyNodes().getFirst());
          // Gives the entries versions of different writes.
          data.putInto(stage.steadyNodes().getLast());
          Map<String, Set<String>> before = versions(stage, data);
          assertThat(before.values()).allSatisfy(versions -> assertThat(versions).hasSize(1));
          stage.startNode("joiner").awaitJoined();
          stage.awaitSettled();
          stage.nodeOf("n1").leave().value();
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          assertThat(versions(stage, data)).isEqualTo(before);
        });
  }

  /** Returns the versions that any node holds of each key. */
  private static Map<String, Set<String>> versions(ScriptedStage stage, ImmutableEntries data) {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (StageNode node : stage.steadyNodes()) {
      NodeProbe held = node.inspection();
      for (String key : data.entries().keySet()) {
        held.visitKey(
            0,
            held.keyBytes(key),
            (bytes, value, epoch, index, tombstone) ->
                versions.computeIfAbsent(key, _ -> new TreeSet<>()).add(epoch + "/" + index));
      }
    }
    return versions;
  }

  @Test
  void onlyOwnersHoldSegmentsAfterMembershipChanges() {
    StageScript.play(
        stage -> {
          CacheConfig[] kinds = {
            SEGMENTS, SEGMENTS.owners(1), SEGMENTS.owners(3), CacheConfig.replicated().segments(8)
          };
          stage.startGrid(3, kinds[(int) (stage.seed() % kinds.length)]);
          ImmutableEntries data =
              ImmutableEntries.ofSmallEntries(100).putInto(stage.steadyNodes().getFirst());
          RecordingClients load = new RecordingClients(stage, stage.steadyNodes().subList(0, 1));
          for (int i = 0; i < 4; i++) {
            stage.startNode("j" + i).awaitJoined();
            if (stage.drawBelow(2) == 0) {
              stage.steadyNodes().get(1 + stage.drawBelow(2)).leave();
            }
            load.workFor(Duration.ofMillis(stage.drawBelow(500)));
          }
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
  }

  @Test
  void suspendedRebalancingMovesNothingUntilResumed() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          RecordingClients load = new RecordingClients(stage, nodes);
          nodes.get(1).call(() -> suspended(nodes.get(1), true));
          StageNode joiner = stage.startNode("joiner").awaitJoined();
          load.startClientAt(joiner).workFor(Duration.ofSeconds(3));
          assertThat(owned(joiner)).isZero();
          assertThat(joiner.node().rebalancingSuspended()).isTrue();
          data.checkAt(joiner);
          // A leaving node hands over all the same.
          nodes.get(2).leave().value();
          data.checkAt(joiner);
          joiner.call(() -> suspended(joiner, false));
          load.workFor(Duration.ofSeconds(2));
          stage.settle();
          assertThat(owned(joiner)).isPositive();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
  }

  private static boolean suspended(StageNode actor, boolean value) {
    actor.node().suspendRebalancing(value);
    return true;
  }

  /** Returns how many segments a node owns. */
  private static int owned(StageNode actor) {
    int count = 0;
    for (int segment = 0; segment < SEGMENTS.segments(); segment++) {
      count += actor.inspection().roleOf(0, segment) == NodeProbe.SegmentRole.OWNER ? 1 : 0;
    }
    return count;
  }
}
