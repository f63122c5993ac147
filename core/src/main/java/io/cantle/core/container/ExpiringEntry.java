package io.cantle.core.container;

/**
 * An entry that expires. It is a class of its own so that other entries need no fields for expiry.
 *
 * <p><b>Threading:</b> as {@link HeapEntry}; the heap index belongs to {@link ExpiryHeap}.
 */
final class ExpiringEntry extends ExtendedEntry {
  /**
   * What an object of this class takes more than its superclass, including its share of the heap.
   */
  static final int EXTRA_BYTES = 4 * Long.BYTES + 3 * Integer.BYTES;

  /** The heap index of an entry that is not in the heap. */
  static final int NOT_IN_HEAP = -1;

  private final long lifespanEndMillis;
  private final long idleMillis;
  private final long lastTouchMillis;
  private final long dueMillis;
  private int heapIndex = NOT_IN_HEAP;

  ExpiringEntry(
      long hash,
      Object content,
      int keyLength,
      int epoch,
      long index,
      long marked,
      ExpiryTime expiryTime) {
    super(hash, content, keyLength, epoch, index, false, marked);
    this.lifespanEndMillis = expiryTime.lifespanEndMillis();
    this.idleMillis = expiryTime.idleMillis();
    this.lastTouchMillis = expiryTime.lastTouchMillis();
    this.dueMillis = expiryTime.expiresAtMillis();
  }

  ExpiryTime toExpiryTime() {
    return new ExpiryTime(lifespanEndMillis, idleMillis, lastTouchMillis);
  }

  long dueMillis() {
    return dueMillis;
  }

  int heapIndex() {
    return heapIndex;
  }

  void heapIndex(int value) {
    heapIndex = value;
  }
}
