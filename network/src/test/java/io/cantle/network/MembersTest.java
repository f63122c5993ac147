package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.transport.Member;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MembersTest {
  private static final CountDownLatch NOTHING = new CountDownLatch(0);

  private static Node node(String grid, String name, Node... seeds) {
    return new Node(Node.settings(grid, name, seeds), MembersTest::ignore).start();
  }

  private static void ignore(Member from, Input message) {
    NOTHING.countDown();
  }

  private static List<Member> inOrder(Node... nodes) {
    return List.of(nodes).stream().map(Node::self).sorted(Comparator.naturalOrder()).toList();
  }

  @Test
  void everybodySeesTheSameMembersInTheSameOrder() throws InterruptedException {
    try (Node first = node("order", "first")) {
      assertThat(first.views()).containsExactly(List.of(first.self()));
      try (Node second = node("order", "second", first);
          Node third = node("order", "third", first)) {
        List<Member> expected = inOrder(first, second, third);
        for (Node node : List.of(first, second, third)) {
          assertThat(node.awaitSize(3)).isEqualTo(expected);
          assertThat(node.awaitSize(3))
              .extracting(Member::name)
              .containsExactlyInAnyOrder("first", "second", "third");
        }
        // It was told of the second by the first, and has looked there before it saw anybody.
        assertThat(third.views()).containsExactly(expected);
      }
      assertThat(first.awaitSize(1)).containsExactly(first.self());
    }
  }

  @Test
  void othersStayConnectedWhenTheirOnlySeedLeaves() throws InterruptedException {
    Node first = node("oldest", "first");
    try (Node second = node("oldest", "second", first);
        Node third = node("oldest", "third", first)) {
      first.awaitSize(3);
      first.close();
      assertThat(second.awaitSize(2)).isEqualTo(inOrder(second, third));
      assertThat(third.awaitSize(2)).isEqualTo(inOrder(second, third));
    }
  }

  @Test
  void eachStartHasAnotherId() throws InterruptedException {
    try (Node first = node("lives", "first")) {
      Node second = node("lives", "again", first);
      second.close();
      first.awaitSize(1);
      try (Node third = node("lives", "again", first)) {
        assertThat(third.self()).isNotEqualTo(second.self());
        assertThat(first.awaitSize(2)).isEqualTo(inOrder(first, third));
      }
    }
  }

  @Test
  void otherGridsOnTheSamePortsAreIgnored() throws InterruptedException {
    try (Node first = node("one grid", "first");
        Node other = node("another grid", "other", first);
        Node second = node("one grid", "second", first, other)) {
      assertThat(second.awaitSize(2)).isEqualTo(inOrder(first, second));
      assertThat(other.views()).containsExactly(List.of(other.self()));
    }
  }

  @Test
  void nodesThatStartAtOnceFindEachOther() throws InterruptedException {
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
        assertThat(other.views().getFirst()).contains(first.self());
      }
      others.forEach(Node::close);
    }
  }

  @Test
  void killedProcessIsGone() throws IOException, InterruptedException {
    try (Node first = node("killed", "first");
        Node second = node("killed", "second", first);
        NodeProcess victim = NodeProcess.start("killed", "victim", first)) {
      assertThat(second.awaitSize(3)).extracting(Member::name).contains("victim");
      victim.kill();
      assertThat(second.awaitSize(2)).isEqualTo(inOrder(first, second));
      first.awaitSize(2);
    }
  }

  /**
   * Its connections stay open, so only its silence shows; nodes that write to it must not be
   * blocked.
   */
  @Test
  void processThatStandsStillHoldsUpNobody() throws Exception {
    try (Node first = node("still", "first");
        Node second = node("still", "second", first);
        NodeProcess victim = NodeProcess.start("still", "victim", first)) {
      Member still =
          second.awaitSize(3).stream()
              .filter(member -> member.name().equals("victim"))
              .findFirst()
              .orElseThrow();
      first.awaitSize(3);
      victim.stop();
      CountDownLatch released = new CountDownLatch(4);
      for (Node node : List.of(first, second)) {
        for (int thread = 0; thread < 2; thread++) {
          Thread.ofVirtual().start(() -> pour(node, still, released));
        }
      }
      assertThat(first.awaitSize(2)).isEqualTo(inOrder(first, second));
      assertThat(second.awaitSize(2)).isEqualTo(inOrder(first, second));
      assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void pour(Node from, Member to, CountDownLatch released) {
    for (int i = 0; i < 64; i++) {
      from.send(to, new byte[1 << 20]);
    }
    released.countDown();
  }
}
