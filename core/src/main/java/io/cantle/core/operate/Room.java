package io.cantle.core.operate;

import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.Requests;
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
final class Room {
  /** The low bits of what is taken count commands, those above bytes. */
  private static final int COMMAND_BITS = 16;

  private static final long COMMAND_MASK = (1L << COMMAND_BITS) - 1;

  private final Clock clock;
  private final int mostCommands;
  private final long mostBytes;
  private final String whose;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private final AtomicLong taken = new AtomicLong();
  private volatile boolean isLine;

  private static final class Waiter {
    final Thread thread = Thread.currentThread();
    final long bytes;
    volatile boolean given;
    boolean gaveUp;

    Waiter(long bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * Empty room.
   *
   * @param whose what the commands have in common, as an error says it
   */
  Room(Clock clock, int mostCommands, long mostBytes, String whose) {
    this.clock = clock;
    this.mostCommands = mostCommands;
    this.mostBytes = mostBytes;
    this.whose = whose;
  }

  /** Takes room for a command if there is some and nobody waits for it. */
  boolean tryTake(long more) {
    return !isLine && takeIfSufficient(more);
  }

  private boolean takeIfSufficient(long more) {
    while (true) {
      long now = taken.get();
      long bytes = now >> COMMAND_BITS;
      if ((now & COMMAND_MASK) >= mostCommands || (bytes > 0 && bytes + more > mostBytes)) {
        return false;
      }
      if (taken.compareAndSet(now, now + (more << COMMAND_BITS) + 1)) {
        return true;
      }
    }
  }

  /**
   * Takes room for a command, and waits for it if need be.
   *
   * @throws TimeoutException when there was none until the deadline
   */
  void take(long more, long deadlineNanos) {
    Requests.stopWhenInterrupted();
    if (tryTake(more)) {
      return;
    }
    Waiter waiter = new Waiter(more);
    lock.lock();
    try {
      waiting.add(waiter);
      isLine = true;
    } finally {
      lock.unlock();
    }
    // What was given back before this one stood in line.
    wakeLine();
    while (!waiter.given) {
      long left = deadlineNanos - clock.nanoTime();
      boolean interrupted = Thread.currentThread().isInterrupted();
      if ((left <= 0 || interrupted) && giveUp(waiter)) {
        Requests.stopWhenInterrupted();
        throw new TimeoutException(
            "no room for another write: "
                + whose
                + " may have "
                + mostCommands
                + " begun, and "
                + mostBytes
                + " bytes of results, since the oldest unanswered one; nothing was written");
      }
      clock.parkNanos(this, left);
    }
  }

  /** Leaves the line; false when room was given at the last moment. */
  private boolean giveUp(Waiter waiter) {
    lock.lock();
    try {
      if (waiter.given) {
        return false;
      }
      waiter.gaveUp = true;
    } finally {
      lock.unlock();
    }
    // The next one may want less.
    wakeLine();
    return true;
  }

  /** Gives back the room of commands; negative bytes say that results are longer than thought. */
  void give(int lessCommands, long lessBytes) {
    taken.addAndGet(-((lessBytes << COMMAND_BITS) + lessCommands));
    if (isLine) {
      wakeLine();
    }
  }

  /** Gives room to those first in line, as far as it goes, and wakes them. */
  private void wakeLine() {
    for (Waiter next; (next = nextGiven()) != null; ) {
      LockSupport.unpark(next.thread);
    }
  }

  private @Nullable Waiter nextGiven() {
    lock.lock();
    try {
      for (Waiter first; (first = waiting.peek()) != null; ) {
        if (!first.gaveUp) {
          if (!takeIfSufficient(first.bytes)) {
            return null;
          }
          waiting.remove();
          isLine = !waiting.isEmpty();
          first.given = true;
          return first;
        }
        waiting.remove();
      }
      isLine = false;
      return null;
    } finally {
      lock.unlock();
    }
  }
}
