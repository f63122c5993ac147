package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.MergeLosses;
import io.cantle.MergePolicy;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.WhenCut;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a grid that stays available. Both sides of a partition serve, and all is merged when they
 * meet. What one side wrote is there; where both wrote, the policy decides; and losses are counted.
 */
final class AvailableTest {
  private static final CacheConfig CACHE = CacheConfig.distributed().owners(2).segments(8);
  private static final int KEY_COUNT = 6;
  private static final long THINK_NANOS = 100_000_000;

  /** This long after a cut, both sides serve. */
  private static final Duration APART = Duration.ofSeconds(9);

  /** A client that keeps writing is served after this time at the latest. */
  private static final Duration UNSERVED = Duration.ofSeconds(30);

  /** Which write wins when both sides wrote, the left side first. */
  enum Policy {
    NEWER,
    MAJORITY,
    REMOVE,
    CUSTOM;

    MergePolicy policy() {
      return switch (this) {
        case NEWER -> MergePolicy.newer();
        case MAJORITY -> MergePolicy.majority();
        case REMOVE -> MergePolicy.remove();
        case CUSTOM ->
            MergePolicy.custom((cache, key, ours, theirs) -> joined(cache, ours, theirs));
      };
    }

    private static Object joined(String cache, @Nullable Object ours, @Nullable Object theirs) {
      assertThat(cache).isEqualTo(ScriptedStage.CACHE);
      String one = String.valueOf(ours);
      String other = String.valueOf(theirs);
      return one.compareTo(other) < 0 ? one + "+" + other : other + "+" + one;
    }

    /** Checks the value of a key that both sides wrote. */
    void check(@Nullable String found, String left, String right, boolean leftIsMore) {
      switch (this) {
        // Clocks differ by up to two seconds each way, and the right side wrote five seconds
        // later.
        case NEWER -> assertThat(found).isEqualTo(right);
        case MAJORITY -> {
          if (leftIsMore) {
            assertThat(found).isEqualTo(left);
          } else {
            assertThat(found).isIn(left, right);
          }
        }
        case REMOVE -> assertThat(found).isNull();
        case CUSTOM -> assertThat(found).isEqualTo(left + "+" + right);
      }
    }

    /** Returns how many acknowledged values are lost for each key that both sides wrote. */
    long lostForEach() {
      return this == NEWER || this == MAJORITY ? 1 : 2;
    }
  }

  private static void put(StageNode at, String prefix, String value) {
    at.call(
        () -> {
          for (int i = 0; i < KEY_COUNT; i++) {
            at.cache().put(prefix + i, value + i);
          }
          return true;
        });
  }

  private static Map<String, String> all(StageNode at) {
    return at.call(() -> ImmutableEntries.iterated(at.cache()));
  }

  private static MergeLosses losses(ScriptedStage stage) {
    return stage.steadyNodes().stream()
        .map(actor -> actor.node().mergeLosses())
        .reduce(MergeLosses.NONE, MergeLosses::plus);
  }

