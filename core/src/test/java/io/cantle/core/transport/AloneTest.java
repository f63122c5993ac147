package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The network of a node that has none. */
final class AloneTest {
  private final Member self = HandNetwork.member("self");

  @Test
  void itsOnlyMemberIsTheNode() {
    List<List<Member>> views = new ArrayList<>();
    try (Alone alone = new Alone(self)) {
      alone.start(
          new Transport.Receiver() {
            @Override
            public void receive(Member from, Input message) {
              throw new AssertionError("nobody can send to a node that is alone");
            }

            @Override
            public void members(List<Member> members) {
              views.add(members);
            }
          });
      assertThat(alone.self()).isEqualTo(self);
    }
    assertThat(views).containsExactly(List.of(self));
  }

  @Test
  void thereIsNobodyToSendTo() {
    try (Alone alone = new Alone(self)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> alone.send(HandNetwork.member("other"), new Output(1)))
          .withMessageContaining("other");
    }
  }
}
