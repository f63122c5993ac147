package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.SegmentEntries;
import io.cantle.core.store.Copy;
import io.cantle.core.store.Label;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
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
  private final SegmentEntries entries;
  private final Sessions sessions;
  private final SegmentClock clock;
  private final @Nullable Keeping keeping;
  private final ArrayDeque<Entry> tombstones = new ArrayDeque<>();
  private volatile boolean stamped;
  private long settledStamp;

  /** Whatever was due by this time of the segment has ended. */
  private long tickedMillis = SegmentClock.NOT_BEGUN;

  private Item.@Nullable Tick lastTick;

  Contents(Decoded decoded, HybridClock stamps, Clock clock, Lives lives) {
    this(decoded, stamps, clock, lives, null, null);
  }

  /**
   * What a copy holds that is kept on disk as well.
   *
   * @param keeping how, or null if it is not
   * @param copy what was kept by an earlier life of this node, or null
   */
  Contents(
      Decoded decoded,
      HybridClock stamps,
      Clock clock,
      Lives lives,
      @Nullable Keeping keeping,
      @Nullable Copy copy) {
    this.decoded = decoded;
    this.stamps = stamps;
    this.clock = new SegmentClock(clock);
    this.sessions = new Sessions(lives);
    this.keeping = keeping;
    this.entries = copy == null ? new SegmentEntries() : copy.entries();
    if (keeping != null && copy != null) {
      tombstones.addAll(copy.removed());
      tickedMillis = copy.segmentMillis();
      Label.Tick tick = copy.label().tick();
      lastTick = new Item.Tick(tick.epoch(), tick.index(), tick.segmentMillis());
      this.clock.notBefore(copy.segmentMillis());
      // Whatever is written from now on is later, also if this machine's time of day is behind.
      stamps.observe(copy.latestStamp());
      keeping.goOn(copy);
      keeping.sizeIs(entries.bytes());
    }
  }

  /** How it is kept on disk; null if it is not. */
  @Nullable Keeping keeping() {
    return keeping;
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

  /** All owners hold a write. */
  void settled(Item item) {
    if (stamped && item instanceof Item.Write write) {
      settled(write.entry());
    }
  }

  private void settled(Entry entry) {
    settledStamp = Math.max(settledStamp, entry.stamp());
  }

  /** The latest stamp of what all owners hold, or have held. */
  long settledStamp() {
    return settledStamp;
  }

  /** The entry of a key, a removed one too; null for none. */
  @Nullable Entry find(long hash, byte[] key, int offset, int length) {
    return entries.find(hash, key, offset, length);
  }

  /** The present version of the key of an entry, a removed one too; null for none. */
  @Nullable Entry find(Entry entry) {
    return entries.find(entry.hash(), entry.bytes(), 0, entry.keyLength());
  }

  /** A write with the value it replaces here as its result. */
  Item withPrevious(Item item) {
    return item instanceof Item.Write(Entry entry, Command command, Result unknown)
        ? new Item.Write(entry, command, Result.valueOf(find(entry)))
        : item;
  }

  /** Adds a write, with the result of its command. */
  void apply(Item item) {
    switch (item) {
      case Item.Write(Entry entry, Command command, Result result) -> {
        add(entry);
        sessions.written(command, entry.epoch(), entry.index(), result);
      }
      case Item.Touch(Entry entry) -> add(entry);
      case Item.Left(Entry entry) -> add(entry);
      case Item.Tick tick -> tick(tick);
    }
  }

  // ------------------------------------------------------------------ what ends

  /** The time of the segment, as far as it is known here. */
  SegmentClock clock() {
    return clock;
  }

  /** Whether something is due, as far as is known here. Without a deadline no clock is read. */
  boolean isDue() {
    long earliest = entries.earliestDeadline();
    return earliest != Deadline.NEVER && earliest <= clock.readMillis();
  }

  /** Whether an entry that ends is due, as far as is known here. */
  boolean isDue(Entry entry) {
    return entry.deadlineMillis() <= clock.readMillis();
  }

  /** When a value ends that is written now, null for never. */
  @Nullable Deadline deadline(Lifetime lifetime) {
    return lifetime.unlimited() ? null : lifetime.from(clock.nowMillis());
  }

  /** The next write that notes a read of this very entry, null if that need not be noted. */
  @Nullable Item touch(Entry read, int epoch, long index) {
    Deadline deadline = read.deadline();
    Entry present = find(read);
    if (deadline == null
        || present == null
        || present.compareVersion(read.epoch(), read.index()) != 0) {
      return null;
    }
    long now = clock.nowMillis();
    return deadline.wantsTouch(now)
        ? new Item.Touch(read.touched(epoch, index, deadline.touched(now)))
        : null;
  }

  /** The next write that ends what is due, null if nothing is. */
  @Nullable Item tickIfDue(int epoch, long index) {
    return isDue() ? new Item.Tick(epoch, index, clock.nowMillis()) : null;
  }

  private void tick(Item.Tick tick) {
    tickedMillis = Math.max(tickedMillis, tick.segmentMillis());
    lastTick = tick;
    if (keeping != null) {
      keeping.ticked(tick);
    }
    for (Entry due; (due = entries.due(tick.segmentMillis())) != null; ) {
      if (due.compareVersion(tick.epoch(), tick.index()) >= 0) {
        throw new IllegalStateException(due + " is to end by an earlier " + tick);
      }
      add(due.ended(tick.epoch(), tick.index()));
    }
  }

  /** Adds an entry of an earlier epoch; one that a tick would have ended comes as ended. */
  void bring(Entry entry) {
    boolean over = entry.deadlineMillis() <= tickedMillis;
    add(over ? entry.ended(entry.epoch(), entry.index()) : entry);
    settled(entry);
  }

  /** Goes on, as the primary, where the time was that others know; never before a tick. */
  void goOnAt(long segmentMillis) {
    clock.notBefore(Math.max(segmentMillis, tickedMillis));
  }

  // ------------------------------------------------------------------ entries

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
      if (keeping != null) {
        keeping.put(entry);
        keeping.sizeIs(entries.bytes());
      }
    }
    if (entry.tombstone()) {
      tombstones.add(entry);
    }
  }

  /** Has, in place of an entry, the same version with its value, or without. */
  void exchange(Entry present, Entry same) {
    entries.put(same);
    decoded.release(present);
    if (keeping != null) {
      keeping.sizeIs(entries.bytes());
    }
  }

  /** An entry for one reader, who leaves no objects there: nobody would give them back. */
  Entry apart(Entry entry) {
    decoded.release(entry);
    return entry;
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
      if (entries.purge(head) && keeping != null) {
        keeping.purge(head);
        keeping.sizeIs(entries.bytes());
      }
      tombstones.removeFirst();
    }
  }

  /**
   * What is left of the writes of an epoch after an index and before another, in their order. The
   * last tick comes as itself: whoever takes it over has it whole on its disk, or not at all.
   */
  List<Item> left(int epoch, long after, long before) {
    List<Item> left = new ArrayList<>();
    Item.Tick tick = lastTick;
    if (tick != null && tick.epoch() == epoch && tick.index() > after && tick.index() < before) {
      left.add(tick);
    }
    entries.scan(
        Cursor.START,
        entry -> {
          if (entry.epoch() == epoch && entry.index() > after && entry.index() < before) {
            left.add(new Item.Left(entry));
          }
          return SegmentEntries.Visit.NEXT;
        });
    left.sort(Comparator.comparingLong(Item::index));
    return left;
  }

  /** The removed keys of one write: those of a tick are many. */
  List<Item> removedBy(int epoch, long index) {
    return tombstones.stream()
        .filter(removed -> removed.compareVersion(epoch, index) == 0)
        .<Item>map(Item.Left::new)
        .toList();
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
    if (keeping != null) {
      keeping.sizeIs(0);
    }
    sessions.clear();
    tombstones.clear();
    clock.forget();
    settledStamp = 0;
    lastTick = null;
    tickedMillis = SegmentClock.NOT_BEGUN;
  }
}
