package io.cantle.core.persistence;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import java.util.UUID;

/**
 * The metadata of a replica on disk: which segment state it is a replica of.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the grid of the cache
 * @param sinceEpoch the epoch since which the replica has taken part in every write
 * @param segmentMillis the last known time of the segment's clock, or -1 if it had not started
 * @param lastTick the last write that expired entries
 * @param droppedEpoch the epoch in which a replica that still counted was dropped, if no other has
 *     begun since; else 0
 */
public record ReplicaHeader(
    UUID gridId, int sinceEpoch, long segmentMillis, LastTick lastTick, int droppedEpoch) {
  private static final int FORMAT_VERSION = 1;

  /**
   * Creates the header that remains of a dropped replica: it says that there was one, and until
   * when.
   */
  public static ReplicaHeader ofDropped(UUID grid, int epoch) {
    return new ReplicaHeader(grid, 0, -1, LastTick.NONE, epoch);
  }

  /**
   * A write that expired all entries due by a time. It is on disk together with the header that
   * names it, even if the tombstones it caused are not.
   *
   * @param version the version of the write, or {@link Version#NONE}
   * @param segmentMillis the time of the segment's clock by which entries expired, or -1 for none
   */
  public record LastTick(Version version, long segmentMillis) {
    /** No tick: nothing has expired yet. */
    public static final LastTick NONE = new LastTick(Version.NONE, -1);
  }

  /** Writes the header. */
  void write(Output out) {
    out.writeByte(FORMAT_VERSION);
    out.writeId(gridId);
    out.writeVarint(sinceEpoch);
    out.writeVarint(segmentMillis + 1);
    lastTick.version().write(out);
    out.writeVarint(lastTick.segmentMillis() + 1);
    out.writeVarint(droppedEpoch);
  }

  /** Reads what {@link #write} wrote. */
  static ReplicaHeader read(Input in) {
    int format = in.readByte();
    if (format != FORMAT_VERSION) {
      throw new MalformedException(
          "stored in format "
              + format
              + ", but this release reads format "
              + FORMAT_VERSION
              + "; start a later release");
    }
    return new ReplicaHeader(
        in.readId(),
        in.readCount(),
        in.readVarint() - 1,
        new LastTick(Version.read(in), in.readVarint() - 1),
        in.readCount());
  }
}
