package io.cantle.core.container;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * How an entry lies in a block of a {@link SlabAllocator}. Numbers have the byte order of the
 * processor.
 *
 * <pre>
 *  0  hash
 *  8  index of the version, shifted by 5 bits, and flags
 * 16  epoch (4)                  20  reference of the next block of the chain (4)
 * 24  length of the key (4)      28  length of the value (4)
 * 32  timestamp                                                      if STAMPED
 *     end of the lifespan, idle time, last touch, due time,
 *     place in the heap of due times (4), unused (4)                 if EXPIRING
 *     key, then the value unless it is EVICTED
 * </pre>
 *
 * <p><b>Threading:</b> as {@link SlabAllocator}. A thread that is late may find any bytes here, and
 * gets an {@link IndexOutOfBoundsException} if they make no block.
 */
final class EntryBlock {
  private static final int TOMBSTONE = 1;
  private static final int EVICTED = 2;
  private static final int STAMPED = 4;
  private static final int EXPIRING = 8;
  private static final int USED = 16;
  private static final int FLAG_BITS = 5;

  private static final int INDEX_AT = 8;
  private static final int EPOCH_AT = 16;
  private static final int NEXT_AT = 20;
  private static final int KEY_LENGTH_AT = 24;
  private static final int VALUE_LENGTH_AT = 28;
  private static final int HEADER_BYTES = 32;
  private static final int DUE_AT = 24;
  private static final int PLACE_AT = 32;
  private static final int EXPIRY_BYTES = 40;

  // Blocks are aligned, and nothing is gained by a check of it on each access.
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfLong KEY_LONG = LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final VarHandle ARRAY_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private EntryBlock() {}

  /** The units that the block of an entry takes. */
  static long units(Entry entry) {
    long bytes =
        HEADER_BYTES
            + (entry.markedStamp() != 0 ? Long.BYTES : 0)
            + (entry instanceof ExpiringEntry ? EXPIRY_BYTES : 0)
            + (long) entry.bytes().length;
    return SlabAllocator.toUnits(bytes);
  }

  /** The units that a block takes. */
  static long units(SlabAllocator memory, int block) {
    MemorySegment chunk = memory.chunk(block);
    long at = SlabAllocator.offset(block);
    int flags = flags(chunk, at);
    return SlabAllocator.toUnits(
        keyAt(flags)
            + (long) chunk.get(INT, at + KEY_LENGTH_AT)
            + ((flags & EVICTED) == 0 ? chunk.get(INT, at + VALUE_LENGTH_AT) : 0));
  }

  /** Writes an entry that was not used yet into a block. */
  static void write(SlabAllocator memory, int block, Entry entry) {
    MemorySegment chunk = memory.chunk(block);
    long at = SlabAllocator.offset(block);
    long stamp = entry.markedStamp();
    ExpiryTime expiryTime = entry.expiryTime();
    int flags =
        (entry.isTombstone() ? TOMBSTONE : 0)
            | (entry.isEvicted() ? EVICTED : 0)
            | (stamp != 0 ? STAMPED : 0)
            | (expiryTime != null ? EXPIRING : 0);
    chunk.set(LONG, at, entry.hash());
    chunk.set(LONG, at + INDEX_AT, entry.index() << FLAG_BITS | flags);
    chunk.set(INT, at + EPOCH_AT, entry.epoch());
    chunk.set(INT, at + KEY_LENGTH_AT, entry.keyLength());
    chunk.set(INT, at + VALUE_LENGTH_AT, entry.valueLength());
    if (stamp != 0) {
      chunk.set(LONG, at + HEADER_BYTES, stamp);
    }
    if (expiryTime != null) {
      long expiry = at + expiryAt(flags);
      chunk.set(LONG, expiry, expiryTime.lifespanEndMillis());
      chunk.set(LONG, expiry + Long.BYTES, expiryTime.idleMillis());
      chunk.set(LONG, expiry + 2 * Long.BYTES, expiryTime.lastTouchMillis());
      chunk.set(LONG, expiry + DUE_AT, expiryTime.expiresAtMillis());
    }
    byte[] bytes = entry.bytes();
    MemorySegment.copy(bytes, 0, chunk, BYTE, at + keyAt(flags), bytes.length);
  }

