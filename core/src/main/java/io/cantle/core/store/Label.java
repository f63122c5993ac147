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
 */
public record Label(UUID grid, int since, long segmentMillis) {
  private static final int FORMAT = 1;

  /** Writes everything. */
  public void write(Output out) {
    out.writeByte(FORMAT);
    out.writeId(grid);
    out.writeVarint(since);
    out.writeVarint(segmentMillis + 1);
  }

  /** Reads what {@link #write} wrote. */
  public static Label read(Input in) {
    Format.check(in.readByte(), FORMAT);
    return new Label(in.readId(), in.readCount(Integer.MAX_VALUE), in.readVarint() - 1);
  }
}
