package io.cantle.core.container;

import io.cantle.core.codec.Codec;
import io.cantle.core.memory.MemoryAccount;
import org.jspecify.annotations.Nullable;

/**
 * The decoded objects that owners keep beside the bytes of entries, so that a second stream need
 * not decode them again. Bytes stay the truth: a decoded object is never encoded back, and beyond
 * the budget nothing more is kept.
 *
 * <p><b>Threading:</b> any thread; two threads may decode the same entry at once, and either object
 * serves.
 */
@SuppressWarnings("ReferenceEquality") // RELEASED is one object.
public final class DecodedObjectCache {
  /** An object is taken to be this many times as large as its bytes, and a fixed part besides. */
  private static final int SIZE_FACTOR = 3;

  private static final int OVERHEAD_BYTES = 48;

  /** In place of what is kept, once an entry has left its container. */
  private static final Object RELEASED = new Object();

  private final Codec codec;
  private final MemoryAccount account;

  /** Keeps objects of about as many bytes as an account has. */
  public DecodedObjectCache(Codec codec, MemoryAccount account) {
    this.codec = codec;
    this.account = account;
  }

  /** Keeps objects of about {@code budgetBytes} in all. */
  public DecodedObjectCache(Codec codec, long budgetBytes) {
    this(codec, new MemoryAccount(budgetBytes));
  }

  /** The key of an entry as an object. */
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

  /** The value of a live entry as an object. */
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

  /** Gives back what an entry that left its container kept, and keeps nothing for it any more. */
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

  /** How many bytes the kept objects are taken to use. */
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
