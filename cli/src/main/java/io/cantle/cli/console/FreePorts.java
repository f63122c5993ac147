package io.cantle.cli.console;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds ports of the loopback interface that no process listens on.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class FreePorts {
  /** The address on which nodes of this command line listen. */
  public static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");

  private FreePorts() {}

  /**
   * Finds this many different ports.
   *
   * @throws UsageException if there are not enough
   */
  public static List<Integer> find(int count) throws UsageException {
    List<ServerSocket> open = new ArrayList<>();
    try {
      // All are open at the same time, so that they differ.
      for (int i = 0; i < count; i++) {
        open.add(new ServerSocket(0, 1, ADDRESS));
      }
      return open.stream().map(ServerSocket::getLocalPort).toList();
    } catch (IOException exception) {
      throw new UsageException("no free port on this machine: " + exception.getMessage());
    } finally {
      for (ServerSocket socket : open) {
        try {
          socket.close();
        } catch (IOException exception) {
          // If the port is still in use, the node that tries to listen on it fails and says so.
        }
      }
    }
  }
}
