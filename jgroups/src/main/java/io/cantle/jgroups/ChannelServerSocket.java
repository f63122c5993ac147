package io.cantle.jgroups;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A server socket that accepts {@link ChannelSocket}s.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChannelServerSocket extends ServerSocket {
  private final ChannelSockets sockets;
  private final ServerSocketChannel channel;
  private final ServerSocket options;

  ChannelServerSocket(ChannelSockets sockets) throws IOException {
    this.sockets = sockets;
    channel = ServerSocketChannel.open();
    options = channel.socket();
  }

  @Override
  public Socket accept() throws IOException {
    try {
      return sockets.owned(new ChannelSocket(channel.accept()));
    } catch (ClosedChannelException e) {
      // JGroups takes a SocketException for the usual end, others it logs.
      SocketException closed = new SocketException("Socket closed");
      closed.initCause(e);
      throw closed;
    }
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    options.bind(address);
  }

  @Override
  public void bind(SocketAddress address, int waiting) throws IOException {
    options.bind(address, waiting);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public boolean isBound() {
    return options.isBound();
  }

  @Override
  public ServerSocketChannel getChannel() {
    return channel;
  }

  @Override
  public int getLocalPort() {
    return options.getLocalPort();
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    return options.getInetAddress();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return options.getLocalSocketAddress();
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    options.setReuseAddress(on);
  }

  @Override
  public void setReceiveBufferSize(int bytes) throws SocketException {
    options.setReceiveBufferSize(bytes);
  }
}
