package io.cantle.simulation;

import io.cantle.core.memory.HeapGauge;
import java.util.function.LongSupplier;

/**
 * The heap of a simulated node: a program beside the node fills it now and then, for a while, until
 * a time at which it is gone.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedHeap implements HeapGauge {
  private static final long PERIOD_NANOS = 1_500_000_000;

  /** In one of so many periods the heap is full. */
  private static final int FULL_ONE_IN = 4;

  /** Much more than entries and scans of a simulated node take. */
  private static final long MAX_BYTES = 1 << 30;

  private final LongSupplier nowNanos;
  private final long seed;
  private final long untilNanos;

  /**
   * Creates a heap.
   *
   * @param seed decides when it is full
   * @param untilNanos from then on it is not
   */
  SimulatedHeap(LongSupplier nowNanos, long seed, long untilNanos) {
    this.nowNanos = nowNanos;
    this.seed = seed;
    this.untilNanos = untilNanos;
  }

  @Override
  public long maxBytes() {
    return MAX_BYTES;
  }

  @Override
  public Reading pollReading() {
    return new Reading(isFilled() ? MAX_BYTES : 0, true);
  }

  private boolean isFilled() {
    long now = nowNanos.getAsLong();
    long mixed = (seed + now / PERIOD_NANOS) * 0x9E37_79B9_7F4A_7C15L;
    return now < untilNanos && (mixed >>> 32) % FULL_ONE_IN == 0;
  }
}
