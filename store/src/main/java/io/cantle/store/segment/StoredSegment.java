package io.cantle.store.segment;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one segment of one cache in memory: where its keys are, how many there are, and
 * which life it is in.
 *
 * <p><b>Threading:</b> guarded by {@code lock}, which is never held while a disk is waited for.
 */
final class StoredSegment {
  final int cache;
  final int segment;
  final ReentrantLock lock = new ReentrantLock();
  final SlotTable table = new SlotTable();
  final Map<Pending.Name, Pending> pending = new HashMap<>();

  private final Runs runs;

  /** The life it is in: what belongs to another is not there. */
  long incarnation;

  /** The life it will be in when all drops that were asked for are in the log. */
  long wanted;

  /** How many keys it has, removed ones not counted. */
  long live;

  /** The highest number of a record that came after a newer version of its key. */
  long staleLsn;

  /** What was in the log before this number is in the table already. */
  long since;

  private boolean closed;

  StoredSegment(int cache, int segment, Runs runs) {
    this.cache = cache;
    this.segment = segment;
    this.runs = runs;
  }

  /** Cache and segment in one number. */
  static int address(int cache, int segment) {
    return cache << 16 | segment;
  }

  static int cache(int address) {
    return address >>> 16;
  }

  static int segment(int address) {
    return address & 0xFFFF;
  }

  int address() {
    return address(cache, segment);
  }

  /** Gives the memory back. */
  void close() {
    table.close();
    closed = true;
  }

  void mustBeOpen() throws StoreException {
    if (closed) {
      throw new StoreException.Closed();
    }
  }

  /** Begins another life, in which there is nothing. */
  void begin(long newIncarnation) {
    table.close();
    live = 0;
    incarnation = newIncarnation;
    wanted = Math.max(wanted, newIncarnation);
    runs.dropLive(address());
  }

  /** A drop is in the log, or will not be: then nothing is to be written to its life. */
  void giveUp(long newIncarnation) {
    lock.lock();
    try {
      if (incarnation < newIncarnation
          && wanted == newIncarnation
          && pending.keySet().stream().noneMatch(name -> name.incarnation() == newIncarnation)) {
        wanted = newIncarnation - 1;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * A version is in the log; puts it into the table if it is the newest of its key.
   *
   * @param known what is known of the key, and knows it afterwards
   * @param lsn its number
   */
  void apply(Pending known, StoredEntry entry, long lsn, boolean removed, long length) {
    if (known.name.incarnation() > incarnation) {
      begin(known.name.incarnation());
    }
    if (known.name.incarnation() < incarnation) {
      return;
    }
    if (!known.isOlderThan(entry)) {
      staleLsn = Math.max(staleLsn, lsn);
      return;
    }
    move(known, Location.inLog(lsn, removed), length);
    known.set(Location.inLog(lsn, removed), entry, length);
  }

  /** Puts a location into the table, in the place of the one that is known. */
  void move(Pending known, long location, long length) {
    int print = SlotTable.print(known.name.hash());
    if (known.isKnown()) {
      if (!table.replace(print, known.location, location)) {
        throw new IllegalStateException(
            "segment "
                + segment
                + " of cache "
                + cache
                + " has nothing at "
                + Location.text(known.location));
      }
      uncount(known.location, known.length);
    } else {
      table.add(print, location);
    }
    count(location, length);
  }

  private void count(long location, long length) {
    if (!Location.isRemoved(location)) {
      live++;
    }
    runs.countLive(location, address(), length);
  }

  private void uncount(long location, long length) {
    if (!Location.isRemoved(location)) {
      live--;
    }
    runs.countLive(location, address(), -length);
  }

  /**
   * A record was copied elsewhere, or is not needed any more.
   *
   * @param to {@link Location#NONE} if it was a removal that nothing older needs
   * @param oldLength how long it was
   * @param newLength how long it is
   */
  void relocate(int print, long from, long to, long oldLength, long newLength) {
    if (!table.replace(print, from, to)) {
      return; // Somebody wrote the key in the meantime.
    }
    uncount(from, oldLength);
    if (to != Location.NONE) {
      count(to, newLength);
    }
    for (Pending known : pending.values()) {
      if (known.location == from) {
        known.location = to;
        known.length = newLength;
      }
    }
  }

  /** Whether a location is the newest of its key. */
  boolean isNewest(int print, long location) {
    for (long found : table.find(print)) {
      if (found == location) {
        return true;
      }
    }
    return false;
  }

  /** Whether a key whose newest version is at a location is being written. */
  boolean isPending(long location) {
    return pending.values().stream().anyMatch(known -> known.location == location);
  }

  /** What is known of a key, if it is being written. */
  @Nullable Pending known(Pending.Name name) {
    return pending.get(name);
  }

  /** Whether the table has just these locations for a print. */
  boolean has(int print, long[] locations) {
    return Arrays.equals(table.find(print), locations);
  }
}
