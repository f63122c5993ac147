package io.cantle.store.segment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.store.StoreException;
import java.util.HashMap;
import java.util.Map;

/**
 * The part of the index for one segment of one cache: where its keys are, how many there are, and
 * its incarnation.
 *
 * <p><b>Threading:</b> any thread; its monitor is never held while waiting for a disk.
 */
final class StoredSegment {
  final int cacheId;
  final int segmentId;

  @GuardedBy("this")
  final SlotTable table = new SlotTable();

  @GuardedBy("this")
  final Map<InFlightKey.IncarnationKey, InFlightKey> inFlightKeys = new HashMap<>();

  private final RunSet runs;

  /** The current incarnation: records of any other do not count. */
  @GuardedBy("this")
  long incarnation;

  /** The incarnation after all requested drops are in the log. */
  @GuardedBy("this")
  long wantedIncarnation;

  /** How many keys it has, not counting removed ones. */
  @GuardedBy("this")
  long keyCount;

  /** The highest LSN of a record that came after a newer version of its key. */
  @GuardedBy("this")
  long staleLsn;

  /** The LSN before which the log is in the table already. */
  @GuardedBy("this")
  long indexedFromLsn;

  @GuardedBy("this")
  private boolean closed;

  StoredSegment(int cacheId, int segmentId, RunSet runs) {
    this.cacheId = cacheId;
    this.segmentId = segmentId;
    this.runs = runs;
  }

  /** Cache and segment in one number. */
  static int addressOf(int cache, int segment) {
    return cache << 16 | segment;
  }

  static int cacheOf(int address) {
    return address >>> 16;
  }

  static int segmentOf(int address) {
    return address & 0xFFFF;
  }

  int address() {
    return addressOf(cacheId, segmentId);
  }

  /** Gives the memory back. */
  @GuardedBy("this")
  void close() {
    table.close();
    closed = true;
  }

  @GuardedBy("this")
  void requireOpen() throws StoreException {
    if (closed) {
      throw new StoreException.Closed();
    }
  }

  /** Begins a new, empty incarnation. */
  @GuardedBy("this")
  void beginIncarnation(long newIncarnation) {
    table.close();
    keyCount = 0;
    incarnation = newIncarnation;
    wantedIncarnation = Math.max(wantedIncarnation, newIncarnation);
    runs.dropLive(address());
  }

  /** A drop is in the log: begins the incarnation behind it, if that is a new one. */
  synchronized void applyDrop(long newIncarnation) {
    if (newIncarnation > incarnation) {
      beginIncarnation(newIncarnation);
    }
  }

  /**
   * A drop is in the log, or never will be. In the second case nothing is to be written to its
   * incarnation, so that is given up.
   */
  synchronized void abandonIncarnation(long newIncarnation) {
    if (incarnation < newIncarnation
        && wantedIncarnation == newIncarnation
        && inFlightKeys.keySet().stream().noneMatch(name -> name.incarnation() == newIncarnation)) {
      wantedIncarnation = newIncarnation - 1;
    }
  }

  /**
   * A version is in the log: puts it into the table if it is the newest of its key.
   *
   * @param known what is known of the key; updated with this version
   * @param location where it is
   */
  synchronized void applyWrite(InFlightKey known, StoredEntry entry, long location, long length) {
    if (known.identity.incarnation() > incarnation) {
      beginIncarnation(known.identity.incarnation());
    }
    if (known.identity.incarnation() < incarnation) {
      return;
    }
    if (!known.isOlderThan(entry)) {
      staleLsn = Math.max(staleLsn, RecordLocation.lsn(location));
      return;
    }
    setLocation(known, location, length);
    known.setVersion(location, entry, length);
  }

  /** Puts a location into the table, replacing the one that is known. */
  @GuardedBy("this")
  void setLocation(InFlightKey known, long location, long length) {
    int print = SlotTable.fingerprintOf(known.identity.hash());
    if (known.location != RecordLocation.NONE) {
      if (!table.replace(print, known.location, location)) {
        throw new IllegalStateException(
            "segment %s of cache %s has nothing at %s"
                .formatted(segmentId, cacheId, RecordLocation.describe(known.location)));
      }
      countRecord(known.location, -1, known.length);
    } else {
      table.add(print, location);
    }
    countRecord(location, 1, length);
  }

  /** Adds a record to the counts; a sign of -1 subtracts it. */
  @GuardedBy("this")
  private void countRecord(long location, int sign, long length) {
    if (!RecordLocation.isRemoved(location)) {
      keyCount += sign;
    }
    runs.countLive(location, address(), sign * length);
  }

  /**
   * A record was copied elsewhere, or is not needed any more.
   *
   * @param to {@link RecordLocation#NONE} if it was a removal that nothing older needs
   * @param length how long it is in a run, where it was or where it is
   */
  @GuardedBy("this")
  void relocate(int print, long from, long to, long length) {
    if (!table.replace(print, from, to)) {
      return; // The key was written in the meantime.
    }
    countRecord(from, -1, length);
    if (to != RecordLocation.NONE) {
      countRecord(to, 1, length);
    }
    for (InFlightKey known : inFlightKeys.values()) {
      if (known.location == from) {
        known.location = to;
        known.length = length;
      }
    }
  }

  /** Whether a location is the newest of its key. */
  @GuardedBy("this")
  boolean isNewest(int print, long location) {
    return RecordLocation.isAmong(table.find(print), location);
  }

  /** Whether a key whose newest version is at a location is being written. */
  @GuardedBy("this")
  boolean isInFlight(long location) {
    return inFlightKeys.values().stream().anyMatch(known -> known.location == location);
  }
}
