package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the requested number of calls is made, whatever goes wrong. */
final class RateTest {
  private static final int SECONDS = 60;
  private static final int RATE = 200;

  @ParameterizedTest
  @ValueSource(longs = {2, 3, 4, 5})
  void clientsOfferTheRequestedRate(long seed) {
    SeedSettings settings = new SeedSettings(SimulatedFault.ALL, SECONDS, 5, RATE, false);
    SeedResult result = SeedRun.of(seed, settings, GridNodeUnderTest.createStarter(), null);
    assertThat(result.violation()).as(result.replayCommand(settings)).isNull();
    assertThat(result.counts().getOrDefault(EventKind.CALL, 0L) / (double) SECONDS)
        .isCloseTo(RATE, within(RATE * 0.05));
  }
}
