package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.GridException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which nodes are refused, and what a refused node is told. */
@Timeout(120)
final class AdmissionTest {

  /** All four look for others at the same ports, so each grid has contacted nodes of the other. */
  @Test
  void gridsWithOtherNamesNeverMeet() {
    int first = TestPorts.neighbours(4);
    Duration timeout = Duration.ofSeconds(30);
    GridConfig apples =
        GridConfig.named("apples-" + UUID.randomUUID()).ports(first, 3).timeout(timeout);
    GridConfig pears =
        GridConfig.named("pears-" + UUID.randomUUID()).ports(first, 3).timeout(timeout);
    try (Grid apple = Grid.join(apples.nodeName("apple"));
        Grid pear = Grid.join(pears.nodeName("pear"));
        Grid secondApple = Grid.join(apples.nodeName("second apple"));
        Grid secondPear = Grid.join(pears.nodeName("second pear"))) {
      Cache<String, String> ofApples = apple.cache("fruit");
      Cache<String, String> ofPears = pear.cache("fruit");
      ofApples.put("a", "apple");
      ofPears.put("p", "pear");
      assertThat(secondApple.<String, String>cache("fruit")).hasSize(1).containsEntry("a", "apple");
      assertThat(secondPear.<String, String>cache("fruit")).hasSize(1).containsEntry("p", "pear");
      assertThat(apple.members()).containsExactly("apple", "second apple");
      assertThat(secondApple.members()).containsExactly("apple", "second apple");
      assertThat(pear.members()).containsExactly("pear", "second pear");
      assertThat(secondPear.members()).containsExactly("pear", "second pear");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.7", "::"})
  void refusesNonLoopbackAddress(String address) {
    GridConfig config = GridConfig.named("open");
    InetAddress open = InetAddress.ofLiteral(address);
    assertThatThrownBy(() -> config.bindAddress(open))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bindAddress " + open.getHostAddress())
        .hasMessageContaining("is not a loopback address");
  }

  @Test
  void refusesSeedsOnOtherMachines() {
    InetSocketAddress far = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.7"), 7800);
    GridConfig config =
        GridConfig.named("far").ports(TestPorts.neighbours(1), 0).seeds(List.of(far));
    assertThatThrownBy(() -> Grid.join(config).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("192.0.2.7")
        .hasMessageContaining("is not a loopback address");
  }

  @Test
  void namesThePortInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, TestPorts.LOOPBACK)) {
      int port = taken.getLocalPort();
      GridConfig config = GridConfig.named("late").ports(port, 0);
      assertThatThrownBy(() -> Grid.join(config).close())
          .isInstanceOf(GridException.class)
          .hasMessageContainingAll("port " + port + " on 127.0.0.1 is in use", "GridConfig.ports");
    }
  }

  @Test
  void reportsHowManyNodesAreMissing() {
    GridConfig config =
        GridConfig.named("lonely")
            .ports(TestPorts.neighbours(1), 0)
            .initialMembers(3)
            .timeout(Duration.ofMillis(500));
    assertThatThrownBy(() -> Grid.join(config).close())
        .isInstanceOf(GridException.class)
        .hasMessageContaining("lonely")
        .hasMessageContaining("3 nodes see each other (GridConfig.initialMembers)");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64})
  void joinsUnderTheShortestAndTheLongestName(int length) {
    GridConfig config =
        GridConfig.named("n".repeat(length))
            .nodeName("m".repeat(length))
            .ports(TestPorts.neighbours(1), 0);
    try (Grid grid = Grid.join(config)) {
      assertThat(grid.members()).containsExactly("m".repeat(length));
    }
  }

  @Test
  void refusesNamesTooLongInEncodedBytes() {
    GridConfig config = GridConfig.named("short");
    assertThatThrownBy(() -> GridConfig.named("\u00fc".repeat(33)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name")
        .hasMessageContaining("66")
        .hasMessageContaining("64");
    assertThatThrownBy(() -> config.nodeName("n".repeat(65)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nodeName")
        .hasMessageContaining("65")
        .hasMessageContaining("64");
  }

  @Test
  void joinsWithTheLongestTimeout() {
    GridConfig config =
        GridConfig.named("patient")
            .nodeName("patient")
            .ports(TestPorts.neighbours(1), 0)
            .timeout(Duration.ofMinutes(10));
    try (Grid grid = Grid.join(config)) {
      assertThat(grid.members()).containsExactly("patient");
    }
  }
}
