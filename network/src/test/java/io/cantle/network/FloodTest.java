package io.cantle.network;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two nodes that write to each other more than the kernel buffers for them. If writes blocked, each
 * reader would wait for the other to read.
 */
@Timeout(120)
class FloodTest {
  /** All of both sides may wait at one, which is less than a 32nd of the heap of a test. */
  private static final int BALLS = 800;

  private static final int BOUNCES = 6_000;

  /** Sends each message back, on the thread on which it arrives, while bounces are left. */
  private static final class Player {
    private final AtomicInteger bouncesLeft = new AtomicInteger(BOUNCES);
    private final CountDownLatch ballsLanded = new CountDownLatch(BALLS);
    private volatile @Nullable Node node;

    void receive(Member from, Input message) {
      if (bouncesLeft.getAndDecrement() > 0) {
        requireNonNull(node).send(from, new byte[Transport.SMALL_MESSAGE_BYTES]);
      } else {
        ballsLanded.countDown();
      }
    }

    boolean landed() throws InterruptedException {
      return ballsLanded.await(90, TimeUnit.SECONDS);
    }
  }

  @Test
  void receiversThatAnswerEachOtherNeverStop() throws InterruptedException {
    Player left = new Player();
    Player right = new Player();
    try (Node first = new Node(Node.settings("balls", "first"), left::receive).start();
        Node second = new Node(Node.settings("balls", "second", first), right::receive).start()) {
      left.node = first;
      right.node = second;
      List<Thread> servers =
          List.of(
              Thread.ofPlatform().start(() -> serve(first, second)),
              Thread.ofVirtual().start(() -> serve(second, first)));
      assertThat(left.landed()).isTrue();
      assertThat(right.landed()).isTrue();
      for (Thread server : servers) {
        server.join();
      }
    }
  }

  private static void serve(Node from, Node to) {
    for (int ball = 0; ball < BALLS; ball++) {
      from.send(to, new byte[Transport.SMALL_MESSAGE_BYTES]);
    }
  }

  @Test
  void bulkBothWaysArrivesOnce() throws InterruptedException {
    int threads = 4;
    int messages = 40;
    int bytes = 1 << 20;
    AtomicInteger arrived = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(2 * threads * messages);
    try (Node first =
            new Node(
                    Node.settings("bulk", "first"), (from, message) -> count(message, arrived, all))
                .start();
        Node second =
            new Node(
                    Node.settings("bulk", "second", first),
                    (from, message) -> count(message, arrived, all))
                .start()) {
      List<Thread> senders = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        senders.add(Thread.ofVirtual().start(() -> pour(first, second, messages, bytes)));
        senders.add(Thread.ofVirtual().start(() -> pour(second, first, messages, bytes)));
      }
      assertThat(all.await(90, TimeUnit.SECONDS)).isTrue();
      for (Thread sender : senders) {
        sender.join();
      }
      assertThat(arrived).hasValue(2 * threads * messages);
    }
  }

  private static void count(Input message, AtomicInteger arrived, CountDownLatch all) {
    assertThat(message.remaining()).isEqualTo(1 << 20);
    arrived.incrementAndGet();
    all.countDown();
  }

  private static void pour(Node from, Node to, int messages, int bytes) {
    for (int i = 0; i < messages; i++) {
      from.send(to, new byte[bytes]);
    }
  }
}
