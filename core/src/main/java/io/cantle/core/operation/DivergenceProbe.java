package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes nothing. It asks a segment's primary whether it serves the segment, whether the segment
 * has not begun empty again, and how far its replica had come when it left an earlier grid.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param grid the grid this is meant for
 * @param birthEpoch the epoch in which the segment began empty there, as far as is known
 * @param leftGrid the earlier grid
 */
record DivergenceProbe(UUID grid, int birthEpoch, UUID leftGrid) implements Operation {
  /**
   * What the primary answers.
   *
   * @param reached how far its replica had come; null if it holds nothing of that grid's writes
   */
  static OperationResult toResult(@Nullable DivergencePoint reached) {
    Output out = new Output(32);
    out.writeOptional(reached, point -> point.write(out));
    byte[] bytes = out.toByteArray();
    return OperationResult.valueIn(bytes, 0, bytes.length);
  }

  /** Reads what {@link #toResult} wrote. */
  static @Nullable DivergencePoint reachedIn(OperationResult result) {
    Input in = new Input(result.bytes(), result.offset(), result.length());
    return in.readOptional(DivergencePoint::read);
  }

  /** {@inheritDoc} Only {@link WriteHandler} knows the replica and can answer. */
  @Override
  public CommandEffect decide(ByteSlice key, @Nullable Entry found) {
    return CommandEffect.none(ConflictMerge.NOT_APPLICABLE);
  }
}
