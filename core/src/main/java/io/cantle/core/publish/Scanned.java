package io.cantle.core.publish;

import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
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
 * @param want what is wanted of it
 * @param hashSeed of the grid
 */
record Scanned(Replica replica, ReplicaState state, Want want, long hashSeed) {
  /** Of how many keys values are read from disk together. */
  private static final int KEYS_TOGETHER = 64;

  /** And how long they are at least, if they are fewer. */
  private static final long BYTES_TOGETHER = 1 << 20;

  /** Waits until an entry is committed; false when it will not be. */
  interface Commitment {
    boolean await(Replica replica, int epoch, Entry entry);
  }

  /** Whether what was read since the beginning counts. */
  boolean holds() {
    return state.same(replica.state());
  }

  /**
   * The version of an entry that a scan tells: the newest one, or the one it waited for, or null if
   * it has to wait for the newest one to be committed.
   *
   * @param settled a version that was waited for. It is told, though the key may have been written
   *     again: of one that always is, no version would be committed before the next is there
   */
  @Nullable Entry told(Entry newest, @Nullable Entry settled) {
    if (replica.clean(newest, state.epoch())) {
      return newest;
    }
    return settled != null && settled.isSameKey(newest) ? settled : null;
  }

  /**
   * Visits what is wanted behind a cursor; returns where to go on, as a whole scan does. It may
   * stop by itself, if the disk does not answer. Who names keys uses their values; a whole scan
   * leaves memory as it is.
   *
   * @param withValues whether values that are on disk only are wanted
   */
  Cursor scan(Cursor from, boolean withValues, Visitor visitor) {
    List<byte[]> keys = want.keys();
    return keys == null
        ? replica.values().scan(from, entry -> withValues, visitor)
        : scan(keys, from, withValues, visitor);
  }

  private Cursor scan(List<byte[]> keys, Cursor from, boolean withValues, Visitor visitor) {
    if (from.kind() == Cursor.Kind.END) {
      return Cursor.END;
    }
    Cursor last = from;
    List<Entry> some = new ArrayList<>();
    long bytes = 0;
    for (int next = 0; next < keys.size(); next++) {
      byte[] key = keys.get(next);
      long hash = KeyHash.hash(hashSeed, key, 0, key.length);
      Entry entry =
          WantedKeys.behind(from, hash, key)
              ? replica.entries().find(hash, key, 0, key.length)
              : null;
      if (entry != null) {
        some.add(entry);
        bytes += withValues ? entry.valueLength() : 0;
      }
      if (some.size() == KEYS_TOGETHER || bytes >= BYTES_TOGETHER || next == keys.size() - 1) {
        List<? extends @Nullable Entry> all = withValues ? replica.values().awaitBack(some) : some;
        if (all == null) {
          return last;
        }
        for (int i = 0; i < all.size(); i++) {
          Entry newest = all.get(i);
          Visit visit = newest == null ? Visit.NEXT : visitor.visit(newest);
          if (visit == Visit.STOP_BEFORE) {
            return last;
          }
          last = Cursor.after(some.get(i));
          if (visit == Visit.STOP_AFTER) {
            return last;
          }
        }
        some.clear();
        bytes = 0;
      }
    }
    return Cursor.END;
  }
}
