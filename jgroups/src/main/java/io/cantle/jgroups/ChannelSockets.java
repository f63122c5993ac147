package io.cantle.jgroups;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import org.jgroups.util.DefaultSocketFactory;

/**
 * The sockets JGroups asks for: those of its TCP protocol, the only one to ask for plain sockets in
 * our stack, do not block when written to.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChannelSockets extends DefaultSocketFactory {

  @Override
  public Socket createSocket(String service) throws IOException {
    return new ChannelSocket();
  }

  @Override
  public ServerSocket createServerSocket(String service) throws IOException {
    return new ChannelServerSocket();
  }
}
