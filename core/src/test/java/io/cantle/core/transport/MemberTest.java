package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Equality and encoding of members, and the codes of message kinds. */
final class MemberTest {

  @Test
  void membersWithEqualIdsAreEqual() {
    UUID id = new UUID(1, 2);
    Member member = new Member(id, "a");
    assertThat(member).isEqualTo(new Member(id, "b")).isNotEqualTo(new Member(new UUID(1, 3), "a"));
    assertThat(member).hasSameHashCodeAs(new Member(id, "b"));
    assertThat(member.compareTo(new Member(id, "b"))).isZero();
    assertThat(member.compareTo(new Member(new UUID(1, 3), "a"))).isNegative();
    assertThat(member).hasToString("a");
  }

  @Test
  void roundTripsWithItsName() {
    Output out = new Output(8);
    new Member(new UUID(-1, 7), "näme").write(out);
    Member read = Member.read(out.toInput());
    assertThat(read).isEqualTo(new Member(new UUID(-1, 7), ""));
    assertThat(read.name()).isEqualTo("näme");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Member.read(new Input(out.array(), 0, out.position() - 2)));
  }

  @Test
  void kindsAndCodesMatchOneToOne() {
    for (MessageKind kind : MessageKind.values()) {
      assertThat(MessageKind.of(kind.code())).isSameAs(kind);
    }
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> MessageKind.of(MessageKind.values().length))
        .withMessageContaining(String.valueOf(MessageKind.values().length));
  }

  @Test
  void theWireFormatOfKindsIsFrozen() {
    assertThat(MessageKind.values())
        .startsWith(
            MessageKind.RESPONSE,
            MessageKind.HELLO,
            MessageKind.JOIN,
            MessageKind.TOPOLOGY,
            MessageKind.PREPARE,
            MessageKind.PROMISED,
            MessageKind.ACCEPT,
            MessageKind.ACCEPTED,
            MessageKind.REJECTED,
            MessageKind.DECIDED,
            MessageKind.RENEW_LEASE,
            MessageKind.LEASE_RENEWED,
            MessageKind.REPORT,
            MessageKind.ENTER_EPOCH,
            MessageKind.EPOCH_ENTERED,
            MessageKind.CATCH_UP,
            MessageKind.CAUGHT_UP,
            MessageKind.TRANSFER,
            MessageKind.READ,
            MessageKind.WRITE,
            MessageKind.BULK_WRITE,
            MessageKind.REPLICATE,
            MessageKind.ACK,
            MessageKind.COMMITTED,
            MessageKind.PULL,
            MessageKind.REDUCE,
            MessageKind.COUNT,
            MessageKind.ACK_REQUEST,
            MessageKind.COMMITTED_REQUEST);
  }
}
