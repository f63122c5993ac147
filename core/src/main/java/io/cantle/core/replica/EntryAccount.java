package io.cantle.core.replica;

import io.cantle.WhenFull;
import io.cantle.core.container.AppliedObserver;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EvictionQueue;
import io.cantle.core.ownership.SegmentShare;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a replica whose cache has a bound: how much of the segment's share they take, and
 * which of them is to go first. Every replica keeps this, since it may be the primary soon.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; any thread may ask {@link #exceeds}.
 */
final class EntryAccount implements AppliedObserver {
  private final Container entries;

  /** Null if writes are refused instead. */
  private final @Nullable EvictionQueue queue;

  /** The bytes of entries with a value. */
  private volatile long liveBytes;

  /** The bytes of the queue. */
  private volatile long queueBytes;

  EntryAccount(Container entries, WhenFull whenFull) {
    this.entries = entries;
    this.queue = whenFull == WhenFull.EVICT ? new EvictionQueue(entries) : null;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the holder of the lock writes.
  public void onApplied(@Nullable Entry before, @Nullable Entry after) {
    long bytesBefore = bytesOf(before);
    liveBytes += bytesOf(after) - bytesBefore;
    if (queue == null || after == null || after.isTombstone()) {
      return;
    }
    if (bytesBefore == 0) {
      queue.onAdded(after);
      queueBytes = queue.sizeBytes();
    } else {
      entries.markUsed(after);
    }
  }

  /** The bytes of an entry with a value, never 0; 0 if there is none. */
  private int bytesOf(@Nullable Entry entry) {
    return entry == null || entry.isTombstone() ? 0 : entries.sizeBytes(entry);
  }

  /** Forgets everything, because the segment was cleared. */
  void clear() {
    if (queue != null) {
      queue.clear();
      queueBytes = 0;
    }
  }

  /** Whether entries are evicted when there are too many. */
  boolean evicts() {
    return queue != null;
  }

  /** The memory that is taken to know which entry goes first. */
  long queueBytes() {
    return queueBytes;
  }

  /** Whether the entries take more than a share, with what it takes to know their order. */
  boolean exceeds(SegmentShare share) {
    return entries.liveCount() > share.maxEntries() || liveBytes + queueBytes > share.maxBytes();
  }

  /** The entry that is to go next, which the caller removes; null if there is none. */
  @Nullable Entry pollVictim() {
    if (queue == null) {
      return null;
    }
    Entry victim = queue.pollVictim();
    queueBytes = queue.sizeBytes();
    return victim;
  }

  /** Why a value cannot be written in the place of another entry; null if it can. */
  @Nullable WriteRefusal refusal(SegmentShare share, @Nullable Entry present, Entry added) {
    if (entries.sizeBytes(added) > share.maxBytes()) {
      return new WriteRefusal(
          WriteRefusal.Shortage.ENTRY_TOO_LONG, entries.sizeBytes(added), share.maxBytes());
    }
    if (queue != null) {
      return null;
    }
    int presentBytes = bytesOf(present);
    int growth = entries.sizeBytes(added) - presentBytes;
    if (presentBytes == 0 && entries.liveCount() >= share.maxEntries()) {
      return new WriteRefusal(
          WriteRefusal.Shortage.ENTRIES_FULL, entries.liveCount(), share.maxEntries());
    }
    return growth > 0 && liveBytes + growth > share.maxBytes()
        ? new WriteRefusal(WriteRefusal.Shortage.BYTES_FULL, liveBytes, share.maxBytes())
        : null;
  }
}
