package io.cantle.core.rebalance;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.transport.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tracks for which members this node is reading retained writes of an epoch from disk. A waiting
 * member repeats its request. If each request were read for, the disk would never finish.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecoveryReadTracker {
  /** The cost of one read in bytes, independent of the length of the value. */
  private static final long READ_COST_BYTES = 4 << 10;

  /**
   * The time after which a read that has not ended, because of some failure, may be requested
   * again.
   */
  private static final long READ_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Clock clock;

  @GuardedBy("this")
  private final Map<ReadKey, Long> begunNanos = new HashMap<>();

  private record ReadKey(Member member, Replica replica, int epoch) {}

  RecoveryReadTracker(Clock clock) {
    this.clock = clock;
  }

  /** Starts a read, unless the same is being read for this member. */
  synchronized boolean tryBegin(Member member, Replica replica, int epoch) {
    boolean begins = !isReading(member, replica, epoch);
    if (begins) {
      begunNanos.put(new ReadKey(member, replica, epoch), clock.nanoTime());
    }
    return begins;
  }

  /** Whether something is being read for this member. */
  synchronized boolean isReading(Member member, Replica replica, int epoch) {
    Long begun = begunNanos.get(new ReadKey(member, replica, epoch));
    return begun != null && clock.nanoTime() - begun < READ_TIMEOUT_NANOS;
  }

  /** Ends a read: its result is being sent, or cannot be sent any more. */
  synchronized void end(Member member, Replica replica, int epoch) {
    begunNanos.remove(new ReadKey(member, replica, epoch));
  }

  /** How many bytes of these writes must be read from disk. */
  static long bytesOnDisk(List<OrderedWrite> items) {
    return items.stream()
        .mapToLong(
            write ->
                write instanceof OrderedWrite.RetainedVersion(Entry entry) && entry.isEvicted()
                    ? READ_COST_BYTES + entry.valueLength()
                    : 0)
        .sum();
  }
}
