package io.cantle.core.replica;

import io.cantle.core.base.HybridClock;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a copy holds: entries, removed keys that others may still have, and the results of commands.
 * Of two versions of an entry the later one stays, in whatever order they come.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica; {@link #entries} is scanned, and {@link
 * #stamped} asked, by any thread.
 */
final class Contents {
  /** How many removed keys stay that others may still have; for older ones a removal may fail. */
  private static final int MAX_TOMBSTONES = 4_096;

  private final Decoded decoded;
  private final HybridClock stamps;
  private final SegmentEntries entries = new SegmentEntries();
  private final Sessions sessions;
  private final ArrayDeque<Entry> tombstones = new ArrayDeque<>();
  private volatile boolean stamped;

  Contents(Decoded decoded, HybridClock stamps, Lives lives) {
    this.decoded = decoded;
    this.stamps = stamps;
    this.sessions = new Sessions(lives);
  }

  SegmentEntries entries() {
    return entries;
  }

  Sessions sessions() {
    return sessions;
  }

  /** Whether the grid is one whose members go on when they are cut off. */
  void stamped(boolean value) {
    stamped = value;
  }

  /** Whether writes are stamped, and removed keys stay, to be compared with those of others. */
  boolean stamped() {
    return stamped;
  }

  /** The stamp of a new write. */
  long stamp(Effect effect) {
    return !stamped ? 0 : effect.stamp() != 0 ? effect.stamp() : stamps.next();
  }

  /** The entry of a key, a removed one too; null for none. */
  @Nullable Entry find(long hash, byte[] key, int offset, int length) {
    return entries.find(hash, key, offset, length);
  }

  private @Nullable Entry find(Entry entry) {
    return entries.find(entry.hash(), entry.bytes(), 0, entry.keyLength());
  }

  /** A write with the value it replaces here as its result. */
  Item withPrevious(Item item) {
    Entry entry = item.entry();
    return new Item(entry, item.command(), Result.valueOf(find(entry)));
  }

  /** Adds a write, with the result of its command. */
  void apply(Item item) {
    Entry entry = item.entry();
    add(entry);
    sessions.written(item.command(), entry.epoch(), entry.index(), item.result());
  }

  /** Adds an entry, unless a later one is there. */
  void add(Entry entry) {
    if (stamped) {
      stamps.observe(entry.stamp());
    }
    Entry present = find(entry);
    if (present == null || present.compareVersion(entry.epoch(), entry.index()) < 0) {
      entries.put(entry);
      if (present != null) {
        decoded.release(present);
      }
    }
    if (entry.tombstone()) {
      tombstones.add(entry);
    }
  }

  /** Forgets removed keys once nothing older can come for them. */
  void purge(ReplicaState state, Commit commit) {
    if (!state.steady() || !state.serving() || state.role() == Role.JOINER) {
      return;
    }
    int kept = stamped ? MAX_TOMBSTONES : 0;
    for (Entry head;
        tombstones.size() > kept
            && (head = tombstones.peekFirst()) != null
            && commit.clean(head, state.epoch()); ) {
      entries.purge(head);
      tombstones.removeFirst();
    }
  }

  /** Every entry, removed ones too. */
  List<Entry> all() {
    List<Entry> all = new ArrayList<>();
    entries.scan(
        Cursor.START,
        entry -> {
          all.add(entry);
          return SegmentEntries.Visit.NEXT;
        });
    return all;
  }

  void clear() {
    entries.scan(
        Cursor.START,
        entry -> {
          decoded.release(entry);
          return SegmentEntries.Visit.NEXT;
        });
    entries.clear();
    sessions.clear();
    tombstones.clear();
  }
}
