package io.cantle.cluster;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.LoopbackPorts;
import java.net.InetAddress;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback interface for the nodes of a test.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TestPorts {
  static final InetAddress LOOPBACK = LoopbackPorts.ADDRESS;

  private TestPorts() {}

  /** Returns the first of this many neighbouring ports. */
  static int neighbours(int count) {
    try {
      return LoopbackPorts.findNeighbours(count, ThreadLocalRandom.current());
    } catch (ChaosException e) {
      throw new IllegalStateException(e);
    }
  }
}