  private static void splitAndMerge(ScriptedStage stage, int left, int right, Policy policy) {
    stage.setWhenCut(WhenCut.available(policy.policy()));
    List<StageNode> nodes = stage.startGrid(left + right, CACHE);
    List<StageNode> one = nodes.subList(0, left);
    List<StageNode> other = nodes.subList(left, left + right);
    ImmutableEntries stable = ImmutableEntries.ofSmallEntries(30).putInto(nodes.getFirst());
    put(nodes.getLast(), "removed-", "once");
    // A write in progress at the cut counts as written on both sides.
    stage.advanceTime(Duration.ofSeconds(1));
    stage.partition(List.of(one, other));
    stage.advanceTime(APART);
    put(one.getFirst(), "left-", "l");
    put(one.getLast(), "both-", "a");
    stage.advanceTime(Duration.ofSeconds(5));
    put(other.getFirst(), "right-", "r");
    put(other.getLast(), "both-", "b");
    StageNode remover = stage.drawBelow(2) == 0 ? one.getLast() : other.getFirst();
    Map<String, String> expected = new TreeMap<>(stable.entries());
    remover.call(
        () -> {
          for (int i = 0; i < KEY_COUNT; i++) {
            String key = "removed-" + i;
            // Where its segment began empty, there was nothing to remove.
            if (remover.cache().remove(key) == null) {
              expected.put(key, "once" + i);
            }
          }
          return true;
        });
    stage.heal();
    stage.settle();
    for (int i = 0; i < KEY_COUNT; i++) {
      expected.put("left-" + i, "l" + i);
      expected.put("right-" + i, "r" + i);
    }
    for (StageNode actor : nodes) {
      Map<String, String> found = all(actor);
      for (int i = 0; i < KEY_COUNT; i++) {
        policy.check(found.remove("both-" + i), "a" + i, "b" + i, left > right);
      }
      assertThat(found).as("at %s", actor).isEqualTo(expected);
    }
    MergeLosses lost = losses(stage);
    // At least once: a decision that the next primary repeats is counted there too.
    assertThat(lost.overwritten() + lost.removed())
        .isBetween(KEY_COUNT * policy.lostForEach(), 2 * KEY_COUNT * policy.lostForEach());
    assertThat(lost.broughtBack()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void bothOfTwoNodesContinueAloneAndMerge(Policy policy) {
    StageScript.play(stage -> splitAndMerge(stage, 1, 1, policy));
  }

  @Test
  void nodeClosedAfterGivingUpItsSideLosesNothing() {
    StageScript.play(
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(2, CACHE);
          stage.advanceTime(Duration.ofSeconds(1));
          stage.partition(List.of(nodes.subList(0, 1), nodes.subList(1, 2)));
          stage.advanceTime(APART);
          put(nodes.getFirst(), "first-", "f");
          put(nodes.getLast(), "last-", "l");
          stage.heal();
          stage.await(
              "one side to give itself up",
              () -> nodes.stream().anyMatch(node -> node.node().members().isEmpty()));
          StageNode leaving =
              nodes.getFirst().node().members().isEmpty() ? nodes.getFirst() : nodes.getLast();
          StageNode staying = nodes.getFirst() == leaving ? nodes.getLast() : nodes.getFirst();
          assertThat(leaving.leave().value()).isTrue();
          Map<String, String> expected = new TreeMap<>();
          for (int i = 0; i < KEY_COUNT; i++) {
            expected.put("first-" + i, "f" + i);
            expected.put("last-" + i, "l" + i);
          }
          assertThat(all(staying)).isEqualTo(expected);
        });
  }

  @ParameterizedTest
  @EnumSource
  void minorityContinuesAndMerges(Policy policy) {
    StageScript.play(stage -> splitAndMerge(stage, 3, 2, policy));
  }

  @ParameterizedTest
  @EnumSource
  void halvesContinueAndMerge(Policy policy) {
    StageScript.play(stage -> splitAndMerge(stage, 2, 2, policy));
  }

  /** One writer for each node, with a key of its own that only it ever writes. */
  private static final class Writers {
    private final ScriptedStage stage;
    private final Map<String, Long> acknowledged = new TreeMap<>();
    private final List<PendingCall<Boolean>> writers = new ArrayList<>();
    private final List<Throwable> wrong = new ArrayList<>();
    private long longestNanos;
    private boolean stopped;

    Writers(ScriptedStage stage, List<StageNode> nodes) {
      this.stage = stage;
      for (StageNode node : nodes) {
        for (int i = 0; i < 3; i++) {
          String key = node.name() + "-" + i;
          writers.add(node.beginCall(() -> writeOnce(node, key)));
        }
      }
    }

    private boolean writeOnce(StageNode node, String key) {
      long served = stage.nowNanos();
      for (long i = 1; !stopped; i++) {
        try {
          node.cache().put(key, Long.toString(i));
          acknowledged.put(key, i);
          longestNanos = Math.max(longestNanos, stage.nowNanos() - served);
          served = stage.nowNanos();
          node.cache().get(key);
        } catch (SegmentLostException | NotAvailableException e) {
          wrong.add(e);
        } catch (GridException e) {
          // Too late, or with an unknown outcome: the next number may follow either value.
          stage.restNode(node, THINK_NANOS);
        }
        // A writer that its own node answers is woken when it parks, and does not rest.
        long until = stage.nowNanos() + THINK_NANOS;
        while (stage.nowNanos() < until) {
          stage.restNode(node, THINK_NANOS);
        }
      }
      return true;
    }

    /**
     * Ends the writers, and checks that each key holds the last acknowledged number or a later one.
     */
    void check() {
      stopped = true;
      for (PendingCall<Boolean> writer : writers) {
        writer.value();
      }
      assertThat(wrong).isEmpty();
      assertThat(longestNanos).as("between two writes").isLessThan(UNSERVED.toNanos());
      stage.settle();
      for (StageNode actor : stage.steadyNodes()) {
        Map<String, String> found = all(actor);
        acknowledged.forEach(
            (key, last) ->
                assertThat(Long.parseLong(found.getOrDefault(key, "-1")))
                    .as("%s at %s", key, actor)
                    .isGreaterThanOrEqualTo(last));
      }
    }
  }

  private static List<List<StageNode>> drawSplit(
      ScriptedStage stage, List<StageNode> nodes, int groups) {
    List<List<StageNode>> split = new ArrayList<>();
    for (int i = 0; i < groups; i++) {
      split.add(new ArrayList<>());
    }
    for (int i = 0; i < nodes.size(); i++) {
      split.get(i < groups ? i : stage.drawBelow(groups)).add(nodes.get(i));
    }
    return split;
  }

  @Test
  void singleWriterKeysSurviveSeveralSplits() {
    StageScript.play(
        30,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(5, CACHE);
          Writers writers = new Writers(stage, nodes);
          for (int i = 0; i < 3; i++) {
            stage.advanceTime(Duration.ofMillis(500 + stage.drawBelow(3_000)));
            stage.partition(drawSplit(stage, nodes, 2 + stage.drawBelow(2)));
            stage.advanceTime(Duration.ofMillis(500 + stage.drawBelow(12_000)));
            stage.heal();
            if (stage.drawBelow(2) == 0) {
              stage.settle();
            }
          }
          stage.settle();
          writers.check();
        });
  }

