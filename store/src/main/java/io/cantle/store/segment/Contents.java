package io.cantle.store.segment;

import io.cantle.store.log.AppendLog;
import io.cantle.store.log.LogException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The index, and the files it points into.
 *
 * <p>A file goes away only after every location in it was replaced. Who read a location and then
 * finds that its file is gone looks again.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Contents {
  private static final long[] NOWHERE = {};

  private final Map<Integer, StoredSegment> segments = new ConcurrentHashMap<>();
  private final Map<String, byte[]> notes = new ConcurrentHashMap<>();
  private final Runs runs = new Runs();
  private final AppendLog log;

  Contents(AppendLog log) {
    this.log = log;
  }

  AppendLog log() {
    return log;
  }

  Runs runs() {
    return runs;
  }

  Map<String, byte[]> notes() {
    return notes;
  }

  @Nullable StoredSegment find(int cache, int segment) {
    within("cache", cache);
    within("segment", segment);
    return segments.get(StoredSegment.address(cache, segment));
  }

  /**
   * A segment, which is empty if nothing is known of it.
   *
   * @throws IllegalArgumentException if a number is not within 0..65,535
   */
  StoredSegment segment(int cache, int segment) {
    within("cache", cache);
    within("segment", segment);
    return segments.computeIfAbsent(
        StoredSegment.address(cache, segment), _ -> new StoredSegment(cache, segment, runs));
  }

  private static void within(String what, int number) {
    if (number < 0 || number > 0xFFFF) {
      throw new IllegalArgumentException(what + " " + number + " is not within 0..65535");
    }
  }

  /** All segments anything is known of, in the order of their addresses. */
  List<StoredSegment> segments() {
    return segments.values().stream()
        .sorted(
            Comparator.<StoredSegment>comparingInt(segment -> segment.cache)
                .thenComparingInt(segment -> segment.segment))
        .toList();
  }

  /** Reads what is at a location. */
  Stored read(long location) throws IOException {
    return Location.isInRun(location)
        ? runs.at(location).read(Location.offset(location))
        : Records.stored(log.read(Location.lsn(location)));
  }

  /** Whether reading failed because the file is not there any more. */
  static boolean isGone(IOException failure) {
    return failure instanceof ClosedChannelException || failure instanceof LogException.Refused;
  }

  /** Fails as reading failed, unless the key has moved, so that it can be read elsewhere. */
  static void mustHaveMoved(StoredSegment segment, int print, long location, IOException failure)
      throws IOException {
    if (!isGone(failure)) {
      throw failure;
    }
    segment.lock.lock();
    try {
      if (segment.isNewest(print, location)) {
        throw failure;
      }
    } finally {
      segment.lock.unlock();
    }
  }

  /** The newest version of a key; null if it is not there. */
  @Nullable Stored get(StoredSegment segment, long hash, byte[] key) throws IOException {
    int print = SlotTable.print(hash);
    while (true) {
      long[] places;
      segment.lock.lock();
      try {
        segment.mustBeOpen();
        places = segment.table.find(print);
      } finally {
        segment.lock.unlock();
      }
      Match match = match(segment, print, places, hash, key, true);
      if (match != null) {
        return match.stored;
      }
    }
  }

  /**
   * What was found of a key.
   *
   * @param location where
   * @param stored what; null if nothing is there
   */
  private record Match(long location, @Nullable Stored stored) {
    static final Match NONE = new Match(Location.NONE, null);
  }

  /** Reads candidates until one is of this key; null if they have to be looked up again. */
  private @Nullable Match match(
      StoredSegment segment, int print, long[] places, long hash, byte[] key, boolean onlyLive)
      throws IOException {
    for (long place : places) {
      if (onlyLive && Location.isRemoved(place)) {
        continue;
      }
      try {
        Stored stored = read(place);
        if (stored.entry().hash() == hash && Arrays.equals(stored.entry().key(), key)) {
          return new Match(place, stored);
        }
      } catch (IOException e) {
        mustHaveMoved(segment, print, place, e);
        return null;
      }
    }
    return Match.NONE;
  }

  /**
   * Registers that a key is being written, after its newest version was looked up.
   *
   * @return what is known of it, to be given back by {@link #release}; null if the version is not
   *     newer than what is there
   */
  @Nullable Pending claim(StoredSegment segment, StoredEntry entry) throws IOException {
    int print = SlotTable.print(entry.hash());
    while (true) {
      Pending.Name name;
      long[] places;
      segment.lock.lock();
      try {
        segment.mustBeOpen();
        name = new Pending.Name(segment.wanted, entry.hash(), entry.key());
        Pending known = segment.known(name);
        if (known != null) {
          return claim(segment, known, entry);
        }
        // What is there belongs to a life that is about to end.
        places = segment.wanted == segment.incarnation ? segment.table.find(print) : NOWHERE;
        if (places.length == 0) {
          return claim(segment, new Pending(name), entry);
        }
      } finally {
        segment.lock.unlock();
      }
      Match match = match(segment, print, places, entry.hash(), entry.key(), false);
      if (match == null) {
        continue;
      }
      segment.lock.lock();
      try {
        if (segment.wanted == name.incarnation()
            && segment.known(name) == null
            && segment.has(print, places)) {
          return claim(segment, pending(name, match), entry);
        }
      } finally {
        segment.lock.unlock();
      }
    }
  }

  private static Pending pending(Pending.Name name, Match match) {
    Pending known = new Pending(name);
    Stored stored = match.stored;
    if (stored != null) {
      known.set(match.location, stored.entry(), stored.length());
    }
    return known;
  }

  private static @Nullable Pending claim(StoredSegment segment, Pending known, StoredEntry entry) {
    if (!known.isOlderThan(entry)) {
      return null;
    }
    known.writes++;
    segment.pending.put(known.name, known);
    return known;
  }

  /** Gives back what {@link #claim} gave. */
  static void release(StoredSegment segment, Pending known) {
    segment.lock.lock();
    try {
      known.writes--;
      if (known.writes == 0) {
        segment.pending.remove(known.name);
      }
    } finally {
      segment.lock.unlock();
    }
  }

  /** Puts a version that was found in a file into the index, if it is the newest of its key. */
  void restore(Stored stored, long location) throws IOException {
    StoredSegment segment = segment(stored.cache(), stored.segment());
    if (stored.incarnation() > segment.incarnation) {
      segment.begin(stored.incarnation());
    }
    if (stored.incarnation() < segment.incarnation) {
      return;
    }
    StoredEntry entry = stored.entry();
    int print = SlotTable.print(entry.hash());
    long[] places = segment.table.find(print);
    for (long place : places) {
      if (place == location) {
        return;
      }
    }
    Match match = match(segment, print, places, entry.hash(), entry.key(), false);
    if (match == null) {
      throw new IllegalStateException("nothing moves while a store is opened");
    }
    Pending known =
        pending(new Pending.Name(stored.incarnation(), entry.hash(), entry.key()), match);
    if (known.isOlderThan(entry)) {
      segment.move(known, location, stored.length());
    } else {
      segment.staleLsn =
          Math.max(segment.staleLsn, Location.isInRun(location) ? 0 : Location.lsn(location));
    }
  }

  /** The memory the index takes outside the heap. */
  long indexBytes() {
    long bytes = 0;
    for (StoredSegment segment : segments.values()) {
      segment.lock.lock();
      try {
        bytes += segment.table.sizeBytes();
      } finally {
        segment.lock.unlock();
      }
    }
    return bytes;
  }

  /** Empties the index; nothing of any run is wanted then. */
  void clear() {
    segments.values().forEach(segment -> segment.begin(0));
    segments.clear();
  }

  /** Gives the index back and closes the runs. */
  void close() throws IOException {
    for (StoredSegment segment : segments.values()) {
      segment.lock.lock();
      try {
        segment.close();
      } finally {
        segment.lock.unlock();
      }
    }
    runs.close();
  }
}
