package io.cantle.core.rebalance;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.replica.ReplicaLogSummary;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;

/**
 * Tells a new primary which epochs a member has entered, and what it holds of the epoch before.
 *
 * <p><b>Threading:</b> immutable.
 */
record EpochEntryReport(List<SegmentLog> logs) implements Message {

  /** A segment with its new epoch, and what the member holds of it. */
  record SegmentLog(SegmentEpoch segment, ReplicaLogSummary log) {
    void write(Output out) {
      segment.write(out);
      out.writeVarint(log.sinceEpoch());
      out.writeVarint(log.epoch());
      out.writeVarint(log.applied());
      out.writeVarint(log.segmentMillis() + 1);
      CatchUpBatch.writeAll(out, log.writes());
    }

    static SegmentLog read(Input in, long hashSeed) {
      SegmentEpoch segment = SegmentEpoch.read(in);
      int sinceEpoch = in.readCount();
      int epoch = in.readCount();
      long applied = in.readVarint();
      long segmentMillis = in.readVarint() - 1;
      return new SegmentLog(
          segment,
          new ReplicaLogSummary(
              sinceEpoch,
              epoch,
              applied,
              CatchUpBatch.readAll(in, epoch, hashSeed),
              segmentMillis));
    }
  }

  @Override
  public MessageKind kind() {
    return MessageKind.EPOCH_ENTERED;
  }

  @Override
  public void write(Output out) {
    logs.forEach(log -> log.write(out));
  }

  static EpochEntryReport read(Input in, long hashSeed) {
    return new EpochEntryReport(in.readRest(log -> SegmentLog.read(log, hashSeed)));
  }
}
