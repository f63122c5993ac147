package io.cantle.core.persistence;

import io.cantle.core.base.Version;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import java.util.ArrayList;
import java.util.List;

/**
 * A replica as loaded from disk when its node restarts. One thread fills it and then passes it on.
 *
 * <p><b>Threading:</b> one thread at a time.
 */
public final class LoadedReplica {
  private final ReplicaHeader header;
  private final Container entries;
  private final List<Entry> tombstones = new ArrayList<>();
  private final List<Entry> expiredEntries = new ArrayList<>();
  private Version lastVersion;
  private long segmentMillis;
  private long latestStamp;

  /**
   * Creates a replica.
   *
   * @param entries an empty container, to be filled
   */
  public LoadedReplica(ReplicaHeader header, Container entries) {
    this.header = header;
    this.entries = entries;
    this.segmentMillis = Math.max(header.segmentMillis(), header.lastTick().segmentMillis());
    this.lastVersion = header.lastTick().version();
  }

  /**
   * Adds an entry whose key was not added before. An entry that the last tick expired is added as a
   * tombstone.
   */
  public void add(Entry read) {
    Entry entry = read;
    ReplicaHeader.LastTick tick = header.lastTick();
    if (read.expiresAtMillis() <= tick.segmentMillis() && read.compareVersion(tick.version()) < 0) {
      entry = read.toTombstone(tick.version());
      expiredEntries.add(entry);
    }
    if (entry.compareVersion(lastVersion) > 0) {
      lastVersion = entry.version();
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

  /** The header of the replica. */
  public ReplicaHeader header() {
    return header;
  }

  /** All entries, including tombstones. */
  public Container entries() {
    return entries;
  }

  /**
   * Moves all entries to an empty container.
   *
   * @return the container that has them now: this one if it is of the other's class
   */
  public Container moveTo(Container target) {
    if (target.getClass() == entries.getClass()) {
      return entries;
    }
    entries.forEach(target::put);
    entries.clear();
    return target;
  }

  /** The tombstones, in the order of their versions. */
  public List<Entry> tombstones() {
    tombstones.sort(Entry::compareVersion);
    return tombstones;
  }

  /** The tombstones that are not on disk, although the tick that expired their entries is. */
  public List<Entry> expiredEntries() {
    return expiredEntries;
  }

  /** The version of the last write the replica holds, or {@link Version#NONE}. */
  public Version lastVersion() {
    return lastVersion;
  }

  /** The latest timestamp of a write the replica holds, or 0 for none. */
  public long latestStamp() {
    return latestStamp;
  }

  /** The latest known time of the segment's clock, or -1 if it has not started. */
  public long segmentMillis() {
    return segmentMillis;
  }
}
