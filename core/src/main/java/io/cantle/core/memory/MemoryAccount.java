package io.cantle.core.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes are reserved for one use, and how many may be. What must be possible though it is
 * larger than the whole account is possible when nothing else is reserved.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class MemoryAccount {
  private final long limitBytes;
  private final AtomicLong reserved = new AtomicLong();
  private final AtomicLong mostReserved = new AtomicLong();

  /** An account of which nothing is reserved. */
  public MemoryAccount(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** How many bytes may be reserved. */
  public long limitBytes() {
    return limitBytes;
  }

  /** How many bytes are reserved. */
  public long reservedBytes() {
    return reserved.get();
  }

  /** The most bytes that were reserved at once. */
  public long mostReservedBytes() {
    return mostReserved.get();
  }

  /** Reserves bytes if there is room for them, or nothing else is reserved. */
  public boolean tryReserve(long bytes) {
    return tryReserve(bytes, true);
  }

  /** Reserves bytes if there is room for them, for what can be left out. */
  public boolean tryReserveWithin(long bytes) {
    return tryReserve(bytes, false);
  }

  private boolean tryReserve(long bytes, boolean mayBeTheOnly) {
    while (true) {
      long before = reserved.get();
      if (before + bytes > limitBytes && (before > 0 || !mayBeTheOnly)) {
        return false;
      }
      if (reserved.compareAndSet(before, before + bytes)) {
        mostReserved.accumulateAndGet(before + bytes, Math::max);
        return true;
      }
    }
  }

  /** Reserves bytes that are taken already, whether there is room for them or not. */
  public void reserve(long bytes) {
    long now = reserved.addAndGet(bytes);
    mostReserved.accumulateAndGet(now, Math::max);
  }

  /**
   * Gives bytes back.
   *
   * @throws IllegalStateException if more is given back than was reserved: an error of the owner
   */
  public void release(long bytes) {
    if (reserved.addAndGet(-bytes) < 0) {
      throw new IllegalStateException(
          bytes + " bytes were given back, more than were reserved of " + limitBytes);
    }
  }

  @Override
  public String toString() {
    return reserved + " of " + limitBytes + " bytes";
  }
}
