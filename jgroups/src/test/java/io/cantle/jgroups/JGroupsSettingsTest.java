package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JGroupsSettingsTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final Duration TIMEOUT = Duration.ofMillis(300);

  private static JGroupsSettings settings(String name, InetAddress address, int port, int range) {
    return new JGroupsSettings("grid", name, address, port, range, List.of(), TIMEOUT, null);
  }

  private static InetAddress address(int... parts) throws UnknownHostException {
    byte[] bytes = new byte[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = (byte) parts[i];
    }
    return InetAddress.getByAddress(bytes);
  }

  @Test
  void refusesAddressesOthersCanReach() throws UnknownHostException {
    for (InetAddress open : List.of(address(0, 0, 0, 0), address(10, 0, 0, 1))) {
      assertThatThrownBy(() -> settings("node", open, 7800, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(open.getHostAddress())
          .hasMessageContaining("encrypted");
    }
    InetSocketAddress seed = new InetSocketAddress(address(10, 0, 0, 1), 7800);
    assertThatThrownBy(
            () -> new JGroupsSettings("grid", "node", LOOPBACK, 0, 0, List.of(seed), TIMEOUT, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10.0.0.1");
    assertThat(settings("node", address(127, 0, 0, 2), 7800, 0).bindAddress().isLoopbackAddress())
        .isTrue();
  }

  @Test
  void refusesPortsThatDoNotExist() {
    assertThatThrownBy(() -> settings("node", LOOPBACK, -1, 0)).hasMessageContaining("port -1");
    assertThatThrownBy(() -> settings("node", LOOPBACK, 65_536, 0))
        .hasMessageContaining("port 65536");
    assertThatThrownBy(() -> settings("node", LOOPBACK, 65_530, 6))
        .hasMessageContaining("range of ports 6");
    assertThatThrownBy(() -> settings("node", LOOPBACK, 7800, -1))
        .hasMessageContaining("range of ports -1");
    assertThat(settings("node", LOOPBACK, 65_530, 5).portRange()).isEqualTo(5);
  }

  @Test
  void refusesNamesThatAreBlankOrLong() {
    assertThatThrownBy(() -> settings(" ", LOOPBACK, 0, 0)).hasMessageContaining("nodeName");
    assertThatThrownBy(() -> settings("é".repeat(33), LOOPBACK, 0, 0))
        .hasMessageContaining("64 bytes");
    assertThat(settings("é".repeat(32), LOOPBACK, 0, 0).nodeName()).hasSize(32);
  }

  @Test
  void refusesTimeoutsOutOfRange() {
    for (Duration timeout : List.of(Duration.ZERO, Duration.ofMinutes(2))) {
      assertThatThrownBy(
              () -> new JGroupsSettings("grid", "node", LOOPBACK, 0, 0, List.of(), timeout, null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(timeout.toString());
    }
  }
}
