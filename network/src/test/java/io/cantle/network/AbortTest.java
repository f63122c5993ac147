package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Input;
import io.cantle.core.transport.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that closes all its sockets at once is gone, and comes back by no way. */
@Timeout(60)
class AbortTest {
  private static final CountDownLatch NOTHING = new CountDownLatch(0);

  private static void ignore(Member from, Input message) {
    NOTHING.countDown();
  }

  @Test
  void othersNoticeAndItComesBackToNone() throws InterruptedException {
    try (Node first = new Node(Node.settings("abort", "first"), AbortTest::ignore).start();
        Node second = new Node(Node.settings("abort", "second", first), AbortTest::ignore).start();
        Node third = new Node(Node.settings("abort", "third", first), AbortTest::ignore).start()) {
      first.awaitSize(3);
      second.awaitSize(3);
      third.transport.abort();
      third.transport.abort();
      List<Member> rest = first.awaitSize(2);
      assertThat(rest).doesNotContain(third.self());
      assertThat(second.awaitSize(2)).isEqualTo(rest);
      int views = first.views().size();
      // Whatever it had still begun has reached them before one that starts now.
      try (Node last = new Node(Node.settings("abort", "last", first), AbortTest::ignore).start()) {
        first.awaitMembers(members -> members.contains(last.self()));
        assertThat(first.views().subList(views, first.views().size()))
            .noneMatch(members -> members.contains(third.self()));
      }
    }
  }

  @Test
  void transportThatIsAbortedBeforeItStartsConnectsToNone() throws IOException {
    try (Node first = new Node(Node.settings("early", "first"), AbortTest::ignore).start();
        Node aborted = new Node(Node.settings("early", "aborted", first), AbortTest::ignore)) {
      aborted.transport.abort();
      aborted.start();
      int port = aborted.transport.port();
      try (Socket socket = new Socket()) {
        assertThatThrownBy(
                () -> socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
            .isInstanceOf(IOException.class);
      }
      assertThat(first.views()).containsExactly(List.of(first.self()));
    }
  }
}
