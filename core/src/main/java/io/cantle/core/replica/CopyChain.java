package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.List;

/**
 * What goes to the holder of a second copy with the copy. A holder gets only some of the writes of
 * an epoch, each with the index of the one before, so it applies them in their order.
 *
 * <p>A write may replace another that is not committed yet, and whose own holder may never get it.
 * A command that is counted in the value must not be executed again then. So the copy brings the
 * results of such commands along.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param previous the index of the last write that went to the same holder; 0 for none
 * @param replaced the commands of uncommitted writes of the same key
 */
public record CopyChain(long previous, List<ReplacedCommand> replaced) {
  private static final int MAX_REPLACED = 100_000;

  /** A command whose write another write has replaced. */
  record ReplacedCommand(CommandId command, long index, OperationResult result) {
    void write(Output out) {
      command.write(out);
      out.writeVarint(index);
      result.write(out);
    }

    static ReplacedCommand read(Input in) {
      return new ReplacedCommand(
          CommandId.read(in), in.readVarint(), OperationResult.read(in).withOwnArray());
    }
  }

  void write(Output out) {
    out.writeVarint(previous);
    out.writeList(replaced, one -> one.write(out));
  }

  static CopyChain read(Input in) {
    return new CopyChain(in.readVarint(), in.readList(MAX_REPLACED, ReplacedCommand::read));
  }
}
