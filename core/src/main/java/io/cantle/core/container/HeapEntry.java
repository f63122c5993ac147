package io.cantle.core.container;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An entry on the heap. It is also the link of its hash chain in a {@link HeapContainer}, so that
 * it costs one object and one array. It has what may change while the entry is present: the decoded
 * objects, and the mark that it was used.
 *
 * <p>It is put only once, into one container. A reader may hold one that has been replaced and can
 * still follow its link.
 *
 * <p><b>Threading:</b> any thread may set the decoded objects. The link and the mark belong to
 * {@link HeapContainer}.
 */
sealed class HeapEntry extends Entry permits TimestampedEntry {
  private static final VarHandle NEXT = field(MethodHandles.lookup(), "next", HeapEntry.class);
  private static final VarHandle DECODED_KEY =
      field(MethodHandles.lookup(), "decodedKey", Object.class);
  private static final VarHandle DECODED_VALUE =
      field(MethodHandles.lookup(), "decodedValue", Object.class);

  /**
   * The heap that an entry takes besides its bytes: this object, the header of the array, and its
   * share of the hash table.
   */
  private static final int OVERHEAD_BYTES = 56 + 16 + 8;

  /**
   * 1 if the entry was used recently, else 0. For an evicted entry it is the complement of the
   * value's length, which saves a field.
   */
  int usedFlag;

  /**
   * The next entry of the chain. An entry that was not put yet links to itself, which no chain
   * contains.
   */
  private @Nullable HeapEntry next;

  @SuppressWarnings("UnusedVariable") // Accessed through its VarHandle only.
  private @Nullable Object decodedKey;

  @SuppressWarnings("UnusedVariable") // Accessed through its VarHandle only.
  private @Nullable Object decodedValue;

  HeapEntry(long hash, byte[] bytes, int keyLength, int epoch, long index, boolean tombstone) {
    super(hash, bytes, keyLength, epoch, index, tombstone);
    this.next = this;
  }

  /** Returns the handle of a field of the class that looks it up. */
  static VarHandle field(MethodHandles.Lookup lookup, String name, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Override
  public final int sizeBytes() {
    return (int)
        Math.min(
            Integer.MAX_VALUE,
            OVERHEAD_BYTES
                + (this instanceof TimestampedEntry ? TimestampedEntry.EXTRA_BYTES : 0)
                + (this instanceof ExpiringEntry ? ExpiringEntry.EXTRA_BYTES : 0)
                + ((bytes().length + 7L) & ~7L));
  }

  @Override
  public final boolean isEvicted() {
    return usedFlag < 0;
  }

  @Override
  public final int valueLength() {
    return usedFlag < 0 ? ~usedFlag : bytes().length - keyLength();
  }

  @Override
  public final int prefetchDecodedValue() {
    // The check reads the header of the object.
    return decodedValue() instanceof HeapEntry ? 1 : 0;
  }

  @Override
  public final @Nullable Object sharedValue() {
    Object decoded = decodedValue();
    return decoded instanceof UnsharedValue ? null : decoded;
  }

  /** The decoded key, or null if it is not cached. */
  final @Nullable Object decodedKey() {
    return DECODED_KEY.getAcquire(this);
  }

  /**
   * Caches the decoded key for other threads. The release makes everything written to the object
   * visible with it, whether its fields are final or not.
   */
  final void decodedKey(Object decoded) {
    DECODED_KEY.setRelease(this, decoded);
  }

  /** The decoded value, or null if it is not cached; an {@link UnsharedValue} is for streams. */
  final @Nullable Object decodedValue() {
    return DECODED_VALUE.getAcquire(this);
  }

  /** Caches the decoded value for other threads, or drops it if null. */
  final void decodedValue(@Nullable Object decoded) {
    DECODED_VALUE.setRelease(this, decoded);
  }

  final @Nullable HeapEntry next() {
    return (HeapEntry) NEXT.getAcquire(this);
  }

  /** Sets the next entry. A reader that sees the link also sees everything written before. */
  final void next(@Nullable HeapEntry following) {
    NEXT.setRelease(this, following);
  }

  final boolean isUnlinked() {
    return next == this;
  }
}
