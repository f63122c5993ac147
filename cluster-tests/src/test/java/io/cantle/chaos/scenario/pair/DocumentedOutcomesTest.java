package io.cantle.chaos.scenario.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.chaos.process.ChaosException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how the outcomes are read from the page. */
final class DocumentedOutcomesTest {
  private static final List<String> TABLE =
      List.of(
          "1. a number in front of the table",
          "| what is done | to the | with | outcome |",
          "| --- | --- | --- | --- |",
          "| killed | younger, older | memory | 2 |",
          "| closed | older | stores | 10 |",
          "",
          "2. the other serves",
          "   everything",
          "10. it is gone");

  @Test
  void readsNumberedOutcomesForEachRoleAndStore() throws ChaosException {
    DocumentedOutcomes outcomes = DocumentedOutcomes.of(TABLE);
    assertThat(outcomes.count()).isEqualTo(3);
    assertThat(outcomes.of("killed", "younger", "memory")).contains("the other serves everything");
    assertThat(outcomes.of("killed", "older", "memory")).contains("the other serves everything");
    assertThat(outcomes.of("closed", "older", "stores")).contains("it is gone");
    assertThat(outcomes.of("killed", "older", "stores")).isEmpty();
  }

  @Test
  void outcomeThatIsNotBelowTheTableIsReported() {
    assertThatThrownBy(() -> DocumentedOutcomes.of(TABLE.subList(0, 8)))
        .isInstanceOf(ChaosException.class)
        .hasMessageContaining("has no outcome 10");
  }
}
