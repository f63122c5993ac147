package io.cantle.core.container;

/**
 * An entry that knows when it was written, in grids whose sides merge after a partition. Others do
 * not pay for it.
 *
 * <p><b>Threading:</b> as {@link Entry}.
 */
sealed class StampedEntry extends Entry permits LastingEntry {
  /** What an object of this class takes more than its superclass. */
  static final int MORE_BYTES = Long.BYTES;

  private final long marked;

  StampedEntry(
      long hash,
      byte[] bytes,
      int keyLength,
      int epoch,
      long index,
      boolean tombstone,
      long marked) {
    super(hash, bytes, keyLength, epoch, index, tombstone);
    this.marked = marked;
  }

  final long stampAndOrigin() {
    return marked;
  }
}
