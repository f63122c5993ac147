package io.cantle.core.container;

import io.cantle.core.memory.MemoryAccount;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A container whose entries, with their keys and its table, are in memory off the heap. It makes
 * the entries that it returns.
 *
 * <p><b>Design.</b> All memory comes from one arena, in slabs ({@link SlabAllocator}), so clearing
 * gives it back at once. An entry is in one block ({@link EntryBlock}); the {@link BlockTable}
 * links the blocks in order. Readers take no lock: they read what is there and then ask the {@link
 * SequenceLock} whether it changed meanwhile. A change is the moment in which links are set, or in
 * which an entry is written over the one that it replaces. Before the former, its block is filled,
 * which no reader can reach yet; after it, the block that it replaces is free, and a reader that is
 * still there learns that it is late.
 *
 * <p>When most of the memory lies free between blocks of other sizes, or most of the table is
 * empty, what is left is copied to a new arena, and the old one is closed.
 *
 * <p><b>Threading:</b> as {@link Container}.
 */
@SuppressWarnings("resource") // Tables are closed when they are replaced.
public final class OffHeapContainer implements Container {
  private static final VarHandle LIVE_COUNT =
      HeapEntry.field(MethodHandles.lookup(), "liveCount", int.class);
  private static final VarHandle TOMBSTONE_COUNT =
      HeapEntry.field(MethodHandles.lookup(), "tombstoneCount", int.class);
  private static final VarHandle BYTES =
      HeapEntry.field(MethodHandles.lookup(), "bytes", long.class);

  /** The share of an entry in the table, as far as that is not counted in its block. */
  private static final int TABLE_BYTES = 8;

  /** Below this, memory is not given back while there are entries. */
  private static final long MIN_SPARSE_BYTES = 64 << 10;

  private static final int SPARSE_DIVISOR = 4;

  /**
   * Up to this, a segment is copied to one slab when its table grows, since each slab takes heap.
   * Closing the arena interrupts all threads for a moment, so a small one is left as it is.
   */
  private static final long MAX_ONE_SLAB_BYTES = 512 << 10;

  /** Readers wait while an entry is written over another, so a longer one has a new block. */
  private static final int MAX_OVERWRITTEN_UNITS = (64 << 10) / SlabAllocator.UNIT_BYTES;

  /** How many entries of a scan are read at once, at first and at most. */
  private static final int FIRST_PART_ENTRIES = 4;

  private static final int MAX_PART_ENTRIES = 64;
  private static final long MAX_PART_BYTES = 64 << 10;

  private final Supplier<Arena> arenas;
  private final MemoryAccount account;
  private final SequenceLock changes = new SequenceLock();
  private final BlockExpiryHeap expiryHeap = new BlockExpiryHeap();

  /** Null while there is no entry. */
  private volatile @Nullable BlockTable table;

  private int liveCount;
  private int tombstoneCount;
  private long bytes;

  /**
   * Creates a segment without entries, which has no memory yet.
   *
   * @param arenas makes the arenas of this container; any thread may read from them
   * @param account what is reserved is counted here; beyond its limit only what must be put
   */
  public OffHeapContainer(Supplier<Arena> arenas, MemoryAccount account) {
    this.arenas = arenas;
    this.account = account;
  }

  // ------------------------------------------------------------------ reading

  @Override
  public @Nullable Entry get(long hash, byte[] key, int offset, int length) {
    return changes.read(
        maxSteps -> {
          BlockTable current = table;
          int block = current == null ? 0 : current.find(hash, key, offset, length, maxSteps);
          return current == null || block == 0
              ? null
              : EntryBlock.read(current.memory(), block, true);
        });
  }

  @Override
  public <T> @Nullable T read(
      long hash, byte[] key, int offset, int length, EntryReader<T> reader) {
    return changes.read(
        maxSteps -> {
          BlockTable current = table;
          int block = current == null ? 0 : current.find(hash, key, offset, length, maxSteps);
          return current == null || block == 0
              ? null
              : reader.read(new BlockEntry(current.chunk(block), SlabAllocator.offset(block)));
        });
  }

