package io.cantle.store.log;

import io.cantle.store.StoreClock;
import io.cantle.store.StoreException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue from the appending threads to the writer, with a limit on its bytes. It is a stack that
 * is pushed to by one compare-and-set and taken as a whole. A caller that finds it full waits.
 *
 * <p><b>Threading:</b> any thread; only one parks as the writer.
 */
final class AppendQueue {
  private static final PendingAppend CLOSED_MARKER = PendingAppend.barrier();

  private static final String CLOSED = "the log is closed";

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

  /**
   * Pushes an append once there is room for it, which {@link #release} gives back.
   *
   * @param timeoutNanos the longest wait for room
   * @throws StoreException.AppendRefused if there was no room in time, or the queue is closed
   */
  void submit(PendingAppend append, long timeoutNanos) throws StoreException, InterruptedException {
    int length = append.byteCount;
    if (!reserve(length, timeoutNanos)) {
      throw new StoreException.AppendRefused(
          isClosed()
              ? CLOSED
              : "no room in the log's queue for %s bytes within %s ms: %s bytes wait to be written, "
                      .formatted(length, timeoutNanos / 1_000_000, queuedBytes())
                  + "and queueBytes is "
                  + maxBytes);
    }
    if (!push(append)) {
      release(length);
      throw new StoreException.AppendRefused(CLOSED);
    }
  }

  /** Pushes an append; false if the queue is closed. */
  private boolean push(PendingAppend append) {
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

  /** How many appends there are to take; may be outdated as soon as it is returned. */
  int depth() {
    PendingAppend first = top.get();
    return first == null ? 0 : first.queueDepth;
  }

  /** Takes all appends, the oldest first. */
  @Nullable PendingAppend takeAll() {
    while (true) {
      PendingAppend last = top.get();
      if (last == null || last == CLOSED_MARKER) {
        return null;
      }
      if (top.compareAndSet(last, null)) {
        return reversed(last);
      }
    }
  }

  /** Takes all appends and refuses any later ones. */
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

  /** Parks the writer until an append is pushed or {@link #wakeWriter} is called. */
  void parkWriter() {
    sleepingWriter = Thread.currentThread();
    if (top.get() == null && !wakeRequested) {
      clock.parkNanos(this, Long.MAX_VALUE);
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

  /** Reserves room for some bytes; returns whether there was room before the time was up. */
  private boolean reserve(long length, long timeoutNanos) throws InterruptedException {
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

  /** Wakes the threads that wait for room, so that they check again. */
  void wakeRoomWaiters() {
    for (Thread thread; (thread = roomWaiters.poll()) != null; ) {
      LockSupport.unpark(thread);
    }
  }

  /** Waits until the writer has ended or the time is up; may return early for no reason. */
  void awaitWriterEnd(BooleanSupplier ended, long nanos) {
    Thread self = Thread.currentThread();
    roomWaiters.add(self);
    if (!ended.getAsBoolean()) {
      clock.parkNanos(this, nanos);
    }
    boolean _ = roomWaiters.remove(self);
  }

  /** How many bytes are queued or being written. */
  long queuedBytes() {
    return bytes.get();
  }
}
