package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.cantle.core.transport.RateLimitedLog;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionGateTest {
  private static final String GRID = "gated";
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final RateLimitedLog log = new RateLimitedLog(System.getLogger("test"), System::nanoTime);
  private final Set<InetSocketAddress> members = ConcurrentHashMap.newKeySet();
  private final List<Stranger> strangers = new ArrayList<>();
  private ChannelSocketProvider sockets;
  private ServerSocket server;

  @BeforeEach
  void open() throws IOException {
    sockets = new ChannelSocketProvider(GRID, members::contains, log, error -> {});
    server = sockets.createServerSocket("test");
    server.bind(new InetSocketAddress(LOOPBACK, 0));
  }

  @AfterEach
  void close() throws IOException {
    for (Stranger stranger : strangers) {
      stranger.close();
    }
    server.close();
    sockets.close();
  }

  private Stranger comer() throws IOException {
    Stranger stranger = new Stranger(server.getLocalPort());
    strangers.add(stranger);
    return stranger;
  }

  private static byte[] opening(String grid) {
    byte[] opening = new byte[ConnectionOpening.BYTES];
    new ConnectionOpening(grid).bytes().get(opening);
    return opening;
  }

  @Test
  void closedGateIsForgotten() throws IOException {
    ServerSocket second = sockets.createServerSocket("test");
    assertThatExceptionOfType(BindException.class)
        .isThrownBy(() -> second.bind(new InetSocketAddress(LOOPBACK, server.getLocalPort()), 1));
    assertThat(sockets.servers).hasSize(2);
    second.close();
    assertThat(sockets.servers).hasSize(1);
    server.close();
    assertThat(sockets.servers).isEmpty();
  }

  /** The gate's thread may be busy when another one closes it, so this is tried some times. */
  @Test
  void closedGateTakesNoConnection() throws IOException {
    for (int i = 0; i < 200; i++) {
      ServerSocket gate = sockets.createServerSocket("test");
      gate.bind(new InetSocketAddress(LOOPBACK, 0));
      int port = gate.getLocalPort();
      gate.close();
      assertThatIOException().isThrownBy(() -> new Socket(LOOPBACK, port).close());
    }
  }

  @Test
  void letsInWhoBringsTheOpeningHoweverSlowly() throws Exception {
    Stranger node = comer();
    byte[] introduction = Stranger.introduction(LOOPBACK, node.port());
    for (byte each : opening(GRID)) {
      node.send(new byte[] {each});
    }
    for (byte each : introduction) {
      node.send(new byte[] {each});
    }
    try (Socket accepted = server.accept()) {
      assertThat(accepted.getInputStream().readNBytes(introduction.length)).isEqualTo(introduction);
      assertThat(((ChannelSocket) accepted).listeningAddress())
          .isEqualTo(new InetSocketAddress(LOOPBACK, node.port()));
    }
  }

  @Test
  void closesWhoSaysNothingInTimeOrNotAllOfIt() throws Exception {
    Stranger idle = comer();
    Stranger slow = comer().send(opening(GRID));
    assertThat(idle.isClosedByPeer()).isTrue();
    assertThat(slow.isClosedByPeer()).isTrue();
    assertThat(log.count("late")).isEqualTo(2);
  }

  @Test
  void closesWhoSaysSomethingElseAtOnce() throws Exception {
    assertThat(comer().introduce().isClosedByPeer()).isTrue();
    assertThat(comer().send(opening("other")).introduce().isClosedByPeer()).isTrue();
    InetAddress elsewhere = InetAddress.ofLiteral("192.0.2.1");
    assertThat(
            comer()
                .send(opening(GRID))
                .send(Stranger.introduction(elsewhere, 7800))
                .isClosedByPeer())
        .isTrue();
    assertThat(log.count("opening")).isEqualTo(2);
    assertThat(log.count("late")).isZero();
  }

  /** Waiting connections neither cost threads nor keep a node out. */
  @Test
  void letsNodesInWhileManyWaitOutside() throws Exception {
    int threads = Thread.activeCount();
    for (int i = 0; i < 2 * ConnectionGate.MAX_OUTSIDE_PER_ADDRESS; i++) {
      comer();
      if (i % 100 == 0) {
        Stranger node = comer();
        node.send(opening(GRID)).introduce();
        server.accept().close();
      }
    }
    assertThat(strangers.getFirst().isClosedByPeer()).isTrue();
    assertThat(log.count("crowd")).isPositive();
    assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads);
  }

  @Test
  void keepsFewOfThoseInsideWhoSayNothing() throws Exception {
    List<Socket> accepted = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Stranger node = comer();
      if (i == 0) {
        members.add(new InetSocketAddress(LOOPBACK, node.port()));
      }
      node.send(opening(GRID)).introduce();
      accepted.add(server.accept());
    }
    assertThat(accepted.getFirst().isClosed()).as("a member's").isFalse();
    assertThat(accepted.getLast().isClosed()).as("the last comer's").isFalse();
    assertThat(accepted.stream().filter(socket -> !socket.isClosed()))
        .hasSizeLessThanOrEqualTo(1 + ChannelSocketProvider.MAX_SILENT_NEWCOMERS);
  }
}
