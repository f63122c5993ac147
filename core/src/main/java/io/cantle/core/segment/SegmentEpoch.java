package io.cantle.core.segment;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;

/**
 * One epoch of one segment.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the index of the cache in the topology
 * @param segment the number of the segment
 * @param epoch the number of the epoch
 */
public record SegmentEpoch(int cache, int segment, int epoch) {

  /** Writes the three numbers. */
  public void write(Output out) {
    out.writeVarint(cache);
    out.writeVarint(segment);
    out.writeVarint(epoch);
  }

  /** Reads what {@link #write} wrote. */
  public static SegmentEpoch read(Input in) {
    return new SegmentEpoch(in.readCount(), in.readCount(), in.readCount());
  }
}
