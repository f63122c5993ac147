package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stamps writes: by the time of day, but always later than every write this node has seen. The
 * upper 48 bits are milliseconds, the lower 16 count.
 *
 * <p>Source: S. Kulkarni et al., "Logical physical clocks" (2014), with both parts in one number.
 *
 * <p><b>Threading:</b> any thread.
 */
final class HybridClock {
  private static final int COUNTER_BITS = 16;

  private final Clock clock;
  private final AtomicLong last = new AtomicLong();

  HybridClock(Clock clock) {
    this.clock = clock;
  }

  /** A stamp later than all before. */
  long next() {
    long now = clock.wallMillis() << COUNTER_BITS;
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }

  /** A write of this stamp was seen. */
  void observe(long stamp) {
    if (stamp > last.get()) {
      last.accumulateAndGet(stamp, Math::max);
    }
  }
}
