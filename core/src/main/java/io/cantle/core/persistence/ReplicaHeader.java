package io.cantle.core.persistence;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.UUID;

/**
 * What a copy on disk is a copy of.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the grid of the cache
 * @param sinceEpoch from which epoch on the copy took part in every write
 * @param segmentMillis the time of the segment that was known last, -1 if it had not begun
 * @param lastTick the write that ended last what was due
 * @param droppedEpoch in which epoch a copy was dropped that counted, if none has begun since; else
 *     0
 */
public record ReplicaHeader(
    UUID gridId, int sinceEpoch, long segmentMillis, LastTick lastTick, int droppedEpoch) {
  private static final int FORMAT_VERSION = 1;

  /** A label of a copy in which nothing has ended yet. */
  public ReplicaHeader(UUID gridId, int sinceEpoch, long segmentMillis) {
    this(gridId, sinceEpoch, segmentMillis, LastTick.NONE, 0);
  }

  /** All that is left of a copy: that there was one, and until when. */
  public static ReplicaHeader ofDropped(UUID grid, int epoch) {
    return new ReplicaHeader(grid, 0, -1, LastTick.NONE, epoch);
  }

  /**
   * A write that ended whatever was due by a time. It is on disk with the label that tells of it,
   * whether or not the removed keys are that it left.
   *
   * @param epoch the epoch of the write, 0 for none
   * @param index its place in that epoch
   * @param segmentMillis until when, -1 for none
   */
  public record LastTick(int epoch, long index, long segmentMillis) {
    /** Nothing has ended. */
    public static final LastTick NONE = new LastTick(0, 0, -1);
  }

  /** Writes everything. */
  public void write(Output out) {
    out.writeByte(FORMAT_VERSION);
    out.writeId(gridId);
    out.writeVarint(sinceEpoch);
    out.writeVarint(segmentMillis + 1);
    out.writeVarint(lastTick.epoch());
    out.writeVarint(lastTick.index());
    out.writeVarint(lastTick.segmentMillis() + 1);
    out.writeVarint(droppedEpoch);
  }

  /** Reads what {@link #write} wrote. */
  public static ReplicaHeader read(Input in) {
    FormatVersion.check(in.readByte(), FORMAT_VERSION);
    return new ReplicaHeader(
        in.readId(),
        in.readCount(Integer.MAX_VALUE),
        in.readVarint() - 1,
        new LastTick(in.readCount(Integer.MAX_VALUE), in.readVarint(), in.readVarint() - 1),
        in.readCount(Integer.MAX_VALUE));
  }
}
