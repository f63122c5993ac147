package io.cantle.core.container;

import io.cantle.core.codec.Codec;
import io.cantle.core.memory.MemoryAccount;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the decoded objects of entries, so that a second stream need not decode the same bytes
 * again. It exists at the owners of segments. The bytes remain authoritative: a decoded object is
 * never encoded back. When the memory budget is used up, no more objects are cached.
 *
 * <p><b>Threading:</b> any thread. Two threads may decode the same entry at once, and either object
 * may be used.
 */
@SuppressWarnings("ReferenceEquality") // RELEASED is one object.
public final class DecodedObjectCache {
  /** The estimated size of an object, as a multiple of its encoded bytes; a fixed part is added. */
  private static final int SIZE_FACTOR = 3;

  private static final int OVERHEAD_BYTES = 48;

  /** Replaces the cached objects of an entry that has left its container. */
  private static final Object RELEASED = new Object();

  private final Codec codec;
  private final MemoryAccount account;

  /** Creates a cache whose size is limited by an account. */
  public DecodedObjectCache(Codec codec, MemoryAccount account) {
    this.codec = codec;
    this.account = account;
  }

  /** Creates a cache of about {@code budgetBytes}. */
  public DecodedObjectCache(Codec codec, long budgetBytes) {
    this(codec, new MemoryAccount(budgetBytes));
  }

  /** Returns the key of an entry as an object. */
  public Object keyOf(Entry entry) {
    Object cached = entry.decodedKey();
    if (cached != null && cached != RELEASED) {
      return cached;
    }
    Object key = codec.decodeKey(entry.bytes(), 0, entry.keyLength());
    synchronized (entry) {
      if (entry.decodedKey() == null && tryReserve(entry.keyLength())) {
        entry.decodedKey(key);
      }
    }
    return key;
  }

  /** Returns the value of a live entry as an object. */
  public Object valueOf(Entry entry) {
    Object cached = entry.decodedValue();
    if (cached != null && cached != RELEASED) {
      return cached;
    }
    Object value = codec.decodeValue(entry.bytes(), entry.valueOffset(), entry.valueLength());
    synchronized (entry) {
      if (entry.decodedValue() == null && tryReserve(entry.valueLength())) {
        entry.decodedValue(value);
      }
    }
    return value;
  }

  /**
   * Releases the memory of an entry that has left its container, and caches nothing for it again.
   */
  public void release(Entry entry) {
    synchronized (entry) {
      if (isCached(entry.decodedKey())) {
        account.release(estimateBytes(entry.keyLength()));
      }
      if (isCached(entry.decodedValue())) {
        account.release(estimateBytes(entry.valueLength()));
      }
      entry.decodedKey(RELEASED);
      entry.decodedValue(RELEASED);
    }
  }

  private static boolean isCached(@Nullable Object decoded) {
    return decoded != null && decoded != RELEASED;
  }

  /** The estimated size of all cached objects in bytes. */
  public long usedBytes() {
    return account.reservedBytes();
  }

  private boolean tryReserve(int length) {
    return account.tryReserveWithin(estimateBytes(length));
  }

  private static long estimateBytes(int length) {
    return (long) length * SIZE_FACTOR + OVERHEAD_BYTES;
  }
}
