package io.cantle.core.container;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A binary heap of the entries of a segment that expire, ordered by their expiry time. Each entry
 * knows its index in the heap, so a replaced entry is removed at once and leaves nothing behind.
 *
 * <p><b>Threading:</b> guarded by the segment's lock; any thread may call {@link #earliestMillis}.
 */
final class ExpiryHeap {
  private static final int INITIAL_CAPACITY = 8;
  private static final @Nullable ExpiringEntry[] EMPTY_HEAP = new @Nullable ExpiringEntry[0];

  private @Nullable ExpiringEntry[] heap = EMPTY_HEAP;
  private int size;
  private volatile long earliestMillis = ExpiryTime.NEVER;

  /** The earliest expiry time of all entries. */
  long earliestMillis() {
    return earliestMillis;
  }

  /** The entry that expires first, or null if there is none. */
  @Nullable Entry peekEarliest() {
    return size == 0 ? null : heap[0];
  }

  /** Replaces an entry by another. Either may be null or an entry that does not expire. */
  void replace(@Nullable Entry removed, @Nullable Entry added) {
    boolean changed = false;
    if (removed instanceof ExpiringEntry expiring
        && expiring.heapIndex() != ExpiringEntry.NOT_IN_HEAP) {
      remove(expiring);
      changed = true;
    }
    if (added instanceof ExpiringEntry expiring && expiring.dueMillis() != ExpiryTime.NEVER) {
      add(expiring);
      changed = true;
    }
    if (changed) {
      publishEarliest();
    }
  }

  /** Removes all entries. */
  void clear() {
    heap = EMPTY_HEAP;
    size = 0;
    publishEarliest();
  }

  private void publishEarliest() {
    long first = size == 0 ? ExpiryTime.NEVER : at(0).dueMillis();
    if (first != earliestMillis) {
      earliestMillis = first;
    }
  }

  private void add(ExpiringEntry entry) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, Math.max(INITIAL_CAPACITY, size * 2));
    }
    size++;
    siftUp(size - 1, entry);
  }

  private void remove(ExpiringEntry entry) {
    int hole = entry.heapIndex();
    entry.heapIndex(ExpiringEntry.NOT_IN_HEAP);
    size--;
    ExpiringEntry last = at(size);
    heap[size] = null;
    if (hole < size) {
      siftDown(hole, last);
      if (last.heapIndex() == hole) {
        siftUp(hole, last);
      }
    }
    if (heap.length > INITIAL_CAPACITY && size < heap.length / 4) {
      heap = Arrays.copyOf(heap, heap.length / 2);
    }
  }

  /** Moves an entry up from a position to where it belongs. */
  private void siftUp(int from, ExpiringEntry entry) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) >>> 1;
      ExpiringEntry above = at(parent);
      if (above.dueMillis() <= entry.dueMillis()) {
        break;
      }
      set(place, above);
      place = parent;
    }
    set(place, entry);
  }

  /** Moves an entry down from a position to where it belongs. */
  private void siftDown(int from, ExpiringEntry entry) {
    int place = from;
    for (int child; (child = 2 * place + 1) < size; ) {
      if (child + 1 < size && at(child + 1).dueMillis() < at(child).dueMillis()) {
        child++;
      }
      ExpiringEntry below = at(child);
      if (entry.dueMillis() <= below.dueMillis()) {
        break;
      }
      set(place, below);
      place = child;
    }
    set(place, entry);
  }

  private ExpiringEntry at(int place) {
    return Objects.requireNonNull(heap[place]);
  }

  private void set(int place, ExpiringEntry entry) {
    heap[place] = entry;
    entry.heapIndex(place);
  }
}
