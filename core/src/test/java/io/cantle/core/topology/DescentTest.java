package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which of two grids of a family goes on: all nodes find the same, whenever they look. */
final class DescentTest {
  private static final UUID ROOT = new UUID(0, 1);
  private static final UUID ONE = new UUID(0, 2);
  private static final UUID OTHER = new UUID(0, 3);

  private static Descent left(long number, int founders) {
    return Descent.NONE.forked(ROOT, number, founders);
  }

  private static void assertGoesOn(UUID one, Descent ofOne, UUID other, Descent ofOther) {
    assertThat(Descent.goesOn(one, ofOne, other, ofOther)).isTrue();
    assertThat(Descent.goesOn(other, ofOther, one, ofOne)).as("never both").isFalse();
  }

  @Test
  void theOneTheOtherDescendsFromGoesOn() {
    assertGoesOn(ROOT, Descent.NONE, ONE, left(9, 4));
    assertGoesOn(ROOT, Descent.NONE, OTHER, left(9, 4).forked(ONE, 12, 2));
    assertGoesOn(ONE, left(9, 4), OTHER, left(9, 4).forked(ONE, 12, 2));
  }

  @Test
  void ofTwoForksTheOneThatLeftLaterGoesOnHoweverFewFoundedIt() {
    assertGoesOn(ONE, left(10, 1), OTHER, left(9, 4));
  }

  @Test
  void ofTwoThatLeftAtOnceTheOneFoundedByMoreGoesOn() {
    assertGoesOn(ONE, left(9, 3), OTHER, left(9, 2));
  }

  @Test
  void theIdDecidesBetweenEquals() {
    UUID lower = new UUID(0, 0);
    assertGoesOn(ONE, left(9, 2), lower, left(9, 2));
  }

  @Test
  void forksOfForksAreComparedWhereTheyParted() {
    UUID child = new UUID(0, 9);
    assertGoesOn(child, left(9, 3).forked(ONE, 10, 1), OTHER, left(9, 2));
  }

  @Test
  void strangersHaveNothingInCommon() {
    assertThat(Descent.common(ONE, Descent.NONE, OTHER, left(9, 2))).isNull();
    assertThat(Descent.goesOn(ONE, Descent.NONE, OTHER, left(9, 2))).isFalse();
    assertThat(Descent.common(ONE, left(1, 1), OTHER, left(9, 2))).isEqualTo(ROOT);
  }

  @Test
  void whoWasFoundedWithoutCopiesHasBegunAnew() {
    Descent anew = left(9, 2).forked(ONE, 12, 0);
    assertThat(anew.begunAnewSince(ROOT)).isTrue();
    assertThat(anew.begunAnewSince(ONE)).isTrue();
    assertThat(left(9, 2).begunAnewSince(ROOT)).isFalse();
  }

  @Test
  void onlyTheLatestStepsAreKeptAndComeBackAsTheyWere() {
    Descent many = Descent.NONE;
    for (int i = 0; i < Descent.MAX_STEPS + 5; i++) {
      many = many.forked(new UUID(4, i), i, 1 + i);
    }
    assertThat(many.steps()).hasSize(Descent.MAX_STEPS);
    assertThat(many.steps().getLast().number()).isEqualTo(Descent.MAX_STEPS + 4);
    Output out = new Output(8);
    many.write(out);
    assertThat(Descent.read(out.toInput())).isEqualTo(many);
  }
}
