package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As many calls are offered as were asked for, whatever goes wrong. */
final class RateTest {
  private static final int SECONDS = 60;
  private static final int RATE = 200;

  @ParameterizedTest
  @ValueSource(longs = {2, 3, 4, 5})
  void clientsOfferTheRateAskedFor(long seed) {
    Terms terms = new Terms(Fault.ALL, SECONDS, 5, RATE, false);
    SeedResult result = Run.of(seed, terms, GridPeer.starter(), null);
    assertThat(result.violation()).as(result.replay() + terms.words()).isNull();
    assertThat(result.counts().getOrDefault(EventKind.CALL, 0L) / (double) SECONDS)
        .isCloseTo(RATE, within(RATE * 0.05));
  }
}
