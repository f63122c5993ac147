package io.cantle.core.container;

import io.cantle.core.memory.MemoryAccount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of memory off the heap from slabs, all of one arena. A block is named by a
 * <em>reference</em>: 32 bits that count units of 8 bytes, so one allocator has up to 32 GiB. The
 * reference 0 names no block.
 *
 * <p><b>Design.</b> A block that is free is kept in a list of its <em>size class</em>: a class of
 * its own for each size up to 2 KiB, and eight for each doubling above. If there is no block of the
 * right size, a larger one is split, or one is cut off the newest slab. What is too small to be of
 * use is counted, and comes back when the owner copies what is in use to another allocator. Closing
 * gives all slabs back at once.
 *
 * <p>A slab takes a whole number of <em>chunks</em> of the 32-bit range, of 256 KiB each, of which
 * a small slab uses only the begin. So a reference leads to its slab without a search.
 *
 * <p><b>Threading:</b> one thread at a time allocates and frees. Any thread may read; if it is late
 * it finds something else in a block, or gets an {@link IndexOutOfBoundsException} or, after the
 * close, an {@link IllegalStateException}. It must find out by itself that it was late.
 */
final class SlabAllocator implements AutoCloseable {
  static final int UNIT_BYTES = 8;
  private static final int CHUNK_SHIFT = 15;
  private static final int CHUNK_UNITS = 1 << CHUNK_SHIFT;
  private static final int MAX_CHUNKS = 1 << (32 - CHUNK_SHIFT);

  /** Slabs are as long as this part of all before, so that the last one wastes little. */
  private static final int SLAB_DIVISOR = 64;

  private static final int MIN_SLAB_UNITS = 1_024;

  /** The length of the first slab, if its first block is not longer. */
  static final long MIN_SLAB_BYTES = (long) MIN_SLAB_UNITS * UNIT_BYTES;

  /** Up to this size, each size has a class of its own. */
  private static final int EXACT_UNITS = 256;

  private static final int EXACT_BITS = 8;
  private static final int STEPS_BITS = 3;
  private static final int CLASSES = EXACT_UNITS + ((31 - EXACT_BITS) << STEPS_BITS);

  /** How many blocks of a class with several sizes are looked at. */
  private static final int MAX_LOOKS = 8;

  /** Free blocks that do not fit are worth copying the others from this part of them on. */
  private static final int FRAGMENTED_DIVISOR = 4;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final MemorySegment[] NO_CHUNKS = {};

  private final Arena arena;
  private final MemoryAccount account;
  private final long expectedUnits;
  private MemorySegment[] chunks = NO_CHUNKS;
  private int end;
  private int slabEnd;
  private long reservedUnits;
  private long usedUnits;
  private long freeUnits;

  /** The first free block of each class. Null until a block is freed. */
  private int @Nullable [] firstFree;

  /** One bit for each class that has a block. */
  private final long[] nonEmptyClasses = new long[(CLASSES + 63) / 64];

  /**
   * Creates an allocator without slabs.
   *
   * @param arena is closed with this allocator
   * @param account what is reserved is counted here
   * @param expectedUnits what will be allocated after the first block; the first slab has room for
   *     it
   */
  SlabAllocator(Arena arena, MemoryAccount account, long expectedUnits) {
    this.arena = arena;
    this.account = account;
    this.expectedUnits = expectedUnits;
  }

  /** The memory from the begin of the reference's chunk to the end of its slab. */
  MemorySegment chunk(int reference) {
    return chunks[chunkOf(reference)];
  }

  /** The memory of all chunks: another array once there is another slab. */
  MemorySegment[] chunks() {
    return chunks;
  }

  /** The number of the chunk of a reference. */
  static int chunkOf(int reference) {
    return reference >>> CHUNK_SHIFT;
  }

  /** Where a block begins in its {@link #chunk}, in bytes. */
  static long offset(int reference) {
    return (long) (reference & (CHUNK_UNITS - 1)) * UNIT_BYTES;
  }

