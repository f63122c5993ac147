package io.cantle.jgroups;

import java.util.function.Consumer;
import org.jgroups.util.DefaultThreadFactory;

/**
 * Creates every thread of a JGroups channel as a {@link TransportThread}. They are platform
 * threads: a reader mostly blocks in the selector, where a virtual thread would pin its carrier.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TransportThreadProvider extends DefaultThreadFactory {

  private final Consumer<OutOfMemoryError> outOfMemory;

  TransportThreadProvider(String nodeName, Consumer<OutOfMemoryError> outOfMemory) {
    super("cantle-" + nodeName, true, true);
    this.outOfMemory = outOfMemory;
  }

  @Override
  protected Thread newThread(Runnable task, String name, String address, String clusterName) {
    return new TransportThread(task, getThreadName(name, address, clusterName), outOfMemory);
  }
}
