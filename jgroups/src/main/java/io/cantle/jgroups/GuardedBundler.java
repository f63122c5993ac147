package io.cantle.jgroups;

import java.util.function.Consumer;
import org.jgroups.Message;
import org.jgroups.protocols.NoBundler;

/**
 * Sends each message on its own, and reports that the memory did not suffice for it. The transport
 * protocol of JGroups would drop the message and the error.
 *
 * <p><b>Threading:</b> any thread.
 */
final class GuardedBundler extends NoBundler {
  private final Consumer<OutOfMemoryError> outOfMemory;

  GuardedBundler(Consumer<OutOfMemoryError> outOfMemory) {
    this.outOfMemory = outOfMemory;
  }

  @Override
  public void send(Message message) throws Exception {
    try {
      super.send(message);
    } catch (OutOfMemoryError e) {
      outOfMemory.accept(e);
      throw e;
    }
  }
}
