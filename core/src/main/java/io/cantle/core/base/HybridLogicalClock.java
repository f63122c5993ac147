package io.cantle.core.base;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Stamps writes: by the time of day, but always later than every write this node has seen or heard
 * of. Nodes tell each other with every message, so that what happens because of something has the
 * later stamp, however wrong a machine's time of day is. The upper 48 bits are milliseconds, the
 * lower 16 count.
 *
 * <p>Source: S. Kulkarni et al., "Logical physical clocks" (2014), with both parts in one number.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class HybridLogicalClock {
  private static final int COUNTER_BITS = 16;

  private final Clock clock;
  private final AtomicLong last = new AtomicLong();

  /** A clock that has seen nothing. */
  public HybridLogicalClock(Clock clock) {
    this.clock = clock;
  }

  /** A stamp later than all before. */
  public long next() {
    long now = clock.wallMillis() << COUNTER_BITS;
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }

  /** The latest stamp this node has seen, 0 for none: what is told to others. */
  public long latest() {
    return last.get();
  }

  /** A write of this stamp was seen, or a node that has seen one. */
  public void observe(long stamp) {
    if (stamp > last.get()) {
      last.accumulateAndGet(stamp, Math::max);
    }
  }
}
