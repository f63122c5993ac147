package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every use of streams, publishers and pages on the real core, from seeds. */
final class StreamsTest {
  private static final int SEED_COUNT = 60;

  @Test
  void sixtyStreamSeedsHaveNoViolations() {
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, SeedSettings.STREAMS, null)
            .run(1, SEED_COUNT, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary)).isZero();
    assertThat(summary.uses().duplicates()).isZero();
    assertThat(summary.uses().missing()).isZero();
    assertThat(summary.seeds()).isEqualTo(SEED_COUNT);
    assertThat(summary.unusedUses()).isEmpty();
    assertThat(summary.absentKinds(SeedSettings.STREAMS.faults())).isEmpty();
    assertThat(summary.count(EventKind.SCAN_ACROSS_CHANGE)).isGreaterThan(SEED_COUNT);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.RegressionSeeds#STREAMS")
  void streamRegressionSeedsHaveNoViolations(RegressionSeeds.Kept kept) {
    SeedResult result =
        SeedRun.of(kept.seed(), SeedSettings.STREAMS, GridNodeUnderTest.createStarter(), null);
    assertThat(result.violation()).as(result.replayCommand(SeedSettings.STREAMS)).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void streamSeedIsDeterministic(long seed) {
    long hash =
        SeedRun.of(seed, SeedSettings.STREAMS, GridNodeUnderTest.createStarter(), null).hash();
    assertThat(
            SeedRun.of(seed, SeedSettings.STREAMS, GridNodeUnderTest.createStarter(), null).hash())
        .isEqualTo(hash);
  }

  private static String describe(SeedSummary summary) {
    return summary.violatedResults().stream()
        .limit(3)
        .map(result -> result.replayCommand(SeedSettings.STREAMS) + "\n" + result.violation())
        .collect(Collectors.joining("\n"));
  }
}
