package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
class PortsTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private static Node node(int port, int range) {
    return new Node(
        new TransportSettings(
            "ports", "node", LOOPBACK, port, range, List.of(), Duration.ofMillis(500), null),
        (from, message) -> {});
  }

  @Test
  void saysWhichPortIsInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK);
        Node node = node(taken.getLocalPort(), 0)) {
      assertThatThrownBy(node::start)
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(BindException.class)
          .hasMessageContainingAll(
              "port " + taken.getLocalPort() + " on " + LOOPBACK.getHostAddress() + " is in use",
              "GridConfig.ports");
    }
  }

  @Test
  void takesTheFirstFreePortOfTheRange() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, LOOPBACK);
        Node node = node(taken.getLocalPort(), 20).start()) {
      assertThat(node.transport.port())
          .isBetween(taken.getLocalPort() + 1, taken.getLocalPort() + 20);
    }
  }

  @Test
  void findsTheOthersOnThePortsOfTheRange() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
      port = free.getLocalPort();
    }
    try (Node first = node(port, 5).start();
        Node second = node(port, 5).start()) {
      assertThat(second.awaitSize(2)).containsExactlyInAnyOrder(first.self(), second.self());
    }
  }

  /** Reads the kernel's tables: which sockets listen, on which address, and whose they are. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void listensOnTheLoopbackInterfaceOnly() throws Exception {
    Set<String> before = sockets();
    try (Node first = new Node(Node.settings("ears", "first"), (from, message) -> {}).start();
        Node second =
            new Node(Node.settings("ears", "second", first), (from, message) -> {}).start()) {
      second.awaitSize(2);
      List<String> opened = new ArrayList<>(sockets());
      opened.removeAll(before);
      List<String> listening = opened.stream().filter(socket -> socket.contains("LISTEN")).toList();
      assertThat(listening).as("two nodes with one port each").hasSize(2);
      assertThat(opened).allMatch(socket -> socket.contains("loopback"));
      assertThat(opened).noneMatch(socket -> socket.startsWith("udp"));
    }
    List<String> left = new ArrayList<>(sockets());
    left.removeAll(before);
    assertThat(left).noneMatch(socket -> socket.contains("LISTEN"));
  }

  private static Set<String> sockets() throws IOException {
    Set<String> own = ownSockets();
    Set<String> sockets = new HashSet<>();
    for (String table : List.of("tcp", "tcp6", "udp", "udp6")) {
      Path path = Path.of("/proc/self/net", table);
      if (!Files.exists(path)) {
        continue;
      }
      List<String> lines = Files.readAllLines(path);
      for (String line : lines.subList(1, lines.size())) {
        List<String> columns = Pattern.compile("\\s+").splitAsStream(line.trim()).toList();
        if (own.contains("socket:[" + columns.get(9) + "]")) {
          String state = columns.get(3).equals("0A") ? "LISTEN" : "other";
          String place = isLoopback(columns.get(1)) ? "loopback" : "open to others";
          sockets.add(String.join(" ", table, state, place, columns.get(1), columns.get(9)));
        }
      }
    }
    return sockets;
  }

  private static Set<String> ownSockets() throws IOException {
    Set<String> own = new HashSet<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        // The descriptor that lists the others is closed by the time it is resolved.
        try {
          own.add(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException e) {
          own.add("closed");
        }
      }
    }
    return own;
  }

  /** The kernel prints addresses as words in its own byte order, which is little-endian here. */
  private static boolean isLoopback(String addressAndPort) {
    String address = addressAndPort.substring(0, addressAndPort.indexOf(':'));
    return address.length() == 8
        ? address.endsWith("7F")
        : address.equals("00000000000000000000000001000000")
            || (address.startsWith("0000000000000000FFFF0000") && address.endsWith("7F"));
  }
}
