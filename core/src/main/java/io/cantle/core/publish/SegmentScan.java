package io.cantle.core.publish;

import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.container.SegmentEntries.VisitResult;
import io.cantle.core.container.SegmentEntries.Visitor;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.segment.KeyHash;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A segment at its owner as it was when a scan of it began.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param replica the owner's copy
 * @param state what it was in the beginning
 * @param target what is wanted of it
 * @param hashSeed of the grid
 */
record SegmentScan(Replica replica, ReplicaState state, ScanTarget target, long hashSeed) {
  /** Of how many keys values are read from disk together. */
  private static final int MAX_KEYS_PER_READ = 64;

  /** And how long they are at least, if they are fewer. */
  private static final long MAX_BYTES_PER_READ = 1 << 20;

  /** Waits until an entry is committed; false when it will not be. */
  interface CommitWaiter {
    boolean awaitCommit(Replica replica, int epoch, Entry entry);
  }

  /** Whether what was read since the beginning counts. */
  boolean isValid() {
    return state.isSameAs(replica.state());
  }

  /**
   * The version of an entry that a scan tells: the newest one, or the one it waited for, or null if
   * it has to wait for the newest one to be committed.
   *
   * @param settled a version that was waited for. It is told, though the key may have been written
   *     again: of one that always is, no version would be committed before the next is there
   */
  @Nullable Entry visibleVersion(Entry newest, @Nullable Entry settled) {
    if (replica.isClean(newest, state.epoch())) {
      return newest;
    }
    return settled != null && settled.hasSameKey(newest) ? settled : null;
  }

  /**
   * Visits what is wanted behind a cursor; returns where to go on, as a whole scan does. It may
   * stop by itself, if the disk does not answer. Who names keys uses their values; a whole scan
   * leaves memory as it is.
   *
   * @param withValues whether values that are on disk only are wanted
   */
  SegmentCursor scan(SegmentCursor from, boolean withValues, Visitor visitor) {
    List<byte[]> keys = target.keys();
    return keys == null
        ? replica.valueResidency().scan(from, entry -> withValues, visitor)
        : scan(keys, from, withValues, visitor);
  }

  private SegmentCursor scan(
      List<byte[]> keys, SegmentCursor from, boolean withValues, Visitor visitor) {
    if (from.kind() == SegmentCursor.Kind.END) {
      return SegmentCursor.END;
    }
    SegmentCursor lastCursor = from;
    List<Entry> batch = new ArrayList<>();
    long bytes = 0;
    for (int next = 0; next < keys.size(); next++) {
      byte[] key = keys.get(next);
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      Entry entry =
          KeyFilter.isAfter(from, hash, key)
              ? replica.entries().find(hash, key, 0, key.length)
              : null;
      if (entry != null) {
        batch.add(entry);
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
