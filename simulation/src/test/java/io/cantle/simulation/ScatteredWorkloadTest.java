package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests scattered caches on the real core, from seeds. */
final class ScatteredWorkloadTest {
  private static final int SEED_COUNT = 16;

  @Test
  void seedsOfScatteredCachesHaveNoViolations() {
    assertThat(run(1, SEED_COUNT).seeds()).isEqualTo(SEED_COUNT);
  }

  /**
   *
   *
   * <ul>
   *   <li>29: a new primary opened its epoch without the copies of a holder that was excluded while
   *       they were collected.
   *   <li>205: a new primary took the time of a holder that had followed its suspended predecessor
   *       too fast, and ended an entry early.
   *   <li>468: a former holder was told to drop a copy before it was sent, and then kept it.
   *   <li>560, 590, 668, 986: a newcomer that died before it knew of its admission was a holder,
   *       and the segment was lost with its primary.
   *   <li>761: the checker looked for a key at a new primary that knew of no cache yet.
   * </ul>
   */
  @ParameterizedTest
  @ValueSource(longs = {29, 205, 468, 560, 590, 668, 761, 986})
  void regressionSeedsHaveNoViolations(long seed) {
    assertThat(run(seed, 1).seeds()).isOne();
  }

  private static SeedSummary run(long first, int count) {
    SeedSettings settings = SeedSettings.DEFAULT.scattered();
    SeedSummary summary =
        new Simulation(GridNodeUnderTest::createStarter, settings, null)
            .run(first, count, Runtime.getRuntime().availableProcessors(), present -> {});
    assertThat(summary.violations())
        .as(
            () ->
                summary.violatedResults().stream()
                    .map(
                        result ->
                            result.violation() + "\nreplay: " + result.replayCommand(settings))
                    .collect(Collectors.joining("\n")))
        .isZero();
    return summary;
  }
}
