package io.cantle.store.segment;

import java.util.Arrays;

/**
 * A version of a key as the store keeps it.
 *
 * <p><b>Threading:</b> immutable as long as nothing writes into the arrays.
 *
 * @param hash the hash of the key, well mixed; entries of a segment are ordered by it, unsigned
 * @param key the key; entries of equal hash are ordered by its bytes, unsigned
 * @param epoch the first half of the version
 * @param index the second half of the version
 * @param expiry when the entry expires, in the owner's time; 0 for never
 * @param metadata bytes kept beside the value, at most {@value #MAX_METADATA_BYTES}
 * @param value the value; empty if the entry was removed
 */
@SuppressWarnings("ArrayRecordComponent") // Equality is defined below, by content.
public record StoredEntry(
    long hash, byte[] key, long epoch, long index, long expiry, byte[] metadata, byte[] value) {

  /** The most metadata; the hash takes the rest of the room in a record. */
  public static final int MAX_METADATA_BYTES = 0xFFFF - Long.BYTES;

  private static final byte[] EMPTY = {};

  /** Checks the length of the metadata. */
  public StoredEntry {
    if (metadata.length > MAX_METADATA_BYTES) {
      throw new IllegalArgumentException(
          "metadata of " + metadata.length + " bytes; the most is " + MAX_METADATA_BYTES);
    }
  }

  /** An entry without metadata and expiry. */
  public static StoredEntry of(long hash, byte[] key, long epoch, long index, byte[] value) {
    return new StoredEntry(hash, key, epoch, index, 0, EMPTY, value);
  }

  /** Compares versions: negative if this one is older than the other. */
  int compareVersion(long otherEpoch, long otherIndex) {
    return epoch != otherEpoch ? Long.compare(epoch, otherEpoch) : Long.compare(index, otherIndex);
  }

  int compareOrder(StoredEntry other) {
    return compareOrder(other.hash, other.key);
  }

  /** Compares places in a segment: by hash, then by key. */
  int compareOrder(long otherHash, byte[] otherKey) {
    return hash != otherHash
        ? Long.compareUnsigned(hash, otherHash)
        : Arrays.compareUnsigned(key, otherKey);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoredEntry entry
        && hash == entry.hash
        && epoch == entry.epoch
        && index == entry.index
        && expiry == entry.expiry
        && Arrays.equals(key, entry.key)
        && Arrays.equals(metadata, entry.metadata)
        && Arrays.equals(value, entry.value);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(hash) * 31 + Long.hashCode(index);
  }

  @Override
  public String toString() {
    return "entry %x of version %s.%s with a key of %s and a value of %s bytes"
        .formatted(hash, epoch, index, key.length, value.length);
  }
}
