package io.cantle.core.replica;

import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.ownership.SegmentShare;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evicts entries of a replica whose cache has a bound. An eviction is a write of the primary, as a
 * tick is ({@link ReplicaExpiry}): a removal with a version, which all owners apply. A backup never
 * evicts by itself.
 *
 * <p><b>Threading:</b> any thread; writes take the lock of the replica.
 */
public final class ReplicaEviction {
  /** The most entries to evict while the lock is held. */
  private static final int MAX_EVICTIONS_PER_LOCK = 256;

  /**
   * A segment is emptied by this fraction of its share at once, so that not every write evicts an
   * entry.
   */
  private static final int SLACK_DIVISOR = 64;

  private final Replica replica;
  private final ReplicaData data;
  private final @Nullable EntryAccount account;
  private volatile SegmentShare share = SegmentShare.UNBOUNDED;
  private volatile long evictedCount;

  ReplicaEviction(Replica replica, ReplicaData data) {
    this.replica = replica;
    this.data = data;
    this.account = data.account();
  }

  /** Sets what the segment may hold. */
  void setShare(SegmentShare value) {
    share = value;
  }

  /** What the segment may hold. */
  SegmentShare share() {
    return share;
  }

  /** Whether the segment holds more than its share, and something is evicted then. */
  public boolean isDue() {
    return account != null && account.evicts() && account.exceeds(share);
  }

  /** How many entries this replica has evicted as the primary. */
  public long evictedCount() {
    return evictedCount;
  }

  /**
   * Evicts some of what is beyond the share, as the primary. Returns the writes in their order;
   * none if nothing is due, or this is not the primary.
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the holder of the lock writes.
  public List<PrimaryInitiatedWrite> writeEvictions() {
    if (!isDue()) {
      return List.of();
    }
    List<PrimaryInitiatedWrite> evictions = new ArrayList<>();
    synchronized (replica) {
      SegmentShare lowered = isDue() ? lower(share) : share;
      while (evictions.size() < MAX_EVICTIONS_PER_LOCK && exceeds(lowered)) {
        PrimaryInitiatedWrite eviction = replica.issueWrite(data::evictionWrite);
        if (eviction == null) {
          break;
        }
        evictions.add(eviction);
      }
      evictedCount += evictions.size();
    }
    return evictions;
  }

  private boolean exceeds(SegmentShare limit) {
    return account != null && account.exceeds(limit);
  }

  private static SegmentShare lower(SegmentShare share) {
    return new SegmentShare(
        share.maxEntries() - share.maxEntries() / SLACK_DIVISOR,
        share.maxBytes() - share.maxBytes() / SLACK_DIVISOR);
  }

  /**
   * Why a value cannot be written in the place of another entry; null if it can.
   *
   * @param others the other members that would have to hold it
   */
  @Nullable WriteRefusal refusal(List<Member> others, @Nullable Entry present, Entry added) {
    WriteRefusal refusal = account == null ? null : account.refusal(share, present, added);
    if (refusal == null) {
      refusal = heapRefusal(others, present, added);
    }
    return refusal == null ? shortage(present, added) : refusal;
  }

  private @Nullable WriteRefusal heapRefusal(
      List<Member> others, @Nullable Entry present, Entry added) {
    WriteRefusal refusal = data.heapCount().refusal(others, present, added);
    if (refusal == null) {
      return null;
    }
    // Results of earlier commands may be gone since they were counted.
    data.heapCount().countOther();
    return data.heapCount().refusal(others, present, added);
  }

  /** Refuses what needs more memory than there may be, unless what it frees is as much. */
  private @Nullable WriteRefusal shortage(@Nullable Entry present, Entry added) {
    Container entries = data.entries();
    Container.MemoryShortage shortage = entries.shortageFor(added);
    return shortage == null
            || (present != null && entries.sizeBytes(added) <= entries.sizeBytes(present))
        ? null
        : new WriteRefusal(
            WriteRefusal.Shortage.OFF_HEAP_FULL, shortage.usedBytes(), shortage.limitBytes());
  }
}
