package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.FragHeader;
import org.jgroups.util.Table;
import org.junit.jupiter.api.Test;

class NewcomerWindowTest {
  private static final long MAX_NANOS = NewcomerWindow.MAX_HELD_UP_NANOS;

  private final Table<Message> messages = new Table<>();
  private final NewcomerWindow window = new NewcomerWindow(messages);

  private static Message message() {
    return new BytesMessage(null, new byte[10]);
  }

  private static Message fragment() {
    short id = ClassConfigurator.getProtocolId(FRAG4.class);
    return message().putHeader(id, new FragHeader(1, 0, 2));
  }

  private boolean isHeldUpBy(long number, long nowNanos) {
    return window.isHeldUpBy(number, fragment(), nowNanos);
  }

  private void deliver(long number) {
    messages.add(number, message());
    assertThat(messages.remove()).isNotNull();
  }

  @Test
  void fragmentIsNotAccepted() {
    assertThat(window.accepts(1, message())).isTrue();
    assertThat(window.accepts(1, fragment())).isFalse();
  }

  @Test
  void fewShortMessagesWaitForAnEarlierOne() {
    Message tooLong = new BytesMessage(null, new byte[NewcomerWindow.MAX_WAITING_BYTES + 1]);
    assertThat(window.accepts(1, tooLong)).isTrue();
    assertThat(window.accepts(2, tooLong)).isFalse();
    assertThat(window.accepts(NewcomerWindow.MAX_AHEAD, message())).isTrue();
    assertThat(window.accepts(NewcomerWindow.MAX_AHEAD + 1, message())).isFalse();
    for (int i = 0; i < NewcomerWindow.MAX_WAITING; i++) {
      assertThat(window.accepts(2 + i, message())).isTrue();
      messages.add(2 + i, message());
    }
    assertThat(window.accepts(100, message())).isFalse();
    assertThat(window.accepts(100, message().setFlag(Message.Flag.OOB))).isTrue();
  }

  @Test
  void fragmentIsPassedOverAfterItsTime() {
    assertThat(isHeldUpBy(1, 7)).isFalse();
    assertThat(isHeldUpBy(1, 6 + MAX_NANOS)).isFalse();
    assertThat(isHeldUpBy(1, 7 + MAX_NANOS)).isTrue();
  }

  @Test
  void onlyTheNextMessageHoldsUpOthers() {
    assertThat(isHeldUpBy(2, 0)).isFalse();
    assertThat(isHeldUpBy(2, MAX_NANOS)).isFalse();
  }

  @Test
  void fragmentsOfOneTimeArePassedOverTogether() {
    assertThat(isHeldUpBy(1, 0)).isFalse();
    assertThat(isHeldUpBy(1, MAX_NANOS)).isTrue();
    deliver(1);
    deliver(2);
    assertThat(isHeldUpBy(3, 2 * MAX_NANOS - 1)).isTrue();
    assertThat(window.isHeldUpBy(3, message(), 2 * MAX_NANOS - 1)).as("no fragment").isFalse();
  }

  @Test
  void laterFragmentHasItsOwnTime() {
    assertThat(isHeldUpBy(1, 0)).isFalse();
    assertThat(isHeldUpBy(1, MAX_NANOS)).isTrue();
    deliver(1);
    assertThat(isHeldUpBy(2, 2 * MAX_NANOS)).isFalse();
    assertThat(isHeldUpBy(2, 3 * MAX_NANOS)).isTrue();
  }
}
