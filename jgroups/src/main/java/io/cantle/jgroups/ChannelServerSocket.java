package io.cantle.jgroups;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A server socket that accepts {@link ChannelSocket}s, but only those that its {@link
 * ConnectionGate} admits.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ChannelServerSocket extends ServerSocket {
  private final ChannelSocketProvider sockets;
  private final ServerSocketChannel channel;
  private final ServerSocket options;
  private volatile @Nullable ConnectionGate gate;

  ChannelServerSocket(ChannelSocketProvider sockets) throws IOException {
    this.sockets = sockets;
    channel = ServerSocketChannel.open();
    options = channel.socket();
  }

  @Override
  public Socket accept() throws IOException {
    ConnectionGate bound = gate;
    if (bound == null) {
      throw new SocketException("not bound");
    }
    return bound.take();
  }

  @Override
  public void bind(SocketAddress address) throws IOException {
    bind(address, 0);
  }

  /**
   * Binds to an address. At least {@link ConnectionGate#MAX_OUTSIDE} connections may wait to be
   * accepted, if the system allows as many.
   */
  @Override
  public void bind(SocketAddress address, int waiting) throws IOException {
    options.bind(address, Math.max(waiting, ConnectionGate.MAX_OUTSIDE));
    gate = sockets.gate(channel);
  }

  @Override
  public void close() throws IOException {
    ConnectionGate bound = gate;
    if (bound == null) {
      channel.close();
    } else {
      bound.close();
    }
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public int getLocalPort() {
    return options.getLocalPort();
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
