package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.StoreClock;
import org.junit.jupiter.api.Test;

/** Tests that compaction gives way to appends. */
class CompactionThrottleTest {
  private static final int SOME_BYTES = 1 << 18;

  private final Time time = new Time();
  private final CompactionThrottle throttle = new CompactionThrottle(time);

  @Test
  void restsWhileAppendsTakeLonger() {
    appendsTake(100);
    var _ = throttle.beginCompaction(false);
    appendsTake(300);
    assertThat(restAfter(1000)).isEqualTo(2000);
  }

  @Test
  void restsAtMostFourTimesItsWork() {
    appendsTake(100);
    var _ = throttle.beginCompaction(false);
    appendsTake(10_000);
    assertThat(restAfter(1000)).isEqualTo(4000);
  }

  @Test
  void doesNotRestWhileAppendsAreFast() {
    appendsTake(100);
    var _ = throttle.beginCompaction(false);
    appendsTake(150);
    assertThat(restAfter(1000)).isZero();
  }

  @Test
  void doesNotRestWithoutAppends() {
    appendsTake(100);
    var _ = throttle.beginCompaction(false);
    assertThat(restAfter(1000)).isZero();
  }

  @Test
  void doesNotRestWhenUrgent() {
    appendsTake(100);
    var _ = throttle.beginCompaction(true);
    appendsTake(300);
    assertThat(restAfter(1000)).isZero();
  }

  @Test
  void doesNotCountItsOwnRestAsWork() {
    appendsTake(100);
    var _ = throttle.beginCompaction(false);
    appendsTake(300);
    throttle.close();
    var _ = throttle.beginCompaction(false);
    appendsTake(110);
    assertThat(restAfter(1000)).isZero();
  }

  private void appendsTake(long nanos) {
    for (int append = 0; append < 1000; append++) {
      throttle.recordAppend(nanos);
    }
  }

  private long restAfter(long worked) {
    throttle.restIfNeeded(0);
    time.nanos += worked;
    long before = time.nanos;
    throttle.restIfNeeded(SOME_BYTES);
    return time.nanos - before;
  }

  /** A clock that advances only while a thread parks. */
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
