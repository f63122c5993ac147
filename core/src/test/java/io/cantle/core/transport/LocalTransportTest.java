package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.Output;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The transport of a node without a network. */
final class LocalTransportTest {
  private final UUID node = new UUID(7, 7);
  private final Member self = new Member(new UUID(7, 2), node, "n");
  private final LocalTransport alone = new LocalTransport(self);

  @Test
  void messageToAFormerIncarnationIsLost() {
    Member former = new Member(new UUID(7, 1), node, "n");
    assertThatCode(() -> alone.send(former, new Output(8))).doesNotThrowAnyException();
  }

  @Test
  void sendingToAnotherMemberFails() {
    assertThatIllegalStateException()
        .isThrownBy(() -> alone.send(ManualNetwork.member("other"), new Output(8)))
        .withMessageContaining("other");
    assertThatIllegalStateException().isThrownBy(() -> alone.send(self, new Output(8)));
  }
}
