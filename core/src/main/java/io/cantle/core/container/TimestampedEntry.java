package io.cantle.core.container;

/**
 * An entry with the time at which it was written, in grids whose sides merge after a partition. It
 * is a class of its own so that other grids need no field for it.
 *
 * <p><b>Threading:</b> as {@link HeapEntry}.
 */
sealed class TimestampedEntry extends HeapEntry permits ExpiringEntry {
  /** What an object of this class takes more than its superclass. */
  static final int EXTRA_BYTES = Long.BYTES;

  private final long markedStamp;

  TimestampedEntry(
      long hash,
      byte[] bytes,
      int keyLength,
      int epoch,
      long index,
      boolean tombstone,
      long markedStamp) {
    super(hash, bytes, keyLength, epoch, index, tombstone);
    this.markedStamp = markedStamp;
  }

  final long stampAndOrigin() {
    return markedStamp;
  }
}
