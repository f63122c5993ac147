package io.cantle.core.container;

/**
 * An entry with the time at which it was written, in grids whose sides merge after a partition, or
 * one whose version or key exceeds what {@link HeapEntry} packs into one number. It is a class of
 * its own so that other entries need no fields for it.
 *
 * <p><b>Threading:</b> as {@link HeapEntry}.
 */
sealed class ExtendedEntry extends HeapEntry permits ExpiringEntry {
  /** What an object of this class takes more than its superclass. */
  static final int EXTRA_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;

  private final long longIndex;
  private final long stamp;
  private final int longEpoch;
  private final int longKeyLength;

  ExtendedEntry(
      long hash,
      Object content,
      int keyLength,
      int epoch,
      long index,
      boolean tombstone,
      long markedStamp) {
    super(hash, content, HeapEntry.extendedHead(tombstone));
    this.longIndex = index;
    this.stamp = markedStamp;
    this.longEpoch = epoch;
    this.longKeyLength = keyLength;
  }

  final long longIndex() {
    return longIndex;
  }

  final int longEpoch() {
    return longEpoch;
  }

  final int longKeyLength() {
    return longKeyLength;
  }

  final long stampAndOrigin() {
    return stamp;
  }
}
