package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real core, from seeds. */
final class SimulationTest {
  private static final int SEEDS = 1_000;
  private static final Terms TERMS = Terms.USUAL;
  private static final Terms AVAILABLE = new Terms(Fault.APART, 60, 0, 0, true);

  @Test
  void promisesHoldInAThousandSeeds() {
    Summary summary =
        new Simulation(GridPeer::starter, TERMS, null)
            .run(1, SEEDS, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary)).isZero();
    assertThat(summary.seeds()).isEqualTo(SEEDS);
    assertThat(summary.absent(TERMS.faults())).isEmpty();
    assertThat(summary.count(EventKind.RETURN)).isGreaterThanOrEqualTo(SEEDS * 1_000L);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.KeptSeeds#ALL")
  void promisesHoldInSeedsThatOnceFailed(KeptSeeds.Kept kept) {
    SeedResult result = Run.of(kept.seed(), TERMS, GridPeer.starter(), null);
    assertThat(result.violation()).as(result.replay()).isNull();
  }

  @Test
  void everythingIsMergedInAHundredSeeds() {
    Summary summary =
        new Simulation(GridPeer::starter, AVAILABLE, null)
            .run(1, 100, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary)).isZero();
    assertThat(summary.absent(Fault.APART)).isEmpty();
  }

  @Test
  void gridsOutliveTheirProcessesInAHundredSeeds() {
    Summary summary =
        new Simulation(GridPeer::starter, Terms.DURABLE, null)
            .run(1, 100, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary)).isZero();
    assertThat(summary.absent(Fault.LASTING)).isEmpty();
    assertThat(summary.count(EventKind.STOP)).isGreaterThan(100);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.KeptSeeds#DURABLE")
  void gridsOutliveTheirProcessesInSeedsThatOnceFailed(KeptSeeds.Kept kept) {
    SeedResult result = Run.of(kept.seed(), Terms.DURABLE, GridPeer.starter(), null);
    assertThat(result.violation()).as(result.replay()).isNull();
  }

  @Test
  void aSeedWithDisksTwiceHasTheSameHash() {
    long hash = Run.of(3, Terms.DURABLE, GridPeer.starter(), null).hash();
    assertThat(Run.of(3, Terms.DURABLE, GridPeer.starter(), null).hash()).isEqualTo(hash);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.KeptSeeds#AVAILABLE")
  void everythingIsMergedInSeedsThatOnceFailed(KeptSeeds.Kept kept) {
    SeedResult result = Run.of(kept.seed(), AVAILABLE, GridPeer.starter(), null);
    assertThat(result.violation()).as(result.replay()).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void sameSeedTwiceHasTheSameHash(long seed) {
    long hash = Run.of(seed, TERMS, GridPeer.starter(), null).hash();
    assertThat(Run.of(seed, TERMS, GridPeer.starter(), null).hash()).isEqualTo(hash);
    assertThat(Run.of(seed + 100, TERMS, GridPeer.starter(), null).hash()).isNotEqualTo(hash);
  }

  @Test
  void seedsSideBySideDoNotTouchEachOther() {
    Simulation alone = new Simulation(GridPeer::starter, TERMS, null);
    Simulation together = new Simulation(GridPeer::starter, TERMS, null);
    assertThat(together.run(1, 12, 4, present -> {}).hash())
        .isEqualTo(alone.run(1, 12, 1, present -> {}).hash());
  }

  private static String describe(Summary summary) {
    return summary.violated().stream()
        .limit(3)
        .map(result -> result.replay() + "\n" + result.violation())
        .collect(Collectors.joining("\n"));
  }
}
