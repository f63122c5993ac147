package io.cantle.cli.console;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports of the loopback interface that nobody listens on.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class FreePorts {
  /** Where nodes of this command line listen. */
  public static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");

  private FreePorts() {}

  /**
   * So many, all different.
   *
   * @throws UsageException if there are none
   */
  public static List<Integer> find(int count) throws UsageException {
    List<ServerSocket> open = new ArrayList<>();
    try {
      // All are open at once, so that they differ.
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
          // Nothing listens there any more, or the node that tries will say so.
        }
      }
    }
  }
}
