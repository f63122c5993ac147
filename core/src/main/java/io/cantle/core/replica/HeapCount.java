package io.cantle.core.replica;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.ObjectLayout;
import io.cantle.core.transport.Member;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of a segment for the guard of the heap, and asks it for room: entries,
 * tombstones and their order, the results of sessions, and the queue of a cache with a bound.
 * Entries that are kept off the heap do not count.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class HeapCount {
  /** Smaller changes are added up before the guard is told. */
  private static final int MIN_TOLD_BYTES = 4_096;

  /** The place of a tombstone among those that may go, in an array that has room for more. */
  private static final int TOMBSTONE_PLACE_BYTES = ObjectLayout.REFERENCE_BYTES * 5 / 4;

  private final HeapRoom room;
  private final Container entries;
  private final SessionTable sessions;
  private final Collection<Entry> tombstones;
  private final @Nullable EntryAccount account;
  private final boolean isOnHeap;
  private long untoldBytes;

  /** What is counted besides the entries. */
  private long otherBytes;

  /**
   * @param account of the entries if their cache has a bound, else null
   */
  HeapCount(
      HeapRoom room,
      Container entries,
      SessionTable sessions,
      Collection<Entry> tombstones,
      @Nullable EntryAccount account) {
    this.room = room;
    this.entries = entries;
    this.sessions = sessions;
    this.tombstones = tombstones;
    this.account = account;
    this.isOnHeap = entries.keepsEntries();
  }

  /** Counts a change of the size of the segment, and what it keeps besides. */
  void onSizeChange(long bytes) {
    if (isOnHeap) {
      add(bytes);
    }
    countOther();
  }

  /** Counts what is kept on the heap besides entries; of a write under way, with the next one. */
  void countOther() {
    setOtherBytes(
        sessions.sizeBytes()
            + (long) tombstones.size() * TOMBSTONE_PLACE_BYTES
            + (account == null ? 0 : account.queueBytes()));
  }

  /** Counts nothing besides entries any more. */
  void clear() {
    setOtherBytes(0);
    tell();
  }

  private void setOtherBytes(long bytes) {
    if (bytes != otherBytes) {
      add(bytes - otherBytes);
      otherBytes = bytes;
    }
  }

  private void add(long bytes) {
    untoldBytes += bytes;
    if (Math.abs(untoldBytes) >= MIN_TOLD_BYTES) {
      tell();
    }
  }

  /** Tells the guard all that it does not know yet. */
  void tell() {
    room.guard().onEntriesChange(untoldBytes);
    untoldBytes = 0;
  }

  /** Why an entry cannot take the place of another; null if it can. */
  @Nullable WriteRefusal refusal(List<Member> others, @Nullable Entry present, Entry added) {
    if (!isOnHeap) {
      return null;
    }
    long presentBytes = present == null ? 0 : entries.sizeBytes(present);
    return room.refusal(others, entries.sizeBytes(added) - presentBytes);
  }

  /** Whether an entry that no other node holds can surely take so many more bytes. */
  boolean hasRoom(long moreBytes) {
    return room.refusal(List.of(), moreBytes) == null;
  }

  /** Counts a write that is refused, if that is because of a heap. */
  void countRefusal(WriteRefusal refusal) {
    if (refusal.shortage() == WriteRefusal.Shortage.HEAP_FULL) {
      room.guard().countRefusal();
    }
  }
}
