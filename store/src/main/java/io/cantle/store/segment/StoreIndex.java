package io.cantle.store.segment;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogOptions;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The index of a store, and the files it points into.
 *
 * <p>A file is deleted only after every location in it was replaced. A reader that finds that the
 * file of a location is gone must look the key up again.
 *
 * <p><b>Threading:</b> any thread.
 */
final class StoreIndex {
  private final Map<Integer, StoredSegment> segments = new ConcurrentHashMap<>();
  private final Map<String, byte[]> notes = new ConcurrentHashMap<>();
  private final RunSet runs = new RunSet();
  private final AppendLog log;

  StoreIndex(AppendLog log) {
    this.log = log;
  }

  AppendLog log() {
    return log;
  }

  RunSet runs() {
    return runs;
  }

  Map<String, byte[]> notes() {
    return notes;
  }

  @Nullable StoredSegment findSegment(int cache, int segment) {
    return segments.get(checkedAddress(cache, segment));
  }

  /**
   * A segment, created empty if it is not known yet.
   *
   * @throws IllegalArgumentException if a number is not within 0..65,535
   */
  StoredSegment getOrCreateSegment(int cache, int segment) {
    return segments.computeIfAbsent(
        checkedAddress(cache, segment), _ -> new StoredSegment(cache, segment, runs));
  }

  private static int checkedAddress(int cache, int segment) {
    LogOptions.requireWithin("cache", cache, 0, 0xFFFF);
    LogOptions.requireWithin("segment", segment, 0, 0xFFFF);
    return StoredSegment.addressOf(cache, segment);
  }

  /** All known segments, in the order of their addresses. */
  List<StoredSegment> segments() {
    return segments.values().stream()
        .sorted(
            Comparator.<StoredSegment>comparingInt(segment -> segment.cacheId)
                .thenComparingInt(segment -> segment.segmentId))
        .toList();
  }

  /** Reads the record at a location. */
  StoredRecord read(long location) throws IOException {
    return RecordLocation.isInRun(location)
        ? runs.runAt(location).read(RecordLocation.offset(location))
        : StoreRecordCodec.toStored(
            RecordLocation.lsn(location), log.read(RecordLocation.lsn(location)));
  }

  /** Whether reading failed because the file is gone. */
  static boolean isFileGone(IOException failure) {
    return failure instanceof ClosedChannelException;
  }

  /** Rethrows a failure to read, unless the key has moved and can be read elsewhere. */
  static void requireMoved(StoredSegment segment, int print, long location, IOException failure)
      throws IOException {
    if (!isFileGone(failure)) {
      throw failure;
    }
    synchronized (segment) {
      if (segment.isNewest(print, location)) {
        throw failure;
      }
    }
  }

  /** The newest version of a key; null if there is none. */
  @Nullable StoredRecord get(StoredSegment segment, long hash, byte[] key) throws IOException {
    int print = SlotTable.fingerprintOf(hash);
    while (true) {
      long[] places;
      synchronized (segment) {
        segment.requireOpen();
        places = segment.table.find(print);
      }
      KeyMatch match = findMatch(segment, print, places, hash, key, true);
      if (match != null) {
        return match.stored;
      }
    }
  }

  /** The outcome of a lookup of a key: its record; null if there is none. */
  private record KeyMatch(@Nullable StoredRecord stored) {
    static final KeyMatch NONE = new KeyMatch(null);
  }

  /** Reads candidates until one is of this key; null if they must be looked up again. */
  private @Nullable KeyMatch findMatch(
      StoredSegment segment, int print, long[] places, long hash, byte[] key, boolean onlyLive)
      throws IOException {
    for (long place : places) {
      if (onlyLive && RecordLocation.isRemoved(place)) {
        continue;
      }
      try {
        StoredRecord stored = read(place);
        if (stored.entry().hash() == hash && Arrays.equals(stored.entry().key(), key)) {
          return new KeyMatch(stored);
        }
      } catch (IOException e) {
        requireMoved(segment, print, place, e);
        return null;
      }
    }
    return KeyMatch.NONE;
  }

