package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which of two related grids survives: all nodes find the same, whenever they compare them. */
final class GridLineageTest {
  private static final UUID ROOT = new UUID(0, 1);
  private static final UUID ONE = new UUID(0, 2);
  private static final UUID OTHER = new UUID(0, 3);

  private static GridLineage left(long number, int founders) {
    return GridLineage.NONE.withStep(new GridLineage.ForkStep(ROOT, number, founders));
  }

  private static void assertGoesOn(UUID one, GridLineage ofOne, UUID other, GridLineage ofOther) {
    assertThat(GridLineage.prevails(one, ofOne, other, ofOther)).isTrue();
    assertThat(GridLineage.prevails(other, ofOther, one, ofOne)).as("never both").isFalse();
  }

  @Test
  void ancestorPrevailsOverItsFork() {
    assertGoesOn(ROOT, GridLineage.NONE, ONE, left(9, 4));
    assertGoesOn(
        ROOT, GridLineage.NONE, OTHER, left(9, 4).withStep(new GridLineage.ForkStep(ONE, 12, 2)));
    assertGoesOn(ONE, left(9, 4), OTHER, left(9, 4).withStep(new GridLineage.ForkStep(ONE, 12, 2)));
  }

  @Test
  void laterForkPrevailsRegardlessOfSize() {
    assertGoesOn(ONE, left(10, 1), OTHER, left(9, 4));
  }

  @Test
  void largerOfSimultaneousForksPrevails() {
    assertGoesOn(ONE, left(9, 3), OTHER, left(9, 2));
  }

  @Test
  void gridIdBreaksTies() {
    UUID lower = new UUID(0, 0);
    assertGoesOn(ONE, left(9, 2), lower, left(9, 2));
  }

  @Test
  void forksOfForksAreComparedAtTheirCommonGrid() {
    UUID child = new UUID(0, 9);
    assertGoesOn(
        child, left(9, 3).withStep(new GridLineage.ForkStep(ONE, 10, 1)), OTHER, left(9, 2));
  }

  @Test
  void unrelatedGridsHaveNoCommonGrid() {
    assertThat(GridLineage.commonGrid(ONE, GridLineage.NONE, OTHER, left(9, 2))).isNull();
    assertThat(GridLineage.prevails(ONE, GridLineage.NONE, OTHER, left(9, 2))).isFalse();
    assertThat(GridLineage.commonGrid(ONE, left(1, 1), OTHER, left(9, 2))).isEqualTo(ROOT);
  }

  @Test
  void gridFoundedWithoutReplicasHasRestarted() {
    GridLineage anew = left(9, 2).withStep(new GridLineage.ForkStep(ONE, 12, 0));
    assertThat(anew.hasRestartedSince(ROOT)).isTrue();
    assertThat(anew.hasRestartedSince(ONE)).isTrue();
    assertThat(left(9, 2).hasRestartedSince(ROOT)).isFalse();
  }

  @Test
  void lineageKeepsLatestStepsAndRoundTrips() {
    GridLineage many = GridLineage.NONE;
    for (int i = 0; i < GridLineage.MAX_STEPS + 5; i++) {
      many = many.withStep(new GridLineage.ForkStep(new UUID(4, i), i, 1 + i));
    }
    assertThat(many.steps()).hasSize(GridLineage.MAX_STEPS);
    assertThat(many.steps().getLast().topologyNumber()).isEqualTo(GridLineage.MAX_STEPS + 4);
    Output out = new Output(8);
    many.write(out);
    assertThat(GridLineage.read(out.toInput())).isEqualTo(many);
  }
}
