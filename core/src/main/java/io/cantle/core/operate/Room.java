package io.cantle.core.operate;

import io.cantle.TimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Room for so many commands and so many bytes of their results. Who finds none waits, and is given
 * it in the order of coming: what is freed wakes those it suffices for and nobody else. A command
 * with more bytes than there is room for at all goes alone.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock.
 */
final class Room {
  private final Clock clock;
  private final int mostCommands;
  private final long mostBytes;
  private final String whose;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
  private int commands;
  private long bytes;

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
    lock.lock();
    try {
      dropThoseGone();
      if (!waiting.isEmpty() || !suffices(more)) {
        return false;
      }
      take(more);
      return true;
    } finally {
      lock.unlock();
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
    } finally {
      lock.unlock();
    }
    // What was freed before this one stood in line.
    give(0, 0);
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
    Waiter next;
    lock.lock();
    try {
      if (waiter.given) {
        return false;
      }
      waiter.gaveUp = true;
      next = nextGiven();
    } finally {
      lock.unlock();
    }
    wake(next);
    return true;
  }

  /** Gives back the room of commands; negative bytes say that results are longer than thought. */
  void give(int lessCommands, long lessBytes) {
    Waiter next;
    lock.lock();
    try {
      commands -= lessCommands;
      bytes -= lessBytes;
      next = nextGiven();
    } finally {
      lock.unlock();
    }
    wake(next);
  }

  /** Wakes a waiter; the next ones are given room and woken after it. */
  private void wake(@Nullable Waiter first) {
    for (Waiter waiter = first; waiter != null; ) {
      LockSupport.unpark(waiter.thread);
      lock.lock();
      try {
        waiter = nextGiven();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Gives room to the first in line if there is enough. */
  private @Nullable Waiter nextGiven() {
    dropThoseGone();
    Waiter first = waiting.peek();
    if (first == null || !suffices(first.bytes)) {
      return null;
    }
    waiting.remove();
    take(first.bytes);
    first.given = true;
    return first;
  }

  private void dropThoseGone() {
    for (Waiter first; (first = waiting.peek()) != null && first.gaveUp; ) {
      waiting.remove();
    }
  }

  private boolean suffices(long more) {
    return commands < mostCommands && (bytes <= 0 || bytes + more <= mostBytes);
  }

  private void take(long more) {
    commands++;
    bytes += more;
  }
}
