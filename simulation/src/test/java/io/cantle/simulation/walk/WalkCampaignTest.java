package io.cantle.simulation.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WalkCampaignTest {
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(told, true, StandardCharsets.UTF_8);

  private WalkCampaign walks(String... words) {
    return new WalkCampaign(WalkOptions.of(List.of(words)), out);
  }

  @Test
  void noHolderIsForgottenInAThousandWalks() throws InterruptedException {
    WalkCampaign walks = walks("--topologies", "1000");
    Map<String, Object> figures = walks.run();
    assertThat(told.toString(StandardCharsets.UTF_8)).doesNotContain("violation in");
    assertThat(walks.isClean()).isTrue();
    assertThat(walks.absent()).isEmpty();
    assertThat(figures).containsEntry("walks", 1_000L).containsEntry("violations", 0L);
    assertThat(figures.keySet().stream().toList()).endsWith("walks", "violations");
  }

  @Test
  void oneWalkTellsItsStoryTheSameEachTime() throws InterruptedException {
    walks("--topologies", "1", "--seed", "7").run();
    String once = told.toString(StandardCharsets.UTF_8);
    told.reset();
    walks("--topologies", "1", "--seed", "7").run();
    assertThat(once).contains("a grid of [").contains("topology").contains("all is quiet");
    assertThat(told.toString(StandardCharsets.UTF_8)).isEqualTo(once);
  }

  @Test
  void wordsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> WalkOptions.of(List.of("--topologies", "many")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--topologies many is not a whole number");
    assertThatThrownBy(() -> WalkOptions.of(List.of("--topologies", "5", "--mode", "durable")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown option --mode beside --topologies");
    assertThatThrownBy(
            () -> WalkOptions.of(List.of("--topologies", "5", "--seed", "1", "--first", "2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--seed stands alone, without --first");
  }
}
