package io.cantle.core.store;

import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
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
public final class Copy {
  private final Label label;
  private final SegmentEntries entries = new SegmentEntries();
  private final List<Entry> removed = new ArrayList<>();
  private final List<Entry> ended = new ArrayList<>();
  private int epoch;
  private long applied;
  private long segmentMillis;
  private long latestStamp;

  /** A copy of which no entry is known yet. */
  public Copy(Label label) {
    this.label = label;
    this.segmentMillis = Math.max(label.segmentMillis(), label.tick().segmentMillis());
    this.epoch = label.tick().epoch();
    this.applied = label.tick().index();
  }

  /** Adds an entry that is in no copy yet; one the last tick has ended is added as ended. */
  public void add(Entry read) {
    Entry entry = read;
    Label.Tick tick = label.tick();
    if (read.deadlineMillis() <= tick.segmentMillis()
        && read.compareVersion(tick.epoch(), tick.index()) < 0) {
      entry = read.ended(tick.epoch(), tick.index());
      ended.add(entry);
    }
    if (entry.compareVersion(epoch, applied) > 0) {
      epoch = entry.epoch();
      applied = entry.index();
    }
    Deadline deadline = read.deadline();
    if (deadline != null) {
      segmentMillis = Math.max(segmentMillis, deadline.touchedMillis());
    }
    latestStamp = Math.max(latestStamp, entry.stamp());
    entries.put(entry);
    if (entry.tombstone()) {
      removed.add(entry);
    }
  }

  /** What it is a copy of. */
  public Label label() {
    return label;
  }

  /** Everything it holds, removed keys too. */
  public SegmentEntries entries() {
    return entries;
  }

  /** The removed keys, in the order in which they were removed. */
  public List<Entry> removed() {
    removed.sort(Comparator.comparingInt(Entry::epoch).thenComparingLong(Entry::index));
    return removed;
  }

  /** The removed keys that are not on disk as such, though the tick that ended them is. */
  public List<Entry> ended() {
    return ended;
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
