package io.cantle.core.container;

import io.cantle.core.base.Version;

/**
 * An entry where its container keeps it. If that is off the heap, the view is good only within the
 * {@link Container.EntryReader} that was given it, and may show an entry that is half changed.
 *
 * <p><b>Threading:</b> the thread of the reader.
 */
public sealed interface InPlaceEntry permits Entry, BlockEntry {
  /** The epoch of the segment in which this version was made; the first half of the version. */
  int epoch();

  /** The sequence number of this version within its epoch; the second half of the version. */
  long index();

  /** Whether this version records that the key was removed. */
  boolean isTombstone();

  /** Whether the value is on disk only. */
  boolean isEvicted();

  /** Whether the entry has an expiry time. */
  boolean isExpiring();

  /** The length of the value in bytes, also if it is on disk only. */
  int valueLength();

  /**
   * Reads a byte of the value, which must be in memory.
   *
   * @throws IndexOutOfBoundsException if the value has no such byte
   */
  byte valueByte(int index);

  /**
   * Copies the value, which must be in memory, from a byte of it on, to an array of its own.
   *
   * @throws IndexOutOfBoundsException if the value is shorter
   */
  byte[] copyValueFrom(int index);

  /** Copies the value, which must be in memory, to an array of its own. */
  default byte[] copyValue() {
    return copyValueFrom(0);
  }

  /**
   * Compares this entry's version with that of another.
   *
   * @return negative if this one is older, 0 if it is the same, positive if it is newer
   */
  default int compareVersion(InPlaceEntry other) {
    return Version.compare(epoch(), index(), other.epoch(), other.index());
  }
}
