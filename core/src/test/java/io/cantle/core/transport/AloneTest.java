package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.Output;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The network of a node that has none. */
final class AloneTest {
  private final UUID node = new UUID(7, 7);
  private final Member self = new Member(new UUID(7, 2), node, "n");
  private final Alone alone = new Alone(self);

  @Test
  void whatIsSaidToAFormerLifeIsLostAsInAnyNetwork() {
    Member former = new Member(new UUID(7, 1), node, "n");
    assertThatCode(() -> alone.send(former, new Output(8))).doesNotThrowAnyException();
  }

  @Test
  void thereIsNobodyElse() {
    assertThatIllegalStateException()
        .isThrownBy(() -> alone.send(HandNetwork.member("other"), new Output(8)))
        .withMessageContaining("other");
    assertThatIllegalStateException().isThrownBy(() -> alone.send(self, new Output(8)));
  }
}
