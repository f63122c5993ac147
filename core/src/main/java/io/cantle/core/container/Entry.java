package io.cantle.core.container;

import io.cantle.core.base.Version;
import io.cantle.core.base.WriteOrigin;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One version of one key: its bytes, its version, and whether it is a tombstone, which records that
 * the key was removed. An entry is also a link of its hash chain, so that it costs one object and
 * one array.
 *
 * <p>Another version of the key is another entry. An entry is put only once, into one segment. A
 * reader may hold one that has been replaced and can still follow its link.
 *
 * <p>The value of an <em>evicted</em> entry is on disk only. Everything else about the entry stays
 * in memory.
 *
 * <p><b>Threading:</b> immutable, with three exceptions. Any thread may set the decoded objects.
 * Any thread may set the used flag, where races do no harm. The link belongs to {@link
 * SegmentEntries}.
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
   * The heap that an entry takes besides its bytes: this object, the header of the array, and its
   * share of the hash table.
   */
  private static final int OVERHEAD_BYTES = 56 + 16 + 8;

  private final long hash;
  private final long index;
  private final byte[] bytes;

  /** The length of the key, or its complement if the entry is a tombstone. This saves a field. */
  private final int keyLengthAndKind;

  private final int epoch;

  /**
   * 1 if the entry was used recently, else 0. For an evicted entry it is the complement of the
   * value's length, which saves a field.
   */
  private int usedFlag;

  /**
   * The next entry of the chain. An entry that was not put yet links to itself, which no chain
   * contains.
   */
  private @Nullable Entry next;

  @SuppressWarnings("UnusedVariable") // Accessed through its VarHandle only.
  private @Nullable Object decodedKey;

  @SuppressWarnings("UnusedVariable") // Accessed through its VarHandle only.
  private @Nullable Object decodedValue;

  /**
   * Creates a version of a key. The array belongs to the entry from now on and must not be
   * modified.
   *
   * @param hash the hash of the key, which is not checked
   * @param bytes the key, followed by the value
   * @param keyLength how many of the bytes are the key
   * @param epoch the epoch of the segment in which the version was made
   * @param index the sequence number of the version within the epoch
   * @param tombstone whether this version records that the key was removed
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
   * Creates an entry with a timestamp.
   *
   * @param stamp the time of the write, as marked by its {@link WriteOrigin}; 0 if no timestamp is
   *     needed
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
   * Creates an entry with a timestamp and an expiry time.
   *
   * @param stamp the time of the write, as marked by its {@link WriteOrigin}; 0 if no timestamp is
   *     needed
   * @param expiryTime when the entry expires, or null for never; ignored for a tombstone
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

  /** When the entry expires, or null for never. */
  public final @Nullable ExpiryTime expiryTime() {
    return this instanceof ExpiringEntry expiring ? expiring.toExpiryTime() : null;
  }

  /**
   * The time on the segment's clock at which the entry expires; {@link ExpiryTime#NEVER} for never.
   */
  public final long expiresAtMillis() {
    return this instanceof ExpiringEntry expiring ? expiring.dueMillis() : ExpiryTime.NEVER;
  }

  /**
   * Returns the tombstone that replaces this entry when it expires. It carries this entry's
   * timestamp.
   */
  public final Entry toTombstone(Version end) {
    byte[] key = Arrays.copyOf(bytes, keyLength());
    return of(hash, key, key.length, end.epoch(), end.index(), true, markedStamp());
  }

  /** Returns a new version of the same value whose expiry time records that the entry was read. */
  public final Entry withTouch(Version touch, ExpiryTime newExpiryTime) {
    requireValue();
    return of(
        hash,
        bytes,
        keyLength(),
        touch.epoch(),
        touch.index(),
        isTombstone(),
        markedStamp(),
        newExpiryTime);
  }

  // ------------------------------------------------------------------ eviction

  /** Returns this entry without its value, which must be on disk. */
  public final Entry withoutValue() {
    requireValue();
    byte[] key = Arrays.copyOf(bytes, keyLength());
    Entry evicted =
        of(hash, key, key.length, epoch, index, isTombstone(), markedStamp(), expiryTime());
    evicted.usedFlag = ~valueLength();
    return evicted;
  }

  /** Whether the value is on disk only. */
  public final boolean isEvicted() {
    return usedFlag < 0;
  }

  /** The number of bytes that eviction would free, which may be 0 for a small value. */
  public final int evictableBytes() {
    return isTombstone() || isEvicted()
        ? 0
        : roundUpToWord(bytes.length) - roundUpToWord(keyLength());
  }

  /** Marks the entry as used, so that it is not evicted soon. */
  public final void markUsed() {
    if (usedFlag == 0) {
      usedFlag = 1;
    }
  }

  /** Whether the entry was used since the last call; clears the flag. */
  public final boolean testAndClearUsed() {
    boolean used = usedFlag == 1;
    if (used) {
      usedFlag = 0;
    }
    return used;
  }

  /** Whether the entry was used since the last {@link #testAndClearUsed}. */
  public final boolean isUsed() {
    return usedFlag == 1;
  }

  /**
   * Checks that the value is in memory. Called before the entry is written anywhere.
   *
   * @throws IllegalStateException if the value is on disk only
   */
  public final void requireValue() {
    if (isEvicted()) {
      throw new IllegalStateException("the value of this entry is on disk only: " + this);
    }
  }

  /** The time of the write, or 0 if the entry has no timestamp. */
  public final long stamp() {
    return WriteOrigin.unmarkStamp(markedStamp());
  }

  /** How the write reached this side; {@link WriteOrigin#LOCAL} if the entry has no timestamp. */
  public final WriteOrigin origin() {
    return WriteOrigin.of(markedStamp());
  }

  /** The timestamp with the origin encoded in it, as sent over the network. */
  public final long markedStamp() {
    return this instanceof TimestampedEntry timestamped ? timestamped.stampAndOrigin() : 0;
  }

  /** The hash of the key. */
  public final long hash() {
    return hash;
  }

  /** The key, followed by the value unless that is on disk only. The array must not be modified. */
  public final byte[] bytes() {
    return bytes;
  }

  /** The length of the key in bytes; it starts at 0. */
  public final int keyLength() {
    return keyLengthAndKind ^ (keyLengthAndKind >> 31);
  }

  /** The index at which the value starts. */
  public final int valueOffset() {
    return keyLength();
  }

  /**
   * The length of the value in bytes. If the value is in memory, it extends to the end of the
   * array.
   */
  public final int valueLength() {
    return usedFlag < 0 ? ~usedFlag : bytes.length - keyLength();
  }

  /** The epoch of the segment in which this version was made; the first half of the version. */
  public final int epoch() {
    return epoch;
  }

  /** The sequence number of this version within its epoch; the second half of the version. */
  public final long index() {
    return index;
  }

  /** Whether this version records that the key was removed. */
  public final boolean isTombstone() {
    return keyLengthAndKind < 0;
  }

  /** The version. Comparing two entries needs no such object. */
  public final Version version() {
    return new Version(epoch, index);
  }

  /**
   * Compares this entry's version with that of another.
   *
   * @return negative if this one is older, 0 if it is the same, positive if it is newer
   */
  public final int compareVersion(Entry other) {
    return Version.compare(epoch, index, other.epoch, other.index);
  }

  /** Compares this entry's version with another. */
  public final int compareVersion(Version other) {
    return Version.compare(epoch, index, other.epoch(), other.index());
  }

  /** The decoded key, or null if it is not cached. */
  public final @Nullable Object decodedKey() {
    return DECODED_KEY.getAcquire(this);
  }

  /**
   * Caches the decoded key for other threads. The release makes everything written to the object
   * visible with it, whether its fields are final or not.
   */
  public final void decodedKey(Object decoded) {
    DECODED_KEY.setRelease(this, decoded);
  }

  /** The decoded value, or null if it is not cached. */
  public final @Nullable Object decodedValue() {
    return DECODED_VALUE.getAcquire(this);
  }

  /** Caches the decoded value for other threads, or drops it if null. */
  public final void decodedValue(@Nullable Object decoded) {
    DECODED_VALUE.setRelease(this, decoded);
  }

  private static int roundUpToWord(int length) {
    return (int) Math.min(Integer.MAX_VALUE, (length + 7L) & ~7L);
  }

  /** The heap that this entry takes, including its share of the table but no decoded objects. */
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

  /** Compares the position of this entry in a segment with another: by hash, then by key. */
  int compareOrder(long otherHash, byte[] key, int offset, int length) {
    return hash != otherHash
        ? Long.compareUnsigned(hash, otherHash)
        : Arrays.compareUnsigned(bytes, 0, keyLength(), key, offset, offset + length);
  }

  /** Whether this entry has this key. The hashes must be equal. */
  boolean hasKey(byte[] key, int offset, int length) {
    return Arrays.equals(bytes, 0, keyLength(), key, offset, offset + length);
  }

  @Nullable Entry next() {
    return (Entry) NEXT.getAcquire(this);
  }

  /** Sets the next entry. A reader that sees the link also sees everything written before. */
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
