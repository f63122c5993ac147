package io.cantle.core.replica;

import io.cantle.WhenFull;
import io.cantle.core.container.AppliedObserver;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EvictionQueue;
import io.cantle.core.ownership.SegmentShare;
import org.jspecify.annotations.Nullable;

/**
 * What may be evicted of a replica: how much memory it takes, and which of it is to go first. Of a
 * cache with a bound these are the entries, which are to stay within the segment's share. Of a
 * durable cache they are the values in memory.
 *
 * <p>Every replica keeps this: it may be the primary soon, and values leave at each owner alone.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; any thread may ask {@link #exceeds} and
 * {@link #liveBytes}.
 */
final class EntryAccount implements AppliedObserver {
  private final Container entries;

  /** Evicts values; null if entries are evicted, or writes refused. */
  private final @Nullable ValueEvictor valueEvictor;

  /** Null if writes are refused instead. */
  private final @Nullable EvictionQueue queue;

  /** How many entries may be evicted, or the values of how many. */
  private int liveCount;

  /** The bytes that would be free if all of it were evicted. */
  private volatile long liveBytes;

  /** The bytes of the queue. */
  private volatile long queueBytes;

  /** What the evictor of values knows of. */
  private long toldBytes;

  private EntryAccount(Container entries, @Nullable ValueEvictor valueEvictor, boolean evicts) {
    this.entries = entries;
    this.valueEvictor = valueEvictor;
    this.queue =
        evicts ? new EvictionQueue(entries, one -> bytesOf(one) > 0, () -> liveCount) : null;
  }

  /** The account of a replica without entries, whose cache has a bound. */
  static EntryAccount ofEntries(Container entries, WhenFull whenFull) {
    return new EntryAccount(entries, null, whenFull == WhenFull.EVICT);
  }

  /**
   * The account of a durable replica. The values that it was loaded with enter the queue in the
   * order of their hashes, since nothing is known of their use.
   *
   * @param valueEvictor is told how much memory the replica takes
   */
  static EntryAccount ofValues(Container entries, ValueEvictor valueEvictor) {
    EntryAccount account = new EntryAccount(entries, valueEvictor, true);
    entries.forEach(loaded -> account.onApplied(null, loaded));
    return account;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the holder of the lock writes.
  public void onApplied(@Nullable Entry before, @Nullable Entry after) {
    int bytesBefore = bytesOf(before);
    int bytesAfter = bytesOf(after);
    liveCount += Integer.signum(bytesAfter) - Integer.signum(bytesBefore);
    liveBytes += bytesAfter - bytesBefore;
    if (queue != null && bytesBefore == 0 && after != null && bytesAfter > 0) {
      queue.onAdded(after);
    } else if (queue != null && after != null && bytesAfter > 0) {
      entries.markUsed(after);
    }
    onChange();
  }

  /** Counts what the queue takes, and tells the evictor of values what all takes. */
  private void onChange() {
    if (queue != null) {
      queueBytes = queue.sizeBytes();
    }
    if (valueEvictor != null) {
      long bytes = entries.sizeBytes() + queueBytes;
      if (bytes != toldBytes) {
        valueEvictor.onSizeChange(bytes - toldBytes);
        toldBytes = bytes;
      }
    }
  }

  /** The bytes that are free once an entry, or its value, is evicted; 0 if it cannot be. */
  private int bytesOf(@Nullable Entry entry) {
    if (entry == null || entry.isTombstone()) {
      return 0;
    }
    return valueEvictor != null ? entry.evictableBytes() : entries.sizeBytes(entry);
  }

  /** Forgets everything, because the segment was cleared; called after that. */
  void clear() {
    if (queue != null) {
      queue.clear();
    }
    onChange();
  }

  /** Whether something is evicted when there is too much. */
  boolean evicts() {
    return queue != null;
  }

  /** The bytes that would be free if all that may be evicted were. */
  long liveBytes() {
    return liveBytes;
  }

  /** The memory that is taken to know what goes first. */
  long queueBytes() {
    return queueBytes;
  }

  /** How many are on probation beyond what may be, and go first. */
  int surplus() {
    return queue == null ? 0 : queue.surplus();
  }

  /** How many there are to look at, with places of what has gone. */
  int queueLength() {
    return queue == null ? 0 : queue.size();
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
    onChange();
    return victim;
  }

  /**
   * Looks at the next one in the queue. Returns it if it is to go; null if it was used, and begins
   * again.
   */
  @Nullable Entry pollUnused() {
    if (queue == null) {
      return null;
    }
    Entry victim = queue.pollUnused();
    onChange();
    return victim;
  }

  /** Takes back what was to go and stays. */
  void takeBack(Entry spared) {
    if (queue != null) {
      queue.takeBack(spared);
      onChange();
    }
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
