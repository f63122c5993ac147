package io.cantle.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Limits how many bytes of long messages may be in flight to one member. A sender that exceeds it
 * waits, in order of arrival, before JGroups and the socket copy the message. So hundreds of
 * responses made at once neither pile up in memory nor delay short messages.
 *
 * <p><b>Threading:</b> any thread that may wait.
 */
final class SendWindow {
  static final int WINDOW_BYTES = 1 << 20;

  /** How often a waiting sender checks whether the member can still receive. */
  static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final long checkNanos;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<Condition> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private int freeBytes = WINDOW_BYTES;

  SendWindow(long checkNanos) {
    this.checkNanos = checkNanos;
  }

  /**
   * Waits until a message may be sent.
   *
   * @param maxWaitNanos the longest wait in nanoseconds; after it the message is sent anyway
   * @param isPointless whether the member can no longer receive the message
   * @return the bytes to release when the message has left
   */
  int enter(int length, long maxWaitNanos, BooleanSupplier isPointless) {
    int wanted = Math.min(length, WINDOW_BYTES);
    lock.lock();
    try {
      if (!waiting.isEmpty() || wanted > freeBytes) {
        return awaitTurn(wanted, maxWaitNanos, isPointless);
      }
      freeBytes -= wanted;
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  /** A sender keeps its place until it has room or gives up. */
  @GuardedBy("lock")
  private int awaitTurn(int wanted, long maxWaitNanos, BooleanSupplier isPointless) {
    Condition turn = lock.newCondition();
    waiting.addLast(turn);
    try {
      long until = System.nanoTime() + maxWaitNanos;
      while (!turn.equals(waiting.peekFirst()) || wanted > freeBytes) {
        long left = maxWaitNanos == Long.MAX_VALUE ? checkNanos : until - System.nanoTime();
        if (left <= 0 || isPointless.getAsBoolean()) {
          return 0;
        }
        turn.awaitNanos(Math.min(left, checkNanos));
      }
      freeBytes -= wanted;
      return wanted;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    } finally {
      waiting.remove(turn);
      wakeFirst();
    }
  }

  @GuardedBy("lock")
  private void wakeFirst() {
    Condition first = waiting.peekFirst();
    if (first != null) {
      first.signal();
    }
  }

  /** Releases the bytes of a message that has left. */
  void leave(int entered) {
    lock.lock();
    try {
      freeBytes += entered;
      wakeFirst();
    } finally {
      lock.unlock();
    }
  }

  /** How many senders wait. */
  int waitingCount() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }
}
