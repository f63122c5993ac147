package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What peers that are no members of the grid make a node look for, report and tell. */
class StrangerPlacesTest {
  private static final int STRANGERS = 40;

  private final Member self = new Member(new UUID(0, 1), "self");
  private final Member member = new Member(new UUID(0, 2), "member");
  private final Member stranger = new Member(new UUID(0, 3), "stranger");
  private final AtomicLong now = new AtomicLong();
  private final Set<InetSocketAddress> dialed = new LinkedHashSet<>();

  private final RecordedPeers peers = new RecordedPeers(self, _ -> {});
  private final PeerTable table = peers.table;

  private final PeerFinder finder =
      new PeerFinder(
          self,
          table,
          (address, lane, answer) -> {
            dialed.add(address);
            answer.onFailed("nothing listens there", true);
          },
          now::get,
          address -> true);

  private static InetSocketAddress place(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private void connect(Member peer, int port) {
    Opening opening = new Opening("grid", peer, Lane.DATA, place(port));
    table.onOpened(new PeerConnection(new EmbeddedChannel(), opening, false));
  }

  private void enterGrid() {
    table.setMembers(List.of(self, member));
    connect(member, 1);
    connect(stranger, 2);
  }

  private static AddressList places(int first, int count) {
    return new AddressList(
        IntStream.range(first, first + count).mapToObj(StrangerPlacesTest::place).toList());
  }

  @Test
  void strangersTakeNoRoomFromPlacesThatMembersTellOf() {
    enterGrid();
    finder.onTold(stranger, places(10_000, AddressList.MAX_ADDRESSES));
    assertThat(dialed).hasSize(PeerFinder.MAX_PLACES_OF_NEWCOMERS);
    finder.onTold(member, places(20_000, 100));
    assertThat(dialed).contains(place(20_000), place(20_099));
  }

  @Test
  void placesOfStrangersAreSoonForgotten() {
    enterGrid();
    finder.onTold(stranger, places(10_000, AddressList.MAX_ADDRESSES));
    now.addAndGet(TimeUnit.MINUTES.toNanos(2));
    finder.check();
    dialed.clear();
    finder.onTold(stranger, places(30_000, 1));
    assertThat(dialed).containsExactly(place(30_000));
  }

  @Test
  void membersAreToldOfMembersOnly() {
    enterGrid();
    Member other = new Member(new UUID(0, 4), "other");
    connect(other, 3);
    assertThat(finder.known(member).addresses()).containsExactly(place(1));
    assertThat(finder.known(other).addresses()).contains(place(1), place(2));
    table.setMembers(List.of(self, member, other));
    assertThat(finder.known(member).addresses()).containsExactlyInAnyOrder(place(1), place(3));
  }

  @Test
  void comingsAndGoingsOfStrangersAreReportedTogether() {
    enterGrid();
    peers.views.clear();
    for (int i = 0; i < STRANGERS; i++) {
      connect(new Member(new UUID(1, i), "stranger"), 100 + i);
    }
    assertThat(peers.views).isEmpty();
    peers.clock.advanceTimeBy(PeerTable.GATHER_NANOS, TimeUnit.NANOSECONDS);
    peers.clock.runScheduledPendingTasks();
    assertThat(peers.views).hasSize(1);
    assertThat(peers.views.getLast()).hasSize(3 + STRANGERS);
  }

  @Test
  void memberThatComesAmongStrangersIsReportedAtOnce() {
    enterGrid();
    Member other = new Member(new UUID(0, 4), "other");
    table.setMembers(List.of(self, member, other));
    connect(new Member(new UUID(1, 1), "stranger"), 100);
    connect(other, 3);
    assertThat(peers.views.getLast()).contains(other);
  }
}
