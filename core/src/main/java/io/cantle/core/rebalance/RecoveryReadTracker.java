package io.cantle.core.rebalance;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.Replica;
import io.cantle.core.transport.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * For whom this node is reading from disk what is left of the writes of an epoch. Whoever waits for
 * that asks again and again; if each question were read for, the disk would never come to an end.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock.
 */
final class RecoveryReadTracker {
  /** How much a read costs, whatever the length of the value, as so many bytes. */
  private static final long READ_COST_BYTES = 4 << 10;

  /** Whose end is not told by then, because something went wrong, may be asked for again. */
  private static final long READ_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<ReadKey, Long> begunNanos = new HashMap<>();

  private record ReadKey(Member member, Replica replica, int epoch) {}

  RecoveryReadTracker(Clock clock) {
    this.clock = clock;
  }

  /** Begins, unless that is being read for this member. */
  boolean tryBegin(Member member, Replica replica, int epoch) {
    lock.lock();
    try {
      ReadKey reading = new ReadKey(member, replica, epoch);
      Long before = begunNanos.get(reading);
      long now = clock.nanoTime();
      if (before != null && now - before < READ_TIMEOUT_NANOS) {
        return false;
      }
      begunNanos.put(reading, now);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** What was read is on its way, or cannot be told any more. */
  void end(Member member, Replica replica, int epoch) {
    lock.lock();
    try {
      begunNanos.remove(new ReadKey(member, replica, epoch));
    } finally {
      lock.unlock();
    }
  }

  /** How much of these has to be read. */
  static long bytesOnDisk(List<OrderedWrite> items) {
    long bytes = 0;
    for (OrderedWrite write : items) {
      if (write instanceof OrderedWrite.RetainedVersion(Entry entry) && entry.isEvicted()) {
        bytes += READ_COST_BYTES + entry.valueLength();
      }
    }
    return bytes;
  }
}