  /**
   * Looks up the newest version of a key and registers that the key is being written.
   *
   * @return what is known of the key, to be given back to {@link #releaseKey}; null if the version
   *     is not newer than the present one
   */
  @Nullable InFlightKey claimKey(StoredSegment segment, StoredEntry entry) throws IOException {
    int print = SlotTable.fingerprintOf(entry.hash());
    while (true) {
      InFlightKey.IncarnationKey name;
      long[] places;
      synchronized (segment) {
        segment.requireOpen();
        name = new InFlightKey.IncarnationKey(segment.wantedIncarnation, entry.hash(), entry.key());
        InFlightKey known = segment.inFlightKeys.get(name);
        if (known != null) {
          return claimKey(segment, known, entry);
        }
        // What is in the table belongs to an incarnation that is about to end.
        places =
            segment.wantedIncarnation == segment.incarnation
                ? segment.table.find(print)
                : SlotTable.NO_LOCATIONS;
        if (places.length == 0) {
          return claimKey(segment, new InFlightKey(name, null), entry);
        }
      }
      KeyMatch match = findMatch(segment, print, places, entry.hash(), entry.key(), false);
      if (match == null) {
        continue;
      }
      synchronized (segment) {
        if (segment.wantedIncarnation == name.incarnation()
            && !segment.inFlightKeys.containsKey(name)
            && Arrays.equals(segment.table.find(print), places)) {
          return claimKey(segment, new InFlightKey(name, match.stored), entry);
        }
      }
    }
  }

  @GuardedBy("segment")
  private static @Nullable InFlightKey claimKey(
      StoredSegment segment, InFlightKey known, StoredEntry entry) {
    if (!known.isOlderThan(entry)) {
      return null;
    }
    known.writeCount++;
    segment.inFlightKeys.put(known.identity, known);
    return known;
  }

  /** Gives back a key that {@link #claimKey} returned. */
  static void releaseKey(StoredSegment segment, InFlightKey known) {
    synchronized (segment) {
      known.writeCount--;
      if (known.writeCount == 0) {
        segment.inFlightKeys.remove(known.identity);
      }
    }
  }

  /** Puts a version that was found in a file into the index, if it is the newest of its key. */
  @SuppressWarnings("GuardedBy") // One thread opens a store.
  void restoreRecord(StoredRecord stored) throws IOException {
    StoredSegment segment = getOrCreateSegment(stored.cache(), stored.segment());
    segment.applyDrop(stored.incarnation());
    StoredEntry entry = stored.entry();
    int print = stored.fingerprint();
    long[] places = segment.table.find(print);
    if (stored.incarnation() < segment.incarnation
        || RecordLocation.isAmong(places, stored.location())) {
      return;
    }
    KeyMatch match = findMatch(segment, print, places, entry.hash(), entry.key(), false);
    if (match == null) {
      throw new IllegalStateException("nothing moves while a store is opened");
    }
    InFlightKey known =
        new InFlightKey(
            new InFlightKey.IncarnationKey(stored.incarnation(), entry.hash(), entry.key()),
            match.stored);
    if (known.isOlderThan(entry)) {
      segment.setLocation(known, stored.location(), stored.length());
    } else if (!RecordLocation.isInRun(stored.location())) {
      segment.staleLsn = Math.max(segment.staleLsn, RecordLocation.lsn(stored.location()));
    }
  }

  /** Empties the index; no record of any run is live then. */
  @SuppressWarnings("GuardedBy") // One thread opens a store.
  void clear() {
    segments.values().forEach(segment -> segment.beginIncarnation(0));
    segments.clear();
  }

  /** Frees the index and closes the runs. */
  void close() throws IOException {
    for (StoredSegment segment : segments.values()) {
      synchronized (segment) {
        segment.close();
      }
    }
    runs.close();
  }
}
