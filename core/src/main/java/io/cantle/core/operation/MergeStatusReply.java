package io.cantle.core.operation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.partition.MergeBacklog;
import io.cantle.core.transport.Response;

/**
 * Tells another owner whether a replica of a grid that was given up has been merged here.
 *
 * <p><b>Threading:</b> immutable.
 */
record MergeStatusReply(MergeBacklog.MergeStatus status) implements Response {
  @Override
  public int expectedBytes() {
    return 1;
  }

  @Override
  public void write(Output out) {
    out.writeEnum(status);
  }

  static MergeStatusReply read(Input in) {
    return in.requireEndAfter(
        new MergeStatusReply(MergeBacklog.MergeStatus.fromCode(in.readByte())));
  }
}
