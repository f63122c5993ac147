package io.cantle.jgroups;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.jgroups.Version;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.stack.IpAddress;

/** A program that does not belong to the grid but speaks the protocol of JGroups. */
final class Stranger implements AutoCloseable {
  private final Socket socket = new Socket();
  private boolean refused;

  /** Connects to a node and sends nothing yet. */
  Stranger(int port) throws IOException {
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
    socket.setSoTimeout(10_000);
  }

  /** The bytes that a node of JGroups sends first: the address at which it listens. */
  static byte[] introduction(InetAddress address, int port) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    IpAddress place = new IpAddress(address, port);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(Connection.cookie);
      out.writeShort(Version.version);
      out.writeShort(place.serializedSize());
      place.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** The port at which this program claims to listen. */
  int port() {
    return socket.getLocalPort();
  }

  /** Sends bytes; the node may have closed the connection. */
  Stranger send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      refused = true;
    }
    return this;
  }

  /** Whether something could not be sent, because the node had closed the connection. */
  boolean isRefused() {
    return refused;
  }

  /** Introduces itself as a node of JGroups would. */
  Stranger introduce() {
    return send(introduction(InetAddress.getLoopbackAddress(), port()));
  }

  /** Sends a frame: its length and its content. */
  Stranger frame(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(content.length);
      out.write(content);
    }
    return send(bytes.toByteArray());
  }

  /** Waits until the node closes the connection, up to ten seconds. */
  boolean isClosedByPeer() throws IOException {
    try {
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        // Whatever the exception is, the connection has ended.
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
