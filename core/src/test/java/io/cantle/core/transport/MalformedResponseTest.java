package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Environment;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Signal;
import io.cantle.core.base.TestEnvironment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A response that cannot be decoded, of a later build perhaps, ends no call. A request that is
 * pending beside others ends without an answer, so that its caller asks again.
 */
final class MalformedResponseTest {
  private final ManualClock clock = new ManualClock();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final ManualNetwork network = new ManualNetwork();
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private int received;

  private MessagingService start(Member self) {
    MessagingService[] messaging = new MessagingService[1];
    MessageOnlyHandler echo =
        (kind, from, request, body) ->
            messaging[0].send(from, messaging[0].newResponse(from, request, 0));
    messaging[0] = new MessagingService(network.transport(self), environment, echo);
    messaging[0].start();
    network.showView(self, a, b);
    return messaging[0];
  }

  @Test
  void malformedResponseIsDroppedAndTheCallGoesOn() {
    start(b);
    MessagingService messaging = start(a);
    clock.whileParked.add(network::deliver);
    clock.whileParked.add(network::deliver);
    long deadline = clock.nanoTime() + 1_000;
    Object answer =
        messaging.call(
            b,
            new ManualMessage(MessageKind.READ, out -> {}),
            deadline,
            () -> false,
            body -> {
              received++;
              throw new MalformedException("reply 99 is unknown");
            });
    assertThat(received).isEqualTo(1);
    assertThat(answer).isNull();
    assertThat(clock.nanoTime()).as("another response may come").isEqualTo(deadline);
  }

  @Test
  void malformedResponseEndsAPendingRequest() {
    start(b);
    MessagingService messaging = start(a);
    Signal signal = new Signal();
    PendingRequest request =
        messaging.startRequest(
            b,
            new ManualMessage(MessageKind.READ, out -> {}),
            body -> {
              received++;
              throw new MalformedException("elements end too soon");
            },
            signal);
    network.deliver();
    network.deliver();
    assertThat(received).isEqualTo(1);
    assertThat(request.isDone()).as("no other response will come").isTrue();
    assertThat(request.answer()).isNull();
  }
}
