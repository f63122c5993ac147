package io.cantle.core.container;

import io.cantle.core.codec.Codec;
import io.cantle.core.memory.MemoryAccount;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the decoded objects of entries, so that the same bytes need not be decoded again. It
 * exists at the owners of segments. The bytes remain authoritative: a decoded object is never
 * encoded back. When the memory budget is used up, no more objects are cached.
 *
 * <p>Callers share a value that nobody can change, and get a copy of any other. Streams share both.
 *
 * <p><b>Threading:</b> any thread. Two threads may decode the same entry at once, and either object
 * may be used.
 */
public final class DecodedObjectCache implements AppliedObserver {
  private final Codec codec;
  private final MemoryAccount account;

  /** Creates a cache whose size is limited by an account. */
  public DecodedObjectCache(Codec codec, MemoryAccount account) {
    this.codec = codec;
    this.account = account;
  }

  /**
   * Creates what remembers values of one cache.
   *
   * @param keepsEntries whether entries are remembered as well as values
   */
  public ValueHints newHints(boolean keepsEntries) {
    return new ValueHints(account, keepsEntries);
  }

  /** Returns the key of an entry as an object. */
  public Object keyOf(Entry entry) {
    HeapEntry node = (HeapEntry) entry;
    Object cached = node.decodedKey();
    if (cached != null) {
      return cached;
    }
    Object key = codec.decodeKey(entry.bytes(), 0, entry.keyLength());
    synchronized (node) {
      if (!node.isReleased()
          && node.decodedKey() == null
          && account.tryReserveWithin(bytesOfKey(node, key) + bytesOfFirst(node))) {
        node.keepKey(key);
      }
    }
    return key;
  }

  /**
   * Returns the key of an entry as an object that the caller may do anything to: the one that is
   * kept if nobody can change it, otherwise a new one.
   */
  public Object keyForCaller(Entry entry) {
    Object kept = ((HeapEntry) entry).decodedKey();
    return kept != null && codec.isImmutable(kept)
        ? kept
        : codec.decodeKey(entry.bytes(), 0, entry.keyLength());
  }

  /** The objects of a key and a value, to be kept without bytes; null if these are needed. */
  public @Nullable EntryObjects objectsOf(Object key, Object value) {
    return EntryObjects.of(codec, key, value);
  }

  /**
   * What a value takes in the heap that can be kept as an object and needs no encoding to be
   * written; otherwise -1.
   */
  public int heapBytesUnencoded(Object value) {
    return EntryObjects.heapBytesUnencoded(codec, value);
  }

  /**
   * As the other {@code objectsOf}. Where an object is not known it is decoded, if that runs no
   * code of a user: this is called with the lock of a segment held.
   *
   * @param bytes the key, and the value
   */
  public @Nullable EntryObjects objectsOf(
      byte[] bytes, int keyLength, @Nullable Object key, @Nullable Object value) {
    boolean canDecode =
        (key != null || Codec.isSimple(bytes, 0))
            && (value != null || Codec.isSimple(bytes, keyLength));
    return canDecode
        ? objectsOf(
            key == null ? codec.decodeKey(bytes, 0, keyLength) : key,
            value == null ? codec.decodeValue(bytes, keyLength, bytes.length - keyLength) : value)
        : null;
  }

  /** Returns the value of a live entry as an object, for a stream, which does not change it. */
  public Object valueOf(Entry entry) {
    HeapEntry node = (HeapEntry) entry;
    Object cached = node.decodedValue();
    if (cached != null) {
      return cached instanceof UnsharedValue unshared ? unshared.value() : cached;
    }
    Object value = decodeValue(entry);
    keepIfNone(node, codec.isImmutable(value) ? value : new UnsharedValue(value));
    return value;
  }

  /**
   * Returns the value of a live entry as an object that the caller may do anything to: the one that
   * is kept if nobody can change it, otherwise a new one.
   */
  public Object valueForCaller(Entry entry) {
    Object shared = entry.sharedValue();
    if (shared != null) {
      return shared;
    }
    Object value = decodeValue(entry);
    HeapEntry node = (HeapEntry) entry;
    if (node.decodedValue() == null && codec.isImmutable(value)) {
      keepIfNone(node, value);
    }
    return value;
  }