  @Override
  public @Nullable Entry findLive(long hash) {
    return changes.read(
        maxSteps -> {
          BlockTable current = table;
          int block = current == null ? 0 : current.findLive(hash, maxSteps);
          return current == null || block == 0
              ? null
              : EntryBlock.read(current.memory(), block, true);
        });
  }

  @Override
  public SegmentCursor scan(SegmentCursor from, EntryVisitor visitor) {
    return scan(from, true, visitor);
  }

  @Override
  public SegmentCursor scanKeys(SegmentCursor from, EntryVisitor visitor) {
    return scan(from, false, visitor);
  }

  private SegmentCursor scan(SegmentCursor from, boolean withValues, EntryVisitor visitor) {
    if (from.kind() == SegmentCursor.CursorKind.END) {
      return SegmentCursor.END;
    }
    SegmentCursor at = from;
    for (int maxEntries = FIRST_PART_ENTRIES;
        ;
        maxEntries = Math.min(2 * maxEntries, MAX_PART_ENTRIES)) {
      BlockTable.ScanPart part = readPart(at, withValues, maxEntries);
      List<Entry> entries = part.entries();
      for (int i = 0; i < entries.size(); i++) {
        VisitResult visit = visitor.visit(entries.get(i));
        if (visit == VisitResult.STOP_AFTER) {
          return SegmentCursor.after(entries.get(i));
        }
        if (visit == VisitResult.STOP_BEFORE) {
          return i == 0 ? at : SegmentCursor.after(entries.get(i - 1));
        }
      }
      if (part.isLast()) {
        return SegmentCursor.END;
      }
      at = SegmentCursor.after(entries.getLast());
    }
  }

  private BlockTable.ScanPart readPart(SegmentCursor from, boolean withValues, int maxEntries) {
    BlockTable.ScanPart part =
        changes.read(
            maxSteps -> {
              BlockTable current = table;
              return current == null
                  ? null
                  : current.readAfter(from, withValues, maxEntries, MAX_PART_BYTES, maxSteps);
            });
    return part == null ? BlockTable.ScanPart.EMPTY : part;
  }

  @Override
  public boolean contains(Entry entry) {
    return findSame(table, entry) != 0;
  }

  /** Returns the block of an entry; 0 if it is not present any more. */
  private static int findSame(@Nullable BlockTable current, Entry entry) {
    if (current == null) {
      return 0;
    }
    int block = current.find(entry);
    return block != 0 && EntryBlock.isSame(current.memory(), block, entry) ? block : 0;
  }

  @Override
  public int liveCount() {
    return (int) LIVE_COUNT.getAcquire(this);
  }

  @Override
  public int tombstoneCount() {
    return (int) TOMBSTONE_COUNT.getAcquire(this);
  }

  @Override
  public long sizeBytes() {
    return (long) BYTES.getAcquire(this);
  }

  @Override
  public int sizeBytes(Entry entry) {
    return toSizeBytes(EntryBlock.units(entry));
  }

  private static int toSizeBytes(long units) {
    return (int) Math.min(Integer.MAX_VALUE, units * SlabAllocator.UNIT_BYTES + TABLE_BYTES);
  }

  @Override
  public boolean keepsEntries() {
    return false;
  }

  @Override
  public long earliestExpiryMillis() {
    return expiryHeap.earliestMillis();
  }

  @Override
  public @Nullable Entry findDue(long nowMillis) {
    BlockTable current = table;
    return current != null && expiryHeap.earliestMillis() <= nowMillis
        ? EntryBlock.read(current.memory(), expiryHeap.first(), true)
        : null;
  }

  // ------------------------------------------------------------------ changing

  @Override
  public @Nullable MemoryShortage shortageFor(Entry entry) {
    BlockTable current = table;
    long units = EntryBlock.units(entry);
    boolean hasRoom =
        current != null
            ? current.memory().hasRoom(units)
            : account.hasRoom(SlabAllocator.MIN_SLAB_BYTES + units * SlabAllocator.UNIT_BYTES);
    return hasRoom ? null : new MemoryShortage(account.reservedBytes(), account.limitBytes());
  }

