package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.cluster.SocketTable.Socket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Tests that connections come from the bind address of their node, whichever side opens them.
 * Otherwise no rule about a node's address would match them, be it of a firewall or of a test that
 * cuts the network.
 */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
final class SourceAddressTest {
  private static final List<InetAddress> ADDRESSES =
      List.of(InetAddress.ofLiteral("127.0.0.71"), InetAddress.ofLiteral("127.0.0.72"));

  @Test
  void everyConnectionUsesNodeAddressesAtBothEnds() {
    Set<Socket> before = SocketTable.ofThisProcess();
    int port = TestPorts.neighbours(1);
    GridConfig config =
        GridConfig.named("test-" + UUID.randomUUID())
            .seeds(ADDRESSES.stream().map(host -> new InetSocketAddress(host, port)).toList());
    try (Grid one = Grid.join(config.bindAddress(ADDRESSES.getFirst()).ports(port, 0));
        Grid two = Grid.join(config.bindAddress(ADDRESSES.getLast()).ports(port, 0))) {
      ConditionWait.until(
          "two members",
          () -> one.members().size() == 2 && two.members().size() == 2,
          () -> openedSince(before));
      assertThat(openedSince(before)).extracting(Socket::address).isSubsetOf(ADDRESSES);
    }
  }

  private static Set<Socket> openedSince(Set<Socket> before) {
    Set<Socket> opened = new HashSet<>(SocketTable.ofThisProcess());
    opened.removeAll(before);
    return opened;
  }
}
