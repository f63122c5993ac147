package io.cantle.core.operate;

import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writes of one membership of this node, numbered, so that owners know one they have seen
 * before. At most {@value #WINDOW} lie between the lowest unanswered and the next; a caller beyond
 * that waits.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock.
 */
final class Session {
  private static final int WINDOW = 1 << 13;

  private final SessionId id;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final BitSet ended = new BitSet(WINDOW);
  private final ArrayDeque<Thread> waiting = new ArrayDeque<>();
  private long next = 1;
  private volatile long lowest = 1;

  Session(SessionId id, Clock clock) {
    this.id = id;
    this.clock = clock;
  }

  SessionId id() {
    return id;
  }

  /** The lowest sequence without an answer. */
  long lowest() {
    return lowest;
  }

  /** Takes the next {@code count} sequences and returns the first. */
  long begin(int count, long deadlineNanos) {
    while (true) {
      Requests.stopWhenInterrupted();
      lock.lock();
      try {
        waiting.remove(Thread.currentThread());
        if (next + count - lowest <= WINDOW) {
          long first = next;
          next += count;
          return first;
        }
        waiting.add(Thread.currentThread());
      } finally {
        lock.unlock();
      }
      long left = deadlineNanos - clock.nanoTime();
      if (left <= 0) {
        throw new TimeoutException(
            "no room for another write: "
                + WINDOW
                + " have begun since the oldest unanswered one; nothing was written");
      }
      clock.parkNanos(this, left);
    }
  }

  /** A sequence is answered, or given up. */
  void end(long sequence) {
    ArrayDeque<Thread> woken = null;
    lock.lock();
    try {
      if (sequence == lowest) {
        long low = sequence + 1;
        while (ended.get(slot(low))) {
          ended.clear(slot(low));
          low++;
        }
        lowest = low;
        if (!waiting.isEmpty()) {
          woken = new ArrayDeque<>(waiting);
          waiting.clear();
        }
      } else {
        ended.set(slot(sequence));
      }
    } finally {
      lock.unlock();
    }
    if (woken != null) {
      woken.forEach(LockSupport::unpark);
    }
  }

  private static int slot(long sequence) {
    return (int) (sequence & (WINDOW - 1));
  }
}
