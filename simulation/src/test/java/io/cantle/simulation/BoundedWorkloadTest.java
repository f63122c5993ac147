package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests caches with small bounds on the real core, from seeds. */
final class BoundedWorkloadTest {
  private static final int SEED_COUNT = 16;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void seedsOfBoundedCachesHaveNoViolations(boolean isAvailable) {
    SeedSettings settings =
        new SeedSettings(SeedSettings.defaultFaults(isAvailable, false), 60, 0, 0, isAvailable)
            .bounded();
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, settings, null)
            .run(1, SEED_COUNT, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations())
        .as(
            () ->
                summary.violatedResults().stream()
                    .map(
                        result ->
                            result.violation() + "\nreplay: " + result.replayCommand(settings))
                    .collect(Collectors.joining("\n")))
        .isZero();
    assertThat(summary.seeds()).isEqualTo(SEED_COUNT);
    assertThat(summary.count(EventKind.EVICTION)).isGreaterThan(SEED_COUNT);
    assertThat(summary.count(EventKind.CACHE_FULL)).isGreaterThan(SEED_COUNT);
    // Clients of available grids write one key at a time.
    assertThat(summary.count(EventKind.WRITTEN_IN_PART) > SEED_COUNT).isEqualTo(!isAvailable);
  }
}
