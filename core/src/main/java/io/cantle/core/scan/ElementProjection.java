package io.cantle.core.scan;

import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import io.cantle.core.wire.PullRequest;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the live entries: a part of each, or what a task makes of it.
 *
 * <p><b>Threading:</b> one thread.
 */
final class ElementProjection implements Projection {
  private final PullRequest.EntryPart part;
  private final TaskInterpreter.@Nullable Transformation transformation;
  private final boolean needsValues;
  private TaskInterpreter.@Nullable EntryConsumer consumer;

  /** The longest result of the task for one entry. */
  private int longestBytes;

  ElementProjection(PullRequest pull, TaskInterpreter taskInterpreter) {
    byte @Nullable [] task = pull.task();
    this.part = pull.part();
    this.transformation = task == null ? null : taskInterpreter.readTransformation(task);
    this.needsValues =
        transformation == null ? part != PullRequest.EntryPart.KEY : transformation.needsValues();
  }

  @Override
  public boolean admits(ReplicaState state) {
    return state.isReadable();
  }

  @Override
  public boolean takesUncommitted() {
    return false;
  }

  @Override
  public boolean includes(Replica replica, Entry entry) {
    return !entry.isTombstone();
  }

  @Override
  public boolean needsValues() {
    return needsValues;
  }

  @Override
  public boolean needsValue(Replica replica, Entry entry) {
    return needsValues;
  }

  @Override
  public long expectedBytes(Entry entry) {
    if (consumer != null) {
      return longestBytes;
    }
    return (part == PullRequest.EntryPart.VALUE ? 0L : entry.keyLength())
        + (part == PullRequest.EntryPart.KEY ? 0L : entry.valueLength());
  }

  @Override
  public int minRoomBytes() {
    return longestBytes;
  }

  @Override
  public void run(Output out, Runnable visit) {
    if (transformation == null) {
      visit.run();
    } else {
      transformation.run(
          out,
          entryConsumer -> {
            consumer = entryConsumer;
            visit.run();
          });
    }
  }

  @Override
  public int write(Entry entry, Output out) {
    TaskInterpreter.EntryConsumer entryConsumer = consumer;
    if (entryConsumer != null) {
      int begin = out.position();
      int elements = entryConsumer.writeElements(entry);
      longestBytes = Math.max(longestBytes, out.position() - begin);
      return elements;
    }
    part.write(entry, out);
    return 1;
  }
}
