package io.cantle.core.container;

/**
 * An entry that ends. Others do not pay for it.
 *
 * <p><b>Threading:</b> as {@link Entry}; its place among the deadlines belongs to {@link
 * Deadlines}.
 */
final class LastingEntry extends StampedEntry {
  /** What an object of this class takes more than its superclass, its share of the heap too. */
  static final int MORE_BYTES = 4 * Long.BYTES + 3 * Integer.BYTES;

  /** The place of one that is not among the deadlines. */
  static final int NOWHERE = -1;

  private final long endMillis;
  private final long idleMillis;
  private final long touchedMillis;
  private final long atMillis;
  private int place = NOWHERE;

  LastingEntry(
      long hash,
      byte[] bytes,
      int keyLength,
      int epoch,
      long index,
      long marked,
      Deadline deadline) {
    super(hash, bytes, keyLength, epoch, index, false, marked);
    this.endMillis = deadline.endMillis();
    this.idleMillis = deadline.idleMillis();
    this.touchedMillis = deadline.touchedMillis();
    this.atMillis = deadline.atMillis();
  }

  Deadline terms() {
    return new Deadline(endMillis, idleMillis, touchedMillis);
  }

  long atMillis() {
    return atMillis;
  }

  int place() {
    return place;
  }

  void place(int value) {
    place = value;
  }
}
