package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections of peers that know the name of the grid, and need not be nodes of it. */
@Timeout(60)
class StrangerConnectionsTest {
  private static final int LONG_SEND_COUNT = 2_000;

  private final AtomicInteger received = new AtomicInteger();
  private final Member stranger = new Member(UUID.randomUUID(), "stranger");

  private Node node() {
    return new Node(
            Node.settings("strangers", "node"), (from, message) -> received.incrementAndGet())
        .start();
  }

  /** Connects, and sends an opening with frames right behind it. */
  private Socket connect(Node node, int... frameKinds) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.transport.port());
    InetSocketAddress listening = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    Output opening = new Opening("strangers", stranger, Lane.DATA, listening).encode();
    Output out = new Output(Opening.MAX_BYTES);
    out.writeInt(opening.position());
    out.write(opening.array(), 0, opening.position());
    for (int kind : frameKinds) {
      writeFrame(out, kind);
    }
    socket.getOutputStream().write(out.toByteArray());
    return socket;
  }

  private static void writeFrame(Output out, int kind) {
    out.writeInt(1);
    out.writeByte(kind);
  }

  private static void awaitEnd(Socket socket) {
    byte[] ignored = new byte[1_024];
    try {
      while (socket.getInputStream().read(ignored) >= 0) {
        // Only the end counts.
      }
    } catch (IOException e) {
      // It has ended.
    }
  }

  @Test
  void framesBehindTheOpeningAreReadUntilOneBreaksARule() throws IOException {
    int message = FrameType.MESSAGE.code();
    try (Node node = node();
        Socket socket = connect(node, message, 99, message)) {
      awaitEnd(socket);
    }
    assertThat(received).hasValue(1);
  }

  @Test
  void strangerThatReadsNothingIsGivenUp() throws Exception {
    try (Node node = node();
        Socket socket = connect(node)) {
      node.awaitSize(2);
      node.transport.setMembers(List.of(node.self()));
      Thread heartbeats = Thread.ofVirtual().start(() -> sendHeartbeats(socket));
      for (int i = 0; i < LONG_SEND_COUNT; i++) {
        Output message = new Output(Transport.SMALL_MESSAGE_BYTES);
        message.write(new byte[Transport.SMALL_MESSAGE_BYTES]);
        node.transport.send(stranger, message, 0);
      }
      assertThat(node.awaitSize(1)).containsExactly(node.self());
      heartbeats.join();
    }
  }

  /** So that it is not given up because it is silent. */
  private static void sendHeartbeats(Socket socket) {
    Output frame = new Output(8);
    writeFrame(frame, FrameType.HEARTBEAT.code());
    try {
      OutputStream out = socket.getOutputStream();
      while (true) {
        out.write(frame.array(), 0, frame.position());
      }
    } catch (IOException e) {
      // The node has closed the connection.
    }
  }
}
