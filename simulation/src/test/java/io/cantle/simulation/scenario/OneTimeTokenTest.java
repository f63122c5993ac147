package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests tokens that may be taken once. Two clients want each token at the same time, by a
 * conditional operation or a function. Meanwhile messages arrive twice, answers get lost and owners
 * change. One client is told that it has the token, and that is true.
 */
final class OneTimeTokenTest {
  private static final CacheConfig SEGMENTS = CacheConfig.distributed().owners(2).segments(4);
  private static final int TOKENS = 24;
  private static final String FREE = "free";
  private static final String AGAIN = "+";

  /** How a token is taken. */
  enum Way {
    REMOVE,
    REMOVE_EXACTLY,
    REPLACE_EXACTLY,
    PUT_IF_ABSENT,
    COMPUTE_AT_THE_PRIMARY,
    COMPUTE_HERE,
    MERGE_AT_THE_PRIMARY,
    COMPUTE_IF_ABSENT_AT_THE_PRIMARY;

    /** Returns what is there when one client has taken a token and another has wanted it. */
    @Nullable String left(String winner) {
      return switch (this) {
        case REMOVE, REMOVE_EXACTLY -> null;
        case REPLACE_EXACTLY, PUT_IF_ABSENT, COMPUTE_IF_ABSENT_AT_THE_PRIMARY -> winner;
        // A function that counts twice leaves more.
        case COMPUTE_AT_THE_PRIMARY, COMPUTE_HERE, MERGE_AT_THE_PRIMARY -> winner + AGAIN;
      };
    }

    /** Returns whether a token is a key that is absent. */
    boolean takesAbsent() {
      return this == PUT_IF_ABSENT || this == COMPUTE_IF_ABSENT_AT_THE_PRIMARY;
    }

    boolean takes(Cache<String, String> cache, String token, String name) {
      return switch (this) {
        case REMOVE -> cache.remove(token) != null;
        case REMOVE_EXACTLY -> cache.remove(token, FREE);
        case REPLACE_EXACTLY -> cache.replace(token, FREE, name);
        case PUT_IF_ABSENT -> cache.putIfAbsent(token, name) == null;
        case COMPUTE_AT_THE_PRIMARY ->
            name.equals(
                cache.compute(token, (key, value) -> FREE.equals(value) ? name : value + AGAIN));
        case COMPUTE_HERE -> {
          // A function in a variable of this type is not sent to the primary.
          BiFunction<String, @Nullable String, String> function =
              (key, value) -> FREE.equals(value) ? name : value + AGAIN;
          yield name.equals(cache.compute(token, function));
        }
        case MERGE_AT_THE_PRIMARY ->
            name.equals(
                cache.merge(
                    token, name, (value, mine) -> FREE.equals(value) ? mine : value + AGAIN));
        case COMPUTE_IF_ABSENT_AT_THE_PRIMARY ->
            name.equals(cache.computeIfAbsent(token, key -> name));
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void tokenIsTakenOnceByItsReportedWinner(Way way) {
    StageScript.play(
        6,
        stage -> {
          stage.startGrid(5, SEGMENTS);
          StageNode any = stage.steadyNodes().getFirst();
          any.call(() -> any.cache().put("another", FREE));
          if (!way.takesAbsent()) {
            any.call(() -> placed(any.cache()));
          }
          disturb(stage);

          List<StageNode> takers = stage.steadyNodes().subList(0, 2);
          Map<String, List<String>> taken = new HashMap<>();
          List<PendingCall<Boolean>> outcomes = new ArrayList<>();
          for (StageNode taker : takers) {
            outcomes.add(taker.beginCall(() -> takes(stage, taker, way, taken)));
          }
          stage.advanceTime(Duration.ofMillis(stage.drawBelow(400)));
          stage.nodeOf("n5").kill();
          stage.startNode("joiner").awaitJoined();
          stage.nodeOf("n4").leave();
          outcomes.forEach(PendingCall::value);

          stage.settle();
          for (int i = 0; i < TOKENS; i++) {
            String token = "token-" + i;
            List<String> winners = taken.getOrDefault(token, List.of());
            assertThat(winners).as("who took " + token).hasSize(1);
            @Nullable String expected = way.left(winners.getFirst());
            for (StageNode node : stage.steadyNodes()) {
              assertThat(node.call(() -> node.cache().get(token))).isEqualTo(expected);
            }
          }
        });
  }

  private static boolean placed(Cache<String, String> cache) {
    for (int i = 0; i < TOKENS; i++) {
      cache.put("token-" + i, FREE);
    }
    return true;
  }

  /** Delivers writes twice, and loses some of the answers to them. */
  private static void disturb(ScriptedStage stage) {
    stage.dropMessages(
        letter ->
            (letter.isOneOf(MessageKind.ACK, MessageKind.REPLICATE)
                    || letter.isAnswerTo(MessageKind.WRITE))
                && stage.drawBelow(5) == 0);
    stage.duplicateMessages(letter -> letter.isOneOf(MessageKind.WRITE, MessageKind.REPLICATE));
  }

  private static boolean takes(
      ScriptedStage stage, StageNode taker, Way way, Map<String, List<String>> taken) {
    for (int i = 0; i < TOKENS; i++) {
      String token = "token-" + i;
      if (way.takes(taker.cache(), token, taker.name())) {
        taken.computeIfAbsent(token, key -> new ArrayList<>()).add(taker.name());
      }
      stage.restNode(taker, 20_000_000);
    }
    return true;
  }
}
