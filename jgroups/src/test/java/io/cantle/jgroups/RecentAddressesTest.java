package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.Test;

class RecentAddressesTest {
  private final RecentAddresses recent = new RecentAddresses();

  private static Address address(int port) {
    return new IpAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static List<Address> addresses(int firstPort, int count) {
    return IntStream.range(firstPort, firstPort + count)
        .mapToObj(RecentAddressesTest::address)
        .toList();
  }

  @Test
  void oldestAddressIsDroppedFirst() {
    recent.add(addresses(1, RecentAddresses.MAX_ADDRESSES));
    recent.add(List.of(address(1)));
    assertThat(recent.contains(address(2))).isTrue();
    recent.add(List.of(address(5_000)));
    assertThat(recent.contains(address(1))).as("was seen again").isTrue();
    assertThat(recent.contains(address(2))).isFalse();
    assertThat(recent.contains(address(3))).isTrue();
    assertThat(recent.contains(address(5_000))).isTrue();
  }

  @Test
  void addressesAddedTogetherAreAllKept() {
    recent.add(List.of(address(1)));
    List<Address> many = addresses(2, RecentAddresses.MAX_ADDRESSES + 1);
    recent.add(many);
    assertThat(many).allMatch(recent::contains);
    assertThat(recent.contains(address(1))).isFalse();
  }
}
