package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.Grid;
import io.cantle.GridConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what every transport refuses before it knows that a peer belongs to the grid. This is the
 * contract of {@code io.cantle.core.transport.Transport}, for whatever transport is used. The peers
 * here know only a port, and not the protocol of any transport.
 */
@Timeout(180)
final class UnknownPeerTest {
  private static final int PEERS = 2_000;
  private static final int MAX_MORE_THREADS = 20;
  private static final int PATIENCE_MILLIS = 30_000;
  private static final int MAX_LINES = 20;

  private static Grid grid;
  private static Cache<String, String> cache;
  private static GridConfig config;
  private static int port;

  @BeforeAll
  static void join() {
    port = TestPorts.neighbours(2);
    config =
        GridConfig.named("unknown-" + UUID.randomUUID())
            .ports(port, 1)
            .timeout(Duration.ofSeconds(60));
    grid = Grid.join(config.nodeName("one"));
    cache = grid.cache("entries");
    cache.put("key", "value");
  }

  @AfterAll
  static void leave() {
    grid.close();
  }

  private static Socket peer() throws IOException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(TestPorts.LOOPBACK, port), PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private static void send(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // It is closed already, which is what the test is about.
    }
  }

  private static boolean isClosedByNode(Socket socket) throws IOException {
    byte[] ignored = new byte[1_024];
    try (InputStream in = socket.getInputStream()) {
      while (in.read(ignored) >= 0) {
        // Whatever the node answers, only the end of the connection counts.
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** They cost no threads, delay nobody, and are closed after a while. */
  @Test
  void peersThatSayNothingOrLittle() throws Exception {
    int before = Thread.activeCount();
    List<Socket> peers = new ArrayList<>();
    try {
      for (int i = 0; i < PEERS; i++) {
        Socket socket = peer();
        peers.add(socket);
        send(socket, new byte[i % 3]);
      }
      assertThat(Thread.activeCount()).isLessThan(before + MAX_MORE_THREADS);
      long start = System.nanoTime();
      try (Grid second = Grid.join(config.nodeName("two"))) {
        assertThat(second.<String, String>cache("entries")).containsEntry("key", "value");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
      for (Socket socket : peers) {
        assertThat(isClosedByNode(socket)).isTrue();
      }
    } finally {
      for (Socket socket : peers) {
        socket.close();
      }
    }
  }

  /**
   * Random bytes, with lengths of any size at their beginning, end a connection and nothing else.
   */
  @Test
  void peersThatSendNoise(@TempDir Path folder) throws Exception {
    AtomicInteger lines = new AtomicInteger();
    Handler counter = counter(lines);
    Logger root = Logger.getLogger("");
    root.addHandler(counter);
    try (Recording recording = new Recording()) {
      recording.enable("jdk.Deserialization");
      recording.start();
      Random random = new Random(6);
      for (int i = 0; i < 300; i++) {
        byte[] noise = new byte[random.nextInt(14, 1 << (4 + i % 14))];
        random.nextBytes(noise);
        if (i % 2 == 0) {
          ByteBuffer.wrap(noise).putInt(40 << 20);
        }
        try (Socket socket = peer()) {
          send(socket, noise);
          assertThat(isClosedByNode(socket)).isTrue();
        }
      }
      Path file = folder.resolve("deserialised.jfr");
      recording.dump(file);
      assertThat(RecordingFile.readAllEvents(file)).extracting(RecordedEvent::toString).isEmpty();
    } finally {
      root.removeHandler(counter);
    }
    assertThat(lines.get()).isLessThan(MAX_LINES);
    assertThat(cache.get("key")).isEqualTo("value");
  }

  private static Handler counter(AtomicInteger lines) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        lines.incrementAndGet();
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
