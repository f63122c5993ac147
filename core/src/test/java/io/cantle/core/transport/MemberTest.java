package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A member is its id; kinds are their place. */
final class MemberTest {

  @Test
  void twoAreTheSameWhenTheirIdsAre() {
    UUID id = new UUID(1, 2);
    Member member = new Member(id, "a");
    assertThat(member).isEqualTo(new Member(id, "b")).isNotEqualTo(new Member(new UUID(1, 3), "a"));
    assertThat(member).hasSameHashCodeAs(new Member(id, "b"));
    assertThat(member.compareTo(new Member(id, "b"))).isZero();
    assertThat(member.compareTo(new Member(new UUID(1, 3), "a"))).isNegative();
    assertThat(member).hasToString("a");
  }

  @Test
  void comesBackWithItsName() {
    Output out = new Output(8);
    new Member(new UUID(-1, 7), "näme").write(out);
    Member read = Member.read(out.toInput());
    assertThat(read).isEqualTo(new Member(new UUID(-1, 7), ""));
    assertThat(read.name()).isEqualTo("näme");
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Member.read(new Input(out.array(), 0, out.position() - 2)));
  }

  @Test
  void everyKindHasACodeAndNoOtherCodeAKind() {
    for (Kind kind : Kind.values()) {
      assertThat(Kind.of(kind.code())).isSameAs(kind);
    }
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Kind.of(Kind.values().length))
        .withMessageContaining(String.valueOf(Kind.values().length));
  }

  @Test
  void theWireFormatOfKindsIsFrozen() {
    assertThat(Kind.values())
        .startsWith(
            Kind.ANSWER,
            Kind.HELLO,
            Kind.JOIN,
            Kind.TOPOLOGY,
            Kind.PREPARE,
            Kind.PROMISED,
            Kind.ACCEPT,
            Kind.ACCEPTED,
            Kind.REJECTED,
            Kind.DECIDED,
            Kind.RENEW,
            Kind.RENEWED,
            Kind.REPORT,
            Kind.ENTER,
            Kind.ENTERED,
            Kind.OPEN,
            Kind.OPENED,
            Kind.TRANSFER,
            Kind.READ,
            Kind.WRITE,
            Kind.BULK,
            Kind.REPLICATE,
            Kind.ACK,
            Kind.COMMITTED,
            Kind.PULL,
            Kind.REDUCE,
            Kind.COUNT,
            Kind.ACK_WANTED,
            Kind.COMMITTED_WANTED);
  }
}
