package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.WhenCut;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import io.cantle.simulation.probe.NodeProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the grid goes on when the leader dies while nodes join and leave all at once. */
final class LeaderTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);
  private static final int NO_SEGMENT = -1;

  @ParameterizedTest
  @EnumSource(
      names = {
        "JOIN",
        "ACCEPT",
        "ACCEPTED",
        "DECIDED",
        "TOPOLOGY",
        "REPORT",
        "ENTER_EPOCH",
        "EPOCH_ENTERED",
        "TRANSFER"
      })
  void moveCompletesWhenTheLeaderDiesInAnyStep(MessageKind step) {
    int[] kills = new int[1];
    StageScript.play(stage -> kills[0] += killsLeader(stage, step, SEGMENTS, 4, false) ? 1 : 0);
    assertThat(kills[0]).isEqualTo(StageScript.DEFAULT_SEED_COUNT);
  }

  @ParameterizedTest
  @EnumSource(names = {"CATCH_UP", "CAUGHT_UP"})
  void takeOverCompletesWhenTheLeaderDies(MessageKind step) {
    int[] kills = new int[1];
    StageScript.play(
        3 * StageScript.DEFAULT_SEED_COUNT,
        stage -> {
          List<StageNode> nodes = stage.startGrid(6, SEGMENTS.owners(3));
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          RecordingClients load = new RecordingClients(stage, nodes);
          StageNode[] leader = {nodes.getFirst()};
          stage.countMessages(
              letter -> {
                if (letter.isOneOf(MessageKind.ACCEPT)) {
                  leader[0] = letter.from();
                }
                return false;
              });
          stage.startNode("joiner").awaitJoined();
          stage.awaitSettled();
          StageNode killed = leader[0];
          boolean[] amid = new boolean[1];
          stage.runBefore(
              letter -> letter.isOneOf(step),
              1,
              () -> {
                amid[0] = true;
                killed.kill();
              });
          StageNode first = stage.primaryOf("stable-1");
          (first == killed ? stage.ownersOf("stable-1").get(1) : first).kill();
          load.workFor(Duration.ofSeconds(6));
          kills[0] += amid[0] ? 1 : 0;
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
    // Only where an owner lacks something.
    assertThat(kills[0]).isGreaterThan(4);
  }

  @ParameterizedTest
  @EnumSource(names = {"PREPARE", "PROMISED"})
  void moveCompletesWhenTwoLeadersDie(MessageKind step) {
    StageScript.play(stage -> killsTwoLeaders(stage, step));
  }

  private static void killsTwoLeaders(ScriptedStage stage, MessageKind step) {
    List<StageNode> nodes = stage.startGrid(6, SEGMENTS.owners(3));
    ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
    RecordingClients load = new RecordingClients(stage, nodes).workFor(Duration.ofMillis(300));
    List<StageNode> leaders = new ArrayList<>();
    StageNode joiner = stage.startNode("joiner");
    StageNode[] sender = new StageNode[1];
    stage.runBefore(
        letter -> {
          sender[0] = letter.from();
          return letter.isOneOf(MessageKind.ACCEPT);
        },
        1 + stage.drawBelow(4),
        () -> {
          sender[0].kill();
          leaders.add(sender[0]);
        });
    StageNode[] next = new StageNode[1];
    stage.runBefore(
        letter -> {
          next[0] = step == MessageKind.PREPARE ? letter.from() : letter.to();
          return letter.isOneOf(step) && leaders.size() == 1 && next[0].isAlive();
        },
        1 + stage.drawBelow(3),
        () -> {
          next[0].kill();
          leaders.add(next[0]);
        });
    joiner.awaitJoined();
    load.workFor(Duration.ofSeconds(5));
    assertThat(leaders).hasSize(2).doesNotHaveDuplicates();
    stage.settle();
    stage.steadyNodes().forEach(data::checkAt);
    load.checkAll();
  }

  @ParameterizedTest
  @EnumSource(names = {"ACCEPT", "DECIDED", "ENTER_EPOCH", "TRANSFER"})
  void moveCompletesWhenTheLeaderAndAnotherDie(MessageKind step) {
    StageScript.play(
        stage -> assertThat(killsLeader(stage, step, SEGMENTS.owners(3), 6, true)).isTrue());
  }

  /** Returns whether the leader was killed. */
  private static boolean killsLeader(
      ScriptedStage stage, MessageKind step, CacheConfig cache, int members, boolean another) {
    List<StageNode> nodes = stage.startGrid(members, cache);
    ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
    RecordingClients load = new RecordingClients(stage, nodes).workFor(Duration.ofMillis(300));
    StageNode[] leader = {nodes.getFirst()};
    stage.countMessages(
        letter -> {
          if (letter.isOneOf(MessageKind.ACCEPT)) {
            leader[0] = letter.from();
          }
          return false;
        });
    StageNode joiner = stage.startNode("joiner");
    boolean[] killed = new boolean[1];
    stage.runBefore(
        letter -> letter.isOneOf(step),
        // Of some kinds there are few messages.
        step == MessageKind.JOIN || step == MessageKind.TRANSFER ? 1 : 1 + stage.drawBelow(4),
        () -> {
          killed[0] = true;
          StageNode second = leader[0] == nodes.getLast() ? nodes.get(1) : nodes.getLast();
          leader[0].kill();
          if (another) {
            second.kill();
          }
        });
    joiner.awaitJoined();
    load.workFor(Duration.ofSeconds(3));
    stage.settle();
    stage.steadyNodes().forEach(data::checkAt);
    load.checkAll();
    return killed[0];
  }

  @Test
  void simultaneousLeavesLoseNothing() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(100).putInto(nodes.getFirst());
          RecordingClients load = new RecordingClients(stage, nodes.subList(0, 3));
          PendingCall<Boolean> one = nodes.get(3).leave();
          load.workFor(Duration.ofMillis(stage.drawBelow(100)));
          PendingCall<Boolean> other = nodes.get(4).leave();
          one.value();
          other.value();
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
          assertThat(load.failureCount()).isEmpty();
        });
  }

  @Test
  void overlappingJoinsAndLeavesLoseNothing() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(100).putInto(nodes.getFirst());
          RecordingClients load = new RecordingClients(stage, nodes.subList(0, 2));
          StageNode one = stage.startNode("j1");
          load.workFor(Duration.ofMillis(stage.drawBelow(80)));
          StageNode two = stage.startNode("j2");
          load.workFor(Duration.ofMillis(stage.drawBelow(80)));
          PendingCall<Boolean> leave = nodes.get(3).leave();
          load.workFor(Duration.ofMillis(stage.drawBelow(80)));
          stage.startNode("j3").awaitJoined();
          nodes.get(2).leave().value();
          leave.value();
          one.awaitJoined();
          two.awaitJoined();
          stage.settle();
          assertThat(stage.steadyNodes()).hasSize(5);
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
          assertThat(load.failureCount()).isEmpty();
        });
  }

  @Test
  void crashDuringAJoinAndALeaveLosesNothing() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(100).putInto(nodes.getFirst());
          RecordingClients load = new RecordingClients(stage, nodes.subList(0, 1));
          stage.startNode("j1");
          PendingCall<Boolean> leave = nodes.get(4).leave();
          load.workFor(Duration.ofMillis(stage.drawBelow(300)));
          nodes.get(1 + stage.drawBelow(3)).kill();
          leave.value();
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
  }

  @Test
  void consecutiveLeavesDownToOneLoseNothing() {
    StageScript.play(
        stage -> {
          int owners = 1 + (int) (stage.seed() % 3);
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS.owners(owners));
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(100).putInto(nodes.getFirst());
          StageNode last = nodes.get(stage.drawBelow(5));
          RecordingClients load = new RecordingClients(stage, List.of(last));
          List<PendingCall<Boolean>> leaves = new ArrayList<>();
          for (StageNode node : nodes) {
            if (node != last) {
              leaves.add(node.leave());
              load.workFor(Duration.ofMillis(stage.drawBelow(120)));
            }
          }
          leaves.forEach(PendingCall::value);
          stage.settle();
          assertThat(stage.steadyNodes()).containsExactly(last);
          data.checkAt(last);
          load.checkAll();
          assertThat(load.failureCount()).isEmpty();
        });
  }

  @Test
  void crashOfAllOwnersIsReportedAsLoss() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(6, SEGMENTS.segments(4));
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          List<StageNode> owners = stage.ownersOf("stable-7");
          owners.getFirst().kill();
          stage.advanceTime(Duration.ofMillis(stage.drawBelow(100)));
          owners.getLast().kill();
          stage.advanceTime(Duration.ofSeconds(12));
          int lost = 0;
          for (StageNode node : stage.steadyNodes()) {
            lost += node.call(() -> unreadable(node, data));
            assertThat(node.beginCall(() -> ImmutableEntries.iterated(node.cache())).failure())
                .isInstanceOf(SegmentLostException.class);
            assertThat(node.beginCall(() -> node.cache().size()).failure())
                .isInstanceOf(SegmentLostException.class);
          }
          assertThat(lost).isPositive();
        });
  }

  @Test
  void lostSegmentsAreServedEmptyAfterAcceptance() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(6, SEGMENTS.segments(4));
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          List<StageNode> owners = stage.ownersOf("stable-7");
          owners.forEach(StageNode::kill);
          stage.advanceTime(Duration.ofSeconds(12));
          StageNode operator = stage.steadyNodes().getLast();
          Set<Integer> lost = operator.node().lostSegments(ScriptedStage.CACHE);
          int segment =
              operator.inspection().segment(0, operator.inspection().keyBytes("stable-7"));
          assertThat(lost).contains(segment);
          assertThat(operator.call(() -> operator.node().acceptLoss(ScriptedStage.CACHE)))
              .isEqualTo(lost.size());
          assertThat(operator.node().lostSegments(ScriptedStage.CACHE)).isEmpty();
          stage.settle();
          for (StageNode node : stage.steadyNodes()) {
            assertThat(data.entries())
                .containsAllEntriesOf(node.call(() -> ImmutableEntries.iterated(node.cache())));
          }
          for (StageNode node : stage.steadyNodes()) {
            assertThat(node.call(() -> node.cache().put("stable-7", "again " + node)))
                .isNotEqualTo(data.entries().get("stable-7"));
          }
        });
  }

  /** Returns how many keys cannot be read; the others must be right. */
  private static int unreadable(StageNode node, ImmutableEntries data) {
    int count = 0;
    for (String key : data.entries().keySet()) {
      try {
        assertThat(node.cache().get(key)).isEqualTo(data.entries().get(key));
      } catch (SegmentLostException e) {
        assertThat(e).hasMessageContaining(ScriptedStage.CACHE);
        count++;
      }
    }
    return count;
  }

  @Test
  void spacedCrashesLoseNothing() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          RecordingClients load = new RecordingClients(stage, nodes);
          for (int i = 0; i < 3; i++) {
            stage.steadyNodes().get(stage.drawBelow(stage.steadyNodes().size())).kill();
            stage.awaitSettled();
          }
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
  }

  @Test
  void crashOfAllButOneOwnerLosesNothing() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(5, SEGMENTS.owners(3));
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          RecordingClients load =
              new RecordingClients(stage, nodes).workFor(Duration.ofMillis(500));
          stage.startNode("joiner");
          load.workFor(Duration.ofMillis(stage.drawBelow(200)));
          List<StageNode> owners = stage.ownersOf("stable-7");
          owners.get(0).kill();
          owners.get(1).kill();
          load.workFor(Duration.ofSeconds(4));
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
  }

  @Test
  void quickRestartIsANewEmptyMember() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(60).putInto(nodes.getFirst());
          RecordingClients load =
              new RecordingClients(stage, nodes).workFor(Duration.ofMillis(300));
          for (StageNode victim : nodes.subList(0, 3)) {
            victim.kill();
            load.workFor(Duration.ofMillis(stage.drawBelow(1_000)));
            StageNode again = stage.startNode(victim.name());
            Set<Integer> atFirst = new HashSet<>();
            MessageRule looking =
                stage.countMessages(letter -> looksAtFirst(stage, again, atFirst));
            load.startClientAt(again.awaitJoined());
            stage.awaitSettled();
            looking.end();
            assertThat(again.id()).isNotEqualTo(victim.id());
            assertThat(again.inspection().members())
                .contains(again.id())
                .doesNotContain(victim.id());
            assertThat(atFirst).as("segments it owned at first").containsExactly(NO_SEGMENT);
          }
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
          load.checkAll();
        });
  }

  /** Records the segments that a member owns in the first topology in which any node knows it. */
  private static boolean looksAtFirst(ScriptedStage stage, StageNode member, Set<Integer> owned) {
    for (StageNode node : stage.steadyNodes()) {
      if (owned.isEmpty() && node.inspection().members().contains(member.id())) {
        owned.add(NO_SEGMENT);
        for (int segment = 0; segment < node.inspection().segmentCount(0); segment++) {
          if (node.inspection().owners(0, segment).contains(member.id())
              || member.inspection().roleOf(0, segment) == NodeProbe.SegmentRole.OWNER) {
            owned.add(segment);
          }
        }
      }
    }
    return false;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void nodesStartingTogetherFormOneGridAndOneCache(int initialMembers) {
    StageScript.play(
        stage -> {
          stage.setCacheConfig(SEGMENTS);
          List<StageNode> nodes = new ArrayList<>();
          for (int i = 1; i <= 5; i++) {
            nodes.add(stage.startNode("n" + i, initialMembers));
          }
          nodes.forEach(StageNode::awaitJoined);
          stage.awaitSettled();
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(40).putInto(nodes.getLast());
          nodes.forEach(data::checkAt);
          stage.settle();
        });
  }

  @Test
  void neitherOfTwoContinuesAloneAndBothReportIt() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(2, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(40).putInto(nodes.getFirst());
          StageNode left = nodes.get(stage.drawBelow(2));
          nodes.get(left == nodes.getFirst() ? 1 : 0).kill();
          stage.advanceTime(Duration.ofSeconds(6));
          Set<String> kinds = new HashSet<>();
          for (String key : data.entries().keySet()) {
            Throwable failure = left.beginCall(() -> left.cache().get(key)).failure();
            assertThat(failure).isInstanceOf(GridException.class);
            kinds.add(failure == null ? "" : failure.getClass().getName());
          }
          assertThat(kinds).containsExactly(NotAvailableException.class.getName());
        });
  }

  @Test
  void onlyTheOldestOfTwoContinuesWhenOldestDecides() {
    StageScript.play(
        stage -> {
          stage.setWhenCut(WhenCut.oldestDecides());
          List<StageNode> nodes = stage.startGrid(2, SEGMENTS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(40).putInto(nodes.getFirst());
          StageNode oldest = stage.nodeOf(nodes.getFirst().node().members().getFirst());
          boolean killsOldest = stage.drawBelow(2) == 0;
          StageNode killed =
              (oldest == nodes.getFirst()) == killsOldest ? nodes.get(0) : nodes.get(1);
          StageNode left = killed == nodes.getFirst() ? nodes.get(1) : nodes.get(0);
          killed.kill();
          stage.advanceTime(Duration.ofSeconds(8));
          if (killsOldest) {
            assertThat(left.beginCall(() -> left.cache().get("stable-1")).failure())
                .isInstanceOf(NotAvailableException.class);
          } else {
            data.checkAt(left);
            left.call(() -> left.cache().put("alone", "yes"));
            stage.settle();
          }
        });
  }

  @Test
  void memberMissingADecisionServesNothingOutdated() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, SEGMENTS);
          StageNode deaf = nodes.get(stage.drawBelow(4));
          RecordingClients load = new RecordingClients(stage, nodes);
          MessageRule lost =
              stage.dropMessages(
                  letter ->
                      letter.to() == deaf
                          && letter.isOneOf(MessageKind.DECIDED, MessageKind.TOPOLOGY));
          stage.startNode("joiner");
          load.workFor(Duration.ofSeconds(2));
          lost.end();
          stage.settle();
          load.checkAll();
        });
  }
}
