package io.cantle.core.wire;

import io.cantle.CacheConfig;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.List;
import java.util.UUID;

/**
 * A request to a node that holds a key, or a replica.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface CallMessage extends WireMessage {

  /**
   * Reads a key.
   *
   * @param topologyNumber the topology that the caller went by
   * @param cache the index of the cache in that topology
   * @param segment the segment of the key
   * @param wantsValue false if only the version matters
   * @param key the key
   */
  record ReadRequest(long topologyNumber, int cache, int segment, boolean wantsValue, ByteSlice key)
      implements CallMessage {
    @Override
    public int expectedBytes() {
      return key.length() + 32;
    }

    @Override
    public void write(Output out) {
      out.writeLong(topologyNumber);
      out.writeVarint(cache);
      out.writeVarint(segment);
      out.writeBoolean(wantsValue);
      key.write(out);
    }

    static ReadRequest read(Input in) {
      return new ReadRequest(
          in.readLong(), in.readCount(), in.readCount(), in.readBoolean(), ByteSlice.read(in));
    }
  }

  /** A key and the segment it is in. */
  record SegmentKey(int segment, ByteSlice key) {
    void write(Output out) {
      out.writeVarint(segment);
      key.write(out);
    }

    static SegmentKey read(Input in) {
      return new SegmentKey(in.readCount(), ByteSlice.read(in));
    }
  }

  /**
   * Reads many keys, all of them at their primary.
   *
   * @param topologyNumber the topology that the caller went by
   * @param cache the index of the cache in that topology
   * @param keys the keys
   */
  record BulkReadRequest(long topologyNumber, int cache, List<SegmentKey> keys)
      implements CallMessage {
    /** The most keys in one message. */
    private static final int MAX_KEYS = 1_024;

    @Override
    public int expectedBytes() {
      return 16 + keys.size() * 32;
    }

    @Override
    public void write(Output out) {
      out.writeLong(topologyNumber);
      out.writeVarint(cache);
      out.writeList(keys, one -> one.write(out));
    }

    static BulkReadRequest read(Input in) {
      return new BulkReadRequest(
          in.readLong(), in.readCount(), in.readList(MAX_KEYS, SegmentKey::read));
    }
  }

  /**
   * Asks whether a replica of a grid that was given up has been merged.
   *
   * @param gridId the grid that was given up
   * @param cache the index of the cache in that grid
   * @param segment the segment
   * @param birthEpoch the epoch in which the segment began empty
   * @param enteredEpoch the epoch the replica was in
   * @param isWhole whether it took part in all writes of that epoch
   * @param receivingBirthEpochs those of the segments that are to have its entries now: merged
   *     counts only if they have received them
   */
  record MergeStatusRequest(
      UUID gridId,
      int cache,
      int segment,
      int birthEpoch,
      int enteredEpoch,
      boolean isWhole,
      List<Integer> receivingBirthEpochs)
      implements CallMessage {
    /** Copies the list. */
    public MergeStatusRequest {
      receivingBirthEpochs = List.copyOf(receivingBirthEpochs);
    }

    @Override
    public void write(Output out) {
      out.writeId(gridId);
      out.writeVarint(cache);
      out.writeVarint(segment);
      out.writeVarint(birthEpoch);
      out.writeVarint(enteredEpoch);
      out.writeBoolean(isWhole);
      out.writeList(receivingBirthEpochs, epoch -> out.writeVarint(epoch));
    }

    static MergeStatusRequest read(Input in) {
      return new MergeStatusRequest(
          in.readId(),
          in.readCount(),
          in.readCount(),
          in.readCount(),
          in.readCount(),
          in.readBoolean(),
          in.readList(CacheConfig.MAX_SEGMENTS, Input::readCount));
    }
  }
}
