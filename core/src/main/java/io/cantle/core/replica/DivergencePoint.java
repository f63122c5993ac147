package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.WriteOrigin;
import io.cantle.core.container.Entry;

/**
 * How far a copy had come when it left a grid: whatever it holds up to here, every other owner
 * there holds as well. What either side holds beyond was written apart, or was under way.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param enteredEpoch the epoch the copy was in
 * @param epoch first part of the last version all owners hold
 * @param index second part of that version
 * @param stamp the latest stamp of what all owners hold, 0 for none
 */
public record DivergencePoint(int enteredEpoch, int epoch, long index, long stamp) {
  /** Nothing is held together. */
  public static final DivergencePoint NOTHING_IN_COMMON = new DivergencePoint(0, 0, 0, 0);

  /**
   * Whether what an entry says was not known together: it was written, or it has ended, after the
   * sides parted.
   */
  boolean precedes(Entry entry) {
    return entry.isTombstone() ? precedesVersion(entry) : precedesWrite(entry);
  }

  /**
   * Whether somebody has written an entry after the sides parted. To note that it was read, or that
   * it has lived its time, makes another version of it and is nobody's write: the stamp stays. What
   * is written is stamped later than all its primary has heard of.
   */
  public boolean precedesWrite(Entry entry) {
    return precedesVersion(entry)
        && (stamp == 0 || entry.origin() != WriteOrigin.LOCAL || entry.stamp() > stamp);
  }

  /** The same without the stamp: then whatever has a later version was written. */
  DivergencePoint withoutStamp() {
    return new DivergencePoint(enteredEpoch, epoch, index, 0);
  }

  private boolean precedesVersion(Entry entry) {
    return entry.compareVersion(epoch, index) > 0;
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeVarint(enteredEpoch);
    out.writeVarint(epoch);
    out.writeVarint(index);
    out.writeLong(stamp);
  }

  /** Reads what {@link #write} wrote. */
  public static DivergencePoint read(Input in) {
    return new DivergencePoint(
        in.readCount(Integer.MAX_VALUE),
        in.readCount(Integer.MAX_VALUE),
        in.readVarint(),
        in.readLong());
  }
}
