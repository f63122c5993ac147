package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Where a node looks, and when, on a clock that the test moves. */
class PeerFinderTest {
  private record Dial(InetSocketAddress address, Lane lane, PeerFinder.Answer answer) {}

  private static final int FORBIDDEN_PORT = 4;
  private static final InetSocketAddress OWN = place(50);

  private final Member self = member(5);
  private final Member other = member(1);
  private final AtomicLong now = new AtomicLong();
  private final List<Dial> dials = new ArrayList<>();
  private final AtomicInteger looked = new AtomicInteger();

  private final RecordedPeers peers = new RecordedPeers(self, this::lost);
  private final PeerTable table = peers.table;

  private final PeerFinder finder =
      new PeerFinder(
          self,
          table,
          (address, lane, answer) -> dials.add(new Dial(address, lane, answer)),
          now::get,
          address -> address.getPort() != FORBIDDEN_PORT);

  private void lost(PeerLink link) {
    finder.onLost(link.listening());
  }

  private static Member member(int id) {
    return new Member(new UUID(0, id), "node " + id);
  }

  private static InetSocketAddress place(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private PeerConnection open(Member peer, int port, boolean dialed) {
    Opening opening = new Opening("grid", peer, Lane.DATA, place(port));
    PeerConnection connection = new PeerConnection(new EmbeddedChannel(), opening, dialed);
    table.onOpened(connection);
    return connection;
  }

  private void start(int... ports) {
    List<InetSocketAddress> places = new ArrayList<>();
    for (int port : ports) {
      places.add(place(port));
    }
    finder.start(places, OWN, looked::incrementAndGet);
  }

  private void fail(Dial dial) {
    dials.remove(dial);
    dial.answer().onFailed("nothing listens there", true);
  }

  private void find(Dial dial, Member member) {
    dials.remove(dial);
    open(member, dial.address().getPort(), true);
    dial.answer().onFound(member);
  }

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    finder.check();
  }

  private List<Integer> dialedPorts() {
    return dials.stream()
        .filter(dial -> dial.lane() == Lane.DATA)
        .map(dial -> dial.address().getPort())
        .toList();
  }

  @Test
  void firstRoundEndsWhenAllPlacesAndAllToldOfByFoundPeersWereLookedAt() {
    start(1, 2);
    fail(dials.get(1));
    assertThat(looked).hasValue(0);
    find(dials.getFirst(), other);
    assertThat(looked).as("the found peer has told of none yet").hasValue(0);
    finder.onTold(other, new AddressList(List.of(place(3))));
    assertThat(looked).as("it was not looked there yet").hasValue(0);
    assertThat(dialedPorts()).containsExactly(3);
    fail(dials.stream().filter(dial -> dial.lane() == Lane.DATA).findFirst().orElseThrow());
    assertThat(looked).hasValue(1);
    pass(60_000);
    assertThat(looked).hasValue(1);
  }

  @Test
  void waitsDoubleUpToFiveSeconds() {
    start(1);
    for (int millis : new int[] {250, 500, 1_000, 2_000, 4_000, 5_000, 5_000}) {
      fail(dials.getFirst());
      pass(millis - 1);
      assertThat(dials).as("before %s ms", millis).isEmpty();
      pass(1);
      assertThat(dials).as("after %s ms", millis).hasSize(1);
    }
  }

  @Test
  void lostMemberIsLookedForAtOnce() {
    start();
    PeerConnection connection = open(other, 1, false);
    assertThat(dials).isEmpty();
    connection.close();
    table.onClosed(connection);
    assertThat(dialedPorts()).containsExactly(1);
  }

  @Test
  void placeOfAMemberIsForgottenAfterAnHour() {
    table.setMembers(List.of(self, other));
    start();
    open(other, 1, false);
    finder.onTold(other, new AddressList(List.of(place(3))));
    fail(dials.getFirst());
    pass(TimeUnit.HOURS.toMillis(1));
    fail(dials.getFirst());
    pass(10_000);
    assertThat(dials).isEmpty();
  }

  @Test
  void ownAndForbiddenAddressesAreNeverDialed() {
    start();
    open(other, 1, false);
    finder.onTold(other, new AddressList(List.of(OWN, place(FORBIDDEN_PORT))));
    assertThat(dials).isEmpty();
  }

  @Test
  void urgentConnectionIsOnlyOpenedWhereItMayLook() {
    start();
    open(other, FORBIDDEN_PORT, true);
    open(member(2), OWN.getPort(), true);
    open(member(3), 3, true);
    finder.check();
    assertThat(dials).extracting(Dial::lane).containsExactly(Lane.URGENT);
    assertThat(dials.getFirst().address()).isEqualTo(place(3));
  }
}
