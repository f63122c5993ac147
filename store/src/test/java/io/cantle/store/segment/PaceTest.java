package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.StoreClock;
import org.junit.jupiter.api.Test;

/** Compaction gives way to those who write. */
class PaceTest {
  private static final int SOME = 1 << 18;

  private final Time time = new Time();
  private final Pace pace = new Pace(time);

  @Test
  void restsWhileAppendsTakeLonger() {
    appendsTake(100);
    pace.begin(false);
    appendsTake(300);
    assertThat(restAfter(1000)).isEqualTo(2000);
  }

  @Test
  void restsAtMostFourTimesAsLongAsItWorked() {
    appendsTake(100);
    pace.begin(false);
    appendsTake(10_000);
    assertThat(restAfter(1000)).isEqualTo(4000);
  }

  @Test
  void goesOnWhileAppendsAreAsFastAsEver() {
    appendsTake(100);
    pace.begin(false);
    appendsTake(150);
    assertThat(restAfter(1000)).isZero();
  }

  @Test
  void goesOnWhileNobodyAppends() {
    appendsTake(100);
    pace.begin(false);
    assertThat(restAfter(1000)).isZero();
  }

  @Test
  void goesOnWhenThereIsTooMuchToDo() {
    appendsTake(100);
    pace.begin(true);
    appendsTake(300);
    assertThat(restAfter(1000)).isZero();
  }

  @Test
  void doesNotTakeItsOwnTimeForThatOfOthers() {
    appendsTake(100);
    pace.begin(false);
    appendsTake(300);
    pace.end();
    pace.begin(false);
    appendsTake(110);
    assertThat(restAfter(1000)).isZero();
  }

  private void appendsTake(long nanos) {
    for (int append = 0; append < 1000; append++) {
      pace.took(nanos);
    }
  }

  private long restAfter(long worked) {
    pace.pause(0);
    time.nanos += worked;
    long before = time.nanos;
    pace.pause(SOME);
    return time.nanos - before;
  }

  /** A time that goes on only while somebody waits. */
  private static final class Time implements StoreClock {
    private long nanos;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public void parkNanos(Object blocker, long most) {
      nanos += most;
    }
  }
}
