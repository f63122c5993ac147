package io.cantle.core.container;

import io.cantle.core.memory.ObjectLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An entry on the heap. It has what may change while the entry is present: the decoded objects, and
 * the mark that it was used.
 *
 * <p>It is as small as Java lets it be: a hash, one number, and one reference. The number packs the
 * version, the length of the key, and four flags; an {@link ExtendedEntry} has those that do not
 * fit. The reference is to the bytes themselves, or to an {@link EntryContent} that has more, or
 * objects in their place.
 *
 * <p>It is put only once, into one container. Where objects stand in the place of bytes, another
 * version may take the place of this one ({@link #replaceObject}). A reader without the lock that
 * needs value and version takes a {@link #snapshot}.
 *
 * <p><b>Threading:</b> any thread marks an entry as used. Decoded objects are read by any thread,
 * and are set and dropped under the monitor of this object. A value is replaced with the lock of
 * the segment held.
 */
sealed class HeapEntry extends Entry permits ExtendedEntry {
  private static final VarHandle HEAD = field(MethodHandles.lookup(), "head", long.class);
  private static final VarHandle CONTENT = field(MethodHandles.lookup(), "content", Object.class);

  /** The heap that an entry takes besides its bytes: this object, and its share of the table. */
  private static final int OVERHEAD_BYTES =
      ObjectLayout.objectBytes(1, 2 * Long.BYTES) + EntryTable.BYTES_PER_ENTRY;

  // The head, from its lowest bit: flags, length of the key, epoch, index, sign.
  private static final long TOMBSTONE = 1;
  private static final long EVICTED = 2;
  private static final long USED = 4;
  private static final long RELEASED = 8;
  private static final int KEY_LENGTH_SHIFT = 4;
  private static final int KEY_LENGTH_BITS = 10;
  private static final int EPOCH_SHIFT = KEY_LENGTH_SHIFT + KEY_LENGTH_BITS;
  private static final int EPOCH_BITS = 12;
  private static final int INDEX_SHIFT = EPOCH_SHIFT + EPOCH_BITS;
  private static final int INDEX_BITS = 63 - INDEX_SHIFT;

  /** The sign: the numbers are in the fields of an {@link ExtendedEntry}. */
  private static final long EXTENDED = Long.MIN_VALUE;

  private final long hash;
  private long head;

  /** A {@code byte[]} or an {@link EntryContent}. Once {@link EntryObjects}, it stays so. */
  private Object content;

  HeapEntry(long hash, Object content, long head) {
    this.hash = hash;
    this.content = content;
    this.head = head;
  }

  /** Creates an entry of the class with the fewest fields; as {@link Entry#of}. */
  static HeapEntry create(
      long hash,
      Object content,
      int keyLength,
      int epoch,
      long index,
      boolean tombstone,
      long stamp,
      @Nullable ExpiryTime expiryTime) {
    if (expiryTime != null && !tombstone) {
      return new ExpiringEntry(hash, content, keyLength, epoch, index, stamp, expiryTime);
    }
    if (stamp != 0
        || keyLength >>> KEY_LENGTH_BITS != 0
        || epoch >>> EPOCH_BITS != 0
        || index >>> INDEX_BITS != 0) {
      return new ExtendedEntry(hash, content, keyLength, epoch, index, tombstone, stamp);
    }
    long head =
        index << INDEX_SHIFT
            | (long) epoch << EPOCH_SHIFT
            | (long) keyLength << KEY_LENGTH_SHIFT
            | (tombstone ? TOMBSTONE : 0);
    return new HeapEntry(hash, content, head);
  }

  /** The head of an {@link ExtendedEntry}. */
  static long extendedHead(boolean tombstone) {
    return EXTENDED | (tombstone ? TOMBSTONE : 0);
  }

  /** Returns the handle of a field of the class that looks it up. */
  static VarHandle field(MethodHandles.Lookup lookup, String name, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Returns this entry without its value. */
  final HeapEntry evicted() {
    return evicted(Arrays.copyOf(bytes(), keyLength()), valueLength());
  }

  /** Returns this entry without a value, of which it knows the length. */
  final HeapEntry evicted(byte[] key, int valueLength) {
    HeapEntry evicted =
        create(
            hash,
            new EntryContent.Evicted(key, null, valueLength),
            key.length,
            epoch(),
            index(),
            isTombstone(),
            markedStamp(),
            expiryTime());
    evicted.head |= EVICTED;
    return evicted;
  }

  /** Marks an entry that no other thread has seen as the copy of one that is kept elsewhere. */
  final HeapEntry asCopy(boolean used) {
    head |= RELEASED | (used ? USED : 0);
    return this;
  }

  // ------------------------------------------------------------------ objects in place of bytes

  /** The objects of an entry that has nothing else but a version; null if it has more, or bytes. */
  final @Nullable EntryObjects plainObjects() {
    return head >= 0 && content instanceof EntryObjects objects ? objects : null;
  }

  /** Whether another value and version can take the place of the present ones, without a copy. */
  final boolean canReplaceObject(int valueBytes, int epoch, long index) {
    EntryObjects objects = plainObjects();
    return objects != null
        && !isReleased()
        && epoch >>> EPOCH_BITS == 0
        && index >>> INDEX_BITS == 0
        && objects.hasRoomFor(valueBytes);
  }

  /**
   * Replaces the value, then the version, where that {@linkplain #canReplaceObject is possible}.
   */
  final void replaceObject(Object value, int valueBytes, int epoch, long index) {
    ((EntryObjects) content).replaceValue(value, valueBytes);
    // A reader that finds the new version finds the new value after it.
    HEAD.setRelease(
        this,
        (index << INDEX_SHIFT)
            | ((long) epoch << EPOCH_SHIFT)
            | (head & ((1L << EPOCH_SHIFT) - 1)));
  }

  @Override
  public final HeapEntry snapshot() {
    long before = (long) HEAD.getAcquire(this);
    // What is extended, or has left its container, stays as it is.
    return before >= 0
            && (before & RELEASED) == 0
            && CONTENT.getAcquire(this) instanceof EntryObjects objects
        ? new HeapEntry(hash, objects.copy(), before | RELEASED)
        : this;
  }

  // ------------------------------------------------------------------ parts

  @Override
  public final long hash() {
    return hash;
  }

  @Override
  public final byte[] bytes() {
    Object current = CONTENT.getAcquire(this);
    if (current instanceof byte[] bytes) {
      return bytes;
    }
    return current instanceof EntryContent.Decoded decoded
        ? decoded.bytes()
        : ((EntryContent) current).bytes();
  }

  @Override
  public final byte[] keyBytes() {
    return CONTENT.getAcquire(this) instanceof EntryObjects objects ? objects.keyBytes() : bytes();
  }

  @Override
  public final boolean hasObjectsOnly() {
    return CONTENT.getAcquire(this) instanceof EntryObjects;
  }

  @Override
  public final int contentBytes() {
    return CONTENT.getAcquire(this) instanceof EntryObjects objects
        ? objects.sizeBytes()
        : bytes().length;
  }

  /** What another version of the entry has as well: its bytes, or the objects in their place. */
  final Object ownContent() {
    return CONTENT.getAcquire(this) instanceof EntryObjects objects ? objects : bytes();
  }

  /** As {@link #compareOrder}, without bytes if both keys are known to be the same. */
  final int compareOrder(HeapEntry other) {
    if (hash != other.hash) {
      return Long.compareUnsigned(hash, other.hash);
    }
    return isDecodedKey(other.decodedKey())
        ? 0
        : compareOrder(hash, other.keyBytes(), 0, other.keyLength());
  }

  @Override
  public final int keyLength() {
    return head < 0
        ? ((ExtendedEntry) this).longKeyLength()
        : (int) (head >>> KEY_LENGTH_SHIFT) & ((1 << KEY_LENGTH_BITS) - 1);
  }

  @Override
  public final int epoch() {
    return head < 0
        ? ((ExtendedEntry) this).longEpoch()
        : (int) (head >>> EPOCH_SHIFT) & ((1 << EPOCH_BITS) - 1);
  }

  @Override
  public final long index() {
    return head < 0 ? ((ExtendedEntry) this).longIndex() : head >>> INDEX_SHIFT;
  }

  @Override
  public final boolean isTombstone() {
    return (head & TOMBSTONE) != 0;
  }

  @Override
  public final boolean isEvicted() {
    return (head & EVICTED) != 0;
  }

  @Override
  public final int valueLength() {
    return CONTENT.getAcquire(this) instanceof EntryContent.Evicted evicted
        ? evicted.valueLength()
        : bytes().length - keyLength();
  }

  @Override
  public final int sizeBytes() {
    return (int)
        Math.min(
            Integer.MAX_VALUE,
            OVERHEAD_BYTES
                + (head < 0 ? ExtendedEntry.EXTRA_BYTES : 0)
                + (this instanceof ExpiringEntry ? ExpiringEntry.EXTRA_BYTES : 0)
                + (isEvicted() ? EntryContent.Evicted.SIZE_BYTES : 0)
                + (CONTENT.getAcquire(this) instanceof EntryObjects objects
                    ? objects.sizeBytes()
                    : ObjectLayout.arrayBytes(bytes().length, 1)));
  }

  // ------------------------------------------------------------------ the mark of use

  final boolean isUsed() {
    return (head & USED) != 0;
  }

  /** Marks the entry as used, or takes the mark away. */
  final void setUsed(boolean used) {
    // A plain store could bring back a flag that another thread has changed.
    var _ =
        used ? (long) HEAD.getAndBitwiseOr(this, USED) : (long) HEAD.getAndBitwiseAnd(this, ~USED);
  }

  // ------------------------------------------------------------------ decoded objects

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

  /** The decoded key, or null if it is not kept. */
  final @Nullable Object decodedKey() {
    return CONTENT.getAcquire(this) instanceof EntryContent more ? more.key() : null;
  }

  /** Whether an object is the decoded key that is kept. */
  @SuppressWarnings("ReferenceEquality") // Another object may be equal only by its own opinion.
  final boolean isDecodedKey(@Nullable Object key) {
    if (key == null) {
      return false;
    }
    Object current = CONTENT.getAcquire(this);
    return current instanceof EntryObjects objects
        ? objects.hasKey(key)
        : current instanceof EntryContent more && more.key() == key;
  }

  /** The decoded value, or null if it is not kept; an {@link UnsharedValue} is for streams. */
  final @Nullable Object decodedValue() {
    Object current = CONTENT.getAcquire(this);
    if (current instanceof EntryContent.Decoded decoded) {
      return decoded.value();
    }
    return current instanceof EntryObjects objects ? objects.value() : null;
  }

  /**
   * Keeps the decoded key for other threads. The release makes everything written to the object
   * visible with it, whether its fields are final or not.
   */
  final void keepKey(Object key) {
    CONTENT.setRelease(
        this,
        content instanceof EntryContent.Evicted evicted
            ? new EntryContent.Evicted(evicted.bytes(), key, evicted.valueLength())
            : new EntryContent.Decoded(bytes(), key, decodedValue()));
  }

  /** Keeps both decoded objects, before another thread has seen the entry. */
  final void keepBoth(Object key, Object value) {
    CONTENT.setRelease(this, new EntryContent.Decoded(bytes(), key, value));
  }

  /** Keeps the decoded value for other threads. The value must not be evicted. */
  final void keepValue(Object value) {
    CONTENT.setRelease(this, new EntryContent.Decoded(bytes(), decodedKey(), value));
  }

  /** Drops the decoded objects. None should be kept from now on. */
  final void release() {
    var _ = (long) HEAD.getAndBitwiseOr(this, RELEASED);
    if (content instanceof EntryContent.Decoded decoded) {
      CONTENT.setRelease(this, decoded.bytes());
    } else if (content instanceof EntryContent.Evicted evicted && evicted.key() != null) {
      CONTENT.setRelease(
          this, new EntryContent.Evicted(evicted.bytes(), null, evicted.valueLength()));
    }
  }

  /** Whether decoded objects are not kept any more, because nothing would release them. */
  final boolean isReleased() {
    return (head & RELEASED) != 0;
  }
}
