package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;

/**
 * How far the writes of one epoch of a segment have come at a node.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the index of the cache in the topology
 * @param segment the number of the segment
 * @param epoch the epoch
 * @param index the index of the last write in it
 */
public record SegmentIndex(int cache, int segment, int epoch, long index) {
  /** About how many bytes one takes. */
  static final int EXPECTED_BYTES = 8;

  /** The later one of two that concern the same segment. */
  public SegmentIndex latest(SegmentIndex other) {
    boolean isLater = epoch > other.epoch || (epoch == other.epoch && index > other.index);
    return isLater ? this : other;
  }

  void write(Output out) {
    out.writeVarint(cache);
    out.writeVarint(segment);
    out.writeVarint(epoch);
    out.writeVarint(index);
  }

  static SegmentIndex read(Input in) {
    return new SegmentIndex(in.readCount(), in.readCount(), in.readCount(), in.readVarint());
  }
}
