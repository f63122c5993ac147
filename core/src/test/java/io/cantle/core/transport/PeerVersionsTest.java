package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that nodes of two builds agree on a version. */
final class PeerVersionsTest {
  private final ManualNetwork network = new ManualNetwork();
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final List<String> events = new ArrayList<>();

  /** Writes down the versions of the messages that arrive. */
  private final class VersionRecorder implements MessagingService.Handler {
    private final Member self;

    VersionRecorder(Member self) {
      this.self = self;
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      events.add(kind + " from " + from + " to " + self + " in " + body.version());
    }

    @Override
    public void onMembersChanged(List<Member> members) {}
  }

  private MessagingService start(Member self, int lowest, int highest) {
    MessagingService service =
        new MessagingService(
            network.transport(self),
            TestEnvironment.of(new ManualClock(), Runnable::run, new Random(1)),
            new VersionRecorder(self),
            new PeerVersions(lowest, highest));
    service.start();
    return service;
  }

  private void send(MessagingService from, Member to, MessageKind kind) {
    from.send(to, new ManualMessage(kind, out -> {}));
    network.deliverAll();
  }

  @Test
  void peersUseTheHighestVersionThatBothSpeak() {
    MessagingService one = start(a, 4, 5);
    MessagingService other = start(b, 4, 5);
    send(one, b, MessageKind.READ);
    send(other, a, MessageKind.READ);
    send(one, b, MessageKind.READ);
    assertThat(events)
        .containsExactly("READ from a to b in 4", "READ from b to a in 5", "READ from a to b in 5");
  }

  @Test
  void theBuildBeforeIsWrittenToInItsVersion() {
    MessagingService older = start(a, 4, 4);
    MessagingService newer = start(b, 4, 5);
    for (int i = 0; i < 2; i++) {
      send(older, b, MessageKind.READ);
      send(newer, a, MessageKind.READ);
    }
    assertThat(events).hasSize(4).allMatch(event -> event.endsWith(" in 4"));
    assertThat(older.incompatiblePeer()).isNull();
    assertThat(newer.incompatiblePeer()).isNull();
  }

  /** The first message is lost, as any may be, and its sender learns what the peer speaks. */
  @Test
  void peerThatDoesNotSpeakTheLowestVersionSaysSo() {
    MessagingService older = start(a, 4, 5);
    MessagingService newer = start(b, 5, 6);
    send(older, b, MessageKind.READ);
    send(older, b, MessageKind.READ);
    send(newer, a, MessageKind.READ);
    assertThat(events).containsExactly("READ from a to b in 5", "READ from b to a in 5");
    assertThat(newer.incompatiblePeer()).isNull();
  }

  @Test
  void peersWithoutACommonVersionNameBothRanges() {
    MessagingService older = start(a, 4, 5);
    MessagingService newer = start(b, 6, 7);
    send(older, b, MessageKind.READ);
    send(newer, a, MessageKind.READ);
    assertThat(events).isEmpty();
    assertThat(network.inFlight).isEmpty();
    assertThat(newer.incompatiblePeer())
        .isEqualTo("a speaks message version 4 to 5, this node 6 to 7");
    assertThat(older.incompatiblePeer())
        .isEqualTo("b speaks message version 6 to 7, this node 4 to 5");
    MessagingService another = start(c, 4, 5);
    send(another, a, MessageKind.READ);
    assertThat(events).containsExactly("READ from c to a in 4");
  }

  /** A member may send a topology on to any other. */
  @Test
  void topologyIsWrittenInAVersionThatAllNodesInViewSpeak() {
    MessagingService one = start(a, 4, 5);
    MessagingService other = start(b, 4, 5);
    network.showViewToAll(a, b);
    send(one, a, MessageKind.READ);
    send(other, a, MessageKind.READ);
    events.clear();
    send(one, b, MessageKind.TOPOLOGY);
    assertThat(events).containsExactly("TOPOLOGY from a to b in 5");

    MessagingService older = start(c, 4, 4);
    network.showViewToAll(a, b, c);
    send(older, a, MessageKind.READ);
    events.clear();
    send(one, b, MessageKind.TOPOLOGY);
    send(one, b, MessageKind.READ);
    assertThat(events).containsExactly("TOPOLOGY from a to b in 4", "READ from a to b in 5");
  }

  @Test
  void memberThatLeftTheViewIsForgotten() {
    MessagingService one = start(a, 4, 5);
    MessagingService other = start(b, 4, 5);
    network.showView(a, a, b);
    send(other, a, MessageKind.READ);
    network.showView(a, a);
    events.clear();
    send(one, b, MessageKind.READ);
    assertThat(events).containsExactly("READ from a to b in 4");
  }

  @Test
  void damagedFirstByteIsNotAnswered() {
    start(a, 5, 6);
    Output response = new Output(4);
    response.writeByte(0x44);
    response.writeByte(MessageKind.RESPONSE.code());
    network.deliver(new SentMessage(b, a, response.toByteArray()));
    network.deliver(new SentMessage(b, a, new byte[] {0x44}));
    assertThat(network.inFlight).isEmpty();
  }
}
