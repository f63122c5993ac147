package io.cantle.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports on which nobody listens, so that two clusters on one machine never meet.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ClusterPorts {

  /** How many consecutive ports a cluster is given. */
  public static final int BLOCK_PORTS = 200;

  // Below the range from which Linux takes the ports of outgoing connections.
  private static final int MIN_PORT = 10_000;
  private static final int MAX_PORT = 32_000;
  private static final int MAX_TRIES = 50;

  private ClusterPorts() {}

  /**
   * Returns the first of {@link #BLOCK_PORTS} consecutive ports that are free on the loopback
   * address.
   */
  public static int findFirst() {
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(MIN_PORT, MAX_PORT - BLOCK_PORTS);
      if (areAllFree(first)) {
        return first;
      }
    }
    throw new IllegalStateException(
        "no " + BLOCK_PORTS + " free ports in a row between " + MIN_PORT + " and " + MAX_PORT);
  }

  private static boolean areAllFree(int first) {
    for (int port = first; port < first + BLOCK_PORTS; port++) {
      try (var socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
      } catch (IOException taken) {
        return false;
      }
    }
    return true;
  }
}
