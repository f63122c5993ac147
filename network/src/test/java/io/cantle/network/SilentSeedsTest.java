package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a node says that finds no other at its seeds. */
@Timeout(60)
class SilentSeedsTest {
  private static final Logger LOGGER = Logger.getLogger(NettyTransport.class.getName());

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final List<String> notices = new CopyOnWriteArrayList<>();

  private void recordWarnings(Runnable action) {
    Handler recorder =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            if (entry.getLevel().equals(Level.WARNING)) {
              warnings.add(new SimpleFormatter().formatMessage(entry));
            } else if (entry.getLevel().equals(Level.INFO)) {
              notices.add(new SimpleFormatter().formatMessage(entry));
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    LOGGER.addHandler(recorder);
    try {
      action.run();
    } finally {
      LOGGER.removeHandler(recorder);
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void seedsThatDoNotAnswerAreNamedWithTheReason() throws IOException {
    int closed = closedPort();
    try (ServerSocket stranger = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      recordWarnings(
          () -> {
            try (Node alone =
                new Node(
                        Node.settings("seeds", "alone", List.of(closed, stranger.getLocalPort())),
                        (from, message) -> {})
                    .start()) {
              assertThat(alone).isNotNull();
            }
          });
      assertThat(warnings)
          .singleElement()
          .asString()
          .startsWith("alone has found no other node of grid \"seeds\" at its seeds")
          .contains(":" + closed + ": Connection refused")
          .contains(":" + stranger.getLocalPort() + ": what listens there has not answered");
    }
  }

  @Test
  void nodeThatWaitedForAnotherProgramSaysSo() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket other = new ServerSocket(0, 50, loopback)) {
      int port = other.getLocalPort();
      TransportSettings settings =
          new TransportSettings(
              "own", "late", loopback, port, 5, List.of(), Duration.ofMillis(1_100), null);
      recordWarnings(
          () -> {
            try (Node late = new Node(settings, (from, message) -> {}).start()) {
              assertThat(late).isNotNull();
            }
          });
      assertThat(notices)
          .singleElement()
          .asString()
          .startsWith("late has waited 1100 ms for an answer, and none has come: ")
          .contains(
              "127.0.0.1:" + port + ": what listens there has not answered", "GridConfig.ports");
    }
  }

  @Test
  void nodeWithPortsOfItsOwnHasWaitedForNobodyAndSaysNothing() throws IOException {
    TransportSettings settings =
        new TransportSettings(
            "own",
            "alone",
            InetAddress.getLoopbackAddress(),
            closedPort(),
            1,
            List.of(),
            Duration.ofMillis(1_100),
            null);
    recordWarnings(
        () -> {
          try (Node alone = new Node(settings, (from, message) -> {}).start()) {
            assertThat(alone).isNotNull();
          }
        });
    assertThat(notices).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void nodeThatFindsAnotherSaysNothingOfTheOtherSeeds() throws IOException {
    int closed = closedPort();
    try (Node first = new Node(Node.settings("found", "first"), (from, message) -> {}).start()) {
      recordWarnings(
          () -> {
            try (Node second =
                new Node(
                        Node.settings("found", "second", List.of(closed, first.transport.port())),
                        (from, message) -> {})
                    .start()) {
              assertThat(second).isNotNull();
            }
          });
      assertThat(warnings).isEmpty();
    }
  }
}
