package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;

/**
 * One write of a message that has many.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param begun the epoch it was sent in first
 */
record BulkItem(
    int segment, int epoch, int begun, long sequence, long lowest, Slice key, Operation operation) {
  void write(Output out) {
    out.writeVarint(segment);
    out.writeVarint(epoch);
    out.writeVarint(epoch - begun);
    out.writeVarint(sequence);
    out.writeVarint(sequence - lowest);
    key.write(out);
    operation.write(out);
  }

  static BulkItem read(Input in) {
    int segment = in.readCount(Integer.MAX_VALUE);
    int epoch = in.readCount(Integer.MAX_VALUE);
    int begun = epoch - in.readCount(epoch);
    long sequence = in.readVarint();
    long lowest = sequence - in.readVarint();
    return new BulkItem(segment, epoch, begun, sequence, lowest, Slice.read(in), readOperation(in));
  }

  private static Operation readOperation(Input in) {
    Operation operation = Operation.read(in);
    if (operation.bare() instanceof Apply || operation.bare() instanceof Compare) {
      throw new MalformedException("code of the user's does not come in bulk");
    }
    return operation;
  }
}
