package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a function throws reaches its caller, whatever gets lost on the way. */
final class FailedFunctionTest {
  private static final CacheConfig ONE_SEGMENT = CacheConfig.distributed().owners(2).segments(1);
  private static final String KEY = "key";

  @Test
  void whatAFunctionThrewIsToldAgainWhenTheAnswerIsLost() {
    Script.play(
        stage -> {
          stage.grid(3, ONE_SEGMENT);
          List<Actor> owners = stage.owners(KEY);
          Actor caller =
              stage.steady().stream()
                  .filter(node -> !owners.contains(node))
                  .findFirst()
                  .orElseThrow();
          Rule lost =
              stage.drop(
                  letter ->
                      letter.from() == owners.getFirst()
                          && letter.to() == caller
                          && letter.is(Kind.ANSWER));
          Outcome<@Nullable String> computed =
              caller.begin(
                  () ->
                      caller
                          .cache()
                          .compute(
                              KEY,
                              (key, value) -> {
                                throw new IllegalArgumentException("a value is needed");
                              }));
          stage.pass(Duration.ofMillis(300));
          assertThat(lost.seen()).isPositive();
          lost.end();
          assertThatThrownBy(computed::value).hasStackTraceContaining("a value is needed");
        });
  }
}
