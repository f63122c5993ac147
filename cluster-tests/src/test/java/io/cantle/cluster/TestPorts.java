package io.cantle.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports of the loopback interface on which nobody listens. They lie below those the system
 * assigns to outgoing connections, so none is taken by accident between the check and the use.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TestPorts {
  static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

  private static final int MIN_PORT = 12_000;
  private static final int MAX_PORT = 32_000;
  private static final int MAX_TRIES = 1_000;

  private TestPorts() {}

  /** Returns the first of this many neighbouring ports. */
  static int neighbours(int count) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      int first = ThreadLocalRandom.current().nextInt(MIN_PORT, MAX_PORT - count);
      if (areFree(first, count)) {
        return first;
      }
    }
    throw new IllegalStateException("found no " + count + " free ports side by side");
  }

  private static boolean areFree(int first, int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int port = first; port < first + count; port++) {
        held.add(new ServerSocket(port, 1, LOOPBACK));
      }
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      held.forEach(TestPorts::release);
    }
  }

  private static void release(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
