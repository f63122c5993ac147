package io.cantle.core.persistence;

import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.SegmentEntries;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What is left of a segment's copy when its node comes back. It is filled by one thread and then
 * given away.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class LoadedReplica {
  private final ReplicaHeader header;
  private final SegmentEntries entries = new SegmentEntries();
  private final List<Entry> tombstones = new ArrayList<>();
  private final List<Entry> expiredEntries = new ArrayList<>();
  private int epoch;
  private long applied;
  private long segmentMillis;
  private long latestStamp;

  /** A copy of which no entry is known yet. */
  public LoadedReplica(ReplicaHeader header) {
    this.header = header;
    this.segmentMillis = Math.max(header.segmentMillis(), header.lastTick().segmentMillis());
    this.epoch = header.lastTick().epoch();
    this.applied = header.lastTick().index();
  }

  /** Adds an entry that is in no copy yet; one the last tick has ended is added as ended. */
  public void add(Entry read) {
    Entry entry = read;
    ReplicaHeader.LastTick tick = header.lastTick();
    if (read.expiresAtMillis() <= tick.segmentMillis()
        && read.compareVersion(tick.epoch(), tick.index()) < 0) {
      entry = read.toTombstone(tick.epoch(), tick.index());
      expiredEntries.add(entry);
    }
    if (entry.compareVersion(epoch, applied) > 0) {
      epoch = entry.epoch();
      applied = entry.index();
    }
    ExpiryTime expiryTime = read.expiryTime();
    if (expiryTime != null) {
      segmentMillis = Math.max(segmentMillis, expiryTime.lastTouchMillis());
    }
    latestStamp = Math.max(latestStamp, entry.stamp());
    entries.put(entry);
    if (entry.isTombstone()) {
      tombstones.add(entry);
    }
  }

  /** What it is a copy of. */
  public ReplicaHeader header() {
    return header;
  }

  /** Everything it holds, removed keys too. */
  public SegmentEntries entries() {
    return entries;
  }

  /** The removed keys, in the order in which they were removed. */
  public List<Entry> tombstones() {
    tombstones.sort(Comparator.comparingInt(Entry::epoch).thenComparingLong(Entry::index));
    return tombstones;
  }

  /** The removed keys that are not on disk as such, though the tick that ended them is. */
  public List<Entry> expiredEntries() {
    return expiredEntries;
  }

  /** The epoch of the last write it holds, 0 for none. */
  public int epoch() {
    return epoch;
  }

  /** The index of that write. */
  public long applied() {
    return applied;
  }

  /** The latest stamp of a write it holds, 0 for none. */
  public long latestStamp() {
    return latestStamp;
  }

  /** The latest time of the segment that is known, -1 if it has not begun. */
  public long segmentMillis() {
    return segmentMillis;
  }
}
