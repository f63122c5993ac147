package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Script;
import io.cantle.simulation.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The network breaks in every way and heals again: one side at most serves, and all meet again. */
final class PartitionTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(8);
  private static final CacheConfig THREE = SEGMENTS.owners(3);
  private static final String KEY = "stable-1";

  /** After so long whoever is cut off says so at once. */
  private static final Duration CUT_OFF = Duration.ofSeconds(5);

  /** Sides by the places of their nodes; where all are named, the first may be a majority. */
  static Stream<Arguments> splits() {
    return Stream.of(
        Arguments.of(List.of(List.of(0, 1), List.of(2, 3)), false),
        Arguments.of(List.of(List.of(0, 1, 2), List.of(3)), true),
        Arguments.of(List.of(List.of(1, 2, 3), List.of(0)), true),
        Arguments.of(List.of(List.of(0, 1), List.of(2), List.of(3)), false),
        Arguments.of(List.of(List.of(0, 2, 4), List.of(1, 3)), true),
        Arguments.of(List.of(List.of(0, 1), List.of(2, 3), List.of(4)), false));
  }

  private static List<List<Actor>> sides(List<Actor> nodes, List<List<Integer>> places) {
    return places.stream().map(side -> side.stream().map(nodes::get).toList()).toList();
  }

  private static int size(List<List<Integer>> places) {
    return places.stream().mapToInt(List::size).sum();
  }

  private static void assertServes(Actor node, Data data) {
    data.checkAt(node);
    String value = node.call(() -> node.cache().put("by-" + node, "" + node));
    assertThat(value == null || value.equals(node.name())).isTrue();
  }

  private static void assertRefuses(Stage stage, Actor node) {
    List<Callable<Object>> calls =
        List.of(
            () -> String.valueOf(node.cache().get(KEY)),
            () -> String.valueOf(node.cache().put(KEY, "refused")),
            () -> String.valueOf(node.cache().remove(KEY)),
            () -> node.cache().mappingCount(),
            () -> Data.iterated(node.cache()));
    for (Callable<Object> call : calls) {
      long began = stage.nowNanos();
      assertThat(node.begin(call).failure()).isInstanceOf(NotAvailableException.class);
      assertThat(stage.nowNanos() - began).isLessThan(Duration.ofSeconds(4).toNanos());
    }
  }

  @ParameterizedTest
  @MethodSource("splits")
  void atMostTheMajorityServesAndAllServeAgainOnceItHeals(
      List<List<Integer>> places, boolean majority) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(size(places), THREE);
          List<List<Actor>> sides = sides(nodes, places);
          Data data = Data.small(40).putInto(nodes.getFirst());
          stage.split(sides);
          stage.pass(CUT_OFF);
          for (List<Actor> side : sides) {
            for (Actor node : side) {
              if (majority && side.equals(sides.getFirst())) {
                assertServes(node, data);
              } else {
                assertRefuses(stage, node);
              }
            }
          }
          stage.heal();
          stage.settle();
          nodes.forEach(node -> assertServes(node, data));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"01,2,3", "0,1,23", "013,2", "01,23"})
  void threeSidesMeetAgainInAnyOrder(String next) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          stage.split(sides(nodes, List.of(List.of(0, 1), List.of(2), List.of(3))));
          load.pass(Duration.ofMillis(1_000 + stage.draw(5_000)));
          stage.heal();
          List<List<Actor>> sides = new ArrayList<>();
          for (String side : next.split(",", -1)) {
            sides.add(side.chars().mapToObj(place -> nodes.get(place - '0')).toList());
          }
          stage.split(sides);
          load.pass(Duration.ofMillis(1_000 + stage.draw(5_000)));
          stage.heal();
          load.pass(Duration.ofSeconds(2));
          stage.settle();
          nodes.forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void nobodyJoinsAGridThatHasNoMajorityBeforeItHeals() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS);
          Data data = Data.small(40).putInto(nodes.getFirst());
          stage.split(sides(nodes, List.of(List.of(0, 1), List.of(2, 3))));
          stage.pass(CUT_OFF);
          Actor joiner = stage.enter("joiner");
          stage.pass(Duration.ofSeconds(4));
          assertThat(joiner.steady()).isFalse();
          stage.heal();
          joiner.joined();
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @Test
  void losesNothingThoughItSplitsAgainWhileSegmentsStillMove() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          for (int cycle = 0; cycle < 4; cycle++) {
            List<Actor> shuffled = new ArrayList<>(nodes);
            for (int i = 0; i < 4; i++) {
              shuffled.add(shuffled.remove(stage.draw(5 - i)));
            }
            int cut = 1 + stage.draw(4);
            stage.split(List.of(shuffled.subList(0, cut), shuffled.subList(cut, 5)));
            load.pass(Duration.ofMillis(200 + stage.draw(6_000)));
            stage.heal();
            load.pass(Duration.ofMillis(200 + stage.draw(2_000)));
          }
          stage.settle();
          nodes.forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void losesNothingWhenANodeDiesJustAsItHeals() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(6, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          int alone = stage.draw(6);
          stage.isolate(nodes.get(alone));
          load.pass(Duration.ofMillis(500 + stage.draw(5_000)));
          stage.heal();
          load.pass(Duration.ofMillis(stage.draw(600)));
          nodes.get((alone + 1 + stage.draw(5)) % 6).kill();
          load.pass(Duration.ofSeconds(3));
          stage.settle();
          stage.steady().forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void theOthersGoOnWithoutOneThatHearsThemAndIsNotHeard() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          Actor mute = nodes.get(stage.draw(5));
          List<Actor> others = new ArrayList<>(nodes);
          others.remove(mute);
          stage.cutOneWay(List.of(mute), others);
          load.pass(Duration.ofSeconds(8));
          others.forEach(node -> assertServes(node, data));
          stage.heal();
          stage.settle();
          nodes.forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void theOthersGoOnWithoutOneThatIsHeardAndHearsNobody() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          Actor deaf = nodes.get(stage.draw(5));
          List<Actor> others = new ArrayList<>(nodes);
          others.remove(deaf);
          stage.cutOneWay(others, List.of(deaf));
          load.pass(Duration.ofSeconds(8));
          others.forEach(node -> assertServes(node, data));
          stage.heal();
          stage.settle();
          nodes.forEach(node -> assertServes(node, data));
          load.check();
        });
  }

  @Test
  void losesNothingWhereTwoSidesHearOnlyOneNodeBetweenThem() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          // The third hears both.
          stage.split(List.of(nodes.subList(0, 2), nodes.subList(3, 5)));
          load.pass(Duration.ofSeconds(10));
          stage.heal();
          stage.settle();
          nodes.forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void losesNothingWhereEachHearsAnotherMajority() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          for (int i = 0; i < 5; i++) {
            stage.split(List.of(List.of(nodes.get(i)), List.of(nodes.get((i + 2) % 5))));
          }
          load.pass(Duration.ofSeconds(10));
          stage.heal();
          stage.settle();
          nodes.forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void losesNothingWhileALinkComesAndGoesEverySecond() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          Load load = new Load(stage, nodes);
          Actor flapping = nodes.get(stage.draw(4));
          for (int i = 0; i < 8; i++) {
            stage.isolate(flapping);
            load.pass(Duration.ofSeconds(1));
            stage.heal();
            load.pass(Duration.ofSeconds(1));
          }
          stage.settle();
          nodes.forEach(data::checkAt);
          load.check();
        });
  }

  @Test
  void sidesMeetAgainAfterALongTime() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, THREE);
          Data data = Data.small(40).putInto(nodes.getFirst());
          stage.split(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
          stage.pass(Duration.ofMinutes(1));
          stage.heal();
          stage.settle();
          nodes.forEach(node -> assertServes(node, data));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 1_500, 3_000, 6_000, 20_000})
  void aPrimaryThatStoodStillAnswersNothingOld(int millis) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, SEGMENTS.segments(1));
          Actor primary = stage.primary(KEY);
          Actor writer = stage.stranger(KEY);
          writer.call(() -> writer.cache().put(KEY, "0"));
          long[] newest = new long[1];
          boolean[] over = new boolean[1];
          List<Outcome<Boolean>> readers = new ArrayList<>();
          for (Actor node : nodes) {
            readers.add(
                node.begin(
                    () -> {
                      while (!over[0]) {
                        readNothingOld(node, newest);
                        stage.rest(node, 3_000_000);
                      }
                      return true;
                    }));
          }
          Load load = new Load(stage, nodes);
          stage.pass(Duration.ofMillis(300));
          stage.pause(primary, Duration.ofMillis(millis));
          Outcome<Long> writes = writer.begin(() -> countUp(stage, writer, newest, over));
          load.pass(Duration.ofMillis(millis + 3_000L));
          over[0] = true;
          assertThat(writes.value()).isPositive();
          readers.forEach(Outcome::value);
          stage.settle();
          load.check();
        });
  }

  private static void readNothingOld(Actor node, long[] newest) {
    long before = newest[0];
    try {
      @Nullable String found = node.cache().get(KEY);
      assertThat(found == null ? -1 : Long.parseLong(found))
          .as("read at " + node)
          .isGreaterThanOrEqualTo(before);
    } catch (GridException e) {
      assertThat(e.retrySafe()).as("a read may be tried again: " + e).isTrue();
    }
  }

  private static long countUp(Stage stage, Actor writer, long[] newest, boolean[] over) {
    for (long value = 1; !over[0]; value++) {
      try {
        writer.cache().put(KEY, Long.toString(value));
        newest[0] = value;
      } catch (IndeterminateException e) {
        assertThat(e.retrySafe()).isFalse();
      }
      stage.rest(writer, 20_000_000);
    }
    return newest[0];
  }

  /** On one machine JGroups tells of a death within 0.8 s, when the sockets have closed. */
  @Test
  void keysAreWritableAgainTwoSecondsAfterTheirPrimaryWasKilled() {
    Script.playInFairWeather(
        100,
        stage -> {
          stage.seesDeathsWithin(Duration.ofMillis(800));
          stage.grid(5, SEGMENTS.segments(1));
          Actor primary = stage.primary(KEY);
          Actor writer = stage.stranger(KEY);
          writer.call(() -> writer.cache().put(KEY, "before"));
          stage.pass(Duration.ofMillis(stage.draw(1_000)));
          primary.kill();
          long began = stage.nowNanos();
          Outcome<@Nullable String> put = writer.begin(() -> writer.cache().put(KEY, "after"));
          assertThat(put.value()).isEqualTo("before");
          assertThat(put.endedNanos() - began).isLessThan(Duration.ofSeconds(2).toNanos());
          stage.settle();
        });
  }

  @Test
  void keysAreWritableAgainEightSecondsAfterTheirPrimaryWasCutOff() {
    Script.play(
        stage -> {
          stage.grid(5, SEGMENTS.segments(1));
          Actor primary = stage.primary(KEY);
          Actor writer = stage.stranger(KEY);
          writer.call(() -> writer.cache().put(KEY, "before"));
          if (stage.seed() % 3 == 0) {
            stage.pause(primary, Duration.ofSeconds(20));
          } else {
            stage.isolate(primary);
          }
          long began = stage.nowNanos();
          Outcome<@Nullable String> put = writer.begin(() -> writer.cache().put(KEY, "after"));
          assertThat(put.value()).isEqualTo("before");
          assertThat(put.endedNanos() - began).isLessThan(Duration.ofSeconds(8).toNanos());
          stage.heal();
          stage.settle();
        });
  }
}