  /** The units that so many bytes take. */
  static long toUnits(long bytes) {
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES;
  }

  /** The bytes of blocks in use. */
  long usedBytes() {
    return usedUnits * UNIT_BYTES;
  }

  /** The bytes of all slabs. */
  long reservedBytes() {
    return reservedUnits * UNIT_BYTES;
  }

  /** Whether so much lies between the blocks in use that copying these is worth it. */
  boolean isFragmented() {
    return freeUnits > Math.max(MIN_SLAB_UNITS, usedUnits / FRAGMENTED_DIVISOR);
  }

  /** Whether a block of a length is there, or may be reserved. */
  boolean hasRoom(long units) {
    return account.hasRoom((units + 1) * UNIT_BYTES) || hasBlock(units);
  }

  private boolean hasBlock(long units) {
    if (Integer.compareUnsigned(slabEnd - end, (int) Math.min(units, Integer.MAX_VALUE)) >= 0) {
      return true;
    }
    if (units > Integer.MAX_VALUE) {
      return false;
    }
    int sizeClass = classOf((int) units);
    // The blocks of a class with several sizes may be shorter.
    return nextNonEmpty(units < EXACT_UNITS ? sizeClass : sizeClass + 1) < CLASSES;
  }

  /** Returns a block from the slabs that there are; 0 if none is long enough. */
  int allocate(long units) {
    int reference = units > Integer.MAX_VALUE ? 0 : take((int) units);
    if (reference != 0) {
      usedUnits += units;
    }
    return reference;
  }

  private int take(int units) {
    int sizeClass = classOf(units);
    int[] lists = firstFree;
    if (lists != null && lists[sizeClass] != 0) {
      int found = takeFrom(lists, sizeClass, units);
      if (found != 0) {
        return found;
      }
    }
    int larger = lists == null ? CLASSES : nextNonEmpty(sizeClass + 1);
    if (lists != null && larger < CLASSES) {
      return takeFrom(lists, larger, units);
    }
    if (Integer.compareUnsigned(slabEnd - end, units) >= 0) {
      int reference = end;
      end += units;
      return reference;
    }
    return 0;
  }

  /** Takes a block that is long enough out of a list, and keeps what is left over. */
  private int takeFrom(int[] lists, int sizeClass, int units) {
    int before = 0;
    int block = lists[sizeClass];
    for (int looks = MAX_LOOKS; block != 0 && looks > 0; looks--) {
      int following = freeNext(block);
      int size = freeSize(block);
      if (size >= units) {
        if (before == 0) {
          lists[sizeClass] = following;
          if (following == 0) {
            nonEmptyClasses[sizeClass >>> 6] &= ~(1L << sizeClass);
          }
        } else {
          setFree(before, freeSize(before), following);
        }
        freeUnits -= size;
        if (size > units) {
          addFree(block + units, size - units);
        }
        return block;
      }
      before = block;
      block = following;
    }
    return 0;
  }

  private int nextNonEmpty(int from) {
    for (int word = from >>> 6; word < nonEmptyClasses.length; word++) {
      long bits = nonEmptyClasses[word];
      if (word == from >>> 6) {
        bits &= -1L << from;
      }
      if (bits != 0) {
        return (word << 6) + Long.numberOfTrailingZeros(bits);
      }
    }
    return CLASSES;
  }

  private static int classOf(int units) {
    if (units < EXACT_UNITS) {
      return units;
    }
    int log = 31 - Integer.numberOfLeadingZeros(units);
    int step = units >>> (log - STEPS_BITS) & ((1 << STEPS_BITS) - 1);
    return EXACT_UNITS + ((log - EXACT_BITS) << STEPS_BITS) + step;
  }

  /** Frees a block. What it held stays readable until it is used again, but for its first unit. */
  void free(int reference, long units) {
    usedUnits -= units;
    addFree(reference, (int) units);
  }

