package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;

/**
 * One write of a bulk message.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param firstEpoch the epoch in which it was sent first
 * @param attempt the number of the attempt, from 1
 */
record BulkWriteItem(
    int segment,
    int epoch,
    int firstEpoch,
    int attempt,
    long sequence,
    long lowestUnanswered,
    ByteSlice key,
    Operation operation) {
  void write(Output out) {
    out.writeVarint(segment);
    out.writeVarint(epoch);
    out.writeVarint(epoch - firstEpoch);
    out.writeVarint(attempt);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowestUnanswered);
    key.write(out);
    operation.write(out);
  }

  static BulkWriteItem read(Input in) {
    int segment = in.readCount();
    int epoch = in.readCount();
    int begun = epoch - in.readCount(epoch);
    int attempt = in.readCount();
    long sequence = in.readVarint();
    long lowest = sequence - in.readVarint();
    return new BulkWriteItem(
        segment, epoch, begun, attempt, sequence, lowest, ByteSlice.read(in), readOperation(in));
  }

  private static Operation readOperation(Input in) {
    Operation operation = Operation.read(in);
    if (operation.unwrap() instanceof Operation.ApplyFunction
        || operation.unwrap() instanceof Operation.CompareAndSet) {
      throw new MalformedException(
          "an operation that may run user code is not allowed in a bulk write");
    }
    return operation;
  }
}
