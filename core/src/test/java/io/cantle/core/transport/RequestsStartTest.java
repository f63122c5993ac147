package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that come while a node is still connecting. */
final class RequestsStartTest {
  private final World world = new World(new HandClock(), task -> {}, new Random(1));
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final List<String> events = new ArrayList<>();

  /** Whoever handles a message holds locks, and others come with the same locks to send. */
  @Test
  @Timeout(60)
  void nobodyWaitsForAMessageThatIsHandledDuringTheStart() {
    HandNetwork late = new HandNetwork();
    List<Boolean> stuck = new ArrayList<>();
    Requests[] starting = new Requests[1];
    starting[0] =
        new Requests(
            late.transport(
                a,
                receiver -> {
                  receiver.members(List.of(a, b));
                }),
            world,
            new Requests.Handler() {
              @Override
              public void handle(Kind kind, Member from, long request, Input body) {}

              @Override
              public void members(List<Member> members) {
                Thread other = Thread.ofPlatform().start(starting[0]::replay);
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
  void whatComesTooEarlyIsHandledInItsOrderAfterTheStart() {
    // A transport may call while it still connects, before it has returned.
    HandNetwork late = new HandNetwork();
    Requests early =
        new Requests(
            late.transport(
                a,
                receiver -> {
                  receiver.members(List.of(a, b));
                  receiver.receive(b, new Input(HandNetwork.bytes(Kind.READ, 0, 1, 1)));
                  receiver.members(List.of(a));
                  receiver.receive(b, new Input(HandNetwork.bytes(Kind.ACK, 0)));
                  assertThat(events).isEmpty();
                }),
            world,
            new Recorder(events));
    assertThatIllegalStateException().isThrownBy(early::self);

    early.start();

    assertThat(events)
        .containsExactly(
            "members [a, b]", "READ from b #0 of 2", "members [a]", "ACK from b #0 of 0");
    assertThat(early.self()).isEqualTo(a);
    assertThat(early.present(b)).isFalse();
  }

  @Test
  void whatANodeSendsItselfWhileItStartsWaitsItsTurn() {
    HandNetwork late = new HandNetwork();
    Requests[] holder = new Requests[1];
    Requests own =
        new Requests(
            late.transport(
                a,
                receiver -> {
                  receiver.members(List.of(a));
                  receiver.receive(a, new Input(HandNetwork.bytes(Kind.READ, 0)));
                }),
            world,
            new Requests.Handler() {
              @Override
              public void handle(Kind kind, Member from, long request, Input body) {
                events.add(kind.toString());
              }

              @Override
              public void members(List<Member> members) {
                events.add("members");
                holder[0].send(a, holder[0].message(Kind.REPORT));
              }
            });
    holder[0] = own;
    own.start();
    assertThat(events).containsExactly("members", "READ", "REPORT");
    assertThat(late.underWay).isEmpty();
  }
}
