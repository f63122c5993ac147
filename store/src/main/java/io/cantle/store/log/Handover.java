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
final class Handover {
  private static final Append SHUT = new Append(new LogRecord[0], 0, false, null, null);

  private final AtomicReference<@Nullable Append> top = new AtomicReference<>();
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<Thread> wanting = new ConcurrentLinkedQueue<>();
  private final long mostBytes;
  private final StoreClock clock;

  private volatile @Nullable Thread sleeper;
  private volatile boolean nudged;

  Handover(long mostBytes, StoreClock clock) {
    this.mostBytes = mostBytes;
    this.clock = clock;
  }

  /** Hands one over; false if nothing is taken any more. */
  boolean push(Append append) {
    while (true) {
      Append before = top.get();
      if (before == SHUT) {
        return false;
      }
      append.next = before;
      append.depth = before == null ? 1 : before.depth + 1;
      if (top.compareAndSet(before, append)) {
        Thread writer = sleeper;
        if (writer != null) {
          LockSupport.unpark(writer);
        }
        return true;
      }
    }
  }

  /** The last of those there are to take; only for a look at them while nobody takes them. */
  @Nullable Append top() {
    return top.get();
  }

  /** How many there are to take; a guess as soon as it is returned. */
  int size() {
    Append first = top.get();
    return first == null ? 0 : first.depth;
  }

  /** Takes all there are, the oldest first. */
  @Nullable Append take() {
    return top.get() == null ? null : reversed(top.getAndSet(null));
  }

  /** Takes all there are and lets no more in. */
  @Nullable Append shut() {
    Append last = top.getAndSet(SHUT);
    return last == SHUT ? null : reversed(last);
  }

  boolean isShut() {
    return top.get() == SHUT;
  }

  private static @Nullable Append reversed(@Nullable Append last) {
    Append first = null;
    for (Append at = last; at != null; ) {
      Append before = at.next;
      at.next = first;
      first = at;
      at = before;
    }
    return first;
  }

  /** Parks the writer until something is pushed, somebody wakes it, or the time is up. */
  void sleep(long nanos) {
    sleeper = Thread.currentThread();
    if (top.get() == null && !nudged) {
      clock.parkNanos(this, nanos);
    }
    sleeper = null;
    nudged = false;
  }

  /** Wakes the writer for another reason than a push. */
  void wake() {
    nudged = true;
    Thread writer = sleeper;
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
        wanting.add(self);
        if (tryReserve(length)) {
          return true;
        }
        long left = until - clock.nanoTime();
        if (left <= 0 || isShut()) {
          return false;
        }
        clock.parkNanos(this, left);
        boolean _ = wanting.remove(self);
        if (Thread.interrupted()) {
          throw new InterruptedException("interrupted while waiting for room in the log's queue");
        }
      }
    } finally {
      boolean _ = wanting.remove(self);
    }
  }

  private boolean tryReserve(long length) {
    while (true) {
      long now = bytes.get();
      if (now != 0 && now + length > mostBytes) {
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
    wakeWanting();
  }

  /** Lets those who wait for room look again. */
  void wakeWanting() {
    for (Thread thread; (thread = wanting.poll()) != null; ) {
      LockSupport.unpark(thread);
    }
  }

  /** Waits until the writer ended, the time is up, or for no reason at all. */
  void awaitEnd(java.util.function.BooleanSupplier ended, long nanos) {
    Thread self = Thread.currentThread();
    wanting.add(self);
    if (!ended.getAsBoolean()) {
      clock.parkNanos(this, nanos);
    }
    boolean _ = wanting.remove(self);
  }

  /** How many bytes are on their way. */
  long bytes() {
    return bytes.get();
  }
}
