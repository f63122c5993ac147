package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.base.NonBlockingThread;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class NettyTransportTest {
  private record Arrival(Member from, byte[] bytes, boolean onTransportThread) {}

  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();

  private void keep(Member from, Input message) {
    arrivals.add(
        new Arrival(from, message.readBytes(message.remaining()), NonBlockingThread.isCurrent()));
  }

  private Arrival next() throws InterruptedException {
    Arrival arrival = arrivals.poll(30, TimeUnit.SECONDS);
    assertThat(arrival).as("a message that should have arrived").isNotNull();
    return arrival;
  }

  @Test
  void answersOnTheThreadThatReceives() throws InterruptedException {
    Node[] pair = new Node[2];
    try (Node first =
            new Node(
                    Node.settings("echo", "first"),
                    (from, message) -> pair[0].send(from, message.readBytes(message.remaining())))
                .start();
        Node second = new Node(Node.settings("echo", "second", first), this::keep).start()) {
      pair[0] = first;
      second.send(first, new byte[] {1, 2, 3});
      Arrival arrival = next();
      assertThat(arrival.bytes()).containsExactly(1, 2, 3);
      assertThat(arrival.from()).isEqualTo(first.self());
      assertThat(arrival.from().name()).isEqualTo("first");
      assertThat(arrival.onTransportThread()).isTrue();
    }
  }

  @Test
  void carriesMessagesOfEverySize() throws InterruptedException {
    Random random = new Random(17);
    try (Node first = new Node(Node.settings("sizes", "first"), this::keep).start();
        Node second = new Node(Node.settings("sizes", "second", first), this::keep).start()) {
      int[] sizes = {
        0, 1, 1_000, 16 << 10, (256 << 10) + 100, 320 << 10, (320 << 10) + 1, 1 << 20, 20 << 20
      };
      for (int size : sizes) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        second.send(first, bytes.clone());
        assertThat(next().bytes()).isEqualTo(bytes);
        first.send(second, bytes.clone());
        assertThat(next().bytes()).isEqualTo(bytes);
      }
      assertThat(arrivals).isEmpty();
    }
  }

  @Test
  void sendsOnlyWhatWasWritten() throws InterruptedException {
    try (Node first = new Node(Node.settings("parts", "first"), this::keep).start();
        Node second = new Node(Node.settings("parts", "second", first), this::keep).start()) {
      Output output = new Output(1_000);
      output.writeByte(7);
      second.transport.send(first.self(), output);
      assertThat(next().bytes()).containsExactly(7);
    }
  }

  @Test
  void goesOnWhenTheReceiverFails() throws InterruptedException {
    try (Node first =
            new Node(
                    Node.settings("failing", "first"),
                    (from, message) -> {
                      keep(from, message);
                      throw new IllegalStateException("planted by the test");
                    })
                .start();
        Node second = new Node(Node.settings("failing", "second", first), this::keep).start()) {
      second.send(first, new byte[] {1});
      second.send(first, new byte[] {2});
      assertThat(next().bytes()).containsExactly(1);
      assertThat(next().bytes()).containsExactly(2);
    }
  }

  @Test
  void dropsMessagesToWhoeverIsNotThere() throws InterruptedException {
    try (Node first = new Node(Node.settings("gone", "first"), this::keep).start()) {
      Node second = new Node(Node.settings("gone", "second", first), this::keep).start();
      first.awaitSize(2);
      second.close();
      first.awaitSize(1);
      first.send(second, new byte[1]);
      first.send(new Member(UUID.randomUUID(), "unheard of"), new byte[1]);
      assertThat(arrivals).isEmpty();
    }
  }

  @Test
  void refusesWhatItCannotSend() {
    NettyTransport idle = new NettyTransport(Node.settings("refusing", "idle"));
    Member other = new Member(UUID.randomUUID(), "other");
    assertThatThrownBy(() -> idle.send(other, new Output(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not started");
    assertThatThrownBy(idle::port)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not started");
    try (Node node = new Node(Node.settings("refusing", "node"), this::keep).start()) {
      assertThatThrownBy(() -> node.send(node, new byte[1]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("itself");
      assertThatThrownBy(() -> node.send(other, new byte[Transport.MAX_MESSAGE_BYTES + 1]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("exceeds " + Transport.MAX_MESSAGE_BYTES);
      assertThatThrownBy(node::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("started");
    }
  }

  @Test
  void staysClosed() throws InterruptedException {
    Node first = new Node(Node.settings("closing", "first"), this::keep).start();
    Node second = new Node(Node.settings("closing", "second", first), this::keep).start();
    first.awaitSize(2);
    first.close();
    first.close();
    first.send(second, new byte[1]);
    second.awaitSize(1);
    second.close();
    assertThat(arrivals).isEmpty();
    assertThatThrownBy(first::start).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesToBeClosedByItsReceiver() throws InterruptedException {
    Node[] closing = new Node[1];
    BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();
    try (Node first =
            new Node(
                    Node.settings("within", "first"),
                    (from, message) -> {
                      try {
                        closing[0].close();
                      } catch (IllegalStateException e) {
                        failures.add(e);
                      }
                    })
                .start();
        Node second = new Node(Node.settings("within", "second", first), this::keep).start()) {
      closing[0] = first;
      second.send(first, new byte[1]);
      assertThat(failures.poll(30, TimeUnit.SECONDS))
          .isNotNull()
          .hasMessageContaining("within its receiver");
    }
  }

  /** A node that looks where somebody listens and says nothing can be closed at once. */
  @Test
  void closingEndsAStartThatStillLooks() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket silent = new ServerSocket(0, 1, loopback)) {
      TransportSettings settings =
          new TransportSettings(
              "closing",
              "looking",
              loopback,
              0,
              0,
              List.of(new InetSocketAddress(loopback, silent.getLocalPort())),
              Duration.ofMinutes(1),
              null);
      Node looking = new Node(settings, this::keep);
      Thread starting = Thread.ofPlatform().start(looking::start);
      try (Socket connection = silent.accept()) {
        assertThat(connection.isConnected()).isTrue();
        looking.close();
        assertThat(starting.join(Duration.ofSeconds(30))).isTrue();
      }
    }
  }
}
