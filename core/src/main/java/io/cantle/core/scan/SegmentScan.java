package io.cantle.core.scan;

import io.cantle.core.container.Container.EntryVisitor;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.wire.ScanTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One segment in a scan at its owner, with the state of the replica when the scan of it began.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param replica this owner's replica of the segment
 * @param state the state of the replica at the beginning
 * @param target which of its entries are wanted
 * @param hashSeed the hash seed of the grid
 */
record SegmentScan(Replica replica, ReplicaState state, ScanTarget target, long hashSeed) {
  /** The most keys whose values are read from disk together. */
  private static final int MAX_KEYS_PER_READ = 64;

  /** A read ends earlier once its values have this many bytes. */
  private static final long MAX_BYTES_PER_READ = 1 << 20;

  /** Waits until an entry is committed; returns false if it will not be. */
  interface CommitWaiter {
    boolean awaitCommit(Replica replica, int epoch, Entry entry);
  }

  /** Whether what was read since the beginning counts: the replica is still in the same state. */
  boolean isValid() {
    return state.isSameAs(replica.state());
  }

  /**
   * The version of an entry that the scan delivers: the newest one if it is committed, else the one
   * it has waited for. Null if the scan has to wait until the newest version is committed.
   *
   * @param awaited a version that the scan has waited for. It is delivered although the key may
   *     have been written again since. If a key is written all the time, no version of it would be
   *     committed before the next one exists
   */
  @Nullable Entry visibleVersion(Entry newest, @Nullable Entry awaited) {
    if (replica.isClean(newest, state.epoch())) {
      return newest;
    }
    return awaited != null && awaited.hasSameKey(newest) ? awaited : null;
  }

  /**
   * Visits the wanted entries after a cursor and returns the cursor to continue from; both mean the
   * same with a key filter as without. It may stop early if the disk does not answer. A scan by
   * keys counts as a use of their values; a whole scan leaves what is in memory as it is.
   *
   * @param needsValue whether to read the value of an entry if it is only on disk
   */
  SegmentCursor scan(SegmentCursor from, Predicate<Entry> needsValue, EntryVisitor visitor) {
    List<byte[]> keys = target.keys();
    return keys == null
        ? replica.valueResidency().scan(from, needsValue, visitor)
        : scan(keys, from, needsValue, visitor);
  }

  private SegmentCursor scan(
      List<byte[]> keys, SegmentCursor from, Predicate<Entry> needsValue, EntryVisitor visitor) {
    if (from.kind() == SegmentCursor.CursorKind.END) {
      return SegmentCursor.END;
    }
    SegmentCursor lastCursor = from;
    List<Entry> batch = new ArrayList<>();
    long bytes = 0;
    boolean withValues = false;
    for (int next = 0; next < keys.size(); next++) {
      byte[] key = keys.get(next);
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      Entry entry =
          KeyFilter.isAfter(from, hash, key)
              ? replica.entries().get(hash, key, 0, key.length)
              : null;
      if (entry != null) {
        batch.add(entry);
        withValues |= needsValue.test(entry);
        bytes += withValues ? entry.valueLength() : 0;
      }
      if (batch.size() == MAX_KEYS_PER_READ
          || bytes >= MAX_BYTES_PER_READ
          || next == keys.size() - 1) {
        List<? extends @Nullable Entry> loaded =
            withValues ? replica.valueResidency().awaitLoaded(batch) : batch;
        if (loaded == null) {
          return lastCursor;
        }
        for (int i = 0; i < loaded.size(); i++) {
          Entry newest = loaded.get(i);
          VisitResult visit = newest == null ? VisitResult.CONTINUE : visitor.visit(newest);
          if (visit == VisitResult.STOP_BEFORE) {
            return lastCursor;
          }
          lastCursor = SegmentCursor.after(batch.get(i));
          if (visit == VisitResult.STOP_AFTER) {
            return lastCursor;
          }
        }
        batch.clear();
        bytes = 0;
      }
    }
    return SegmentCursor.END;
  }
}