  /**
   * Makes an entry of what a block holds. It is used as the block is, and evicted as that is, or if
   * its value is left out.
   */
  static Entry read(SlabAllocator memory, int block, boolean withValue) {
    MemorySegment chunk = memory.chunk(block);
    long at = SlabAllocator.offset(block);
    long indexAndFlags = chunk.get(LONG, at + INDEX_AT);
    int flags = (int) indexAndFlags;
    int keyLength = chunk.get(INT, at + KEY_LENGTH_AT);
    int valueLength = chunk.get(INT, at + VALUE_LENGTH_AT);
    boolean evicted = (flags & EVICTED) != 0 || (!withValue && (flags & TOMBSTONE) == 0);
    if (keyLength < 0 || valueLength < 0) {
      throw new IndexOutOfBoundsException("no entry in this block");
    }
    byte[] bytes = copy(chunk, at + keyAt(flags), (long) keyLength + (evicted ? 0 : valueLength));
    ExpiryTime expiryTime = null;
    if ((flags & EXPIRING) != 0) {
      long expiry = at + expiryAt(flags);
      expiryTime =
          new ExpiryTime(
              chunk.get(LONG, expiry),
              chunk.get(LONG, expiry + Long.BYTES),
              chunk.get(LONG, expiry + 2 * Long.BYTES));
    }
    HeapEntry entry =
        HeapEntry.create(
            chunk.get(LONG, at),
            bytes,
            keyLength,
            chunk.get(INT, at + EPOCH_AT),
            indexAndFlags >> FLAG_BITS,
            (flags & TOMBSTONE) != 0,
            (flags & STAMPED) != 0 ? chunk.get(LONG, at + HEADER_BYTES) : 0,
            expiryTime);
    // Nothing would release what is decoded.
    return (evicted ? entry.evicted(bytes, valueLength) : entry)
        .asCopy(!evicted && (flags & USED) != 0);
  }

  /** Copies a part of a block to an array. */
  static byte[] copy(MemorySegment chunk, long from, long length) {
    // Checked first, since the array would be made of whatever length a late thread finds.
    if (length < 0 || length > chunk.byteSize() - from) {
      throw new IndexOutOfBoundsException("no entry in this block");
    }
    byte[] bytes = new byte[(int) length];
    MemorySegment.copy(chunk, BYTE, from, bytes, 0, bytes.length);
    return bytes;
  }

  static long hash(MemorySegment chunk, long at) {
    return chunk.get(LONG, at);
  }

  static int next(MemorySegment chunk, long at) {
    return chunk.get(INT, at + NEXT_AT);
  }

  static int epoch(MemorySegment chunk, long at) {
    return chunk.get(INT, at + EPOCH_AT);
  }

  static long index(MemorySegment chunk, long at) {
    return chunk.get(LONG, at + INDEX_AT) >> FLAG_BITS;
  }

  static boolean isTombstone(MemorySegment chunk, long at) {
    return (flags(chunk, at) & TOMBSTONE) != 0;
  }

  static boolean isEvicted(MemorySegment chunk, long at) {
    return (flags(chunk, at) & EVICTED) != 0;
  }

  static boolean isExpiring(MemorySegment chunk, long at) {
    return (flags(chunk, at) & EXPIRING) != 0;
  }

  static int valueLength(MemorySegment chunk, long at) {
    return chunk.get(INT, at + VALUE_LENGTH_AT);
  }

  /** Where a value begins that is not evicted. */
  static long valueAt(MemorySegment chunk, long at) {
    return at + keyAt(flags(chunk, at)) + chunk.get(INT, at + KEY_LENGTH_AT);
  }

  static long hash(SlabAllocator memory, int block) {
    return memory.chunk(block).get(LONG, SlabAllocator.offset(block));
  }

  static int next(SlabAllocator memory, int block) {
    return memory.chunk(block).get(INT, SlabAllocator.offset(block) + NEXT_AT);
  }

  static void setNext(SlabAllocator memory, int block, int next) {
    memory.chunk(block).set(INT, SlabAllocator.offset(block) + NEXT_AT, next);
  }

