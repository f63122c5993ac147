package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.TestEnvironment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that arrive while a node is still connecting. */
final class MessagingServiceStartTest {
  private final Environment environment =
      TestEnvironment.of(new ManualClock(), task -> {}, new Random(1));
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final List<String> events = new ArrayList<>();

  /**
   * A thread that handles a message holds locks, and other threads hold the same locks when they
   * send.
   */
  @Test
  @Timeout(60)
  void startDoesNotBlockOtherReceiversWhileAMessageIsHandled() {
    ManualNetwork late = new ManualNetwork();
    List<Boolean> stuck = new ArrayList<>();
    MessagingService[] starting = new MessagingService[1];
    starting[0] =
        new MessagingService(
            late.transport(
                a,
                receiver -> {
                  receiver.onMembersChanged(List.of(a, b));
                }),
            environment,
            new MessagingService.Handler() {
              @Override
              public void handle(MessageKind kind, Member from, long request, Input body) {}

              @Override
              public void onMembersChanged(List<Member> members) {
                Thread other = Thread.ofPlatform().start(starting[0]::replayEarly);
                try {
                  other.join(5_000);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                stuck.add(other.isAlive());
              }
            });
    starting[0].start();
    assertThat(stuck).containsExactly(false);
  }

  @Test
  void earlyMessagesAreHandledInOrderAfterStart() {
    // A transport may call its receiver while it still connects, before start has returned.
    ManualNetwork late = new ManualNetwork();
    MessagingService early =
        new MessagingService(
            late.transport(
                a,
                receiver -> {
                  receiver.onMembersChanged(List.of(a, b));
                  receiver.receive(b, new Input(ManualNetwork.bytes(MessageKind.READ, 0, 1, 1)));
                  receiver.onMembersChanged(List.of(a));
                  receiver.receive(b, new Input(ManualNetwork.bytes(MessageKind.ACK, 0)));
                  assertThat(events).isEmpty();
                }),
            environment,
            new EventRecorder(events));
    assertThat(early.self()).isEqualTo(a);

    early.start();

    assertThat(events)
        .containsExactly(
            "members [a, b]", "READ from b #0 of 2", "members [a]", "ACK from b #0 of 0");
    assertThat(early.isPresent(b)).isFalse();
  }

  private List<String> eventsAfterEarly(int messages, int bodyBytes) {
    byte[] bytes = Arrays.copyOf(ManualNetwork.bytes(MessageKind.READ, 0), 11 + bodyBytes);
    new MessagingService(
            new ManualNetwork()
                .transport(
                    a,
                    receiver -> {
                      receiver.onMembersChanged(List.of(a, b));
                      for (int i = 0; i < messages; i++) {
                        receiver.receive(b, new Input(bytes.clone()));
                      }
                      receiver.onMembersChanged(List.of(a));
                    }),
            environment,
            new EventRecorder(events))
        .start();
    return events;
  }

  @Test
  void earlyMessagesBeyondTheLimitAreDroppedAndViewsAreNot() {
    assertThat(eventsAfterEarly(EarlyMessageBuffer.MAX_MESSAGES + 5, 100))
        .as("full with the first view, and the last one")
        .hasSize(EarlyMessageBuffer.MAX_MESSAGES + 1)
        .startsWith("members [a, b]", "READ from b #0 of 100")
        .endsWith("READ from b #0 of 100", "members [a]");
  }

  @Test
  void bytesOfEarlyMessagesAreBounded() {
    assertThat(eventsAfterEarly(1_000, 512 << 10)).hasSize(2 + 15).endsWith("members [a]");
  }

  @Test
  void messageToItselfDuringStartIsQueued() {
    ManualNetwork late = new ManualNetwork();
    MessagingService[] holder = new MessagingService[1];
    MessagingService own =
        new MessagingService(
            late.transport(
                a,
                receiver -> {
                  receiver.onMembersChanged(List.of(a));
                  receiver.receive(a, new Input(ManualNetwork.bytes(MessageKind.READ, 0)));
                }),
            environment,
            new MessagingService.Handler() {
              @Override
              public void handle(MessageKind kind, Member from, long request, Input body) {
                events.add(kind.toString());
              }

              @Override
              public void onMembersChanged(List<Member> members) {
                events.add("members");
                holder[0].send(a, holder[0].newMessage(a, MessageKind.REPORT));
              }
            });
    holder[0] = own;
    own.start();
    assertThat(events).containsExactly("members", "READ", "REPORT");
    assertThat(late.inFlight).isEmpty();
  }
}
