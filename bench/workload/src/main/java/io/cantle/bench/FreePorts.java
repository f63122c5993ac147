package io.cantle.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports nobody listens on, so that two clusters on one machine never meet.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class FreePorts {

  /** How many ports in a row a cluster is given. */
  public static final int BLOCK = 200;

  // Below the range Linux takes ports of outgoing connections from.
  private static final int LOWEST = 10_000;
  private static final int HIGHEST = 32_000;
  private static final int TRIES = 50;

  private FreePorts() {}

  /** The first of {@link #BLOCK} ports in a row that are free on the loopback address. */
  static int first() {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - BLOCK);
      if (allFree(first)) {
        return first;
      }
    }
    throw new IllegalStateException(
        "no " + BLOCK + " free ports in a row between " + LOWEST + " and " + HIGHEST);
  }

  private static boolean allFree(int first) {
    for (int port = first; port < first + BLOCK; port++) {
      try (var socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
      } catch (IOException taken) {
        return false;
      }
    }
    return true;
  }
}