  static boolean isTombstone(SlabAllocator memory, int block) {
    return (flags(memory, block) & TOMBSTONE) != 0;
  }

  static boolean isUsed(SlabAllocator memory, int block) {
    return (flags(memory, block) & USED) != 0;
  }

  static void setUsed(SlabAllocator memory, int block, boolean used) {
    MemorySegment chunk = memory.chunk(block);
    long at = SlabAllocator.offset(block) + INDEX_AT;
    long before = chunk.get(LONG, at);
    chunk.set(LONG, at, used ? before | USED : before & ~(long) USED);
  }

  /** Whether a block holds this version of its key in this form. The keys must be equal. */
  static boolean isSame(SlabAllocator memory, int block, Entry entry) {
    MemorySegment chunk = memory.chunk(block);
    long at = SlabAllocator.offset(block);
    long indexAndFlags = chunk.get(LONG, at + INDEX_AT);
    return indexAndFlags >> FLAG_BITS == entry.index()
        && chunk.get(INT, at + EPOCH_AT) == entry.epoch()
        && ((indexAndFlags & TOMBSTONE) != 0) == entry.isTombstone()
        && ((indexAndFlags & EVICTED) != 0) == entry.isEvicted();
  }

  /** Compares the position of a block in a segment with a key: by hash, then by key. */
  static int compareOrder(
      SlabAllocator memory, int block, long hash, byte[] key, int offset, int length) {
    MemorySegment chunk = memory.chunk(block);
    long at = SlabAllocator.offset(block);
    long own = chunk.get(LONG, at);
    return own == hash
        ? compareKey(chunk, at, key, offset, length)
        : Long.compareUnsigned(own, hash);
  }

  /** Compares the key of a block with another. */
  static int compareKey(MemorySegment chunk, long at, byte[] key, int offset, int length) {
    long ownKey = at + keyAt(flags(chunk, at));
    int ownLength = chunk.get(INT, at + KEY_LENGTH_AT);
    int common = Math.min(ownLength, length);
    int i = 0;
    for (; i <= common - Long.BYTES; i += Long.BYTES) {
      long mine = chunk.get(KEY_LONG, ownKey + i);
      long other = (long) ARRAY_LONG.get(key, offset + i);
      if (mine != other) {
        return Long.compareUnsigned(mine, other);
      }
    }
    for (; i < common; i++) {
      int order = Byte.compareUnsigned(chunk.get(BYTE, ownKey + i), key[offset + i]);
      if (order != 0) {
        return order;
      }
    }
    return ownLength - length;
  }

  // ------------------------------------------------------------------ expiry

  /** Whether an entry expires by itself some time. */
  static boolean isDueSometime(SlabAllocator memory, int block) {
    return (flags(memory, block) & EXPIRING) != 0 && dueMillis(memory, block) != ExpiryTime.NEVER;
  }

  /** When an entry that expires is due. */
  static long dueMillis(SlabAllocator memory, int block) {
    return memory.chunk(block).get(LONG, expiryOffset(memory, block) + DUE_AT);
  }

  /** The place of an entry that expires in the {@link BlockExpiryHeap}. */
  static int place(SlabAllocator memory, int block) {
    return memory.chunk(block).get(INT, expiryOffset(memory, block) + PLACE_AT);
  }

  static void setPlace(SlabAllocator memory, int block, int place) {
    memory.chunk(block).set(INT, expiryOffset(memory, block) + PLACE_AT, place);
  }

  private static long expiryOffset(SlabAllocator memory, int block) {
    return SlabAllocator.offset(block) + expiryAt(flags(memory, block));
  }

  // ------------------------------------------------------------------ layout

  private static int flags(SlabAllocator memory, int block) {
    return flags(memory.chunk(block), SlabAllocator.offset(block));
  }

  private static int flags(MemorySegment chunk, long at) {
    return (int) chunk.get(LONG, at + INDEX_AT);
  }

  private static int expiryAt(int flags) {
    return HEADER_BYTES + ((flags & STAMPED) != 0 ? Long.BYTES : 0);
  }

  private static int keyAt(int flags) {
    return expiryAt(flags) + ((flags & EXPIRING) != 0 ? EXPIRY_BYTES : 0);
  }
}