  @Override
  public void put(Entry entry) {
    long units = EntryBlock.units(entry);
    BlockTable current = table;
    if (current == null) {
      current = create();
      table = current;
    }
    int present = current.find(entry);
    long presentUnits = present == 0 ? 0 : EntryBlock.units(current.memory(), present);
    if (units == presentUnits && units <= MAX_OVERWRITTEN_UNITS) {
      overwrite(current, present, entry);
      return;
    }
    int block = current.memory().allocate(units);
    if (block == 0 && current.memory().isFragmented()) {
      current = copy(current, size());
      block = current.memory().allocate(units);
    }
    if (block == 0) {
      block = current.allocate(units, false);
    }
    if (block == 0 && units <= presentUnits) {
      // A removal needs no memory so. While there is some, blocks are not cut into pieces.
      overwrite(current, current.find(entry), entry);
      return;
    }
    if (block == 0) {
      block = current.allocate(units, true);
    }
    if (block == 0) {
      throw noMemory(units);
    }
    putBlock(current, block, entry);
    // Afterwards, because the room that there is is the entry's first.
    if (current.isCrowded(size() + 1)) {
      grow(current);
    }
  }

  /** Writes an entry into the block of the one that it replaces, which is long enough. */
  private void overwrite(BlockTable current, int block, Entry entry) {
    SlabAllocator memory = current.memory();
    int units = (int) EntryBlock.units(entry);
    long unused = EntryBlock.units(memory, block) - units;
    boolean countsStay =
        unused == 0 && EntryBlock.isTombstone(memory, block) == entry.isTombstone();
    expiryHeap.takeOut(memory, block);
    changes.beginChange();
    try {
      if (!countsStay) {
        adjustCounts(memory, block, -1);
      }
      EntryBlock.write(memory, block, entry);
      if (!countsStay) {
        adjustCounts(memory, block, 1);
      }
    } finally {
      changes.endChange();
    }
    expiryHeap.add(memory, block);
    if (unused > 0) {
      memory.free(block + units, unused);
      giveBackIfSparse(current);
    }
  }

  /** Writes an entry into a new block, which takes the place of the one that it replaces. */
  private void putBlock(BlockTable current, int block, Entry entry) {
    SlabAllocator memory = current.memory();
    EntryBlock.write(memory, block, entry);
    int before = current.findBefore(entry.hash(), entry.bytes(), entry.keyLength());
    int following = current.following(entry.hash(), before);
    int replaced =
        following != 0
                && EntryBlock.compareOrder(
                        memory, following, entry.hash(), entry.bytes(), 0, entry.keyLength())
                    == 0
            ? following
            : 0;
    EntryBlock.setNext(
        memory, block, replaced == 0 ? following : EntryBlock.next(memory, replaced));
    expiryHeap.replace(memory, replaced, block);
    changes.beginChange();
    try {
      current.setFollowing(entry.hash(), before, block);
      adjustCounts(memory, block, 1);
      if (replaced != 0) {
        adjustCounts(memory, replaced, -1);
      }
    } finally {
      changes.endChange();
    }
    if (replaced != 0) {
      memory.free(replaced, EntryBlock.units(memory, replaced));
      giveBackIfSparse(current);
    }
  }

  @Override
  public boolean remove(Entry entry) {
    BlockTable current = table;
    int block = findSame(current, entry);
    if (current == null || block == 0) {
      return false;
    }
    SlabAllocator memory = current.memory();
    int before = current.findBefore(entry.hash(), entry.bytes(), entry.keyLength());
    expiryHeap.replace(memory, block, 0);
    changes.beginChange();
    try {
      current.setFollowing(entry.hash(), before, EntryBlock.next(memory, block));
      adjustCounts(memory, block, -1);
    } finally {
      changes.endChange();
    }
    memory.free(block, EntryBlock.units(memory, block));
    giveBackIfSparse(current);
    return true;
  }

  @Override
  public void clear() {
    BlockTable current = table;
    changes.beginChange();
    try {
      table = null;
      LIVE_COUNT.setRelease(this, 0);
      TOMBSTONE_COUNT.setRelease(this, 0);
      BYTES.setRelease(this, 0L);
    } finally {
      changes.endChange();
    }
    expiryHeap.clear();
    if (current != null) {
      current.close();
    }
  }

