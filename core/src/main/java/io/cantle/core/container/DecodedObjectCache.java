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
public final class DecodedObjectCache implements AppliedObserver {
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

  /** Returns the key of an entry as an object. */
  public Object keyOf(Entry entry) {
    HeapEntry node = (HeapEntry) entry;
    Object cached = node.decodedKey();
    if (cached != null && cached != RELEASED) {
      return cached;
    }
    Object key = codec.decodeKey(entry.bytes(), 0, entry.keyLength());
    synchronized (node) {
      if (node.decodedKey() == null && tryReserve(entry.keyLength())) {
        node.decodedKey(key);
      }
    }
    return key;
  }

  /** Returns the value of a live entry as an object. */
  public Object valueOf(Entry entry) {
    HeapEntry node = (HeapEntry) entry;
    Object cached = node.decodedValue();
    if (cached != null && cached != RELEASED) {
      return cached;
    }
    Object value = codec.decodeValue(entry.bytes(), entry.valueOffset(), entry.valueLength());
    synchronized (node) {
      if (node.decodedValue() == null && tryReserve(entry.valueLength())) {
        node.decodedValue(value);
      }
    }
    return value;
  }

  @Override
  public void onApplied(@Nullable Entry before, @Nullable Entry after) {
    if (before != null) {
      release(before);
    }
  }

  /**
   * Releases the memory of an entry that has left its container, and caches nothing for it again.
   */
  public void release(Entry entry) {
    HeapEntry node = (HeapEntry) entry;
    synchronized (node) {
      if (isCached(node.decodedKey())) {
        account.release(estimateBytes(entry.keyLength()));
      }
      if (isCached(node.decodedValue())) {
        account.release(estimateBytes(entry.valueLength()));
      }
      node.decodedKey(RELEASED);
      node.decodedValue(RELEASED);
    }
  }

  private static boolean isCached(@Nullable Object decoded) {
    return decoded != null && decoded != RELEASED;
  }

  private boolean tryReserve(int length) {
    return account.tryReserveWithin(estimateBytes(length));
  }

  private static long estimateBytes(int length) {
    return (long) length * SIZE_FACTOR + OVERHEAD_BYTES;
  }
}
