package io.cantle.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The sockets of this process as the kernel lists them. No code of ours is asked, so none can be
 * forgotten.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SocketTable {
  private static final String STATE_LISTEN = "0A";
  private static final String SOCKET_PATTERN = "socket:[";
  private static final int LOCAL_ADDRESS = 1;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private SocketTable() {}

  /**
   * One socket.
   *
   * @param protocol tcp, tcp6, udp or udp6
   * @param inode distinguishes sockets that have the same address one after the other
   */
  record Socket(String protocol, InetAddress address, int port, boolean isListening, String inode) {
    boolean isUdp() {
      return protocol.startsWith("udp");
    }

    /** Returns whether another machine may reach it. */
    boolean isOpenToOthers() {
      return !address.isLoopbackAddress();
    }
  }

  /** Returns all TCP and UDP sockets this process has now. */
  static Set<Socket> ofThisProcess() {
    try {
      Set<String> inodes = inodes();
      Set<Socket> sockets = new HashSet<>();
      for (String protocol : List.of("tcp", "tcp6", "udp", "udp6")) {
        Path table = Path.of("/proc/self/net", protocol);
        if (Files.exists(table)) {
          List<String> lines = Files.readAllLines(table);
          lines.subList(1, lines.size()).stream()
              .map(line -> socket(protocol, line.trim().split("\\s+", -1)))
              .filter(socket -> inodes.contains(socket.inode()))
              .forEach(sockets::add);
        }
      }
      return sockets;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Socket socket(String protocol, String[] columns) {
    String[] local = columns[LOCAL_ADDRESS].split(":", -1);
    return new Socket(
        protocol,
        address(local[0]),
        Integer.parseInt(local[1], 16),
        columns[STATE].equals(STATE_LISTEN),
        columns[INODE]);
  }

  /**
   * Parses an address. The kernel prints it as words of 32 bits, each in the byte order of the
   * machine.
   */
  static InetAddress address(String hex) {
    ByteBuffer words = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    ByteBuffer bytes = ByteBuffer.allocate(words.remaining()).order(ByteOrder.nativeOrder());
    while (words.hasRemaining()) {
      bytes.putInt(words.getInt());
    }
    try {
      return InetAddress.getByAddress(bytes.array());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address: " + hex, e);
    }
  }

  private static Set<String> inodes() throws IOException {
    Set<String> inodes = new HashSet<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        linkTarget(descriptor)
            .filter(target -> target.startsWith(SOCKET_PATTERN))
            .map(target -> target.substring(SOCKET_PATTERN.length(), target.length() - 1))
            .ifPresent(inodes::add);
      }
    }
    return inodes;
  }

  /** Returns the target of a link, or nothing when the descriptor was closed meanwhile. */
  private static Optional<String> linkTarget(Path descriptor) throws IOException {
    try {
      return Optional.of(Files.readSymbolicLink(descriptor).toString());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
