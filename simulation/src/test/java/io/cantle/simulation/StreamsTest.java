package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every use of streams, publishers and pages on the real core, from seeds. */
final class StreamsTest {
  private static final int SEEDS = 60;

  @Test
  void everyUseIsRightInSixtySeeds() {
    Summary summary =
        new Simulation(GridPeer::starter, Terms.STREAMS, null)
            .run(1, SEEDS, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations()).as(() -> describe(summary)).isZero();
    assertThat(summary.uses().duplicates()).isZero();
    assertThat(summary.uses().missing()).isZero();
    assertThat(summary.seeds()).isEqualTo(SEEDS);
    assertThat(summary.unused()).isEmpty();
    assertThat(summary.absent(Terms.STREAMS.faults())).isEmpty();
    assertThat(summary.count(EventKind.SCAN_ACROSS_CHANGE)).isGreaterThan(SEEDS);
  }

  @ParameterizedTest
  @FieldSource("io.cantle.simulation.KeptSeeds#STREAMS")
  void everyUseIsRightInSeedsThatOnceFailed(KeptSeeds.Kept kept) {
    SeedResult result = Run.of(kept.seed(), Terms.STREAMS, GridPeer.starter(), null);
    assertThat(result.violation()).as(result.replay() + Terms.STREAMS.words()).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void sameSeedTwiceHasTheSameHash(long seed) {
    long hash = Run.of(seed, Terms.STREAMS, GridPeer.starter(), null).hash();
    assertThat(Run.of(seed, Terms.STREAMS, GridPeer.starter(), null).hash()).isEqualTo(hash);
  }

  private static String describe(Summary summary) {
    return summary.violated().stream()
        .limit(3)
        .map(result -> result.replay() + Terms.STREAMS.words() + "\n" + result.violation())
        .collect(Collectors.joining("\n"));
  }
}
