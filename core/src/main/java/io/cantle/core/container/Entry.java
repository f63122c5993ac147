package io.cantle.core.container;

import io.cantle.core.base.Version;
import io.cantle.core.base.WriteProvenance;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One version of one key: its bytes, its version, and whether it is a tombstone, which records that
 * the key was removed. Another version of the key is another entry.
 *
 * <p>The value of an <em>evicted</em> entry is on disk only. Everything else about the entry stays
 * in memory.
 *
 * <p>{@link HeapEntry} adds what the container needs, and is visible in this package only. It is a
 * subclass, so that a write and a look-up make no second object.
 *
 * <p><b>Threading:</b> immutable, but for entries that keep objects: see {@link #snapshot}.
 */
public abstract sealed class Entry implements InPlaceEntry permits HeapEntry {
  Entry() {}

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
   * @param stamp the time of the write, as marked by its {@link WriteProvenance}; 0 if no timestamp
   *     is needed
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
    if (keyLength < 0 || keyLength > bytes.length) {
      throw new IllegalArgumentException(
          "key length " + keyLength + " is not within 0.." + bytes.length);
    }
    return HeapEntry.create(hash, bytes, keyLength, epoch, index, tombstone, stamp, expiryTime);
  }

  /**
   * Creates a version of a key of which no bytes are kept; otherwise as {@link #of}.
   *
   * @param keyLength the length of the encoded key
   */
  public static Entry ofObjects(
      long hash,
      EntryObjects objects,
      int keyLength,
      int epoch,
      long index,
      long stamp,
      @Nullable ExpiryTime expiryTime) {
    return HeapEntry.create(hash, objects, keyLength, epoch, index, false, stamp, expiryTime);
  }

  /**
   * This entry, or a copy that does not change if this may: see {@link Container#replaceObject}. A
   * reader without the lock of the segment takes it. The value of a copy may be later than its
   * version, never earlier: a write which is to replace that version is then refused in vain.
   */
  public Entry snapshot() {
    return this;
  }

  /**
   * Returns the tombstone that replaces this entry when it expires. It carries this entry's
   * timestamp.
   */
  public final Entry toTombstone(Version end) {
    byte[] key = Arrays.copyOf(keyBytes(), keyLength());
    return of(hash(), key, key.length, end.epoch(), end.index(), true, markedStamp(), null);
  }

  /** Returns a new version of the same value whose expiry time records that the entry was read. */
  public final Entry withTouch(Version touch, ExpiryTime newExpiryTime) {
    requireValue();
    return HeapEntry.create(
        hash(),
        ((HeapEntry) this).ownContent(),
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
    return ((HeapEntry) this).evicted();
  }

  /** Whether the value is on disk only. */
  @Override
  public abstract boolean isEvicted();

  /** The number of bytes that eviction would free, which may be 0 for a small value. */
  public final int evictableBytes() {
    return isTombstone() || isEvicted()
        ? 0
        : roundUpToWord(bytes().length) - roundUpToWord(keyLength());
  }

  private static int roundUpToWord(int length) {
    return (int) Math.min(Integer.MAX_VALUE, (length + 7L) & ~7L);
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

  // ------------------------------------------------------------------ parts

  /** When the entry expires, or null for never. */
  public final @Nullable ExpiryTime expiryTime() {
    return this instanceof ExpiringEntry expiring ? expiring.toExpiryTime() : null;
  }

  @Override
  public final boolean isExpiring() {
    return this instanceof ExpiringEntry;
  }

  /**
   * The time on the segment's clock at which the entry expires; {@link ExpiryTime#NEVER} for never.
   */
  public final long expiresAtMillis() {
    return this instanceof ExpiringEntry expiring ? expiring.dueMillis() : ExpiryTime.NEVER;
  }

  /** The timestamp with the provenance encoded in it, as sent over the network. */
  public final long markedStamp() {
    return this instanceof ExtendedEntry extended ? extended.stampAndOrigin() : 0;
  }

  /** The time of the write, or 0 if the entry has no timestamp. */
  public final long stamp() {
    return WriteProvenance.unmarkStamp(markedStamp());
  }

  /**
   * How the write reached this side; {@link WriteProvenance#LOCAL} if the entry has no timestamp.
   */
  public final WriteProvenance provenance() {
    return WriteProvenance.of(markedStamp());
  }

  /** The hash of the key. */
  public abstract long hash();

  /** The key, followed by the value unless that is on disk only. The array must not be modified. */
  public abstract byte[] bytes();

  /** An array that begins with the key, and must not be modified. */
  public abstract byte[] keyBytes();

  /** The length of the key in bytes; it starts at 0. */
  public abstract int keyLength();

  /** Whether objects are kept and no bytes, which are made whenever they are asked for. */
  public abstract boolean hasObjectsOnly();

  /** The bytes of key and value; if there are none, what the objects take. */
  public abstract int contentBytes();

  /** The index at which the value starts. */
  public final int valueOffset() {
    return keyLength();
  }

  /**
   * The length of the value in bytes. If the value is in memory, it extends to the end of the
   * array.
   */
  @Override
  public abstract int valueLength();

  @Override
  public final byte valueByte(int index) {
    byte[] bytes = bytes();
    int keyLength = keyLength();
    return bytes[keyLength + Objects.checkIndex(index, bytes.length - keyLength)];
  }

  @Override
  public final byte[] copyValueFrom(int index) {
    requireValue();
    byte[] bytes = bytes();
    int keyLength = keyLength();
    int from = keyLength + Objects.checkIndex(index, bytes.length - keyLength + 1);
    return Arrays.copyOfRange(bytes, from, bytes.length);
  }

  /** The memory that this entry takes in its container, without decoded objects. */
  public abstract int sizeBytes();

  /** Whether this version records that the key was removed. */
  @Override
  public abstract boolean isTombstone();

  /** The epoch of the segment in which this version was made; the first half of the version. */
  @Override
  public abstract int epoch();

  /** The sequence number of this version within its epoch; the second half of the version. */
  @Override
  public abstract long index();

  /** The version. Comparing two entries needs no such object. */
  public final Version version() {
    return new Version(epoch(), index());
  }

  /**
   * Has the processor fetch the decoded value, if there is one: a reader of many entries waits for
   * several of these reads at once, and not for one after the other.
   *
   * @return a number without a meaning; the caller uses it, or the read would be left out
   */
  public abstract int prefetchDecodedValue();

  /**
   * The decoded value, if it is kept and nobody can change it, so that any caller may have it; null
   * otherwise.
   */
  public abstract @Nullable Object sharedValue();

  // ------------------------------------------------------------------ comparing

  /** Compares this entry's version with another. */
  public final int compareVersion(Version other) {
    return Version.compare(epoch(), index(), other.epoch(), other.index());
  }

  /** Whether another entry is a version of the same key. */
  public final boolean hasSameKey(Entry other) {
    return compareOrder(other.hash(), other.keyBytes(), 0, other.keyLength()) == 0;
  }

  /** Compares the position of this entry in a segment with another: by hash, then by key. */
  final int compareOrder(long otherHash, byte[] key, int offset, int length) {
    long hash = hash();
    return hash != otherHash
        ? Long.compareUnsigned(hash, otherHash)
        : Arrays.compareUnsigned(keyBytes(), 0, keyLength(), key, offset, offset + length);
  }

  /** Whether this entry has this key. The hashes must be equal. */
  final boolean hasKey(byte[] key, int offset, int length) {
    return Arrays.equals(keyBytes(), 0, keyLength(), key, offset, offset + length);
  }

  @Override
  public String toString() {
    return Long.toHexString(hash())
        + (isTombstone() ? " removed at " : " at ")
        + version()
        + ", key of "
        + keyLength()
        + " bytes, value of "
        + (hasObjectsOnly() ? contentBytes() : valueLength());
  }
}
