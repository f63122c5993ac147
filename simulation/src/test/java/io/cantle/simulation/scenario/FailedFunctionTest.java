package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that what a function throws reaches its caller, whatever messages are lost on the way. */
final class FailedFunctionTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final String KEY = "key";

  @Test
  void functionFailureIsRepeatedWhenTheAnswerIsLost() {
    StageScript.play(
        stage -> {
          stage.startGrid(3, ONE_SEGMENT);
          List<StageNode> owners = stage.ownersOf(KEY);
          StageNode caller =
              stage.steadyNodes().stream()
                  .filter(node -> !owners.contains(node))
                  .findFirst()
                  .orElseThrow();
          MessageRule lost =
              stage.dropMessages(
                  letter ->
                      letter.from() == owners.getFirst()
                          && letter.to() == caller
                          && letter.isOneOf(MessageKind.RESPONSE));
          PendingCall<@Nullable String> computed =
              caller.beginCall(
                  () ->
                      caller
                          .cache()
                          .compute(
                              KEY,
                              (key, value) -> {
                                throw new IllegalArgumentException("a value is needed");
                              }));
          stage.advanceTime(Duration.ofMillis(300));
          assertThat(lost.seenCount()).isPositive();
          lost.end();
          assertThatThrownBy(computed::value).hasStackTraceContaining("a value is needed");
        });
  }
}
