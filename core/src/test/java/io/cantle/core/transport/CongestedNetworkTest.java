package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Environment;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests how long messages may wait for the network when a member reads slowly. */
final class CongestedNetworkTest {
  private final ManualClock clock = new ManualClock();
  private final List<Runnable> threads = new ArrayList<>();
  private final Environment environment = TestEnvironment.of(clock, threads::add, new Random(1));
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");

  /** How long each message was allowed to wait. */
  private final List<Long> waits = new ArrayList<>();

  /** A service whose transport has no room for messages: a send waits as long as it may. */
  private MessagingService start() {
    MessagingService congested =
        new MessagingService(
            new Transport() {
              @Override
              public void start(Receiver receiver) {}

              @Override
              public Member self() {
                return a;
              }

              @Override
              public void send(Member to, Output message) {
                throw new AssertionError("sent without a deadline");
              }

              @Override
              public void send(Member to, Output message, long mostNanos) {
                waits.add(mostNanos);
                clock.advance(mostNanos);
              }

              @Override
              public void close() {}
            },
            environment,
            (MessageOnlyHandler) (kind, from, request, message) -> {});
    congested.start();
    return congested;
  }

  @Test
  void callDoesNotBlockOnTheNetworkBeyondItsDeadline() {
    MessagingService congested = start();
    long deadline = clock.nanoTime() + 700;
    assertThat(
            congested.call(
                b,
                new ManualMessage(MessageKind.READ, out -> {}),
                deadline,
                () -> false,
                Function.identity()))
        .isNull();
    congested.send(b, congested.newMessage(b, MessageKind.WRITE), deadline - 1);
    assertThat(waits).containsExactly(700L, 0L);
    assertThat(clock.nanoTime()).isEqualTo(deadline);
  }

  @Test
  void responseDoesNotWaitForTheNetwork() {
    MessagingService congested = start();
    congested.respond(b, 1, (Response) out -> out.writeInt(42));
    assertThat(waits).containsExactly(0L);
    congested.respond(b, 1, (Response) out -> out.write(new byte[Transport.SMALL_MESSAGE_BYTES]));
    assertThat(threads).as("a long response is sent by another thread").hasSize(1);
  }
}
