package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes that a primary sends to another writer, to segments of one cache.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the index of the cache in the topology
 * @param writes the writes, those of a segment in their order
 * @param isScattered whether they are those of which the receiver holds the second copies
 */
public record ReplicationBatch(int cache, List<SegmentWrite> writes, boolean isScattered)
    implements Message {

  /** A batch of these writes, which are all of the same kind. */
  public ReplicationBatch(int cache, List<SegmentWrite> writes) {
    this(cache, writes, !writes.isEmpty() && writes.getFirst().chain != null);
  }

  /**
   * A write to a segment.
   *
   * @param segment the number of the segment
   * @param epoch the epoch of the write
   * @param committed the index up to which all writers hold the writes of the epoch; 0 says nothing
   * @param notice how its origin is told
   * @param isResultPrevious whether the result is the value that is replaced, which the receiver
   *     takes from its own entry
   * @param chain what the holder of a second copy needs; null for other writers
   */
  public record SegmentWrite(
      int segment,
      int epoch,
      long committed,
      OrderedWrite.OriginNotice notice,
      OrderedWrite write,
      boolean isResultPrevious,
      @Nullable CopyChain chain) {
    /** A write that all other writers get. */
    public SegmentWrite(
        int segment,
        int epoch,
        long committed,
        OrderedWrite.OriginNotice notice,
        OrderedWrite write,
        boolean isResultPrevious) {
      this(segment, epoch, committed, notice, write, isResultPrevious, null);
    }

    /** Appends the write to a batch. */
    public void write(Output out) {
      out.writeVarint(segment);
      out.writeVarint(epoch);
      out.writeVarint(committed);
      notice.write(out);
      if (chain != null) {
        chain.write(out);
      }
      write.write(out, isResultPrevious);
    }

    /** The same write with the result that was left out. */
    SegmentWrite withResult(OrderedWrite whole) {
      return new SegmentWrite(segment, epoch, committed, notice, whole, false, chain);
    }

    static SegmentWrite read(Input in, long hashSeed, boolean isScattered) {
      int segment = in.readCount();
      int epoch = in.readCount();
      long committed = in.readVarint();
      OrderedWrite.OriginNotice notice = OrderedWrite.OriginNotice.read(in);
      CopyChain chain = isScattered ? CopyChain.read(in) : null;
      OrderedWrite write = OrderedWrite.read(in, epoch, hashSeed);
      boolean isResultPrevious =
          write instanceof OrderedWrite.CommandWrite command && command.result().isOmitted();
      return new SegmentWrite(segment, epoch, committed, notice, write, isResultPrevious, chain);
    }
  }

  @Override
  public MessageKind kind() {
    return isScattered ? MessageKind.REPLICATE_COPY : MessageKind.REPLICATE;
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
    return read(in, hashSeed, false);
  }

  /** Reads a batch, which is of second copies or of writes that all other writers get. */
  public static ReplicationBatch read(Input in, long hashSeed, boolean isScattered) {
    return new ReplicationBatch(
        in.readCount(),
        in.readRest(write -> SegmentWrite.read(write, hashSeed, isScattered)),
        isScattered);
  }
}