  private void addFree(int reference, int units) {
    int[] lists = firstFree;
    if (lists == null) {
      lists = new int[CLASSES];
      firstFree = lists;
    }
    int sizeClass = classOf(units);
    setFree(reference, units, lists[sizeClass]);
    lists[sizeClass] = reference;
    nonEmptyClasses[sizeClass >>> 6] |= 1L << sizeClass;
    freeUnits += units;
  }

  private int freeSize(int block) {
    return chunk(block).get(INT, offset(block));
  }

  private int freeNext(int block) {
    return chunk(block).get(INT, offset(block) + Integer.BYTES);
  }

  private void setFree(int block, int units, int following) {
    MemorySegment chunk = chunk(block);
    long at = offset(block);
    chunk.set(INT, at, units);
    chunk.set(INT, at + Integer.BYTES, following);
  }

  /**
   * Adds a slab from which a block of a length can be allocated. Returns whether it did; if not,
   * nothing changes.
   *
   * @param isBeyondLimit whether the limit of the account may be exceeded
   * @throws OutOfMemoryError if the machine has no memory; nothing changes then either
   */
  boolean tryGrow(long units, boolean isBeyondLimit) {
    // The reference 0 is no block.
    long least = units + (chunks.length == 0 ? 1 : 0);
    long usual = least + moreUnits(units);
    if (!isTooLong(usual) && account.tryReserveWithin(usual * UNIT_BYTES)) {
      addSlab(usual);
    } else if (!isTooLong(least) && account.tryReserveWithin(least * UNIT_BYTES)) {
      addSlab(least);
    } else if (!isTooLong(usual) && isBeyondLimit) {
      account.reserve(usual * UNIT_BYTES);
      addSlab(usual);
    } else {
      return false;
    }
    return true;
  }

  /** The units of a slab after its first block. Mostly the next ones are as long, and fill it. */
  private long moreUnits(long units) {
    if (chunks.length == 0 && expectedUnits > 0) {
      return expectedUnits;
    }
    long least = MIN_SLAB_UNITS;
    long usual = Math.clamp(reservedUnits / SLAB_DIVISOR, least, (long) CHUNK_UNITS) - 1;
    return units * (Math.max(1, usual / units) - 1);
  }

  private boolean isTooLong(long slabUnits) {
    return slabUnits > Integer.MAX_VALUE || chunks.length + chunksOf(slabUnits) > MAX_CHUNKS;
  }

  private static long chunksOf(long slabUnits) {
    return (slabUnits + CHUNK_UNITS - 1) / CHUNK_UNITS;
  }

  /** Adds a slab that is reserved in the account; takes that back if there is no memory. */
  private void addSlab(long slabUnits) {
    int first = chunks.length;
    long bytes = slabUnits * UNIT_BYTES;
    MemorySegment slab = null;
    try {
      slab = arena.allocate(bytes, UNIT_BYTES);
    } finally {
      if (slab == null) {
        account.release(bytes);
      }
    }
    if (end != slabEnd) {
      addFree(end, slabEnd - end);
    }
    MemorySegment[] extended = Arrays.copyOf(chunks, first + (int) chunksOf(slabUnits));
    for (int chunk = first; chunk < extended.length; chunk++) {
      long from = (long) (chunk - first) * CHUNK_UNITS * UNIT_BYTES;
      extended[chunk] = from == 0 ? slab : slab.asSlice(from);
    }
    // A reader that has the array must find the slabs in it.
    VarHandle.storeStoreFence();
    chunks = extended;
    end = (first << CHUNK_SHIFT) + (first == 0 ? 1 : 0);
    slabEnd = (first << CHUNK_SHIFT) + (int) slabUnits;
    reservedUnits += slabUnits;
  }

  /** Gives back all slabs. A thread that still reads one is told by an exception. */
  @Override
  public void close() {
    arena.close();
    account.release(reservedBytes());
  }
}
