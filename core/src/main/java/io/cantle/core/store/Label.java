package io.cantle.core.store;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.UUID;

/**
 * What a copy on disk is a copy of.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param grid the grid of the cache
 * @param since from which epoch on the copy took part in every write
 * @param segmentMillis the time of the segment that was known last, -1 if it had not begun
 * @param tick the write that ended last what was due
 * @param dropped in which epoch a copy was dropped that counted, if none has begun since; else 0
 */
public record Label(UUID grid, int since, long segmentMillis, Tick tick, int dropped) {
  private static final int FORMAT = 1;

  /** A label of a copy in which nothing has ended yet. */
  public Label(UUID grid, int since, long segmentMillis) {
    this(grid, since, segmentMillis, Tick.NONE, 0);
  }

  /** All that is left of a copy: that there was one, and until when. */
  public static Label dropped(UUID grid, int epoch) {
    return new Label(grid, 0, -1, Tick.NONE, epoch);
  }

  /**
   * A write that ended whatever was due by a time. It is on disk with the label that tells of it,
   * whether or not the removed keys are that it left.
   *
   * @param epoch the epoch of the write, 0 for none
   * @param index its place in that epoch
   * @param segmentMillis until when, -1 for none
   */
  public record Tick(int epoch, long index, long segmentMillis) {
    /** Nothing has ended. */
    public static final Tick NONE = new Tick(0, 0, -1);
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeByte(FORMAT);
    out.writeId(grid);
    out.writeVarint(since);
    out.writeVarint(segmentMillis + 1);
    out.writeVarint(tick.epoch());
    out.writeVarint(tick.index());
    out.writeVarint(tick.segmentMillis() + 1);
    out.writeVarint(dropped);
  }

  /** Reads what {@link #write} wrote. */
  public static Label read(Input in) {
    Format.check(in.readByte(), FORMAT);
    return new Label(
        in.readId(),
        in.readCount(Integer.MAX_VALUE),
        in.readVarint() - 1,
        new Tick(in.readCount(Integer.MAX_VALUE), in.readVarint(), in.readVarint() - 1),
        in.readCount(Integer.MAX_VALUE));
  }
}
