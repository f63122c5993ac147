package io.cantle.core.replica;

import io.cantle.core.base.Input;
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
 */
public record Parting(int entered, int epoch, long index) {
  /** Nothing is held together. */
  public static final Parting NEVER_TOGETHER = new Parting(0, 0, 0);

  /** Whether a version was written after the sides parted. */
  boolean isBefore(Entry entry) {
    return entry.compareVersion(epoch, index) > 0;
  }

  void write(Output out) {
    out.writeVarint(entered);
    out.writeVarint(epoch);
    out.writeVarint(index);
  }

  static Parting read(Input in) {
    return new Parting(
        in.readCount(Integer.MAX_VALUE), in.readCount(Integer.MAX_VALUE), in.readVarint());
  }
}
