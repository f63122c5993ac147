package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the real core, from seeds. */
final class SimulationTest {
  /** More than the slowest planted bug needs. */
  private static final int SEED_COUNT = 700;

  private static final SeedSettings SETTINGS = SeedSettings.DEFAULT;
  private static final SeedSettings AVAILABLE =
      new SeedSettings(SimulatedFault.APART, 60, 0, 0, true);

  @Test
  void ordinarySeedsHaveNoViolations() {
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, SETTINGS, null)
            .run(1, SEED_COUNT, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary, SETTINGS)).isZero();
    assertThat(summary.seeds()).isEqualTo(SEED_COUNT);
    assertThat(summary.absentKinds(SETTINGS.faults())).isEmpty();
    assertThat(summary.count(EventKind.RETURN)).isGreaterThanOrEqualTo(SEED_COUNT * 1_000L);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.RegressionSeeds#ALL")
  void regressionSeedsHaveNoViolations(RegressionSeeds.Kept kept) {
    SeedResult result = SeedRun.of(kept.seed(), SETTINGS, GridNodeUnderTest.createStarter(), null);
    assertThat(result.violation()).as(result.replayCommand(SETTINGS)).isNull();
  }

  @Test
  void hundredAvailableSeedsHaveNoViolations() {
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, AVAILABLE, null)
            .run(1, 100, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary, AVAILABLE)).isZero();
    assertThat(summary.absentKinds(SimulatedFault.APART)).isEmpty();
  }

  @Test
  void hundredDurableSeedsHaveNoViolations() {
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, SeedSettings.DURABLE, null)
            .run(1, 100, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary, SeedSettings.DURABLE)).isZero();
    assertThat(summary.absentKinds(SimulatedFault.LASTING)).isEmpty();
    assertThat(summary.count(EventKind.STOP)).isGreaterThan(100);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.RegressionSeeds#DURABLE")
  void durableRegressionSeedsHaveNoViolations(RegressionSeeds.Kept kept) {
    SeedResult result =
        SeedRun.of(kept.seed(), SeedSettings.DURABLE, GridNodeUnderTest.createStarter(), null);
    assertThat(result.violation()).as(result.replayCommand(SeedSettings.DURABLE)).isNull();
  }

  @Test
  void durableSeedIsDeterministic() {
    long hash = SeedRun.of(3, SeedSettings.DURABLE, GridNodeUnderTest.createStarter(), null).hash();
    assertThat(SeedRun.of(3, SeedSettings.DURABLE, GridNodeUnderTest.createStarter(), null).hash())
        .isEqualTo(hash);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.RegressionSeeds#AVAILABLE")
  void availableRegressionSeedsHaveNoViolations(RegressionSeeds.Kept kept) {
    SeedResult result = SeedRun.of(kept.seed(), AVAILABLE, GridNodeUnderTest.createStarter(), null);
    assertThat(result.violation()).as(result.replayCommand(AVAILABLE)).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void seedIsDeterministic(long seed) {
    long hash = SeedRun.of(seed, SETTINGS, GridNodeUnderTest.createStarter(), null).hash();
    assertThat(SeedRun.of(seed, SETTINGS, GridNodeUnderTest.createStarter(), null).hash())
        .isEqualTo(hash);
    assertThat(SeedRun.of(seed + 100, SETTINGS, GridNodeUnderTest.createStarter(), null).hash())
        .isNotEqualTo(hash);
  }

  @Test
  void parallelSeedsAreIndependent() {
    Simulation alone = new Simulation(GridNodeUnderTest::createStarter, SETTINGS, null);
    Simulation together = new Simulation(GridNodeUnderTest::createStarter, SETTINGS, null);
    assertThat(together.run(1, 12, 4, present -> {}).hash())
        .isEqualTo(alone.run(1, 12, 1, present -> {}).hash());
  }

  private static String describe(SeedSummary summary, SeedSettings settings) {
    return summary.violatedResults().stream()
        .limit(3)
        .map(result -> result.replayCommand(settings) + "\n" + result.violation())
        .collect(Collectors.joining("\n"));
  }
}
