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
 * The scan of one segment at its owner: how far it has come, and the state of the replica when it
 * began. It finds the versions of entries that count, for pulls and for reductions.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
final class SegmentScan {
  /** The most keys whose values are read from disk together. */
  private static final int MAX_KEYS_PER_READ = 64;

  /** A read ends earlier once its values have this many bytes. */
  private static final long MAX_BYTES_PER_READ = 1 << 20;

  final Replica replica;

  /** The state of the replica when the scan began. */
  final ReplicaState state;

  final ScanTarget target;
  private final long hashSeed;
  private final Predicate<Entry> commitAwaiter;
  private SegmentCursor cursor;

  /** The entry it stopped before, because that is not committed. */
  private @Nullable Entry dirty;

  /**
   * A version that the scan has waited for. It is delivered although the key may have been written
   * again since. If a key is written all the time, no version of it would be committed before the
   * next one exists.
   */
  private @Nullable Entry awaited;

  /**
   * Creates a scan that has visited nothing.
   *
   * @param target which of its entries are wanted
   * @param hashSeed the hash seed of the grid
   * @param commitAwaiter waits until an entry is committed; returns false if it will not be
   */
  SegmentScan(
      Replica replica,
      ReplicaState state,
      ScanTarget target,
      long hashSeed,
      Predicate<Entry> commitAwaiter) {
    this.replica = replica;
    this.state = state;
    this.target = target;
    this.hashSeed = hashSeed;
    this.commitAwaiter = commitAwaiter;
    this.cursor = target.cursor();
  }

  /** Where it continues. */
  SegmentCursor cursor() {
    return cursor;
  }

  /** Begins again where it began; what has moved since the first time still does not count. */
  void restart() {
    cursor = target.cursor();
  }

  /** Whether what was read since the beginning counts: the replica is still in the same state. */
  boolean isValid() {
    return state.isSameAs(replica.state());
  }

  /** Whether it stopped before an entry that is not committed. */
  boolean isDirty() {
    return dirty != null;
  }

  /**
   * Waits until the entry it stopped before is committed; returns false if there is none, or it is
   * not committed.
   */
  boolean awaitDirty() {
    Entry stopped = dirty;
    boolean committed = stopped != null && commitAwaiter.test(stopped);
    awaited = committed ? stopped : null;
    return committed;
  }

  /**
   * Visits the wanted entries after the cursor, until the visitor stops or an entry is not
   * committed. It may stop early if the disk does not answer. The cursor means the same with a key
   * filter as without. A scan by keys counts as a use of their values; a whole scan leaves what is
   * in memory as it is.
   *
   * @param takesUncommitted whether to visit the newest versions, committed or not
   * @param needsValue whether to read the value of an entry if it is only on disk; null if the
   *     visitor looks at no value
   */
  void advance(
      boolean takesUncommitted, @Nullable Predicate<Entry> needsValue, EntryVisitor visitor) {
    dirty = null;
    cursor =
        scan(
            cursor,
            needsValue,
            newest -> {
              Entry entry = takesUncommitted ? newest : visibleVersion(newest);
              if (entry == null) {
                dirty = newest;
                return VisitResult.STOP_BEFORE;
              }
              return visitor.visit(entry);
            });
  }

  /**
   * The version of an entry that counts: the newest one if it is committed, else the one that was
   * waited for. Null if the scan has to wait until the newest version is committed.
   */
  private @Nullable Entry visibleVersion(Entry newest) {
    if (replica.isClean(newest, state.epoch())) {
      return newest;
    }
    Entry waited = awaited;
    return waited != null && waited.hasSameKey(newest) ? waited : null;
  }

  private SegmentCursor scan(
      SegmentCursor from, @Nullable Predicate<Entry> needsValue, EntryVisitor visitor) {
    List<byte[]> keys = target.keys();
    return keys == null
        ? replica.valueResidency().scan(from, needsValue, visitor)
        : scan(keys, from, needsValue, visitor);
  }

  private SegmentCursor scan(
      List<byte[]> keys,
      SegmentCursor from,
      @Nullable Predicate<Entry> needsValue,
      EntryVisitor visitor) {
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
          SegmentCursor.after(hash, key).compareTo(from) > 0
              ? replica.entries().get(hash, key, 0, key.length)
              : null;
      if (entry != null) {
        entry = entry.snapshot();
        batch.add(entry);
        withValues |= needsValue != null && needsValue.test(entry);
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
