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

/** A program that nobody has asked in, and which knows the language of JGroups. */
final class Stranger implements AutoCloseable {
  private final Socket socket = new Socket();

  /** Connects to a node and says nothing yet. */
  Stranger(int port) throws IOException {
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
    socket.setSoTimeout(10_000);
  }

  /** What a node of JGroups sends first: who it is, that is, where it listens. */
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

  /** The port this claims to listen at. */
  int port() {
    return socket.getLocalPort();
  }

  /** Sends bytes; that the node has closed the connection is no surprise. */
  Stranger send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // It shows in isClosedByPeer.
    }
    return this;
  }

  /** Introduces itself as a node of JGroups would. */
  Stranger introduce() {
    return send(introduction(InetAddress.getLoopbackAddress(), port()));
  }

  /** Sends a frame: its length and what is in it. */
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
        // Whatever the node says, it is the end that counts.
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
