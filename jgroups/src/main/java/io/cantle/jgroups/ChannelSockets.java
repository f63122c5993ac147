package io.cantle.jgroups;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.util.DefaultSocketFactory;

/**
 * The sockets JGroups asks for: those of its TCP protocol, the only one to ask for plain sockets in
 * our stack, do not block when written to. A connection that is accepted while the channel closes
 * is nobody's: what is still open in the end is closed here.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChannelSockets extends DefaultSocketFactory implements AutoCloseable {
  private final Set<ChannelSocket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  @Override
  public Socket createSocket(String service) throws IOException {
    return owned(new ChannelSocket());
  }

  @Override
  public ServerSocket createServerSocket(String service) throws IOException {
    return new ChannelServerSocket(this);
  }

  /** Takes a socket over, and closes it at once if this is closed. */
  ChannelSocket owned(ChannelSocket socket) throws IOException {
    open.removeIf(ChannelSocket::isClosed);
    open.add(socket);
    if (closed) {
      socket.close();
    }
    return socket;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    for (ChannelSocket socket : open) {
      socket.close();
    }
    open.clear();
  }
}
