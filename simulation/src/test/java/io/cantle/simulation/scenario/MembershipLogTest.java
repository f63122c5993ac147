package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.WhenCut;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that each change of the members is one line in the log of each node, and no line more. */
final class MembershipLogTest {
  private static final CacheConfig CACHE = CacheConfig.distributed().owners(2).segments(8);
  private static final int SEEDS = 3;

  /** What a joiner logs, without how long it took. */
  private static String admission(String line) {
    return line.replaceFirst(" in [0-9,]+ ms, with Cantle [^;]+;", ";");
  }

  private static StageNode join(ScriptedStage stage, String name) {
    StageNode node = stage.startNode(name).awaitJoined();
    stage.awaitSettled();
    return node;
  }

  /** Starts three nodes one after the other. */
  private static List<StageNode> startThree(ScriptedStage stage) {
    stage.setCacheConfig(CACHE);
    stage.keepLog();
    return List.of(join(stage, "n1"), join(stage, "n2"), join(stage, "n3"));
  }

  @Test
  void foundingOfThreeIsToldByAll() {
    StageScript.playOnReliableNetwork(
        SEEDS,
        stage -> {
          List<StageNode> nodes = startThree(stage);
          assertThat(stage.takeLog(nodes.get(0)))
              .map(MembershipLogTest::admission)
              .satisfiesExactly(
                  line ->
                      assertThat(line)
                          .isEqualTo("n1 has founded grid \"stage\"; now 1 member and 1 voter, n1"),
                  line ->
                      assertThat(line)
                          .startsWith("n2 has joined grid \"stage\"; now 2 members and"),
                  line -> assertThat(line).contains("has two members", "WhenCut.stop"),
                  line ->
                      assertThat(line)
                          .startsWith("n3 has joined grid \"stage\"; now 3 members and"));
          assertThat(stage.takeLog(nodes.get(2)))
              .map(MembershipLogTest::admission)
              .singleElement()
              .asString()
              .startsWith("n3 has joined grid \"stage\"; now 3 members and")
              .endsWith("n1, n2, n3");
        });
  }

  @Test
  void leaveIsToldByAll() {
    StageScript.playOnReliableNetwork(
        SEEDS,
        stage -> {
          List<StageNode> nodes = startThree(stage);
          stage.keepLog();
          StageNode leaver = nodes.get(2);
          leaver.leave().value();
          stage.awaitSettled();
          String left = "n3 has left grid \"stage\"; now 2 members and 2 voters";
          assertThat(stage.takeLog(leaver)).containsExactly(left);
          // Both were given the hint at two members when there were two of them before.
          assertThat(stage.takeLog(nodes.get(0))).containsExactly(left);
          assertThat(stage.takeLog(nodes.get(1))).containsExactly(left);
        });
  }

  @Test
  void crashIsToldByAll() {
    StageScript.playOnReliableNetwork(
        SEEDS,
        stage -> {
          stage.setWhenCut(WhenCut.oldestDecides());
          List<StageNode> nodes = startThree(stage);
          StageNode fourth = join(stage, "n4");
          stage.keepLog();
          fourth.kill();
          stage.awaitSettled();
          for (StageNode node : nodes) {
            assertThat(stage.takeLog(node))
                .containsExactly(
                    "n4 is lost to grid \"stage\": it has crashed or is cut off; now 3 members and 3"
                        + " voters");
          }
        });
  }

  /**
   * Asserts that the last line is of the first kind, and that the kinds alternate. A view that is
   * late may have a member excluded once more that has just returned.
   */
  private static void assertAlternating(List<String> lines, String last, String other) {
    List<String> reversed = lines.reversed();
    for (int place = 0; place < reversed.size(); place++) {
      assertThat(reversed.get(place)).as("in %s", lines).startsWith(place % 2 == 0 ? last : other);
    }
    assertThat(lines).as("an odd number").hasSize(lines.size() / 2 * 2 + 1);
  }

  @Test
  void cutAndItsHealingAreToldOnBothSides() {
    StageScript.playOnReliableNetwork(
        SEEDS,
        stage -> {
          List<StageNode> nodes = startThree(stage);
          StageNode first = nodes.get(0);
          StageNode cut = nodes.get(2);
          stage.keepLog();
          stage.isolate(cut);
          stage.advanceTime(Duration.ofSeconds(10));
          assertThat(stage.takeLog(first))
              .containsExactly(
                  "n3 is lost to grid \"stage\": it has crashed or is cut off; now 2 members and 2"
                      + " voters");
          assertThat(stage.takeLog(cut))
              .singleElement()
              .asString()
              .startsWith("n3 has lost the majority of grid \"stage\": n3 is cut off from")
              .contains("which are n1, n2, n3", "GridConfig.whenCut, which is WhenCut.stop()");
          stage.heal();
          stage.awaitSettled();
          stage.advanceTime(Duration.ofSeconds(5));
          stage.awaitSettled();
          List<String> ofFirst = stage.takeLog(first);
          assertAlternating(ofFirst, "n3 has joined grid", "n3 is lost to grid");
          List<String> ofCut = new ArrayList<>(stage.takeLog(cut));
          ofCut.removeIf(line -> line.startsWith("n3 was excluded from grid"));
          assertThat(ofCut).hasSizeGreaterThan(1);
          assertThat(ofCut)
              .filteredOn(line -> !line.startsWith("n3 has joined grid"))
              .singleElement()
              .asString()
              .startsWith("n3 reaches a majority of grid \"stage\" again");
        });
  }
}
