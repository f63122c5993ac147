package io.cantle.core.container;

import io.cantle.core.base.WriteOrigin;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One version of one key: its bytes, its version, and whether it says that the key was removed. It
 * is also the link of the chain it sits in, so that an entry costs one object and one array.
 *
 * <p>Another version of the key is another entry. An entry is put once, into one segment: readers
 * may stand on it after it was replaced and still find their way on.
 *
 * <p>The value of an <em>evicted</em> entry is on disk only. Everything else about it is known
 * here.
 *
 * <p><b>Threading:</b> immutable but for the decoded objects, which any thread may set, the mark of
 * its use, for which races do not matter, and the link, which belongs to {@link SegmentEntries}.
 */
public sealed class Entry permits TimestampedEntry {
  private static final VarHandle NEXT;
  private static final VarHandle DECODED_KEY;
  private static final VarHandle DECODED_VALUE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEXT = lookup.findVarHandle(Entry.class, "next", Entry.class);
      DECODED_KEY = lookup.findVarHandle(Entry.class, "decodedKey", Object.class);
      DECODED_VALUE = lookup.findVarHandle(Entry.class, "decodedValue", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * The heap a cache spends on an entry besides its bytes: this object, the header of the array,
   * and the share of the table.
   */
  private static final int OVERHEAD_BYTES = 56 + 16 + 8;

  private final long hash;
  private final long index;
  private final byte[] bytes;

  /** The length of the key, or its complement if the entry is a tombstone: saves a field. */
  private final int keyLengthAndKind;

  private final int epoch;

  /**
   * Whether it was used lately, 1 or 0; of an evicted entry the complement of the value's length:
   * saves a field.
   */
  private int usedFlag;

  /** Itself before the entry is put, which no chain can contain; from then on what follows. */
  private @Nullable Entry next;

  @SuppressWarnings("UnusedVariable") // Used through its handle only.
  private @Nullable Object decodedKey;

  @SuppressWarnings("UnusedVariable") // Used through its handle only.
  private @Nullable Object decodedValue;

  /**
   * Makes a version of a key. The array is given away: it is never changed again.
   *
   * @param hash the hash of the key; taken as it is
   * @param bytes the key, followed by the value
   * @param keyLength how many of the bytes are the key
   * @param epoch the epoch of the segment the version was made in
   * @param index the sequence number of the version within the epoch
   * @param tombstone whether this version says that the key was removed
   */
  public Entry(long hash, byte[] bytes, int keyLength, int epoch, long index, boolean tombstone) {
    if (keyLength < 0 || keyLength > bytes.length) {
      throw new IllegalArgumentException(
          "key length " + keyLength + " is not within 0.." + bytes.length);
    }
    this.hash = hash;
    this.bytes = bytes;
    this.keyLengthAndKind = tombstone ? ~keyLength : keyLength;
    this.epoch = epoch;
    this.index = index;
    this.next = this;
  }

  /**
   * An entry that knows when it was written.
   *
   * @param stamp when, as its {@link WriteOrigin} marks it; 0 if that does not matter
   */
  public static Entry of(
      long hash,
      byte[] bytes,
      int keyLength,
      int epoch,
      long index,
      boolean tombstone,
      long stamp) {
    return stamp == 0
        ? new Entry(hash, bytes, keyLength, epoch, index, tombstone)
        : new TimestampedEntry(hash, bytes, keyLength, epoch, index, tombstone, stamp);
  }

  /**
   * An entry that knows when it was written, and when it ends.
   *
   * @param stamp when it was written, as its {@link WriteOrigin} marks it; 0 if that does not
   *     matter
   * @param expiryTime when it ends, or null if it has no end; a tombstone has none
   */
  public static Entry of(
      long hash,
      byte[] bytes,
      int keyLength,
      int epoch,
      long index,
      boolean tombstone,
      long stamp,
      @Nullable ExpiryTime expiryTime) {
    return expiryTime == null || tombstone
        ? of(hash, bytes, keyLength, epoch, index, tombstone, stamp)
        : new ExpiringEntry(hash, bytes, keyLength, epoch, index, stamp, expiryTime);
  }

  /** When it ends, null if it has no end. */
  public final @Nullable ExpiryTime expiryTime() {
    return this instanceof ExpiringEntry lasting ? lasting.toExpiryTime() : null;
  }

  /** The moment of the segment's time from which on it is due; never for one without an end. */
  public final long expiresAtMillis() {
    return this instanceof ExpiringEntry lasting ? lasting.dueMillis() : ExpiryTime.NEVER;
  }

  /** The tombstone that takes its place once it has ended; it was written when this one was. */
  public final Entry toTombstone(int endEpoch, long endIndex) {
    byte[] key = Arrays.copyOf(bytes, keyLength());
    return of(hash, key, key.length, endEpoch, endIndex, true, markedStamp());
  }

  /** The same value as another version, of which it is noted that it was read. */
  public final Entry withTouch(int touchEpoch, long touchIndex, ExpiryTime newExpiryTime) {
    requireValue();
    return of(
        hash,
        bytes,
        keyLength(),
        touchEpoch,
        touchIndex,
        isTombstone(),
        markedStamp(),
        newExpiryTime);
  }

  // ------------------------------------------------------------------ what is on disk only

  /** The same without the value, which is on disk. */
  public final Entry withoutValue() {
    requireValue();
    byte[] key = Arrays.copyOf(bytes, keyLength());
    Entry evicted =
        of(hash, key, key.length, epoch, index, isTombstone(), markedStamp(), expiryTime());
    evicted.usedFlag = ~valueLength();
    return evicted;
  }

  /** Whether its value is on disk only. */
  public final boolean isEvicted() {
    return usedFlag < 0;
  }

  /** How many bytes less it takes once it is evicted; of a small value that may be none. */
  public final int evictableBytes() {
    return isTombstone() || isEvicted()
        ? 0
        : roundUpToWord(bytes.length) - roundUpToWord(keyLength());
  }

  /** Notes that it was used: it is not evicted soon. */
  public final void markUsed() {
    if (usedFlag == 0) {
      usedFlag = 1;
    }
  }

  /** Whether it was used since this was asked before. */
  public final boolean testAndClearUsed() {
    boolean used = usedFlag == 1;
    if (used) {
      usedFlag = 0;
    }
    return used;
  }

  /** Whether it was used since {@link #testAndClearUsed} was asked. */
  public final boolean isUsed() {
    return usedFlag == 1;
  }

  /**
   * Of whoever is about to write it down.
   *
   * @throws IllegalStateException if its value is on disk only
   */
  public final void requireValue() {
    if (isEvicted()) {
      throw new IllegalStateException("its value is on disk only: " + this);
    }
  }

  /** When it was written, 0 if it does not know. */
  public final long stamp() {
    return WriteOrigin.unmarkStamp(markedStamp());
  }

  /** How it came to where it is; here, if it does not know. */
  public final WriteOrigin origin() {
    return WriteOrigin.of(markedStamp());
  }

  /** Both in one, as it travels. */
  public final long markedStamp() {
    return this instanceof TimestampedEntry stamped ? stamped.stampAndOrigin() : 0;
  }

  /** The hash of the key. */
  public final long hash() {
    return hash;
  }

  /** The key, followed by the value unless that is on disk only; not to be changed. */
  public final byte[] bytes() {
    return bytes;
  }

  /** How many bytes the key has; it starts at 0. */
  public final int keyLength() {
    return keyLengthAndKind ^ (keyLengthAndKind >> 31);
  }

  /** Where the value starts. */
  public final int valueOffset() {
    return keyLength();
  }

  /** How many bytes the value has; it goes to the end of the array, if it is there. */
  public final int valueLength() {
    return usedFlag < 0 ? ~usedFlag : bytes.length - keyLength();
  }

  /** The epoch of the segment this version was made in; the first half of the version. */
  public final int epoch() {
    return epoch;
  }

  /** The sequence number of this version within its epoch; the second half of the version. */
  public final long index() {
    return index;
  }

  /** Whether this version says that the key was removed. */
  public final boolean isTombstone() {
    return keyLengthAndKind < 0;
  }

  /**
   * Compares this entry's version with another, by epoch, then by index.
   *
   * @return negative if this one is older, 0 if it is the same, positive if it is newer
   */
  public final int compareVersion(int otherEpoch, long otherIndex) {
    return epoch != otherEpoch
        ? Integer.compare(epoch, otherEpoch)
        : Long.compare(index, otherIndex);
  }

  /** The object the key was decoded to, if somebody left it here. */
  public final @Nullable Object decodedKey() {
    return DECODED_KEY.getAcquire(this);
  }

  /**
   * Leaves the object the key was decoded to for others. Releasing it makes all that was written to
   * the object visible with it, whether its fields are final or not.
   */
  public final void decodedKey(Object decoded) {
    DECODED_KEY.setRelease(this, decoded);
  }

  /** The object the value was decoded to, if somebody left it here and nobody dropped it. */
  public final @Nullable Object decodedValue() {
    return DECODED_VALUE.getAcquire(this);
  }

  /** Leaves the object the value was decoded to for others, or drops it. */
  public final void decodedValue(@Nullable Object decoded) {
    DECODED_VALUE.setRelease(this, decoded);
  }

  private static int roundUpToWord(int length) {
    return (int) Math.min(Integer.MAX_VALUE, (length + 7L) & ~7L);
  }

  /** The heap this entry takes, its share of the table included and decoded objects not. */
  public final int sizeBytes() {
    return (int)
        Math.min(
            Integer.MAX_VALUE,
            OVERHEAD_BYTES
                + (this instanceof TimestampedEntry ? TimestampedEntry.EXTRA_BYTES : 0)
                + (this instanceof ExpiringEntry ? ExpiringEntry.EXTRA_BYTES : 0)
                + ((bytes.length + 7L) & ~7L));
  }

  /** Whether another entry is a version of the same key. */
  public boolean hasSameKey(Entry other) {
    return compareOrder(other.hash, other.bytes, 0, other.keyLength()) == 0;
  }

  /** Compares the place of this entry in a segment with another: by hash, then by key. */
  int compareOrder(long otherHash, byte[] key, int offset, int length) {
    return hash != otherHash
        ? Long.compareUnsigned(hash, otherHash)
        : Arrays.compareUnsigned(bytes, 0, keyLength(), key, offset, offset + length);
  }

  /** Whether this is an entry of this key, given that the hashes are equal. */
  boolean hasKey(byte[] key, int offset, int length) {
    return Arrays.equals(bytes, 0, keyLength(), key, offset, offset + length);
  }

  @Nullable Entry next() {
    return (Entry) NEXT.getAcquire(this);
  }

  /** Links what follows; to be seen by readers with all that was written before. */
  void next(@Nullable Entry following) {
    NEXT.setRelease(this, following);
  }

  boolean isUnlinked() {
    return next == this;
  }

  @Override
  public String toString() {
    return Long.toHexString(hash)
        + (isTombstone() ? " removed at " : " at ")
        + epoch
        + "/"
        + index
        + ", key of "
        + keyLength()
        + " bytes, value of "
        + valueLength();
  }
}
