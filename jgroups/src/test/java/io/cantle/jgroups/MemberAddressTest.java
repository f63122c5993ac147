package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import java.net.InetAddress;
import java.util.List;
import java.util.UUID;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;

/** Tests the addresses by which JGroups knows members. */
final class MemberAddressTest {

  @Test
  void addressIsPrintedAsTheNameOfItsMember() {
    Member member = new Member(new UUID(1, 2), new UUID(0x0102030405060708L, -1), "node-1");
    ExtendedUUID address = MemberAddress.of(member);
    MemberAddress.addListeningAddress(
        address, new IpAddress(InetAddress.ofLiteral("127.0.0.1"), 7_800));
    assertThat(address).hasToString("node-1");
    assertThat(View.create(address, 3, address).toString()).isEqualTo("[node-1|3] (1) [node-1]");
    assertThat(MemberAddress.memberOf(address).nodeId()).isEqualTo(member.nodeId());
  }

  @Test
  void nameThatIsNotTextIsPrintedWithoutItsBytes() {
    for (String name : List.of("a\nb", "\u001b[2J", "\u0000")) {
      ExtendedUUID address = MemberAddress.of(new Member(new UUID(1, 2), name));
      assertThat(address.toString()).as(name).matches("\\P{C}+");
    }
  }
}