  private void giveBackIfSparse(BlockTable current) {
    SlabAllocator memory = current.memory();
    if (size() == 0) {
      // One slab stays, for a segment that is emptied again and again.
      if (memory.reservedBytes() > SlabAllocator.MIN_SLAB_BYTES) {
        clear();
      }
    } else if (memory.reservedBytes() > MIN_SPARSE_BYTES
        && (memory.usedBytes() < memory.reservedBytes() / SPARSE_DIVISOR
            || current.isSparse(size()))) {
      copy(current, size());
    }
  }

  private BlockTable create() {
    BlockTable created = BlockTable.create(arenas.get(), account, 1, 0, true);
    if (created == null) {
      throw noMemory(1);
    }
    return created;
  }

  /**
   * Doubles the table, unless memory is short: it takes no room that an entry may need, or has made
   * by its removal.
   */
  private void grow(BlockTable current) {
    if (!account.hasRoom(SlabAllocator.MIN_SLAB_BYTES + current.doubledBytes())) {
      return;
    }
    BlockTable grown = current;
    long reserved = current.memory().reservedBytes();
    if (reserved > MIN_SPARSE_BYTES && reserved <= MAX_ONE_SLAB_BYTES) {
      grown = copy(current, 2 * size());
    }
    if (grown.isCrowded(size() + 1)) {
      grown.grow(changes);
    }
  }

  /**
   * Copies everything to a new arena and closes the old one, unless there is no memory for it.
   *
   * @param entries how many entries the table is to be for
   */
  private BlockTable copy(BlockTable current, int entries) {
    long units = current.blockUnits();
    BlockTable target =
        BlockTable.create(
            arenas.get(),
            account,
            entries,
            units * SlabAllocator.UNIT_BYTES <= MAX_ONE_SLAB_BYTES ? units : 0,
            false);
    if (target == null) {
      return current;
    }
    int[] moved = null;
    try {
      moved = current.copyTo(target, expiryHeap.size());
    } finally {
      if (moved == null) {
        target.close();
      }
    }
    if (moved == null) {
      return current;
    }
    changes.beginChange();
    try {
      table = target;
    } finally {
      changes.endChange();
    }
    expiryHeap.moveTo(moved);
    current.close();
    return target;
  }

  private OutOfMemoryError noMemory(long units) {
    return new OutOfMemoryError(
        "no memory off the heap for a block of %,d bytes: %,d bytes are reserved of %,d"
            .formatted(
                units * SlabAllocator.UNIT_BYTES, account.reservedBytes(), account.limitBytes()));
  }

  private int size() {
    return liveCount + tombstoneCount;
  }

  private void adjustCounts(SlabAllocator memory, int block, int sign) {
    if (EntryBlock.isTombstone(memory, block)) {
      TOMBSTONE_COUNT.setRelease(this, tombstoneCount + sign);
    } else {
      LIVE_COUNT.setRelease(this, liveCount + sign);
    }
    BYTES.setRelease(this, bytes + (long) sign * toSizeBytes(EntryBlock.units(memory, block)));
  }

  // ------------------------------------------------------------------ marks of eviction

  @Override
  public void markUsed(Entry entry) {
    // What it was when it was read tells enough: most entries that are read are read again. A mark
    // that is lost to a change under way is the price of not waiting for it.
    if (!entry.isEvicted() && !((HeapEntry) entry).isUsed() && changes.tryLock()) {
      try {
        setUsed(entry, true);
      } finally {
        changes.unlock();
      }
    }
  }

  @Override
  public boolean isUsed(Entry entry) {
    changes.lock();
    try {
      BlockTable current = table;
      int block = findSame(current, entry);
      return current != null && block != 0 && EntryBlock.isUsed(current.memory(), block);
    } finally {
      changes.unlock();
    }
  }

  @Override
  public boolean testAndClearUsed(Entry entry) {
    changes.lock();
    try {
      return setUsed(entry, false);
    } finally {
      changes.unlock();
    }
  }

  /** Sets the mark of an entry that is present and has its value; returns what it was. */
  private boolean setUsed(Entry entry, boolean used) {
    BlockTable current = table;
    int block = entry.isEvicted() ? 0 : findSame(current, entry);
    if (current == null || block == 0) {
      return false;
    }
    boolean before = EntryBlock.isUsed(current.memory(), block);
    if (before != used) {
      EntryBlock.setUsed(current.memory(), block, used);
    }
    return before;
  }
}
