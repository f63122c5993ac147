package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.segment.SegmentEpoch;
import java.util.List;

/**
 * A message that brings the writes of a replica to where its epoch begins.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface RebalanceMessage extends WireMessage {

  /**
   * A new primary asks a member to enter epochs and to report the writes it holds.
   *
   * @param topologyNumber the topology that began the epochs
   */
  record EpochEntryRequest(long topologyNumber, List<EnteredSegment> segments)
      implements RebalanceMessage {
    @Override
    public void write(Output out) {
      out.writeLong(topologyNumber);
      out.writeList(segments, segment -> segment.write(out));
    }

    static EpochEntryRequest read(Input in) {
      return new EpochEntryRequest(in.readLong(), in.readList(EnteredSegment::read));
    }
  }

  /**
   * A segment whose new epoch is entered.
   *
   * @param segment the segment and its new epoch
   * @param knownEpoch the last epoch of which the primary itself has writes
   * @param knownIndex the index of its last write in that epoch
   */
  record EnteredSegment(SegmentEpoch segment, int knownEpoch, long knownIndex) {
    void write(Output out) {
      segment.write(out);
      out.writeVarint(knownEpoch);
      out.writeVarint(knownIndex);
    }

    static EnteredSegment read(Input in) {
      return new EnteredSegment(SegmentEpoch.read(in), in.readCount(), in.readVarint());
    }
  }

  /** Tells a new primary that the writes it sent are held here. */
  record CatchUpNotice(SegmentEpoch segment) implements RebalanceMessage {
    @Override
    public void write(Output out) {
      segment.write(out);
    }

    static CatchUpNotice read(Input in) {
      return new CatchUpNotice(SegmentEpoch.read(in));
    }
  }
}
