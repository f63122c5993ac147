package io.cantle.store.segment;

import java.util.Arrays;

/**
 * A key that is being written. While it is, its newest version is known here and does not have to
 * be read for each write.
 *
 * <p><b>Threading:</b> guarded by the lock of its segment.
 */
final class InFlightKey {
  final IncarnationKey name;
  int writeCount;
  long location;
  long epoch;
  long index;
  long length;

  /**
   * Which key.
   *
   * @param incarnation which life of the segment
   * @param hash its hash
   * @param key its bytes
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

  /** A key of which there is no version. */
  InFlightKey(IncarnationKey name) {
    this.name = name;
    this.epoch = Long.MIN_VALUE;
    this.index = Long.MIN_VALUE;
  }

  boolean hasLocation() {
    return location != RecordLocation.NONE;
  }

  /** Whether a version would change something. */
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
