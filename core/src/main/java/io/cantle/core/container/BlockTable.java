package io.cantle.core.container;

import io.cantle.core.memory.MemoryAccount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of blocks in the order of the hash, itself in blocks of a {@link SlabAllocator}. As
 * in {@link HeapContainer}, the table is indexed by the high bits of the hash, every chain is
 * sorted, and a chain is cut in two when the table doubles.
 *
 * <p>A chain ends at the first block of another bucket. So a chain that is not cut yet holds the
 * right entries, and growing shows the new table first.
 *
 * <p><b>Threading:</b> one thread at a time changes; what readers could see half done it does while
 * an {@link OffHeapContainer} tells them so. Any thread may read, as from a {@link SlabAllocator}.
 */
@SuppressWarnings("resource") // The allocator is closed with the table.
final class BlockTable implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final int MIN_LENGTH = 4;
  private static final int MAX_LENGTH = 1 << 28;

  /** A table is made anew when it has more than this many buckets for each entry. */
  private static final int SPARSE_FACTOR = 8;

  private final SlabAllocator memory;
  private int slots;
  private int length;

  // What readers need, so that they look at few objects: each of another segment is a cache miss.
  private MemorySegment slotMemory = MemorySegment.NULL;
  private long slotsAt;
  private MemorySegment[] chunks = {};

  private BlockTable(SlabAllocator memory) {
    this.memory = memory;
  }

  /**
   * Creates an empty table for about so many entries; null if there is no memory for it.
   *
   * @param blockUnits the units of blocks that come next, for which there is room in the first slab
   * @param isBeyondLimit whether the limit of the account may be exceeded
   */
  static @Nullable BlockTable create(
      Arena arena, MemoryAccount account, int entries, long blockUnits, boolean isBeyondLimit) {
    BlockTable table = new BlockTable(new SlabAllocator(arena, account, blockUnits));
    boolean isDone = false;
    try {
      int wanted = MIN_LENGTH;
      while (wanted < entries && wanted < MAX_LENGTH) {
        wanted *= 2;
      }
      int slots = table.newSlots(wanted, isBeyondLimit);
      isDone = slots != 0;
      if (isDone) {
        table.useSlots(slots, wanted);
      }
    } finally {
      if (!isDone) {
        table.close();
      }
    }
    return isDone ? table : null;
  }

  private int newSlots(int wanted, boolean isBeyondLimit) {
    int reference = allocate(slotUnits(wanted), isBeyondLimit);
    if (reference != 0) {
      memory
          .chunk(reference)
          .asSlice(SlabAllocator.offset(reference), (long) wanted * Integer.BYTES)
          .fill((byte) 0);
    }
    return reference;
  }

  private void useSlots(int reference, int newLength) {
    slots = reference;
    slotMemory = memory.chunk(reference);
    slotsAt = SlabAllocator.offset(reference);
    length = newLength;
  }

  private static long slotUnits(int length) {
    return SlabAllocator.toUnits((long) length * Integer.BYTES);
  }

  /**
   * Returns a new block, of a new slab if there must be one; 0 if there is no memory for it.
   *
   * @param isBeyondLimit whether the limit of the account may be exceeded
   */
  int allocate(long units, boolean isBeyondLimit) {
    int reference = memory.allocate(units);
    if (reference == 0 && memory.tryGrow(units, isBeyondLimit)) {
      chunks = memory.chunks();
      return memory.allocate(units);
    }
    return reference;
  }

  SlabAllocator memory() {
    return memory;
  }

  /** The units of all blocks of entries. */
  long blockUnits() {
    return memory.usedBytes() / SlabAllocator.UNIT_BYTES - slotUnits(length);
  }

  /** Whether this many entries are few for the table, or for the memory that it has. */
  boolean isSparse(int entries) {
    return length > MIN_LENGTH && entries < length / SPARSE_FACTOR;
  }

  // ------------------------------------------------------------------ reading

  /**
   * Returns the block of a key; 0 for none.
   *
   * @param maxSteps the most blocks to look at: what a late thread reads may be a circle
   */
  int find(long hash, byte[] key, int offset, int keyLength, int maxSteps) {
    int block = slot(bucketOf(hash));
    for (int steps = 0; block != 0; ) {
      checkSteps(++steps, maxSteps);
      MemorySegment chunk = chunk(block);
      long at = SlabAllocator.offset(block);
      long own = EntryBlock.hash(chunk, at);
      if (own == hash) {
        int order = EntryBlock.compareKey(chunk, at, key, offset, keyLength);
        if (order >= 0) {
          return order == 0 ? block : 0;
        }
      } else if (Long.compareUnsigned(own, hash) > 0) {
        return 0;
      }
      block = EntryBlock.next(chunk, at);
    }
    return 0;
  }

  /** Returns the block of an entry's key, for the thread that changes; 0 for none. */
  int find(Entry entry) {
    return find(entry.hash(), entry.bytes(), 0, entry.keyLength(), Integer.MAX_VALUE);
  }

  /** Returns the first block with a value whose key has this hash; 0 for none. */
  int findLive(long hash, int maxSteps) {
    int block = slot(bucketOf(hash));
    for (int steps = 0; block != 0; block = EntryBlock.next(memory, block)) {
      checkSteps(++steps, maxSteps);
      int order = Long.compareUnsigned(EntryBlock.hash(memory, block), hash);
      if (order > 0 || (order == 0 && !EntryBlock.isTombstone(memory, block))) {
        return order == 0 ? block : 0;
      }
    }
    return 0;
  }

  /** A part of a scan: the next entries, and whether these are the last. */
  record ScanPart(List<Entry> entries, boolean isLast) {
    static final ScanPart EMPTY = new ScanPart(List.of(), true);
  }

  /** Returns the next entries after a cursor, as many and as long at most. */
  ScanPart readAfter(
      SegmentCursor from, boolean withValues, int maxEntries, long maxBytes, int maxSteps) {
    List<Entry> entries = new ArrayList<>(maxEntries);
    long bytes = 0;
    int steps = 0;
    int bucket = bucketOf(from.hash());
    boolean isFirst = from.kind() == SegmentCursor.CursorKind.AFTER;
    for (int last = length; bucket < last; bucket++) {
      int block = slot(bucket);
      for (; block != 0; block = EntryBlock.next(memory, block)) {
        checkSteps(++steps, maxSteps);
        if (isFirst
            && EntryBlock.compareOrder(memory, block, from.hash(), from.key(), 0, from.key().length)
                <= 0) {
          continue;
        }
        if (bucketOf(EntryBlock.hash(memory, block)) != bucket) {
          break;
        }
        if (entries.size() == maxEntries || bytes >= maxBytes) {
          return new ScanPart(entries, false);
        }
        Entry entry = EntryBlock.read(memory, block, withValues);
        entries.add(entry);
        bytes += entry.bytes().length;
      }
      isFirst = false;
    }
    return new ScanPart(entries, true);
  }

  private static void checkSteps(int steps, int maxSteps) {
    if (steps > maxSteps) {
      throw new IndexOutOfBoundsException("a chain of more than " + maxSteps + " blocks");
    }
  }

  /** The memory from the begin of a block's chunk to the end of its slab. */
  MemorySegment chunk(int block) {
    return chunks[SlabAllocator.chunkOf(block)];
  }

  private int slot(int bucket) {
    return slotMemory.get(INT, slotsAt + (long) bucket * Integer.BYTES);
  }

  private void setSlot(int reference, int bucket, int block) {
    memory
        .chunk(reference)
        .set(INT, SlabAllocator.offset(reference) + (long) bucket * Integer.BYTES, block);
  }

  private int bucketOf(long hash) {
    return bucketOf(hash, length);
  }

  private static int bucketOf(long hash, int length) {
    return (int) (hash >>> (Integer.numberOfLeadingZeros(length) + 33));
  }

  // ------------------------------------------------------------------ changing

  /** Returns the block before the place of a key in its chain; 0 if the place is the first. */
  int findBefore(long hash, byte[] key, int keyLength) {
    int before = 0;
    int block = slot(bucketOf(hash));
    while (block != 0 && EntryBlock.compareOrder(memory, block, hash, key, 0, keyLength) < 0) {
      before = block;
      block = EntryBlock.next(memory, block);
    }
    return before;
  }

  /** Returns the block after another in the chain of a hash, or the first after 0. */
  int following(long hash, int before) {
    return before == 0 ? slot(bucketOf(hash)) : EntryBlock.next(memory, before);
  }

  /** Sets the block after another in the chain of a hash, or the first after 0. */
  void setFollowing(long hash, int before, int block) {
    if (before == 0) {
      setSlot(slots, bucketOf(hash), block);
    } else {
      EntryBlock.setNext(memory, before, block);
    }
  }

  /** Whether this many entries are too many for the table. */
  boolean isCrowded(int entries) {
    return entries > length && length < MAX_LENGTH;
  }

  /** What the table takes after {@link #grow}, without blocks of entries. */
  long doubledBytes() {
    return slotUnits(2 * length) * SlabAllocator.UNIT_BYTES;
  }

  /**
   * Doubles the table, unless there is no memory for it. Readers see either table. A chain of the
   * new one that is not cut yet holds more than the blocks of its bucket, which they pass over.
   */
  void grow(SequenceLock changes) {
    int doubled = newSlots(2 * length, false);
    if (doubled == 0) {
      return;
    }
    for (int bucket = 0; bucket < length; bucket++) {
      int first = slot(bucket);
      int upper = first;
      while (upper != 0 && (bucketOf(EntryBlock.hash(memory, upper), 2 * length) & 1) == 0) {
        upper = EntryBlock.next(memory, upper);
      }
      setSlot(doubled, 2 * bucket, upper == first ? 0 : first);
      setSlot(doubled, 2 * bucket + 1, upper);
    }
    int outgrown = slots;
    changes.beginChange();
    try {
      useSlots(doubled, 2 * length);
    } finally {
      changes.endChange();
    }
    memory.free(outgrown, slotUnits(length / 2));
    for (int bucket = 0; bucket < length; bucket += 2) {
      int upper = slot(bucket + 1);
      int lower = slot(bucket);
      while (upper != 0 && lower != 0) {
        int following = EntryBlock.next(memory, lower);
        if (following == upper) {
          EntryBlock.setNext(memory, lower, 0);
          break;
        }
        lower = following;
      }
    }
  }

  /**
   * Copies all blocks to an empty table, in order.
   *
   * @param expiring how many are in the heap of those that expire
   * @return the new blocks of these, each at its place; null if there is no memory for all blocks
   */
  int @Nullable [] copyTo(BlockTable target, int expiring) {
    int[] moved = new int[expiring];
    int last = 0;
    int lastBucket = -1;
    for (int bucket = 0; bucket < length; bucket++) {
      for (int block = slot(bucket); block != 0; block = EntryBlock.next(memory, block)) {
        long units = EntryBlock.units(memory, block);
        int copy = target.allocate(units, false);
        if (copy == 0) {
          return null;
        }
        MemorySegment.copy(
            memory.chunk(block),
            SlabAllocator.offset(block),
            target.memory.chunk(copy),
            SlabAllocator.offset(copy),
            units * SlabAllocator.UNIT_BYTES);
        EntryBlock.setNext(target.memory, copy, 0);
        if (EntryBlock.isDueSometime(memory, block)) {
          moved[EntryBlock.place(memory, block)] = copy;
        }
        int copyBucket = target.bucketOf(EntryBlock.hash(memory, block));
        if (copyBucket == lastBucket) {
          EntryBlock.setNext(target.memory, last, copy);
        } else {
          target.setSlot(target.slots, copyBucket, copy);
        }
        last = copy;
        lastBucket = copyBucket;
      }
    }
    return moved;
  }

  @Override
  public void close() {
    memory.close();
  }
}
