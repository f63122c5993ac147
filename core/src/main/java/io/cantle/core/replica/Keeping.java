package io.cantle.core.replica;

import io.cantle.Durability;
import io.cantle.core.container.Entry;
import io.cantle.core.store.Copy;
import io.cantle.core.store.Label;
import io.cantle.core.store.Shelf;
import io.cantle.core.topology.Charter;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a copy follows its replica to disk. It is handed every version in the order in which the
 * replica takes it, under the replica's lock, so what is on disk is always what the replica was at
 * some moment.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class Keeping {
  private final Shelf shelf;
  private final Durability durability;
  private final Runnable news;
  private final Eviction eviction;
  private long bytes;
  private @Nullable UUID grid;
  private int since;
  private int reached;
  private boolean restored;

  /** In which epoch a copy was dropped that counted, if none has begun since; else 0. */
  private int dropped;

  /** Which labels count later: those of a later epoch, and in one those that come later. */
  private int labelEpoch;

  private long labels;
  private Label.Tick tick = Label.Tick.NONE;

  /**
   * Keeps a copy in its place.
   *
   * @param durability when a write is held: with {@link Durability#SYNC} once it is on disk
   * @param news run when more is committed because something is on disk
   * @param eviction told how much memory its entries take
   */
  Keeping(Shelf shelf, Durability durability, Runnable news, Eviction eviction) {
    this.shelf = shelf;
    this.durability = durability;
    this.news = news;
    this.eviction = eviction;
  }

  /** Goes on with what an earlier life of this node has left. */
  void goOn(Copy copy) {
    grid = copy.label().grid();
    since = copy.label().since();
    reached = Math.max(since, copy.epoch());
    tick = copy.label().tick();
    dropped = copy.label().dropped();
    restored = dropped == 0;
    copy.ended().forEach(shelf::put);
  }

  boolean waitsForDisk() {
    return durability.kind() == Durability.Kind.SYNC;
  }

  Runnable news() {
    return news;
  }

  /** Whether this is what an earlier life has left, and has taken part in nothing yet. */
  boolean restored() {
    return restored;
  }

  /** The latest epoch that tells of, if it is so. */
  int reached() {
    return reached;
  }

  /** Whether it belongs to another grid, where segments and epochs mean something else. */
  boolean isForeign(Charter present) {
    return restored && !isOf(present);
  }

  private boolean isOf(Charter present) {
    UUID its = grid;
    return its != null && present.continues(its);
  }

  /** Whether this node had a copy of a segment that began in that epoch, and has dropped it. */
  boolean hasDropped(Charter present, int born) {
    return dropped >= born && isOf(present);
  }

  /** Whether so much is on its way to disk that nothing more should be written for now. */
  boolean isFull() {
    return room() != Shelf.Room.ALL;
  }

  /** What may be written for now: nothing while the disk keeps a write longer than a period. */
  Shelf.Room room() {
    Shelf.Room room = shelf.room();
    boolean isLate =
        durability.kind() == Durability.Kind.PERIODIC
            && shelf.behindNanos() > durability.period().toNanos();
    return room == Shelf.Room.ALL && isLate ? Shelf.Room.LATER : room;
  }

  /**
   * The replica has entered an epoch.
   *
   * @param takesPart whether it takes part in writes from now on
   */
  void entered(UUID present, int epoch, int itsSince, boolean takesPart, long segmentMillis) {
    boolean begins = itsSince != 0 && (itsSince != since || !present.equals(grid));
    boolean drops = itsSince == 0 && dropped == epoch;
    labelEpoch = epoch;
    labels = 0;
    grid = present;
    since = itsSince;
    if (begins) {
      dropped = 0;
      label(present, segmentMillis);
    } else if (drops) {
      shelf.label(Label.dropped(present, dropped), labelEpoch, labels++);
    }
    restored &= !takesPart;
  }

  private void label(UUID present, long segmentMillis) {
    shelf.label(new Label(present, since, segmentMillis, tick, 0), labelEpoch, labels++);
  }

  void put(Entry entry) {
    shelf.put(entry);
  }

  void purge(Entry removed) {
    shelf.purge(removed);
  }

  /**
   * Everything that is due by then ends. It says so in one record, before any of the keys is
   * removed: on disk they all have ended, or none has.
   */
  void ticked(Item.Tick item) {
    tick = new Label.Tick(item.epoch(), item.index(), item.segmentMillis());
    UUID present = grid;
    if (present != null) {
      label(present, item.segmentMillis());
    }
  }

  /**
   * What was kept is worthless in an epoch. Of a copy that counted until then a word stays, so that
   * nobody takes its place for that of a copy that never held anything.
   */
  void drop(Charter present, int epoch, int born) {
    boolean isOurs = isOf(present);
    if (isOurs && dropped != 0) {
      return;
    }
    shelf.drop();
    dropped = isOurs && since >= born ? epoch : 0;
    since = 0;
    tick = Label.Tick.NONE;
    restored = false;
  }

  void then(Runnable task) {
    shelf.then(task);
  }

  // ------------------------------------------------------------------ memory

  /** The entries take so much memory now. */
  void sizeIs(long now) {
    long change = now - bytes;
    if (change != 0) {
      bytes = now;
      eviction.changed(change);
    }
  }

  /** See {@link Shelf#read}; by any thread. */
  void read(List<Entry> evicted, Consumer<List<@Nullable Entry>> then, Runnable over) {
    shelf.read(evicted, then, over);
  }

  /** The disk has not what it was given. */
  void fail(Throwable why) {
    shelf.fail(why);
  }
}
