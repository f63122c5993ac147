package io.cantle.core.operation;

import io.cantle.CallTimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Room for so many commands and so many bytes of their results. Who finds none waits, and is given
 * it in the order of coming: what is freed wakes those it suffices for and nobody else. A command
 * with more bytes than there is room for at all goes alone.
 *
 * <p>What is taken is one number, so that a command that finds room, as nearly all do, takes no
 * lock. The lock is for the line: whoever gives room back looks whether somebody stands in it after
 * giving, and whoever has lined up looks for room after lining up, so one of them sees the other.
 *
 * <p><b>Threading:</b> any thread; the line is guarded by its lock.
 */
final class WriteWindow {
  /** The low bits of what is taken count commands, those above bytes. */
  private static final int COMMAND_BITS = 16;

  private static final long COMMAND_MASK = (1L << COMMAND_BITS) - 1;

  private final Clock clock;
  private final int maxCommands;
  private final long maxBytes;
  private final String owner;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private final AtomicLong usage = new AtomicLong();
  private volatile boolean hasWaiters;

  private static final class Waiter {
    final Thread thread = Thread.currentThread();
    final long bytes;
    volatile boolean granted;
    boolean gaveUp;

    Waiter(long bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * Empty room.
   *
   * @param owner what the commands have in common, as an error says it
   */
  WriteWindow(Clock clock, int maxCommands, long maxBytes, String owner) {
    this.clock = clock;
    this.maxCommands = maxCommands;
    this.maxBytes = maxBytes;
    this.owner = owner;
  }

  /** Takes room for a command if there is some and nobody waits for it. */
  boolean tryAcquire(long requestedBytes) {
    return !hasWaiters && acquireIfRoom(requestedBytes);
  }

  private boolean acquireIfRoom(long requestedBytes) {
    while (true) {
      long current = usage.get();
      long bytes = current >> COMMAND_BITS;
      if ((current & COMMAND_MASK) >= maxCommands
          || (bytes > 0 && bytes + requestedBytes > maxBytes)) {
        return false;
      }
      if (usage.compareAndSet(current, current + (requestedBytes << COMMAND_BITS) + 1)) {
        return true;
      }
    }
  }

  /**
   * Takes room for a command, and waits for it if need be.
   *
   * @throws CallTimeoutException when there was none until the deadline
   */
  void acquire(long requestedBytes, long deadlineNanos) {
    MessagingService.checkInterrupted();
    if (tryAcquire(requestedBytes)) {
      return;
    }
    Waiter waiter = new Waiter(requestedBytes);
    lock.lock();
    try {
      waiters.add(waiter);
      hasWaiters = true;
    } finally {
      lock.unlock();
    }
    // What was given back before this one stood in line.
    wakeWaiters();
    while (!waiter.granted) {
      long left = deadlineNanos - clock.nanoTime();
      boolean interrupted = Thread.currentThread().isInterrupted();
      if ((left <= 0 || interrupted) && abandonWait(waiter)) {
        MessagingService.checkInterrupted();
        throw new CallTimeoutException(
            "no room for another write: "
                + owner
                + " may have "
                + maxCommands
                + " begun, and "
                + maxBytes
                + " bytes of results, since the oldest unanswered one; nothing was written");
      }
      clock.parkNanos(this, left);
    }
  }

  /** Leaves the line; false when room was given at the last moment. */
  private boolean abandonWait(Waiter waiter) {
    lock.lock();
    try {
      if (waiter.granted) {
        return false;
      }
      waiter.gaveUp = true;
    } finally {
      lock.unlock();
    }
    // The next one may want less.
    wakeWaiters();
    return true;
  }

  /** Gives back the room of commands; negative bytes say that results are longer than thought. */
  void release(int freedCommands, long freedBytes) {
    usage.addAndGet(-((freedBytes << COMMAND_BITS) + freedCommands));
    if (hasWaiters) {
      wakeWaiters();
    }
  }

  /** Gives room to those first in line, as far as it goes, and wakes them. */
  private void wakeWaiters() {
    for (Waiter next; (next = grantNext()) != null; ) {
      LockSupport.unpark(next.thread);
    }
  }

  private @Nullable Waiter grantNext() {
    lock.lock();
    try {
      for (Waiter first; (first = waiters.peek()) != null; ) {
        if (!first.gaveUp) {
          if (!acquireIfRoom(first.bytes)) {
            return null;
          }
          waiters.remove();
          hasWaiters = !waiters.isEmpty();
          first.granted = true;
          return first;
        }
        waiters.remove();
      }
      hasWaiters = false;
      return null;
    } finally {
      lock.unlock();
    }
  }
}
