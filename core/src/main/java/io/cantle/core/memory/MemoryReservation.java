package io.cantle.core.memory;

import org.jspecify.annotations.Nullable;

/**
 * Bytes of an account that belong to one piece of work, until it closes the reservation. They grow
 * with the work.
 *
 * <p><b>Threading:</b> one thread at a time, its owner.
 */
public final class MemoryReservation implements AutoCloseable {
  private final MemoryAccount account;
  private long bytes;

  private MemoryReservation(MemoryAccount account, long bytes) {
    this.account = account;
    this.bytes = bytes;
  }

  /** Reserves bytes; returns null if there is no room for them. */
  public static @Nullable MemoryReservation tryOpen(MemoryAccount account, long bytes) {
    return account.tryReserve(bytes) ? new MemoryReservation(account, bytes) : null;
  }

  /** Grows the reservation by this many bytes; returns false if there is no room for them. */
  public boolean grow(long moreBytes) {
    boolean grown = account.tryGrow(bytes, moreBytes);
    bytes += grown ? moreBytes : 0;
    return grown;
  }

  /** Grows the reservation to this total; returns false if there is no room for it. */
  public boolean growTo(long allBytes) {
    return allBytes <= bytes || grow(allBytes - bytes);
  }

  @Override
  public void close() {
    account.release(bytes);
    bytes = 0;
  }
}
