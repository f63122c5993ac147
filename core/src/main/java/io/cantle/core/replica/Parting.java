package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Origin;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;

/**
 * How far a copy had come when it left a grid: whatever it holds up to here, every other owner
 * there holds as well. What either side holds beyond was written apart, or was under way.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param entered the epoch the copy was in
 * @param epoch first part of the last version all owners hold
 * @param index second part of that version
 * @param stamp the latest stamp of what all owners hold, 0 for none
 */
public record Parting(int entered, int epoch, long index, long stamp) {
  /** Nothing is held together. */
  public static final Parting NEVER_TOGETHER = new Parting(0, 0, 0, 0);

  /**
   * Whether what an entry says was not known together: it was written, or it has ended, after the
   * sides parted.
   */
  boolean isBefore(Entry entry) {
    return entry.tombstone() ? isBeforeVersion(entry) : isBeforeWrite(entry);
  }

  /**
   * Whether somebody has written an entry after the sides parted. To note that it was read, or that
   * it has lived its time, makes another version of it and is nobody's write: the stamp stays. What
   * is written is stamped later than all its primary has heard of.
   */
  public boolean isBeforeWrite(Entry entry) {
    return isBeforeVersion(entry)
        && (stamp == 0 || entry.origin() != Origin.HERE || entry.stamp() > stamp);
  }

  /** The same without the stamp: then whatever has a later version was written. */
  Parting unstamped() {
    return new Parting(entered, epoch, index, 0);
  }

  private boolean isBeforeVersion(Entry entry) {
    return entry.compareVersion(epoch, index) > 0;
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeVarint(entered);
    out.writeVarint(epoch);
    out.writeVarint(index);
    out.writeLong(stamp);
  }

  /** Reads what {@link #write} wrote. */
  public static Parting read(Input in) {
    return new Parting(
        in.readCount(Integer.MAX_VALUE),
        in.readCount(Integer.MAX_VALUE),
        in.readVarint(),
        in.readLong());
  }
}
