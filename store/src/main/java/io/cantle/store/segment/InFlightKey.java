package io.cantle.store.segment;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key that is being written. Its newest version is kept here meanwhile, so that not every write
 * has to read it.
 *
 * <p><b>Threading:</b> guarded by the lock of its segment.
 */
final class InFlightKey {
  final IncarnationKey identity;
  int writeCount;
  long location;
  long epoch;
  long index;
  long length;

  /**
   * The identity of a key in flight.
   *
   * @param incarnation the incarnation of the segment
   * @param hash the hash of the key
   * @param key the bytes of the key
   */
  record IncarnationKey(long incarnation, long hash, byte[] key) {
    @Override
    public boolean equals(Object other) {
      return other instanceof IncarnationKey name
          && hash == name.hash
          && incarnation == name.incarnation
          && Arrays.equals(key, name.key);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(hash);
    }
  }

  /** A key and its newest version; null if there is none. */
  InFlightKey(IncarnationKey identity, @Nullable StoredRecord newest) {
    this.identity = identity;
    if (newest == null) {
      epoch = Long.MIN_VALUE;
      index = Long.MIN_VALUE;
    } else {
      setVersion(newest.location(), newest.entry(), newest.length());
    }
  }

  /** Whether a version is newer, so that writing it changes something. */
  boolean isOlderThan(StoredEntry entry) {
    return entry.compareVersion(epoch, index) > 0;
  }

  void setVersion(long newLocation, StoredEntry entry, long newLength) {
    location = newLocation;
    epoch = entry.epoch();
    index = entry.index();
    length = newLength;
  }
}
