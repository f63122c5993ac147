package io.cantle.network;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whom a node counts as present, on a clock that the test moves. */
class PeerTableTest {
  private static final long RECONNECT_MILLIS =
      TimeUnit.NANOSECONDS.toMillis(PeerTable.RECONNECT_NANOS);

  private final Member self = member(5);
  private final Member low = member(1);
  private final Member high = member(9);
  private final List<PeerLink> lost = new ArrayList<>();
  private final Map<PeerConnection, EmbeddedChannel> channels = new HashMap<>();

  private final RecordedPeers peers = new RecordedPeers(self, lost::add);
  private final PeerTable table = peers.table;

  @BeforeEach
  void stopTheClock() {
    peers.clock.freezeTime();
  }

  private static Member member(int id) {
    return new Member(new UUID(0, id), "node " + id);
  }

  private static InetSocketAddress place(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private PeerConnection open(Member peer, Lane lane, boolean dialed) {
    int port = (int) peer.id().getLeastSignificantBits();
    EmbeddedChannel channel = new EmbeddedChannel();
    PeerConnection connection =
        new PeerConnection(channel, new Opening("grid", peer, lane, place(port)), dialed);
    channels.put(connection, channel);
    table.onOpened(connection);
    return connection;
  }

  private void lose(PeerConnection connection) {
    connection.close();
    table.onClosed(connection);
  }

  private void pass(long millis) {
    peers.clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    peers.clock.runScheduledPendingTasks();
  }

  private boolean isUsed(PeerConnection connection) {
    PeerLink link = requireNonNull(table.find(connection.member()));
    link.write(Frame.empty(FrameType.HEARTBEAT));
    return requireNonNull(channels.get(connection)).readOutbound() != null;
  }

  @Test
  void memberWhoseConnectionsBreakTogetherHasTimeToComeBack() {
    PeerConnection data = open(low, Lane.DATA, false);
    PeerConnection urgent = open(low, Lane.URGENT, false);
    lose(data);
    lose(urgent);
    assertThat(table.present()).containsExactly(low, self);
    assertThat(lost).hasSize(1);
    pass(RECONNECT_MILLIS - 1);
    open(low, Lane.DATA, false);
    pass(RECONNECT_MILLIS);
    assertThat(table.present()).containsExactly(low, self);
  }

  @Test
  void memberThatIsLostTwiceHasItsWholeTimeAgain() {
    lose(open(low, Lane.DATA, false));
    pass(RECONNECT_MILLIS - 100);
    lose(open(low, Lane.DATA, false));
    pass(RECONNECT_MILLIS - 1);
    assertThat(table.present()).containsExactly(low, self);
    pass(1);
    assertThat(table.present()).containsExactly(self);
  }

  @Test
  void lostMemberIsGoneAtOnceWhereNobodyListens() {
    lose(open(low, Lane.DATA, false));
    table.onNobodyAt(place(1));
    assertThat(table.present()).containsExactly(self);
  }

  @Test
  void connectedMemberStaysWhenNothingListensWhereItSays() {
    open(low, Lane.DATA, false);
    table.onNobodyAt(place(1));
    assertThat(table.present()).containsExactly(low, self);
  }

  @Test
  void memberThatSaysFarewellIsGoneAtOnceAndNotLookedFor() {
    PeerConnection data = open(low, Lane.DATA, false);
    PeerConnection urgent = open(low, Lane.URGENT, false);
    table.onFarewell(data);
    table.onClosed(data);
    table.onClosed(urgent);
    assertThat(table.present()).containsExactly(self);
    assertThat(urgent.isOpen()).isFalse();
    assertThat(lost).isEmpty();
  }

  @Test
  void ofTwoConnectionsTheOneIsUsedThatTheLowerIdHasOpened() {
    PeerConnection byLow = open(low, Lane.DATA, false);
    PeerConnection byUs = open(low, Lane.DATA, true);
    assertThat(isUsed(byLow)).isTrue();
    PeerConnection byHigh = open(high, Lane.DATA, false);
    PeerConnection byUsToHigh = open(high, Lane.DATA, true);
    assertThat(isUsed(byUsToHigh)).isTrue();
    pass(60_000);
    assertThat(byUs.isOpen()).as("opened by this node, not needed").isFalse();
    assertThat(byLow.isOpen()).isTrue();
    assertThat(byUsToHigh.isOpen()).isTrue();
    assertThat(byHigh.isOpen()).as("the other node closes it").isTrue();
  }

  @Test
  void connectionThatWasNotNeededIsKeptWhenItReplacesALostOne() {
    PeerConnection byLow = open(low, Lane.DATA, false);
    PeerConnection byUs = open(low, Lane.DATA, true);
    lose(byLow);
    pass(60_000);
    assertThat(byUs.isOpen()).isTrue();
    assertThat(isUsed(byUs)).isTrue();
    assertThat(table.present()).containsExactly(low, self);
  }

  @Test
  void oldestNewcomerIsGivenUpAndNoMember() {
    table.setMembers(List.of(self, low));
    open(low, Lane.DATA, false);
    List<PeerConnection> newcomers = new ArrayList<>();
    for (int i = 0; i <= PeerTable.MAX_NEWCOMERS; i++) {
      newcomers.add(open(member(100 + i), Lane.DATA, false));
    }
    assertThat(newcomers.getFirst().isOpen()).isFalse();
    assertThat(newcomers.subList(1, newcomers.size())).allMatch(PeerConnection::isOpen);
    assertThat(table.find(low)).isNotNull();
  }

  @Test
  void connectionToItselfAndOneThatIsClosedAreNoMembers() {
    assertThat(open(self, Lane.DATA, true).isOpen()).isFalse();
    PeerConnection closed =
        new PeerConnection(
            new EmbeddedChannel(), new Opening("grid", low, Lane.DATA, place(1)), false);
    closed.close();
    table.onOpened(closed);
    table.onClosed(closed);
    assertThat(table.links()).isEmpty();
    assertThat(table.present()).containsExactly(self);
  }
}
