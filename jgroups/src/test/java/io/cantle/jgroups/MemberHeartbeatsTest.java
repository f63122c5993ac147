package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemberHeartbeatsTest {
  private final MemberHeartbeats heartbeats = new MemberHeartbeats();
  private final Address peer = new IpAddress(InetAddress.getLoopbackAddress(), 1);

  @BeforeEach
  void configure() {
    heartbeats.setTimeout(3_000).setInterval(1_000);
  }

  @Test
  void messageOfAPeerThatIsNoMemberLeavesNothing() {
    heartbeats.update(peer, false, false);
    assertThat(heartbeats.printTimestamps()).isEmpty();
  }

  @Test
  void membersAreRemembered() {
    heartbeats.update(peer, false, true);
    heartbeats.update(peer, false, false);
    assertThat(heartbeats.printTimestamps()).startsWith(peer + ": ");
  }
}
