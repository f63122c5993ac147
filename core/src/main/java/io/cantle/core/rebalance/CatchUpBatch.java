package io.cantle.core.rebalance;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;

/**
 * The writes of an earlier epoch that a new primary sends to a member that lacks them.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param segment the segment and its new epoch
 * @param writesEpoch the epoch of the writes
 */
record CatchUpBatch(SegmentEpoch segment, int writesEpoch, List<OrderedWrite> writes)
    implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.CATCH_UP;
  }

  @Override
  public void write(Output out) {
    segment.write(out);
    out.writeVarint(writesEpoch);
    writeAll(out, writes);
  }

  static CatchUpBatch read(Input in, long hashSeed) {
    SegmentEpoch segment = SegmentEpoch.read(in);
    int writesEpoch = in.readCount();
    return in.requireEndAfter(
        new CatchUpBatch(segment, writesEpoch, readAll(in, writesEpoch, hashSeed)));
  }

  static void writeAll(Output out, List<OrderedWrite> writes) {
    out.writeList(writes, write -> write.write(out, false));
  }

  static List<OrderedWrite> readAll(Input in, int epoch, long hashSeed) {
    return in.readList(write -> OrderedWrite.read(write, epoch, hashSeed));
  }
}
