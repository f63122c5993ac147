package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.RateLimitedLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MembersTest {
  private static final RateLimitedLog TROUBLES =
      new RateLimitedLog(System.getLogger("test"), System::nanoTime);

  private static final CountDownLatch NOTHING = new CountDownLatch(0);

  private static Node node(String grid, String name, Node... seeds) {
    return new Node(Node.settings(grid, name, seeds), MembersTest::ignore).start();
  }

  private static void ignore(Member from, Input message) {
    NOTHING.countDown();
  }

  @Test
  void showsEverybodyTheSameMembersLongestStandingFirst() throws InterruptedException {
    try (Node first = node("order", "first")) {
      assertThat(first.views()).containsExactly(List.of(first.self()));
      try (Node second = node("order", "second", first);
          Node third = node("order", "third", first)) {
        List<Member> expected = List.of(first.self(), second.self(), third.self());
        for (Node node : List.of(first, second, third)) {
          assertThat(node.awaitSize(3)).isEqualTo(expected);
          assertThat(node.awaitSize(3))
              .extracting(Member::name)
              .containsExactly("first", "second", "third");
        }
        assertThat(third.views()).containsExactly(expected);
        assertThat(first.views())
            .containsExactly(expected.subList(0, 1), expected.subList(0, 2), expected);
      }
      assertThat(first.awaitSize(1)).containsExactly(first.self());
    }
  }

  @Test
  void survivesTheLeaveOfTheOldest() throws InterruptedException {
    Node first = node("oldest", "first");
    try (Node second = node("oldest", "second", first);
        Node third = node("oldest", "third", first)) {
      first.awaitSize(3);
      first.close();
      assertThat(second.awaitSize(2)).containsExactly(second.self(), third.self());
      assertThat(third.awaitSize(2)).containsExactly(second.self(), third.self());
    }
  }

  @Test
  void givesEachStartAnotherId() throws InterruptedException {
    try (Node first = node("lives", "first")) {
      Node second = node("lives", "again", first);
      second.close();
      first.awaitSize(1);
      try (Node third = node("lives", "again", first)) {
        assertThat(third.self()).isNotEqualTo(second.self());
        assertThat(first.awaitSize(2)).containsExactly(first.self(), third.self());
      }
    }
  }

  @Test
  void ignoresOtherGridsOnTheSamePorts() throws InterruptedException {
    try (Node first = node("one grid", "first");
        Node other = node("another grid", "other", first);
        Node second = node("one grid", "second", first, other)) {
      assertThat(second.awaitSize(2)).containsExactly(first.self(), second.self());
      assertThat(other.views()).containsExactly(List.of(other.self()));
    }
  }

  @Test
  void nodesStartedTogetherFindTogether() throws InterruptedException {
    try (Node first = node("together", "first")) {
      List<Node> others = new ArrayList<>();
      List<Thread> starts = new ArrayList<>();
      for (String name : List.of("second", "third", "fourth", "fifth")) {
        Node other = new Node(Node.settings("together", name, first), MembersTest::ignore);
        others.add(other);
        starts.add(Thread.ofPlatform().start(other::start));
      }
      for (Thread start : starts) {
        start.join();
      }
      List<Member> members = first.awaitSize(5);
      for (Node other : others) {
        assertThat(other.awaitSize(5)).isEqualTo(members);
        // No node has started a grid of its own.
        assertThat(other.views().getFirst()).startsWith(first.self());
      }
      others.forEach(Node::close);
    }
  }

  @Test
  void noticesThatAProcessWasKilled() throws IOException, InterruptedException {
    try (Node first = node("killed", "first");
        Node second = node("killed", "second", first);
        NodeProcess victim = NodeProcess.start("killed", "victim", first)) {
      assertThat(second.awaitSize(3)).extracting(Member::name).contains("victim");
      victim.kill();
      assertThat(second.awaitSize(2)).containsExactly(first.self(), second.self());
      first.awaitSize(2);
    }
  }

  /**
   * Its connections stay open, so only its silence shows; nodes that write to it must not be
   * blocked.
   */
  @Test
  void letsGoOfThoseWhoWriteToAProcessThatStandsStill() throws Exception {
    try (Node first = node("still", "first");
        Node second = node("still", "second", first);
        NodeProcess victim = NodeProcess.start("still", "victim", first)) {
      Member still = second.awaitSize(3).getLast();
      first.awaitSize(3);
      victim.stop();
      CountDownLatch released = new CountDownLatch(4);
      for (Node node : List.of(first, second)) {
        for (int thread = 0; thread < 2; thread++) {
          Thread.ofVirtual().start(() -> pour(node, still, released));
        }
      }
      assertThat(first.awaitSize(2)).containsExactly(first.self(), second.self());
      assertThat(second.awaitSize(2)).containsExactly(first.self(), second.self());
      assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /**
   * A view closes the connections to members that have left. A node that writes just then opens
   * another, which no view will close. The address here belongs to no member, as theirs does from
   * then on.
   */
  @Test
  void nobodyWaitsForRoomWhereNoMemberIs() throws Exception {
    JGroupsSettings settings = Node.settings("gone", "alone", List.of());
    BackpressureTcp tcp = new BackpressureTcp(settings, TROUBLES);
    List<Protocol> protocols = ProtocolStack.protocols(settings, tcp);
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (JChannel alone = new JChannel(new ArrayList<>(protocols));
        ServerSocket deaf = new ServerSocket(0, 1, loopback)) {
      Member self = new Member(new UUID(-1, -1), "alone");
      alone.setName("alone").addAddressGenerator(() -> MemberAddress.of(self)).connect("gone");
      IpAddress place = new IpAddress(loopback, deaf.getLocalPort());
      byte[] much = new byte[1 << 20];
      for (int i = 0; i < 16; i++) {
        tcp.send(place, much, 0, much.length);
      }
      assertThat(tcp.isConnectedTo(place)).isTrue();
    }
  }

  /**
   * A remaining node has not noticed yet that it is the coordinator. That must not create a second
   * group.
   */
  @Test
  void whoComesWhileNobodyCoordinatesJoinsThoseWhoAreLeft() throws Exception {
    Node first = node("orphan", "first");
    try (NodeProcess coordinator = NodeProcess.start("orphan", "victim", first)) {
      first.awaitSize(2);
      try (Node left = node("orphan", "left", first)) {
        first.close();
        left.awaitMembers(
            members -> members.size() == 2 && members.getFirst().name().equals("victim"));
        coordinator.kill();
        List<Node> comers = new ArrayList<>();
        List<Thread> starting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          Node comer = new Node(Node.settings("orphan", "comer", left), MembersTest::ignore);
          comers.add(comer);
          starting.add(Thread.ofPlatform().start(comer::start));
        }
        try {
          for (Thread thread : starting) {
            thread.join();
          }
          for (Node comer : comers) {
            assertThat(comer.views().getFirst()).contains(left.self());
          }
        } finally {
          comers.forEach(Node::close);
        }
      }
    }
  }

  /**
   * Asks every node that asks it before it answers, and answers late. This is how a node behaves
   * that is in a group and looks for other parts of it just when others begin to look for one.
   */
  private static final class QuestionsFirst extends Protocol {
    private static final long LATE_MILLIS = 100;

    private final short discovery = ClassConfigurator.getProtocolId(TCPPING.class);

    private boolean is(byte type, Message message) {
      PingHeader header = message.getHeader(discovery);
      return header != null && header.type() == type;
    }

    @Override
    public @Nullable Object up(Message message) {
      if (is(PingHeader.GET_MBRS_REQ, message)) {
        Consumer<PingData> ignored = found -> {};
        up_prot.down(new Event(Event.FIND_MBRS_ASYNC, ignored));
      }
      return up_prot.up(message);
    }

    @Override
    public @Nullable Object down(Message message) {
      if (is(PingHeader.GET_MBRS_RSP, message)) {
        CompletableFuture.delayedExecutor(LATE_MILLIS, TimeUnit.MILLISECONDS)
            .execute(() -> down_prot.down(message));
        return null;
      }
      return down_prot.down(message);
    }
  }

  @Test
  void whoIsAskedByGroupJoinsItInsteadOfBeginningAnother() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, loopback)) {
      port = free.getLocalPort();
    }
    JGroupsSettings settings = Node.settings("asking", "asks", List.of(port));
    BackpressureTcp tcp = new BackpressureTcp(settings, TROUBLES);
    List<Protocol> protocols = new ArrayList<>(ProtocolStack.protocols(settings, tcp));
    protocols.add(1, new QuestionsFirst());
    Member self = new Member(new UUID(-1, -1), "asks");
    try (JChannel asks = new JChannel(protocols)) {
      asks.setName("asks").addAddressGenerator(() -> MemberAddress.of(self)).connect("asking");
      JGroupsSettings comes =
          new JGroupsSettings(
              "asking",
              "comes",
              loopback,
              port,
              0,
              List.of(new InetSocketAddress(loopback, tcp.listeningPort())),
              Duration.ofSeconds(3),
              null);
      try (Node comer = new Node(comes, MembersTest::ignore).start()) {
        assertThat(comer.views().getFirst()).contains(self);
      }
    }
  }

  private static void pour(Node from, Member to, CountDownLatch released) {
    for (int i = 0; i < 64; i++) {
      from.send(to, new byte[1 << 20]);
    }
    released.countDown();
  }
}
