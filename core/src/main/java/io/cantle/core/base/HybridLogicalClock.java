package io.cantle.core.base;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A hybrid logical clock that timestamps writes. A timestamp follows the time of day, but is always
 * later than that of every write this node has made or heard of. Nodes exchange their latest
 * timestamp with every message. So an effect always has a later timestamp than its cause, however
 * wrong a machine's time of day is. The upper 48 bits are milliseconds, the lower 16 a counter.
 *
 * <p>Source: S. Kulkarni et al., "Logical physical clocks" (2014), with both parts in one number.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class HybridLogicalClock {
  private static final int COUNTER_BITS = 16;

  private final Clock clock;
  private final AtomicLong last = new AtomicLong();

  /** Creates a clock that has seen no timestamp. */
  public HybridLogicalClock(Clock clock) {
    this.clock = clock;
  }

  /** Returns a new timestamp, later than all before. */
  public long next() {
    long now = clock.wallMillis() << COUNTER_BITS;
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }

  /** The latest timestamp this node has seen, or 0 for none. It is sent to other nodes. */
  public long latest() {
    return last.get();
  }

  /** Records the timestamp of a write, or the latest one of another node. */
  public void observe(long stamp) {
    if (stamp > last.get()) {
      last.accumulateAndGet(stamp, Math::max);
    }
  }
}
