package io.cantle.core.replica;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.transport.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of a segment for the guard of the heap, and asks it for room. What is kept off
 * the heap does not count.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class HeapCount {
  /** Smaller changes are added up before the guard is told. */
  private static final int MIN_TOLD_BYTES = 4_096;

  private final HeapRoom room;
  private final Container entries;
  private final boolean isOnHeap;
  private long untoldBytes;

  HeapCount(HeapRoom room, Container entries) {
    this.room = room;
    this.entries = entries;
    this.isOnHeap = entries.keepsEntries();
  }

  /** Counts a change of the size of the segment. */
  void onSizeChange(long bytes) {
    if (isOnHeap) {
      untoldBytes += bytes;
      if (Math.abs(untoldBytes) >= MIN_TOLD_BYTES) {
        tell();
      }
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

  /** Counts a write that is refused, if that is because of a heap. */
  void countRefusal(WriteRefusal refusal) {
    if (refusal.shortage() == WriteRefusal.Shortage.HEAP_FULL) {
      room.guard().countRefusal();
    }
  }
}
