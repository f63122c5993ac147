package io.cantle.core.operation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.CallTimeoutException;
import io.cantle.core.base.Clock;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Limits the commands in flight and the bytes of their results. A command that finds no room waits,
 * and room is granted in order of arrival. Released room wakes only the waiters it is sufficient
 * for. A command with more bytes than the whole window is admitted alone.
 *
 * <p>The usage is a single number, so a command that finds room, as nearly all do, takes no lock.
 * The lock guards the queue of waiters. A releaser checks the queue after the release, and a waiter
 * checks for room after it has queued up, so at least one of them sees the other.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WriteWindow {
  /** The low bits of the usage count commands, the bits above them bytes. */
  private static final int COMMAND_BITS = 16;

  private static final long COMMAND_MASK = (1L << COMMAND_BITS) - 1;

  private final Clock clock;
  private final int maxCommands;
  private final long maxBytes;
  private final String owner;

  @GuardedBy("this")
  private final ArrayDeque<WindowWaiter> waiters = new ArrayDeque<>();

  private final AtomicLong usage = new AtomicLong();
  private volatile boolean hasWaiters;

  private static final class WindowWaiter {
    final Thread thread = Thread.currentThread();
    final long bytes;
    volatile boolean granted;
    boolean gaveUp;

    WindowWaiter(long bytes) {
      this.bytes = bytes;
    }
  }

  /**
   * Creates an empty window.
   *
   * @param owner what the commands have in common, for error messages
   */
  WriteWindow(Clock clock, int maxCommands, long maxBytes, String owner) {
    this.clock = clock;
    this.maxCommands = maxCommands;
    this.maxBytes = maxBytes;
    this.owner = owner;
  }

  /** Takes room for a command if there is some and no command waits. */
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
   * Takes room for a command, and waits for it if necessary.
   *
   * @throws CallTimeoutException when there was no room before the deadline
   */
  void acquire(long requestedBytes, long deadlineNanos) {
    MessagingService.checkInterrupted(() -> "room for a write; nothing was written");
    if (tryAcquire(requestedBytes)) {
      return;
    }
    WindowWaiter waiter = new WindowWaiter(requestedBytes);
    synchronized (this) {
      waiters.add(waiter);
      hasWaiters = true;
    }
    // Room may have been released before this command queued up.
    wakeWaiters();
    while (!waiter.granted) {
      long left = deadlineNanos - clock.nanoTime();
      boolean interrupted = Thread.currentThread().isInterrupted();
      if ((left <= 0 || interrupted) && abandonWait(waiter)) {
        MessagingService.checkInterrupted(() -> "room for a write; nothing was written");
        throw new CallTimeoutException(
            "no room for another write: "
                + owner
                + " may have "
                + maxCommands
                + " writes in flight, with "
                + maxBytes
                + " bytes of results, from the oldest unanswered one on; nothing was written");
      }
      clock.parkNanos(this, left);
    }
  }

  /** Leaves the queue; returns false when room was granted at the last moment. */
  private boolean abandonWait(WindowWaiter waiter) {
    synchronized (this) {
      if (waiter.granted) {
        return false;
      }
      waiter.gaveUp = true;
    }
    // The next waiter may need less.
    wakeWaiters();
    return true;
  }

  /** Releases the room of commands; negative bytes mean that results are longer than estimated. */
  void release(int freedCommands, long freedBytes) {
    usage.addAndGet(-((freedBytes << COMMAND_BITS) + freedCommands));
    if (hasWaiters) {
      wakeWaiters();
    }
  }

  /** Grants room to the first waiters in the queue, as far as it goes, and wakes them. */
  private void wakeWaiters() {
    for (WindowWaiter next; (next = grantNext()) != null; ) {
      LockSupport.unpark(next.thread);
    }
  }

  private synchronized @Nullable WindowWaiter grantNext() {
    for (WindowWaiter first; (first = waiters.peek()) != null; ) {
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
  }
}
