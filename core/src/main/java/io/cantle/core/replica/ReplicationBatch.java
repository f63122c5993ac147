package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;

/**
 * Writes that a primary sends to another writer, to segments of one cache.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the index of the cache in the topology
 * @param writes the writes, those of a segment in their order
 */
public record ReplicationBatch(int cache, List<SegmentWrite> writes) implements Message {

  /**
   * A write to a segment.
   *
   * @param segment the number of the segment
   * @param epoch the epoch of the write
   * @param committed the index up to which all writers hold the writes of the epoch; 0 says nothing
   * @param notice how its origin is told
   * @param isResultPrevious whether the result is the value that is replaced, which the receiver
   *     takes from its own entry
   */
  public record SegmentWrite(
      int segment,
      int epoch,
      long committed,
      OrderedWrite.OriginNotice notice,
      OrderedWrite write,
      boolean isResultPrevious) {
    /** Appends the write to a batch. */
    public void write(Output out) {
      out.writeVarint(segment);
      out.writeVarint(epoch);
      out.writeVarint(committed);
      notice.write(out);
      write.write(out, isResultPrevious);
    }

    /** The same write with the result that was left out. */
    SegmentWrite withResult(OrderedWrite whole) {
      return new SegmentWrite(segment, epoch, committed, notice, whole, false);
    }

    static SegmentWrite read(Input in, long hashSeed) {
      int segment = in.readCount();
      int epoch = in.readCount();
      long committed = in.readVarint();
      OrderedWrite.OriginNotice notice = OrderedWrite.OriginNotice.read(in);
      OrderedWrite write = OrderedWrite.read(in, epoch, hashSeed);
      boolean isResultPrevious =
          write instanceof OrderedWrite.CommandWrite command && command.result().isOmitted();
      return new SegmentWrite(segment, epoch, committed, notice, write, isResultPrevious);
    }
  }

  @Override
  public MessageKind kind() {
    return MessageKind.REPLICATE;
  }

  @Override
  public int expectedBytes() {
    int bytes = 64;
    for (int i = 0; i < writes.size(); i++) {
      bytes += writes.get(i).write.maxSizeBytes();
    }
    return bytes;
  }

  @Override
  public void write(Output out) {
    out.writeVarint(cache);
    for (int i = 0; i < writes.size(); i++) {
      writes.get(i).write(out);
    }
  }

  /** Reads what {@link #write} wrote, in a grid whose keys are hashed with this seed. */
  public static ReplicationBatch read(Input in, long hashSeed) {
    return new ReplicationBatch(
        in.readCount(), in.readRest(write -> SegmentWrite.read(write, hashSeed)));
  }
}
