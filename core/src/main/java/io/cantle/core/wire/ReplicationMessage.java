package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.segment.SegmentEpoch;
import java.util.List;

/**
 * A message between the primary of a segment and its other writers.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface ReplicationMessage extends WireMessage {

  /** Tells a primary how far the sender has applied its writes. */
  record Acknowledgement(List<SegmentIndex> applied) implements ReplicationMessage {
    @Override
    public int expectedBytes() {
      return applied.size() * SegmentIndex.EXPECTED_BYTES;
    }

    @Override
    public void write(Output out) {
      applied.forEach(index -> index.write(out));
    }

    static Acknowledgement read(Input in) {
      return new Acknowledgement(in.readRest(SegmentIndex::read));
    }
  }

  /** A primary asks a writer for an acknowledgement, at once. */
  record AcknowledgementRequest(SegmentEpoch segment) implements ReplicationMessage {
    @Override
    public void write(Output out) {
      segment.write(out);
    }

    static AcknowledgementRequest read(Input in) {
      return new AcknowledgementRequest(SegmentEpoch.read(in));
    }
  }

  /** Tells a writer up to which index all writers hold the writes of its primary. */
  record CommitNotice(List<SegmentIndex> committed) implements ReplicationMessage {
    @Override
    public int expectedBytes() {
      return 8 + committed.size() * SegmentIndex.EXPECTED_BYTES;
    }

    @Override
    public void write(Output out) {
      out.writeList(committed, index -> index.write(out));
    }

    static CommitNotice read(Input in) {
      return new CommitNotice(in.readList(SegmentIndex::read));
    }
  }

  /**
   * Tells a member whether the heap of the sender is full, so that a primary refuses writes that
   * the sender would have to hold.
   *
   * @param usedBytes how much of the heap is in use
   * @param limitBytes how much may be
   */
  record HeapNotice(boolean isFull, long usedBytes, long limitBytes) implements ReplicationMessage {
    @Override
    public void write(Output out) {
      out.writeBoolean(isFull);
      out.writeVarint(usedBytes);
      out.writeVarint(limitBytes);
    }

    static HeapNotice read(Input in) {
      return new HeapNotice(in.readBoolean(), in.readVarint(), in.readVarint());
    }
  }

  /** A writer asks a primary for a {@link CommitNotice} about these segments. */
  record CommitQuery(List<SegmentEpoch> segments) implements ReplicationMessage {
    @Override
    public void write(Output out) {
      segments.forEach(segment -> segment.write(out));
    }

    static CommitQuery read(Input in) {
      return new CommitQuery(in.readRest(SegmentEpoch::read));
    }
  }
}
