package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * One write of a message that has many.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param firstEpoch the epoch it was sent in first
 */
record BulkWriteItem(
    int segment,
    int epoch,
    int firstEpoch,
    long sequence,
    long lowestUnanswered,
    ByteSlice key,
    Operation operation) {
  void write(Output out) {
    out.writeVarint(segment);
    out.writeVarint(epoch);
    out.writeVarint(epoch - firstEpoch);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowestUnanswered);
    key.write(out);
    operation.write(out);
  }

  static BulkWriteItem read(Input in) {
    int segment = in.readCount(Integer.MAX_VALUE);
    int epoch = in.readCount(Integer.MAX_VALUE);
    int begun = epoch - in.readCount(epoch);
    long sequence = in.readVarint();
    long lowest = sequence - in.readVarint();
    return new BulkWriteItem(
        segment, epoch, begun, sequence, lowest, ByteSlice.read(in), readOperation(in));
  }

  private static Operation readOperation(Input in) {
    Operation operation = Operation.read(in);
    if (operation.unwrap() instanceof ApplyFunction
        || operation.unwrap() instanceof CompareAndSet) {
      throw new MalformedException("code of the user's does not come in bulk");
    }
    return operation;
  }
}
