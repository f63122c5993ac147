package io.cantle.core.container;

/**
 * An entry that knows when it was written, in grids whose sides merge after a partition. Others do
 * not pay for it.
 *
 * <p><b>Threading:</b> as {@link Entry}.
 */
sealed class TimestampedEntry extends Entry permits ExpiringEntry {
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
