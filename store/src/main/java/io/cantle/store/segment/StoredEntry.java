package io.cantle.store.segment;

import java.util.Arrays;

/**
 * What is kept of a key.
 *
 * <p><b>Threading:</b> immutable as long as nobody writes into the arrays.
 *
 * @param hash the hash of the key, well mixed; entries of a segment are ordered by it, unsigned
 * @param key the key; among equal hashes the order is that of its bytes, unsigned
 * @param epoch first half of the version
 * @param index second half of the version
 * @param expiry when the entry is no longer there, as the owner counts time; 0 for never
 * @param metadata whatever is kept beside the value, at most {@value #MAX_METADATA_BYTES} bytes
 * @param value the value; empty if the entry was removed
 */
@SuppressWarnings("ArrayRecordComponent") // Equality is defined below, by content.
public record StoredEntry(
    long hash, byte[] key, long epoch, long index, long expiry, byte[] metadata, byte[] value) {

  /** The most metadata; the hash takes the rest of what a record has room for. */
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
    return "entry "
        + Long.toHexString(hash)
        + " of version "
        + epoch
        + "."
        + index
        + " with a key of "
        + key.length
        + " and a value of "
        + value.length
        + " bytes";
  }
}
