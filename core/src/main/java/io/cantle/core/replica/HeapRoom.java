package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.ReplicationMessage.HeapNotice;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether the heaps of the nodes that hold a segment have room for more. A primary asks before a
 * write that needs memory: its own heap, and those of the other writers, which cannot refuse what a
 * primary has ordered.
 *
 * <p>What is known of another heap is what its node has told last ({@link HeapExchange}), which may
 * be late by a message. The reserve of {@link HeapGuard} is for that.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class HeapRoom {
  /** How long a notice counts. A full node repeats it several times meanwhile. */
  static final long NOTICE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final HeapGuard guard;
  private final Clock clock;
  private final Map<Member, FullHeap> fullHeaps = new ConcurrentHashMap<>();

  /** A notice, and until when it counts. */
  private record FullHeap(HeapNotice notice, long untilNanos) {}

  /** Creates the room in the heap of this guard. */
  public HeapRoom(HeapGuard guard, Clock clock) {
    this.guard = guard;
    this.clock = clock;
  }

  /** The guard of the heap of this node. */
  HeapGuard guard() {
    return guard;
  }

  /** Why an entry cannot take so many more bytes at this node and others; null if it can. */
  @Nullable WriteRefusal refusal(List<Member> others, long moreBytes) {
    if (moreBytes <= 0) {
      return null;
    }
    return guard.hasRoom(moreBytes)
        ? fullHeaps.isEmpty() ? null : refusalOf(others)
        : WriteRefusal.fullHeap("", guard.usedBytes(), guard.limitBytes());
  }

  private @Nullable WriteRefusal refusalOf(List<Member> others) {
    for (Member other : others) {
      FullHeap full = fullHeaps.get(other);
      if (full != null && counts(full)) {
        return WriteRefusal.fullHeap(
            other.name(), full.notice.usedBytes(), full.notice.limitBytes());
      }
    }
    return null;
  }

  private boolean counts(FullHeap full) {
    return clock.nanoTime() - full.untilNanos < 0;
  }

  /** Notes what a member has told of its heap. */
  void onNotice(Member from, HeapNotice notice) {
    if (notice.isFull()) {
      fullHeaps.put(from, new FullHeap(notice, clock.nanoTime() + NOTICE_NANOS));
    } else {
      fullHeaps.remove(from);
    }
  }

  /** Forgets notices that count no longer, and those of nodes that are no members. */
  void retain(Collection<Member> members) {
    fullHeaps
        .entrySet()
        .removeIf(known -> !members.contains(known.getKey()) || !counts(known.getValue()));
  }

  /** The names of the other members whose heaps are full. */
  public List<String> fullMembers() {
    return fullHeaps.entrySet().stream()
        .filter(known -> counts(known.getValue()))
        .map(known -> known.getKey().name())
        .sorted()
        .toList();
  }
}