  private Object decodeValue(Entry entry) {
    return codec.decodeValue(entry.bytes(), entry.valueOffset(), entry.valueLength());
  }

  private void keepIfNone(HeapEntry node, Object value) {
    synchronized (node) {
      if (!node.isReleased()
          && node.decodedValue() == null
          && account.tryReserveWithin(bytesOfValue(node, value) + bytesOfFirst(node))) {
        node.keepValue(value);
      }
    }
  }

  /**
   * Keeps the object that was encoded as the value of a new entry, instead of that of the entry
   * which it is about to replace. If that keeps the object of its key, it is kept on. Called under
   * the lock of the segment, before the entry is put.
   *
   * @param key the object that was encoded as the key, if nobody can change it; otherwise null
   * @param value nobody can change it
   * @param replaced null for none
   * @param hints what is remembered of the cache
   */
  public void keepWritten(
      Entry added, @Nullable Object key, Object value, @Nullable Entry replaced, ValueHints hints) {
    HeapEntry node = (HeapEntry) added;
    Object keyBefore = replaced == null ? null : ((HeapEntry) replaced).decodedKey();
    Object keptKey = keyBefore == null ? key : keyBefore;
    long freed = replaced == null ? 0 : detach((HeapEntry) replaced, hints);
    long more =
        EntryContent.Decoded.SIZE_BYTES
            + bytesOfValue(node, value)
            + (keptKey == null ? 0 : bytesOfKey(node, keptKey))
            - freed;
    if (more <= 0 || account.tryReserveWithin(more)) {
      if (keptKey == null) {
        node.keepValue(value);
      } else {
        node.keepBoth(keptKey, value);
      }
    } else {
      more = -freed;
    }
    if (more < 0) {
      account.release(-more);
    }
  }

  @Override
  public void onApplied(@Nullable Entry before, @Nullable Entry after) {
    if (before != null) {
      release(before, null);
    }
  }

  /**
   * Releases the memory of an entry that has left its container, or leaves it next, and caches
   * nothing for it again.
   *
   * @param hints what is remembered of the cache; null if it is no entry of a container
   */
  public void release(Entry entry, @Nullable ValueHints hints) {
    long freed = detach((HeapEntry) entry, hints);
    if (freed > 0) {
      account.release(freed);
    }
  }

  /** Drops what is kept for an entry, for good; returns the bytes that are reserved for it. */
  private long detach(HeapEntry node, @Nullable ValueHints hints) {
    if (node.isReleased()) {
      return 0;
    }
    synchronized (node) {
      Object key = node.decodedKey();
      Object value = node.decodedValue();
      boolean isOwn = (key != null || value != null) && !node.isEvicted();
      // Objects in the place of bytes are no decoded ones, and count as the entry itself.
      long freed =
          node.hasObjectsOnly()
              ? 0
              : (isOwn ? EntryContent.Decoded.SIZE_BYTES : 0)
                  + (key == null ? 0 : bytesOfKey(node, key))
                  + (value == null ? 0 : bytesOfValue(node, value));
      node.release();
      if (key != null && hints != null) {
        hints.forget(key);
      }
      return freed;
    }
  }

  /** What an entry takes more as soon as it has a first decoded object. */
  private static long bytesOfFirst(HeapEntry node) {
    return node.isEvicted() || node.decodedKey() != null || node.decodedValue() != null
        ? 0
        : EntryContent.Decoded.SIZE_BYTES;
  }

  private long bytesOfKey(HeapEntry node, Object key) {
    return codec.heapBytes(key, node.keyLength());
  }

  private long bytesOfValue(HeapEntry node, Object value) {
    return value instanceof UnsharedValue(Object mutable)
        ? UnsharedValue.SIZE_BYTES + codec.heapBytes(mutable, node.valueLength())
        : codec.heapBytes(value, node.valueLength());
  }
}
