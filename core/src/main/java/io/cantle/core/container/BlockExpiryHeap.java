package io.cantle.core.container;

import java.util.Arrays;

/**
 * The binary heap of the blocks of a segment whose entries expire, as {@link ExpiryHeap} is for
 * entries on the heap. It takes 4 bytes for each, and each block knows its place.
 *
 * <p><b>Threading:</b> guarded by the segment's lock; any thread may call {@link #earliestMillis}.
 */
final class BlockExpiryHeap {
  private static final int[] EMPTY = {};
  private static final int INITIAL_CAPACITY = 8;

  private int[] blocks = EMPTY;
  private int size;
  private volatile long earliestMillis = ExpiryTime.NEVER;

  /** The earliest time at which an entry expires. */
  long earliestMillis() {
    return earliestMillis;
  }

  /** The block of the entry that expires first, or 0 if there is none. */
  int first() {
    return size == 0 ? 0 : blocks[0];
  }

  int size() {
    return size;
  }

  /** Replaces a block by another. Either may be 0, or that of an entry that does not expire. */
  void replace(SlabAllocator memory, int removed, int added) {
    takeOut(memory, removed);
    add(memory, added);
  }

  /** Takes a block out that will be overwritten or freed. {@link #add} is called next. */
  void takeOut(SlabAllocator memory, int block) {
    if (block != 0 && EntryBlock.isDueSometime(memory, block)) {
      remove(memory, block);
    }
  }

  /** Adds a block, unless it is 0 or that of an entry that does not expire. */
  void add(SlabAllocator memory, int block) {
    if (block != 0 && EntryBlock.isDueSometime(memory, block)) {
      if (size == blocks.length) {
        blocks = Arrays.copyOf(blocks, Math.max(INITIAL_CAPACITY, size * 2));
      }
      size++;
      siftUp(memory, size - 1, block);
    }
    publishEarliest(memory);
  }

  /** Takes the same entries in other blocks, each at its place. */
  void moveTo(int[] moved) {
    blocks = moved;
  }

  void clear() {
    blocks = EMPTY;
    size = 0;
    earliestMillis = ExpiryTime.NEVER;
  }

  private void publishEarliest(SlabAllocator memory) {
    long first = size == 0 ? ExpiryTime.NEVER : EntryBlock.dueMillis(memory, blocks[0]);
    if (first != earliestMillis) {
      earliestMillis = first;
    }
  }

  private void remove(SlabAllocator memory, int block) {
    int hole = EntryBlock.place(memory, block);
    size--;
    int last = blocks[size];
    if (hole < size) {
      siftDown(memory, hole, last);
      if (EntryBlock.place(memory, last) == hole) {
        siftUp(memory, hole, last);
      }
    }
    if (blocks.length > INITIAL_CAPACITY && size < blocks.length / 4) {
      blocks = Arrays.copyOf(blocks, blocks.length / 2);
    }
  }

  private void siftUp(SlabAllocator memory, int from, int block) {
    long due = EntryBlock.dueMillis(memory, block);
    int place = from;
    while (place > 0) {
      int above = blocks[(place - 1) >>> 1];
      if (EntryBlock.dueMillis(memory, above) <= due) {
        break;
      }
      set(memory, place, above);
      place = (place - 1) >>> 1;
    }
    set(memory, place, block);
  }

  private void siftDown(SlabAllocator memory, int from, int block) {
    long due = EntryBlock.dueMillis(memory, block);
    int place = from;
    for (int child; (child = 2 * place + 1) < size; place = child) {
      if (child + 1 < size
          && EntryBlock.dueMillis(memory, blocks[child + 1])
              < EntryBlock.dueMillis(memory, blocks[child])) {
        child++;
      }
      if (due <= EntryBlock.dueMillis(memory, blocks[child])) {
        break;
      }
      set(memory, place, blocks[child]);
    }
    set(memory, place, block);
  }

  private void set(SlabAllocator memory, int place, int block) {
    blocks[place] = block;
    EntryBlock.setPlace(memory, block, place);
  }
}
