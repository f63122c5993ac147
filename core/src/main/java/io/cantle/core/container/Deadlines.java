package io.cantle.core.container;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a segment that end, by when they do: a binary heap in which each entry knows its
 * place, so that one that is replaced is taken out at once and nothing is kept for it.
 *
 * <p><b>Threading:</b> guarded by the segment's lock; {@link #earliestMillis} is asked by any
 * thread.
 */
final class Deadlines {
  private static final int FIRST_ROOM = 8;
  private static final @Nullable LastingEntry[] NOTHING = new @Nullable LastingEntry[0];

  private @Nullable LastingEntry[] heap = NOTHING;
  private int size;
  private volatile long earliestMillis = Deadline.NEVER;

  /** When the first of them is due. */
  long earliestMillis() {
    return earliestMillis;
  }

  /** The one that is due first, null for none. */
  @Nullable Entry first() {
    return size == 0 ? null : heap[0];
  }

  int size() {
    return size;
  }

  /** An entry takes the place of another; either may be one without an end, or null. */
  void replace(@Nullable Entry gone, @Nullable Entry come) {
    boolean changed = false;
    if (gone instanceof LastingEntry lasting && lasting.place() != LastingEntry.NOWHERE) {
      remove(lasting);
      changed = true;
    }
    if (come instanceof LastingEntry lasting && lasting.atMillis() != Deadline.NEVER) {
      add(lasting);
      changed = true;
    }
    if (changed) {
      publish();
    }
  }

  /** Forgets all of them. */
  void clear() {
    heap = NOTHING;
    size = 0;
    publish();
  }

  private void publish() {
    long first = size == 0 ? Deadline.NEVER : at(0).atMillis();
    if (first != earliestMillis) {
      earliestMillis = first;
    }
  }

  private void add(LastingEntry entry) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, Math.max(FIRST_ROOM, size * 2));
    }
    size++;
    rise(size - 1, entry);
  }

  private void remove(LastingEntry entry) {
    int hole = entry.place();
    entry.place(LastingEntry.NOWHERE);
    size--;
    LastingEntry last = at(size);
    heap[size] = null;
    if (hole < size) {
      sink(hole, last);
      if (last.place() == hole) {
        rise(hole, last);
      }
    }
    if (heap.length > FIRST_ROOM && size < heap.length / 4) {
      heap = Arrays.copyOf(heap, heap.length / 2);
    }
  }

  /** Puts an entry where it belongs, at a place or above it. */
  private void rise(int from, LastingEntry entry) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) >>> 1;
      LastingEntry above = at(parent);
      if (above.atMillis() <= entry.atMillis()) {
        break;
      }
      set(place, above);
      place = parent;
    }
    set(place, entry);
  }

  /** Puts an entry where it belongs, at a place or below it. */
  private void sink(int from, LastingEntry entry) {
    int place = from;
    for (int child; (child = 2 * place + 1) < size; ) {
      if (child + 1 < size && at(child + 1).atMillis() < at(child).atMillis()) {
        child++;
      }
      LastingEntry below = at(child);
      if (entry.atMillis() <= below.atMillis()) {
        break;
      }
      set(place, below);
      place = child;
    }
    set(place, entry);
  }

  private LastingEntry at(int place) {
    return Objects.requireNonNull(heap[place]);
  }

  private void set(int place, LastingEntry entry) {
    heap[place] = entry;
    entry.place(place);
  }
}
