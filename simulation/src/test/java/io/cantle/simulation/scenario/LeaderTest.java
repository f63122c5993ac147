package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.WhenCut;
import io.cantle.core.node.Inspection;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who makes topologies dies, nodes come and go all at once, and the grid goes on. */
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
        "ENTER",
        "ENTERED",
        "TRANSFER"
      })
  void aMoveIsFinishedThoughTheLeaderDiesAmidEachOfItsSteps(Kind step) {
    int[] kills = new int[1];
    Script.play(stage -> kills[0] += killsLeader(stage, step, SEGMENTS, 4, false) ? 1 : 0);
    assertThat(kills[0]).isEqualTo(Script.SEEDS);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPEN", "OPENED"})
  void aTakeOverIsFinishedThoughTheLeaderDiesAmidIt(Kind step) {
    int[] kills = new int[1];
    Script.play(
        3 * Script.SEEDS,
        stage -> {
          List<Actor> nodes = stage.grid(6, SEGMENTS.owners(3));
          Data data = Data.small(60).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          Actor[] leader = {nodes.getFirst()};
          stage.count(
              letter -> {
                if (letter.is(Kind.ACCEPT)) {
                  leader[0] = letter.from();
                }
                return false;
              });
          stage.enter("joiner").joined();
          stage.awaitSettled();
          Actor killed = leader[0];
          boolean[] amid = new boolean[1];
          stage.before(
              letter -> letter.is(step),
              1,
              () -> {
                amid[0] = true;
                killed.kill();
              });
          Actor first = stage.primary("stable-1");
          (first == killed ? stage.owners("stable-1").get(1) : first).kill();
          load.pass(Duration.ofSeconds(6));
          kills[0] += amid[0] ? 1 : 0;
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
    // Only where an owner misses something.
    assertThat(kills[0]).isGreaterThan(4);
  }

  @ParameterizedTest
  @EnumSource(names = {"PREPARE", "PROMISED"})
  void aMoveIsFinishedThoughWhoTakesTheLeadDiesAsWell(Kind step) {
    Script.play(stage -> killsTwoLeaders(stage, step));
  }

  private static void killsTwoLeaders(Stage stage, Kind step) {
    List<Actor> nodes = stage.grid(6, SEGMENTS.owners(3));
    Data data = Data.small(60).putInto(nodes.getFirst());
    Load load = new Load(stage, nodes).pass(Duration.ofMillis(300));
    List<Actor> leaders = new ArrayList<>();
    Actor joiner = stage.enter("joiner");
    Actor[] sender = new Actor[1];
    stage.before(
        letter -> {
          sender[0] = letter.from();
          return letter.is(Kind.ACCEPT);
        },
        1 + stage.draw(4),
        () -> {
          sender[0].kill();
          leaders.add(sender[0]);
        });
    Actor[] next = new Actor[1];
    stage.before(
        letter -> {
          next[0] = step == Kind.PREPARE ? letter.from() : letter.to();
          return letter.is(step) && leaders.size() == 1 && next[0].alive();
        },
        1 + stage.draw(3),
        () -> {
          next[0].kill();
          leaders.add(next[0]);
        });
    joiner.joined();
    load.pass(Duration.ofSeconds(5));
    assertThat(leaders).hasSize(2).doesNotHaveDuplicates();
    stage.settle();
    stage.steady().forEach(data::checkAt);
    load.check();
  }

  @ParameterizedTest
  @EnumSource(names = {"ACCEPT", "DECIDED", "ENTER", "TRANSFER"})
  void aMoveIsFinishedThoughTheLeaderDiesTogetherWithAnother(Kind step) {
    Script.play(
        stage -> assertThat(killsLeader(stage, step, SEGMENTS.owners(3), 6, true)).isTrue());
  }

  /** Returns whether it came to that. */
  private static boolean killsLeader(
      Stage stage, Kind step, CacheConfig cache, int members, boolean another) {
    List<Actor> nodes = stage.grid(members, cache);
    Data data = Data.small(60).putInto(nodes.getFirst());
    Load load = new Load(stage, nodes).pass(Duration.ofMillis(300));
    Actor[] leader = {nodes.getFirst()};
    stage.count(
        letter -> {
          if (letter.is(Kind.ACCEPT)) {
            leader[0] = letter.from();
          }
          return false;
        });
    Actor joiner = stage.enter("joiner");
    boolean[] killed = new boolean[1];
    stage.before(
        letter -> letter.is(step),
        // Of some there are few.
        step == Kind.JOIN || step == Kind.TRANSFER ? 1 : 1 + stage.draw(4),
        () -> {
          killed[0] = true;
          Actor second = leader[0] == nodes.getLast() ? nodes.get(1) : nodes.getLast();
          leader[0].kill();
          if (another) {
            second.kill();
          }
        });
    joiner.joined();
    load.pass(Duration.ofSeconds(3));
    stage.settle();
    stage.steady().forEach(data::checkAt);
    load.check();
    return killed[0];
  }

  @Test
  void twoThatLeaveAtOnceLoseNothing() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, SEGMENTS);
          Data data = Data.small(100).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes.subList(0, 3));
          Outcome<Boolean> one = nodes.get(3).leave();
          load.pass(Duration.ofMillis(stage.draw(100)));
          Outcome<Boolean> other = nodes.get(4).leave();
          one.value();
          other.value();
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
          assertThat(load.failures()).isEmpty();
        });
  }

  @Test
  void joinsAndLeavesThatOverlapLoseNothing() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Data data = Data.small(100).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes.subList(0, 2));
          Actor one = stage.enter("j1");
          load.pass(Duration.ofMillis(stage.draw(80)));
          Actor two = stage.enter("j2");
          load.pass(Duration.ofMillis(stage.draw(80)));
          Outcome<Boolean> leave = nodes.get(3).leave();
          load.pass(Duration.ofMillis(stage.draw(80)));
          stage.enter("j3").joined();
          nodes.get(2).leave().value();
          leave.value();
          one.joined();
          two.joined();
          stage.settle();
          assertThat(stage.steady()).hasSize(5);
          stage.steady().forEach(data::checkAt);
          load.check();
          assertThat(load.failures()).isEmpty();
        });
  }

  @Test
  void aCrashAmidAJoinAndALeaveLosesNothing() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, SEGMENTS);
          Data data = Data.small(100).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes.subList(0, 1));
          stage.enter("j1");
          Outcome<Boolean> leave = nodes.get(4).leave();
          load.pass(Duration.ofMillis(stage.draw(300)));
          nodes.get(1 + stage.draw(3)).kill();
          leave.value();
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void leavingOneAfterAnotherWithoutWaitingDownToOneLosesNothing() {
    Script.play(
        stage -> {
          int owners = 1 + (int) (stage.seed() % 3);
          List<Actor> nodes = stage.grid(5, SEGMENTS.owners(owners));
          Data data = Data.small(100).putInto(nodes.getFirst());
          Actor last = nodes.get(stage.draw(5));
          Load load = new Load(stage, List.of(last));
          List<Outcome<Boolean>> leaves = new ArrayList<>();
          for (Actor node : nodes) {
            if (node != last) {
              leaves.add(node.leave());
              load.pass(Duration.ofMillis(stage.draw(120)));
            }
          }
          leaves.forEach(Outcome::value);
          stage.settle();
          assertThat(stage.steady()).containsExactly(last);
          data.checkAt(last);
          load.check();
          assertThat(load.failures()).isEmpty();
        });
  }

  @Test
  void asManyCrashesAsOwnersFasterThanSegmentsMoveAreALossThatIsSaidAloud() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(6, SEGMENTS.segments(4));
          Data data = Data.small(60).putInto(nodes.getFirst());
          List<Actor> owners = stage.owners("stable-7");
          owners.getFirst().kill();
          stage.pass(Duration.ofMillis(stage.draw(100)));
          owners.getLast().kill();
          stage.pass(Duration.ofSeconds(12));
          int lost = 0;
          for (Actor node : stage.steady()) {
            lost += node.call(() -> unreadable(node, data));
            assertThat(node.begin(() -> Data.iterated(node.cache())).failure())
                .isInstanceOf(SegmentLostException.class);
            assertThat(node.begin(() -> node.cache().size()).failure())
                .isInstanceOf(SegmentLostException.class);
          }
          assertThat(lost).isPositive();
        });
  }

  @Test
  void whatIsLostIsEmptyAndServedAgainOnceTheLossIsAccepted() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(6, SEGMENTS.segments(4));
          Data data = Data.small(60).putInto(nodes.getFirst());
          List<Actor> owners = stage.owners("stable-7");
          owners.forEach(Actor::kill);
          stage.pass(Duration.ofSeconds(12));
          Actor operator = stage.steady().getLast();
          Set<Integer> lost = operator.node().lostSegments(Stage.CACHE);
          int segment =
              operator.inspection().segment(0, operator.inspection().keyBytes("stable-7"));
          assertThat(lost).contains(segment);
          assertThat(operator.call(() -> operator.node().acceptLoss(Stage.CACHE)))
              .isEqualTo(lost.size());
          assertThat(operator.node().lostSegments(Stage.CACHE)).isEmpty();
          stage.settle();
          for (Actor node : stage.steady()) {
            assertThat(data.entries())
                .containsAllEntriesOf(node.call(() -> Data.iterated(node.cache())));
          }
          for (Actor node : stage.steady()) {
            assertThat(node.call(() -> node.cache().put("stable-7", "again " + node)))
                .isNotEqualTo(data.entries().get("stable-7"));
          }
        });
  }

  /** How many keys cannot be read; the others must be right. */
  private static int unreadable(Actor node, Data data) {
    int count = 0;
    for (String key : data.entries().keySet()) {
      try {
        assertThat(node.cache().get(key)).isEqualTo(data.entries().get(key));
      } catch (SegmentLostException e) {
        assertThat(e).hasMessageContaining(Stage.CACHE);
        count++;
      }
    }
    return count;
  }

  @Test
  void crashesOneAfterAnotherWithTimeToMoveLoseNothing() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, SEGMENTS);
          Data data = Data.small(60).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          for (int i = 0; i < 3; i++) {
            stage.steady().get(stage.draw(stage.steady().size())).kill();
            stage.awaitSettled();
          }
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void allButOneOfTheOwnersDieAtOnceAndNothingIsLost() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, SEGMENTS.owners(3));
          Data data = Data.small(60).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes).pass(Duration.ofMillis(500));
          stage.enter("joiner");
          load.pass(Duration.ofMillis(stage.draw(200)));
          List<Actor> owners = stage.owners("stable-7");
          owners.get(0).kill();
          owners.get(1).kill();
          load.pass(Duration.ofSeconds(4));
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void whoIsKilledAndBackWithinASecondIsAnotherMemberAndHoldsNothing() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Data data = Data.small(60).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes).pass(Duration.ofMillis(300));
          for (Actor victim : nodes.subList(0, 3)) {
            victim.kill();
            load.pass(Duration.ofMillis(stage.draw(1_000)));
            Actor again = stage.enter(victim.name());
            Set<Integer> atFirst = new HashSet<>();
            Rule looking = stage.count(letter -> looksAtFirst(stage, again, atFirst));
            load.at(again.joined());
            stage.awaitSettled();
            looking.end();
            assertThat(again.id()).isNotEqualTo(victim.id());
            assertThat(again.inspection().members())
                .contains(again.id())
                .doesNotContain(victim.id());
            assertThat(atFirst).as("segments it owned at first").containsExactly(NO_SEGMENT);
          }
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  /** Notes which segments a member owns by the first topology in which anybody knows it. */
  private static boolean looksAtFirst(Stage stage, Actor member, Set<Integer> owned) {
    for (Actor node : stage.steady()) {
      if (owned.isEmpty() && node.inspection().members().contains(member.id())) {
        owned.add(NO_SEGMENT);
        for (int segment = 0; segment < node.inspection().segmentCount(0); segment++) {
          if (node.inspection().owners(0, segment).contains(member.id())
              || member.inspection().part(0, segment) == Inspection.Part.OWNER) {
            owned.add(segment);
          }
        }
      }
    }
    return false;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void nodesThatStartAtOnceMakeOneGridAndOneCache(int initialMembers) {
    Script.play(
        stage -> {
          stage.cache(SEGMENTS);
          List<Actor> nodes = new ArrayList<>();
          for (int i = 1; i <= 5; i++) {
            nodes.add(stage.enter("n" + i, initialMembers));
          }
          nodes.forEach(Actor::joined);
          stage.awaitSettled();
          Data data = Data.small(40).putInto(nodes.getLast());
          nodes.forEach(data::checkAt);
          stage.settle();
        });
  }

  @Test
  void ofTwoNeitherGoesOnAloneAndBothSaySo() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(2, SEGMENTS);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Actor left = nodes.get(stage.draw(2));
          nodes.get(left == nodes.getFirst() ? 1 : 0).kill();
          stage.pass(Duration.ofSeconds(6));
          Set<String> kinds = new HashSet<>();
          for (String key : data.entries().keySet()) {
            Throwable failure = left.begin(() -> left.cache().get(key)).failure();
            assertThat(failure).isInstanceOf(GridException.class);
            kinds.add(failure == null ? "" : failure.getClass().getName());
          }
          assertThat(kinds).containsExactly(NotAvailableException.class.getName());
        });
  }

  @Test
  void ofTwoTheOldestGoesOnAloneWhereThatIsWantedAndTheOtherDoesNot() {
    Script.play(
        stage -> {
          stage.whenCut(WhenCut.oldestDecides());
          List<Actor> nodes = stage.grid(2, SEGMENTS);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Actor oldest = stage.actor(nodes.getFirst().node().members().getFirst());
          boolean killsOldest = stage.draw(2) == 0;
          Actor killed = (oldest == nodes.getFirst()) == killsOldest ? nodes.get(0) : nodes.get(1);
          Actor left = killed == nodes.getFirst() ? nodes.get(1) : nodes.get(0);
          killed.kill();
          stage.pass(Duration.ofSeconds(8));
          if (killsOldest) {
            assertThat(left.begin(() -> left.cache().get("stable-1")).failure())
                .isInstanceOf(NotAvailableException.class);
          } else {
            data.checkAt(left);
            left.call(() -> left.cache().put("alone", "yes"));
            stage.settle();
          }
        });
  }

  @Test
  void whoMissesWhatWasDecidedLearnsItAndServesNothingOldMeanwhile() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Actor deaf = nodes.get(stage.draw(4));
          Load load = new Load(stage, nodes);
          Rule lost =
              stage.drop(letter -> letter.to() == deaf && letter.is(Kind.DECIDED, Kind.TOPOLOGY));
          stage.enter("joiner");
          load.pass(Duration.ofSeconds(2));
          lost.end();
          stage.settle();
          load.check();
        });
  }
}
