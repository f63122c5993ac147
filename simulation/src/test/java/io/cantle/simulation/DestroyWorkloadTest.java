package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests caches that are created and destroyed all the time on the real core, from seeds. */
final class DestroyWorkloadTest {
  private static final int SEED_COUNT = 8;

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false"})
  void seedsThatDestroyCachesHaveNoViolations(boolean isAvailable, boolean isDurable) {
    SeedSettings settings = settings(isAvailable, isDurable);
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, settings, null)
            .run(1, SEED_COUNT, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary, settings)).isZero();
    assertThat(summary.seeds()).isEqualTo(SEED_COUNT);
    assertThat(summary.count(EventKind.DESTROY)).isGreaterThan(SEED_COUNT);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.RegressionSeeds#DESTROYING")
  void regressionSeedsHaveNoViolations(RegressionSeeds.Kept kept) {
    SeedSettings settings = settings(true, false);
    SeedResult result = SeedRun.of(kept.seed(), settings, GridNodeUnderTest.createStarter(), null);
    assertThat(result.violation()).as(result.replayCommand(settings)).isNull();
  }

  private static SeedSettings settings(boolean isAvailable, boolean isDurable) {
    return new SeedSettings(
        SeedSettings.defaultFaults(isAvailable, isDurable),
        60,
        0,
        0,
        isAvailable,
        false,
        isDurable,
        false,
        true,
        false,
        false,
        false);
  }

  private static String describe(SeedSummary summary, SeedSettings settings) {
    return summary.violatedResults().stream()
        .map(result -> result.violation() + "\nreplay: " + result.replayCommand(settings))
        .collect(Collectors.joining("\n"));
  }
}
