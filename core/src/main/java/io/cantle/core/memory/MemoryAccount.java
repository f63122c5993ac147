package io.cantle.core.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes reserved for one use, up to a limit. A reservation larger than the whole account
 * succeeds while nothing else is reserved, so that it is not refused for ever.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class MemoryAccount {
  /** Less than any owner has. */
  private static final long NONE = -1;

  private final long limitBytes;
  private final AtomicLong reserved = new AtomicLong();
  private final AtomicLong mostReserved = new AtomicLong();

  /** Creates an account of which nothing is reserved. */
  public MemoryAccount(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** The limit in bytes. */
  public long limitBytes() {
    return limitBytes;
  }

  /** The number of bytes reserved now. */
  public long reservedBytes() {
    return reserved.get();
  }

  /** The most bytes that were reserved at once. */
  public long mostReservedBytes() {
    return mostReserved.get();
  }

  /** Whether so many bytes more would fit into the limit. */
  public boolean hasRoom(long bytes) {
    return reserved.get() + bytes <= limitBytes;
  }

  /** Reserves bytes if they fit into the limit, or if nothing else is reserved. */
  public boolean tryReserve(long bytes) {
    return tryReserve(bytes, 0);
  }

  /** Reserves bytes only if they fit into the limit. For memory the caller can do without. */
  public boolean tryReserveWithin(long bytes) {
    return tryReserve(bytes, NONE);
  }

  /**
   * Reserves more bytes for the owner of some if they fit into the limit, or if nothing else is
   * reserved.
   */
  public boolean tryGrow(long ownBytes, long moreBytes) {
    return tryReserve(moreBytes, ownBytes);
  }

  /** The bytes may exceed the limit if no more than the owner's are reserved. */
  private boolean tryReserve(long bytes, long ownBytes) {
    while (true) {
      long before = reserved.get();
      if (before + bytes > limitBytes && before > ownBytes) {
        return false;
      }
      if (reserved.compareAndSet(before, before + bytes)) {
        noteReserved(before + bytes);
        return true;
      }
    }
  }

  /** Reserves bytes that are already in use, even beyond the limit. */
  public void reserve(long bytes) {
    noteReserved(reserved.addAndGet(bytes));
  }

  private void noteReserved(long now) {
    if (now > mostReserved.get()) {
      mostReserved.accumulateAndGet(now, Math::max);
    }
  }

  /**
   * Releases bytes.
   *
   * @throws IllegalStateException if more is released than was reserved, which is a bug of the
   *     owner
   */
  public void release(long bytes) {
    if (reserved.addAndGet(-bytes) < 0) {
      throw new IllegalStateException(
          bytes + " bytes were released, more than were reserved; the limit is " + limitBytes);
    }
  }

  @Override
  public String toString() {
    return reserved + " of " + limitBytes + " bytes";
  }
}
