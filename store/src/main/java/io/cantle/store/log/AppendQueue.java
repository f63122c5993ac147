package io.cantle.store.log;

import io.cantle.store.StoreClock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * From those who append to the one that writes: a stack that is pushed to by one compare-and-set
 * and taken as a whole, and a bound of the bytes that are on their way. Who wants in when it is
 * full waits.
 *
 * <p><b>Threading:</b> any thread pushes; the writer takes.
 */
final class AppendQueue {
  private static final PendingAppend CLOSED_MARKER =
      new PendingAppend(new LogRecord[0], 0, false, null, null);

  private final AtomicReference<@Nullable PendingAppend> top = new AtomicReference<>();
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<Thread> roomWaiters = new ConcurrentLinkedQueue<>();
  private final long maxBytes;
  private final StoreClock clock;

  private volatile @Nullable Thread sleepingWriter;
  private volatile boolean wakeRequested;

  AppendQueue(long maxBytes, StoreClock clock) {
    this.maxBytes = maxBytes;
    this.clock = clock;
  }

  /** Hands one over; false if nothing is taken any more. */
  boolean push(PendingAppend append) {
    while (true) {
      PendingAppend before = top.get();
      if (before == CLOSED_MARKER) {
        return false;
      }
      append.nextInQueue = before;
      append.queueDepth = before == null ? 1 : before.queueDepth + 1;
      if (top.compareAndSet(before, append)) {
        Thread writer = sleepingWriter;
        if (writer != null) {
          LockSupport.unpark(writer);
        }
        return true;
      }
    }
  }

  /** The last of those there are to take; only for a look at them while nobody takes them. */
  @Nullable PendingAppend top() {
    return top.get();
  }

  /** How many there are to take; a guess as soon as it is returned. */
  int depth() {
    PendingAppend first = top.get();
    return first == null ? 0 : first.queueDepth;
  }

  /** Takes all there are, the oldest first. */
  @Nullable PendingAppend takeAll() {
    return top.get() == null ? null : reversed(top.getAndSet(null));
  }

  /** Takes all there are and lets no more in. */
  @Nullable PendingAppend close() {
    PendingAppend last = top.getAndSet(CLOSED_MARKER);
    return last == CLOSED_MARKER ? null : reversed(last);
  }

  boolean isClosed() {
    return top.get() == CLOSED_MARKER;
  }

  private static @Nullable PendingAppend reversed(@Nullable PendingAppend last) {
    PendingAppend first = null;
    for (PendingAppend at = last; at != null; ) {
      PendingAppend before = at.nextInQueue;
      at.nextInQueue = first;
      first = at;
      at = before;
    }
    return first;
  }

  /** Parks the writer until something is pushed, somebody wakes it, or the time is up. */
  void parkWriter(long nanos) {
    sleepingWriter = Thread.currentThread();
    if (top.get() == null && !wakeRequested) {
      clock.parkNanos(this, nanos);
    }
    sleepingWriter = null;
    wakeRequested = false;
  }

  /** Wakes the writer for another reason than a push. */
  void wakeWriter() {
    wakeRequested = true;
    Thread writer = sleepingWriter;
    if (writer != null) {
      LockSupport.unpark(writer);
    }
  }

  /**
   * Takes room for so many bytes, which {@link #release} gives back.
   *
   * @return whether there was room before the time was up
   */
  boolean reserve(long length, long timeoutNanos) throws InterruptedException {
    if (tryReserve(length)) {
      return true;
    }
    long until = clock.nanoTime() + timeoutNanos;
    Thread self = Thread.currentThread();
    try {
      while (true) {
        roomWaiters.add(self);
        if (tryReserve(length)) {
          return true;
        }
        long left = until - clock.nanoTime();
        if (left <= 0 || isClosed()) {
          return false;
        }
        clock.parkNanos(this, left);
        boolean _ = roomWaiters.remove(self);
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while waiting for room in the log's queue");
        }
      }
    } finally {
      boolean _ = roomWaiters.remove(self);
    }
  }

  private boolean tryReserve(long length) {
    while (true) {
      long now = bytes.get();
      if (now != 0 && now + length > maxBytes) {
        return false;
      }
      if (bytes.compareAndSet(now, now + length)) {
        return true;
      }
    }
  }

  /** Gives room back. */
  void release(long length) {
    bytes.addAndGet(-length);
    wakeRoomWaiters();
  }

  /** Lets those who wait for room look again. */
  void wakeRoomWaiters() {
    for (Thread thread; (thread = roomWaiters.poll()) != null; ) {
      LockSupport.unpark(thread);
    }
  }

  /** Waits until the writer ended, the time is up, or for no reason at all. */
  void awaitWriterEnd(java.util.function.BooleanSupplier ended, long nanos) {
    Thread self = Thread.currentThread();
    roomWaiters.add(self);
    if (!ended.getAsBoolean()) {
      clock.parkNanos(this, nanos);
    }
    boolean _ = roomWaiters.remove(self);
  }

  /** How many bytes are on their way. */
  long queuedBytes() {
    return bytes.get();
  }
}
