package io.cantle.core.publish;

import io.cantle.core.container.Cursor;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.replica.Replica;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The live entries of some segments one after the other, read a few hundred at a time. It waits for
 * entries that are not committed yet, and ends early, refused, when a segment has moved on.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LiveEntries implements Iterator<Entry> {
  private static final int BATCH = 512;

  /** Waits until an entry is committed; false when it will not be. */
  interface Commitment {
    boolean await(Replica replica, int epoch, Entry entry);
  }

  private final List<Replica> replicas;
  private final List<Replica.State> states;
  private final Commitment commitment;
  private final @Nullable Entry[] batch = new @Nullable Entry[BATCH];
  private int count;
  private int next;
  private int segment;
  private Cursor cursor = Cursor.START;
  private @Nullable Entry dirty;

  /** A version that was waited for: told, though the key may have been written again meanwhile. */
  private @Nullable Entry settled;

  private boolean refused;

  LiveEntries(List<Replica> replicas, List<Replica.State> states, Commitment commitment) {
    this.replicas = replicas;
    this.states = states;
    this.commitment = commitment;
  }

  /** Whether it ended early. */
  boolean refused() {
    return refused;
  }

  @Override
  public boolean hasNext() {
    while (next == count) {
      if (refused || segment == replicas.size()) {
        return false;
      }
      fill();
    }
    return true;
  }

  @Override
  public Entry next() {
    if (!hasNext()) {
      throw new NoSuchElementException("all entries were read");
    }
    Entry entry = batch[next];
    next++;
    if (entry == null) {
      throw new IllegalStateException("a batch of entries has a gap");
    }
    return entry;
  }

  /**
   * The version of an entry that a scan tells: the newest one, or the one it waited for, or null if
   * it has to wait for the newest one to be committed.
   */
  static @Nullable Entry told(
      Entry newest, Replica replica, Replica.State state, @Nullable Entry settled) {
    if (replica.clean(newest, state.epoch())) {
      return newest;
    }
    return settled != null && settled.isSameKey(newest) ? settled : null;
  }

  private void fill() {
    count = 0;
    next = 0;
    dirty = null;
    Replica replica = replicas.get(segment);
    Replica.State state = states.get(segment);
    cursor =
        replica
            .entries()
            .scan(
                cursor,
                newest -> {
                  Entry entry = told(newest, replica, state, settled);
                  if (entry == null) {
                    dirty = newest;
                    return Visit.STOP_BEFORE;
                  }
                  if (!entry.tombstone()) {
                    batch[count++] = entry;
                  }
                  return count == BATCH ? Visit.STOP_AFTER : Visit.NEXT;
                });
    Entry waitFor = dirty;
    if (!state.same(replica.state())) {
      refused = true;
      count = 0;
    } else if (waitFor != null) {
      if (count == 0) {
        refused = !commitment.await(replica, state.epoch(), waitFor);
        settled = waitFor;
      }
    } else if (cursor.equals(Cursor.END)) {
      segment++;
      settled = null;
      cursor = Cursor.START;
    }
  }
}