  @Test
  void singleOwnerSegmentsBeginEmptyAndReturn() {
    StageScript.play(
        30,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(4, CACHE.owners(1));
          ImmutableEntries stable = ImmutableEntries.ofSmallEntries(40).putInto(nodes.getFirst());
          Writers writers = new Writers(stage, nodes);
          for (int i = 0; i < 2; i++) {
            stage.partition(drawSplit(stage, nodes, 2));
            stage.advanceTime(Duration.ofMillis(7_000 + stage.drawBelow(5_000)));
            stage.heal();
            stage.settle();
          }
          writers.check();
          nodes.forEach(node -> assertThat(all(node)).containsAllEntriesOf(stable.entries()));
          assertThat(losses(stage).begunEmpty()).isPositive();
        });
  }

  @Test
  void crashDuringAMergeLosesNothing() {
    StageScript.play(
        40,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(5, CACHE);
          ImmutableEntries stable = ImmutableEntries.ofSmallEntries(30).putInto(nodes.getFirst());
          stage.advanceTime(Duration.ofSeconds(1));
          stage.partition(List.of(nodes.subList(0, 3), nodes.subList(3, 5)));
          stage.advanceTime(APART);
          put(nodes.getFirst(), "left-", "l");
          put(nodes.getLast(), "right-", "r");
          // This gives every write time to reach where it must be before a node dies.
          stage.advanceTime(Duration.ofSeconds(2));
          stage.heal();
          stage.advanceTime(Duration.ofMillis(stage.drawBelow(3_000)));
          nodes.get(stage.drawBelow(5)).kill();
          stage.settle();
          Map<String, String> expected = new TreeMap<>(stable.entries());
          for (int i = 0; i < KEY_COUNT; i++) {
            expected.put("left-" + i, "l" + i);
            expected.put("right-" + i, "r" + i);
          }
          stage.steadyNodes().forEach(node -> assertThat(all(node)).isEqualTo(expected));
        });
  }

  private static boolean open(StageNode at, String prefix, CacheConfig config) {
    Cache<String, String> cache = at.node().cache("apart", config);
    for (int i = 0; i < 40; i++) {
      cache.put(prefix + i, prefix);
    }
    cache.put("both", prefix);
    return true;
  }

  private static Map<String, String> there(StageNode at) {
    return at.call(() -> ImmutableEntries.iterated(at.node().cache("apart")));
  }

  @Test
  void differentlyConfiguredCachesMergeWithoutLoss() {
    StageScript.play(
        30,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(4, CACHE);
          stage.partition(List.of(nodes.subList(0, 2), nodes.subList(2, 4)));
          stage.advanceTime(APART);
          CacheConfig config = CacheConfig.distributed().owners(2);
          int one = stage.drawBelow(2) == 0 ? 4 : 32;
          nodes.getFirst().call(() -> open(nodes.getFirst(), "left-", config.segments(one)));
          stage.advanceTime(Duration.ofSeconds(5));
          nodes.getLast().call(() -> open(nodes.getLast(), "right-", config.segments(8)));
          stage.heal();
          stage.settle();
          Map<String, String> expected = new TreeMap<>();
          for (int i = 0; i < 40; i++) {
            expected.put("left-" + i, "left-");
            expected.put("right-" + i, "right-");
          }
          expected.put("both", "right-");
          stage.await("everything to be merged", () -> there(nodes.get(1)).size() == 81);
          nodes.forEach(node -> assertThat(there(node)).isEqualTo(expected));
          assertThat(losses(stage).overwritten()).isPositive();
        });
  }

  /** No node of its own side is left to admit it again, and by descent that side would go on. */
  @Test
  void whoWasExcludedFromASideThatDiedJoinsAnother() {
    StageScript.playOnReliableNetwork(
        10,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(6, CACHE);
          List<StageNode> larger = nodes.subList(0, 3);
          List<StageNode> smaller = nodes.subList(3, 5);
          stage.partition(List.of(larger, smaller, List.of(nodes.getLast())));
          stage.advanceTime(APART);
          StageNode excluded = larger.getLast();
          MessageRule unheard =
              stage.dropMessages(
                  letter -> letter.from().equals(excluded) && letter.isOneOf(MessageKind.JOIN));
          stage.pause(excluded, Duration.ofSeconds(6));
          stage.await("its exclusion", () -> larger.getFirst().node().members().size() == 2);
          stage.await("word of it", () -> excluded.node().members().size() == 2);
          larger.subList(0, 2).forEach(StageNode::kill);
          unheard.end();
          stage.heal();
          stage.settle();
          assertThat(excluded.node().members()).hasSize(4);
          excluded.call(() -> excluded.cache().put("k", "v"));
          assertThat(nodes.getLast().call(() -> nodes.getLast().cache().get("k"))).isEqualTo("v");
        });
  }

  /** What the function of a test does before it returns. */
  private static Runnable meanwhile = () -> {};

  private static String slowly(@Nullable String value) {
    meanwhile.run();
    return value + "+";
  }

  @Test
  void functionFinishingAfterACutOverridesNothing() {
    StageScript.playOnReliableNetwork(
        40,
        stage -> {
          stage.setWhenCut(WhenCut.available(MergePolicy.newer()));
          List<StageNode> nodes = stage.startGrid(5, CACHE);
          nodes.getFirst().call(() -> nodes.getFirst().cache().put("k", "0"));
          stage.settle();
          StageNode primary = stage.primaryOf("k");
          StageNode caller = stage.nonOwnerOf("k");
          boolean[] begun = {false};
          meanwhile =
              () -> {
                if (!begun[0]) {
                  begun[0] = true;
                  stage.restNode(primary, (5_000L + stage.drawBelow(9_000)) * 1_000_000);
                }
              };
          PendingCall<@Nullable String> computed =
              caller.beginCall(() -> caller.cache().compute("k", (key, value) -> slowly(value)));
          stage.await("the function", () -> begun[0]);
          stage.isolate(primary);
          assertThat(computed.value()).isEqualTo("0+");
          caller.call(() -> caller.cache().put("k", "later"));
          stage.advanceTime(Duration.ofSeconds(16));
          stage.heal();
          stage.settle();
          nodes.forEach(
              node -> assertThat(node.call(() -> node.cache().get("k"))).isEqualTo("later"));
        });
  }
}
