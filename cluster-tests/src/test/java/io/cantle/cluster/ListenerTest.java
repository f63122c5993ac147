package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.cluster.SocketTable.Socket;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests that no other machine can reach a node. The sockets that the kernel lists prove it. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
final class ListenerTest {
  private static final int NODE_COUNT = 3;

  private static Set<Socket> openedSince(Set<Socket> before) {
    Set<Socket> opened = new HashSet<>(SocketTable.ofThisProcess());
    opened.removeAll(before);
    return opened;
  }

  private static List<Socket> listening(Set<Socket> sockets) {
    return sockets.stream().filter(Socket::isListening).toList();
  }

  @Test
  void everySocketOfRunningNodesIsOnTheLoopbackInterface() {
    Set<Socket> before = SocketTable.ofThisProcess();
    assertThat(listening(before)).as("before any node runs").isEmpty();
    try (TestGrid cluster = TestGrid.ofSize(NODE_COUNT)) {
      Cache<String, Long> cache = cluster.node(0).cache("heard");
      new UnchangingEntries(1_000).putInto(cache);
      Set<Socket> opened = openedSince(before);
      assertThat(opened).noneMatch(Socket::isOpenToOthers);
      assertThat(opened).noneMatch(Socket::isUdp);
      assertThat(listening(opened))
          .as("each node has its own port and no other")
          .hasSize(NODE_COUNT)
          .extracting(Socket::port)
          .containsExactlyInAnyOrder(
              cluster.firstPort(), cluster.firstPort() + 1, cluster.firstPort() + 2);
    }
    assertThat(listening(openedSince(before))).as("after all nodes closed").isEmpty();
    ConditionWait.until(
        "the end of all connections",
        () -> openedSince(before).isEmpty(),
        () -> openedSince(before));
  }

  @Test
  void findsListenersReachableFromElsewhere() throws IOException {
    Set<Socket> before = SocketTable.ofThisProcess();
    InetAddress everywhere = InetAddress.ofLiteral("0.0.0.0");
    try (ServerSocket tcp = new ServerSocket(0, 1, everywhere);
        DatagramSocket udp = new DatagramSocket(new InetSocketAddress(everywhere, 0))) {
      assertThat(openedSince(before))
          .hasSize(2)
          .allMatch(Socket::isOpenToOthers)
          .extracting(Socket::port)
          .containsExactlyInAnyOrder(tcp.getLocalPort(), udp.getLocalPort());
      assertThat(listening(openedSince(before))).hasSize(1);
    }
  }

  @Test
  void readsAddressesAsTheKernelPrintsThem() {
    assertThat(SocketTable.address("0100007F")).isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
    assertThat(SocketTable.address("00000000000000000000000001000000"))
        .isEqualTo(InetAddress.ofLiteral("::1"));
    assertThat(SocketTable.address("0000000000000000FFFF00000100007F"))
        .isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
    assertThat(SocketTable.address("00000000").isLoopbackAddress()).isFalse();
  }
}
