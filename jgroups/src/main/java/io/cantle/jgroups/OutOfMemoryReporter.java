package io.cantle.jgroups;

import java.util.function.Consumer;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the protocols above it ran out of memory on the way up. Some protocols of JGroups
 * log whatever the protocols above them throw, and go on: the message is gone without a trace. So a
 * reporter stands directly above each of them.
 *
 * <p><b>Threading:</b> any thread.
 */
final class OutOfMemoryReporter extends Protocol {
  private final Consumer<OutOfMemoryError> outOfMemory;

  OutOfMemoryReporter(Consumer<OutOfMemoryError> outOfMemory) {
    this.outOfMemory = outOfMemory;
  }

  @Override
  public @Nullable Object up(Message message) {
    try {
      return up_prot.up(message);
    } catch (OutOfMemoryError e) {
      outOfMemory.accept(e);
      throw e;
    }
  }

  @Override
  public void up(MessageBatch batch) {
    try {
      up_prot.up(batch);
    } catch (OutOfMemoryError e) {
      outOfMemory.accept(e);
      throw e;
    }
  }
}
