package io.cantle.chaos.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Finds ports of loopback addresses on which nobody listens.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LoopbackPorts {
  /** The address on whose ports nodes listen side by side. */
  public static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");

  private static final int MIN_PORT = 12_000;
  private static final int MAX_PORT = 32_000;
  private static final int MAX_TRIES = 1_000;

  private LoopbackPorts() {}

  /** Returns a port of this address, one of those the system assigns. */
  public static int findFree(InetAddress address) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, address)) {
      return socket.getLocalPort();
    }
  }

  /**
   * Returns the first of this many neighbouring ports of {@link #ADDRESS}. They lie below those the
   * system assigns to outgoing connections, so none is taken by accident between the check and the
   * use.
   *
   * @throws ChaosException if none were found
   */
  public static int findNeighbours(int count, RandomGenerator random) throws ChaosException {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      int first = random.nextInt(MIN_PORT, MAX_PORT);
      if (areFree(first, count)) {
        return first;
      }
    }
    throw new ChaosException(
        ChaosException.LACKING_STATUS, "found no " + count + " free ports side by side");
  }

  private static boolean areFree(int first, int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int port = first; port < first + count; port++) {
        held.add(new ServerSocket(port, 1, ADDRESS));
      }
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      held.forEach(LoopbackPorts::release);
    }
  }

  private static void release(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // If the port is still in use, the node that tries to listen on it fails and says so.
    }
  }
}
