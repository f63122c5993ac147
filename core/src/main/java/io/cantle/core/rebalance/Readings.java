package io.cantle.core.rebalance;

import io.cantle.core.base.Clock;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Item;
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
final class Readings {
  /** How much a read costs, whatever the length of the value, as so many bytes. */
  private static final long READ_BYTES = 4 << 10;

  /** Whose end is not told by then, because something went wrong, may be asked for again. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Reading, Long> begun = new HashMap<>();

  private record Reading(Member member, Replica replica, int epoch) {}

  Readings(Clock clock) {
    this.clock = clock;
  }

  /** Begins, unless that is being read for this member. */
  boolean begins(Member member, Replica replica, int epoch) {
    lock.lock();
    try {
      Reading reading = new Reading(member, replica, epoch);
      Long before = begun.get(reading);
      long now = clock.nanoTime();
      if (before != null && now - before < PATIENCE) {
        return false;
      }
      begun.put(reading, now);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** What was read is on its way, or cannot be told any more. */
  void ended(Member member, Replica replica, int epoch) {
    lock.lock();
    try {
      begun.remove(new Reading(member, replica, epoch));
    } finally {
      lock.unlock();
    }
  }

  /** How much of these has to be read. */
  static long bytesOnDisk(List<Item> items) {
    long bytes = 0;
    for (Item item : items) {
      if (item instanceof Item.Left(Entry entry) && entry.isEvicted()) {
        bytes += READ_BYTES + entry.valueLength();
      }
    }
    return bytes;
  }
}
