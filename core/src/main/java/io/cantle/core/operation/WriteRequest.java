package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;

/**
 * A write of one key.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param topologyNumber the topology that the caller went by
 * @param cache the index of the cache in that topology
 * @param segment the segment of the key
 * @param epoch the epoch of the segment in that topology
 * @param firstEpoch the epoch in which the write was sent first
 * @param attempt the number of the attempt, from 1
 * @param admissionNumber the topology that admitted the caller, which identifies its session
 * @param sequence the number of the command in the session
 * @param lowestUnanswered the lowest sequence of the session without an answer
 */
record WriteRequest(
    long topologyNumber,
    int cache,
    int segment,
    int epoch,
    int firstEpoch,
    int attempt,
    long admissionNumber,
    long sequence,
    long lowestUnanswered,
    ByteSlice key,
    Operation operation)
    implements Message {
  @Override
  public MessageKind kind() {
    return MessageKind.WRITE;
  }

  @Override
  public int expectedBytes() {
    return key.length() + 64;
  }

  @Override
  public void write(Output out) {
    out.writeLong(topologyNumber);
    out.writeVarint(cache);
    out.writeVarint(segment);
    out.writeVarint(epoch);
    out.writeVarint(epoch - firstEpoch);
    out.writeVarint(attempt);
    out.writeVarint(admissionNumber);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowestUnanswered);
    key.write(out);
    operation.write(out);
  }

  static WriteRequest read(Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount();
    int segment = in.readCount();
    int epoch = in.readCount();
    int firstEpoch = epoch - in.readCount(epoch);
    int attempt = in.readCount();
    long admissionNumber = in.readVarint();
    long sequence = in.readVarint();
    long lowest = sequence - in.readVarint();
    return in.requireEndAfter(
        new WriteRequest(
            topologyNumber,
            cache,
            segment,
            epoch,
            firstEpoch,
            attempt,
            admissionNumber,
            sequence,
            lowest,
            ByteSlice.read(in),
            Operation.read(in)));
  }
}
