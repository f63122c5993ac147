package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.GridException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and responses over a network on which the test delivers every message. */
final class MessagingServiceTest {
  private final ManualClock clock = new ManualClock();
  private final List<Runnable> threads = new ArrayList<>();
  private final Environment environment = TestEnvironment.of(clock, threads::add, new Random(1));
  private final ManualNetwork network = new ManualNetwork();
  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member c = ManualNetwork.member("c");
  private final List<String> events = new ArrayList<>();
  private final MessagingService messaging =
      new MessagingService(network.transport(a), environment, new EventRecorder(events));
  private final MessagingService other =
      new MessagingService(network.transport(b), environment, new Echo());

  /** Answers each request with the number of bytes in its body. */
  private final class Echo implements MessagingService.Handler {
    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      Output out = other.newResponse(from, request, 4);
      out.writeInt(body.remaining());
      other.send(from, out);
    }

    @Override
    public void onMembersChanged(List<Member> members) {}
  }

  @BeforeEach
  void startTheOther() {
    other.start();
    network.showView(b, a, b);
  }

  private static @Nullable Input call(
      MessagingService from, Member to, Message request, long deadlineNanos) {
    return from.call(to, request, deadlineNanos, () -> false, Function.identity());
  }

  private void start() {
    messaging.start();
    network.showView(a, a, b);
    events.clear();
  }

  @Test
  void messageCarriesKindNumberAndBody() {
    start();
    other.send(
        a, other.encode(a, 300, new ManualMessage(MessageKind.WRITE, out -> out.writeInt(42))));
    network.deliverAll();
    assertThat(events).containsExactly("WRITE from b #300 of 4");
  }

  @Test
  void messageToItselfBypassesTheNetwork() {
    start();
    messaging.send(a, messaging.newMessage(a, MessageKind.REPORT));
    byte[] body = new byte[2 * Transport.SMALL_MESSAGE_BYTES];
    messaging.post(a, new ManualMessage(MessageKind.EPOCH_ENTERED, out -> out.write(body)));
    assertThat(events)
        .containsExactly("REPORT from a #0 of 0", "EPOCH_ENTERED from a #0 of " + body.length);
    assertThat(network.inFlight).isEmpty();
  }

  @Test
  void otherVersionsAndUnknownKindsAreDropped() {
    start();
    byte[] ofAnotherVersion = ManualNetwork.bytes(MessageKind.READ, 0);
    ofAnotherVersion[0] = 1;
    network.deliver(new SentMessage(b, a, ofAnotherVersion));
    byte[] unknown = ManualNetwork.bytes(MessageKind.READ, 0);
    unknown[1] = (byte) MessageKind.values().length;
    network.deliver(new SentMessage(b, a, unknown));
    unknown[1] = (byte) 0xFF;
    network.deliver(new SentMessage(b, a, unknown));
    network.deliver(new SentMessage(b, a, new byte[] {}));
    network.deliver(
        new SentMessage(
            b, a, new byte[] {PeerVersions.HIGHEST, (byte) MessageKind.TOPOLOGY.code()}));
    network.deliver(new SentMessage(b, a, ManualNetwork.bytes(MessageKind.READ)));
    assertThat(events).isEmpty();
    network.deliver(new SentMessage(b, a, ManualNetwork.bytes(MessageKind.READ, 0)));
    assertThat(events).containsExactly("READ from b #0 of 0");
  }

  @Test
  void malformedBodyIsDroppedAndTheNextMessageIsHandled() {
    MessagingService strict =
        new MessagingService(
            network.transport(c),
            environment,
            (MessageOnlyHandler)
                (kind, from, request, body) -> {
                  events.add("long " + body.readLong());
                });
    strict.start();
    network.deliver(new SentMessage(b, c, ManualNetwork.bytes(MessageKind.READ, 0, 1)));
    network.deliver(
        new SentMessage(b, c, ManualNetwork.bytes(MessageKind.READ, 0, 0, 0, 0, 0, 0, 0, 0, 9)));
    assertThat(events).containsExactly("long 9");
  }

  @Test
  void callReturnsTheResponse() {
    start();
    clock.whileParked.add(network::deliver);
    clock.whileParked.add(network::deliver);
    Input answer =
        call(
            messaging,
            b,
            new ManualMessage(MessageKind.READ, out -> out.writeLong(1)),
            clock.nanoTime() + 1_000);
    assertThat(Objects.requireNonNull(answer).readInt()).isEqualTo(Long.BYTES);
  }

  @Test
  void callEndsAtItsDeadlineAndALateResponseIsDropped() {
    start();
    long deadline = clock.nanoTime() + 1_000;
    assertThat(call(messaging, b, new ManualMessage(MessageKind.READ, out -> {}), deadline))
        .isNull();
    assertThat(clock.nanoTime()).isEqualTo(deadline);
    network.deliverAll();
    assertThat(events).isEmpty();
  }

  @Test
  void callEndsSoonAfterTheMemberIsGone() {
    start();
    long before = clock.nanoTime();
    clock.whileParked.add(() -> network.showView(a, a));
    long deadline = before + 10 * MessagingService.GONE_GRACE_NANOS;
    assertThat(call(messaging, b, new ManualMessage(MessageKind.READ, out -> {}), deadline))
        .isNull();
    assertThat(clock.nanoTime() - before).isEqualTo(MessagingService.GONE_GRACE_NANOS);
  }

  @Test
  void callToAMemberMissingFromTheViewIsAnswered() {
    start();
    network.showView(a, a);
    clock.whileParked.add(network::deliver);
    clock.whileParked.add(network::deliver);
    long deadline = clock.nanoTime() + MessagingService.GONE_GRACE_NANOS;
    assertThat(
            call(
                messaging,
                b,
                new ManualMessage(MessageKind.READ, out -> out.writeLong(1)),
                deadline))
        .isNotNull();
  }

  @Test
  void callToAGoneMemberEndsByItsDeadline() {
    start();
    network.showView(a, a);
    long deadline = clock.nanoTime() + MessagingService.GONE_GRACE_NANOS / 2;
    assertThat(call(messaging, b, new ManualMessage(MessageKind.READ, out -> {}), deadline))
        .isNull();
    assertThat(clock.nanoTime()).isEqualTo(deadline);
  }

  @Test
  void memberNeverSeenIsNotGone() {
    start();
    assertThat(messaging.isPresent(c)).isTrue();
    network.showView(a, a, b, c);
    assertThat(messaging.isPresent(c)).isTrue();
    network.showView(a, a, b);
    assertThat(messaging.isPresent(c)).isFalse();
    assertThat(messaging.isPresent(b)).isTrue();
  }

  @Test
  void responseFromAnotherMemberIsIgnored() {
    start();
    Signal signal = new Signal();
    PendingRequest ask =
        messaging.startRequest(b, new ManualMessage(MessageKind.READ, out -> {}), in -> {}, signal);
    SentMessage request = network.takeFirst(sent -> sent.kind() == MessageKind.READ);
    // The request number follows the version, the kind and the grid.
    byte[] answer = {
      PeerVersions.HIGHEST,
      (byte) MessageKind.RESPONSE.code(),
      Objects.requireNonNull(request).bytes()[10]
    };
    network.deliver(new SentMessage(c, a, answer));
    assertThat(ask.isDone()).isFalse();
    network.deliver(new SentMessage(b, a, answer));
    assertThat(ask.isDone()).isTrue();
  }

  @Test
  void interruptedCallFailsAndKeepsTheInterruptFlag() {
    start();
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(
            () ->
                call(
                    messaging,
                    b,
                    new ManualMessage(MessageKind.READ, out -> {}),
                    clock.nanoTime() + 1_000))
        .withMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void severalRequestsShareASignal() {
    start();
    Signal signal = new Signal();
    PendingRequest first =
        messaging.startRequest(
            b, new ManualMessage(MessageKind.PULL, out -> out.writeInt(1)), in -> {}, signal);
    PendingRequest second =
        messaging.startRequest(
            b, new ManualMessage(MessageKind.PULL, out -> out.writeLong(1)), in -> {}, signal);
    assertThat(first.isDone() || second.isDone()).isFalse();
    assertThat(first.member()).isEqualTo(b);

    network.deliverAll();

    assertThat(signal.await(clock, 0)).isTrue();
    assertThat(number(first)).isEqualTo(Integer.BYTES);
    assertThat(number(second)).isEqualTo(Long.BYTES);
  }

  @Test
  void requestEndsWithoutResponseWhenTheMemberIsGone() {
    start();
    Signal signal = new Signal();
    PendingRequest ask =
        messaging.startRequest(b, new ManualMessage(MessageKind.PULL, out -> {}), in -> {}, signal);
    network.showView(a, a, b, c);
    assertThat(ask.isDone()).isFalse();
    network.showView(a, a, c);
    assertThat(ask.isDone()).as("the transport may be wrong").isFalse();
    clock.advance(MessagingService.GONE_GRACE_NANOS);
    assertThat(ask.isDone()).isTrue();
    assertThat(ask.answer()).isNull();
    network.deliverAll();
    assertThat(ask.answer()).isNull();
  }

  @Test
  void cancelledRequestIgnoresItsResponse() {
    start();
    PendingRequest ask =
        messaging.startRequest(
            b, new ManualMessage(MessageKind.PULL, out -> {}), in -> {}, new Signal());
    ask.cancel();
    network.deliverAll();
    assertThat(ask.isDone()).isFalse();
  }

  @Test
  void abandonedRequestExpires() {
    start();
    PendingRequest missed =
        messaging.startRequest(
            b, new ManualMessage(MessageKind.PULL, out -> {}), in -> {}, new Signal());
    PendingRequest unmissed =
        messaging.startRequest(
            b, new ManualMessage(MessageKind.PULL, out -> {}), in -> {}, new Signal());
    network.inFlight.clear();
    clock.advance(MessagingService.ABANDONED_AFTER_NANOS - 1);
    messaging.sweepAbandoned();
    assertThat(messaging.pendingCount()).isEqualTo(2);

    messaging.resend(missed, new ManualMessage(MessageKind.PULL, out -> {}));
    clock.advance(1);
    messaging.sweepAbandoned();

    assertThat(unmissed.isDone()).isTrue();
    assertThat(unmissed.answer()).isNull();
    assertThat(missed.isDone()).isFalse();
    assertThat(messaging.pendingCount()).isEqualTo(1);
    network.deliverAll();
    assertThat(missed.answer()).isNotNull();
  }

  @Test
  void longMessageIsPostedByAnotherThread() {
    start();
    Consumer<Integer> post =
        length -> {
          Output out = messaging.newMessage(b, MessageKind.EPOCH_ENTERED);
          out.write(new byte[length]);
          messaging.post(b, out);
        };
    post.accept(100);
    assertThat(threads).isEmpty();
    assertThat(network.inFlight).hasSize(1);
    post.accept(Transport.SMALL_MESSAGE_BYTES);
    assertThat(threads).hasSize(1);
    assertThat(network.inFlight).hasSize(1);
    threads.getFirst().run();
    assertThat(network.inFlight).hasSize(2);
  }

  private void sendRead(int body) {
    Output out = other.newMessage(a, MessageKind.READ);
    out.write(new byte[body]);
    other.send(a, out);
    network.deliverAll();
  }

  @Test
  void messageOfAnotherGridIsDropped() {
    start();
    messaging.enterGrid(new UUID(1, 1L << 40), false, List.of());
    other.enterGrid(new UUID(1, 1L << 41), false, List.of());
    sendRead(1);
    messaging.replayEarly();
    assertThat(events).isEmpty();
    other.enterGrid(new UUID(1, 1L << 40), false, List.of());
    sendRead(2);
    assertThat(events).containsExactly("READ from b #0 of 2");
  }

  @Test
  void messageWithoutGridReachesANodeInAGrid() {
    start();
    messaging.enterGrid(new UUID(7, 9), false, List.of());
    for (MessageKind kind :
        List.of(MessageKind.HELLO, MessageKind.JOIN, MessageKind.TOPOLOGY, MessageKind.PREPARE)) {
      other.send(a, other.newMessage(a, kind));
    }
    network.deliverAll();
    assertThat(events)
        .containsExactly(
            "HELLO from b #0 of 0",
            "JOIN from b #0 of 0",
            "TOPOLOGY from b #0 of 0",
            "PREPARE from b #0 of 0");
  }

  @Test
  void messagesForTheGridAreReplayedAfterJoining() {
    start();
    other.enterGrid(new UUID(1, 5), false, List.of());
    sendRead(1);
    other.enterGrid(new UUID(1, 6), false, List.of());
    sendRead(2);
    other.enterGrid(new UUID(1, 5), false, List.of());
    sendRead(3);
    assertThat(events).isEmpty();

    messaging.enterGrid(new UUID(1, 5), false, List.of());
    messaging.replayEarly();

    assertThat(events).containsExactly("READ from b #0 of 1", "READ from b #0 of 3");
    messaging.replayEarly();
    assertThat(events).as("replayed once").hasSize(2);
  }

  @Test
  void messagesBufferedForAGridAreBounded() {
    start();
    other.enterGrid(new UUID(1, 5), false, List.of());
    for (int i = 0; i < 10_010; i++) {
      sendRead(1);
    }
    messaging.enterGrid(new UUID(1, 5), false, List.of());
    messaging.replayEarly();
    assertThat(events).hasSize(10_000);
  }

  /** A node that is not in the grid may send them to one that is about to join it. */
  @Test
  void bytesOfMessagesBufferedForAGridAreBounded() {
    start();
    other.enterGrid(new UUID(1, 5), false, List.of());
    for (int i = 0; i < 1_000; i++) {
      sendRead(512 << 10);
    }
    sendRead(100_000);
    messaging.enterGrid(new UUID(1, 5), false, List.of());
    messaging.replayEarly();
    assertThat(events).as("8 MiB with their envelopes").hasSize(16);
    assertThat(events.getLast()).isEqualTo("READ from b #0 of 100000");

    messaging.enterGrid(new UUID(0, 0), false, List.of());
    sendRead(512 << 10);
    messaging.enterGrid(new UUID(1, 5), false, List.of());
    messaging.replayEarly();
    assertThat(events).as("there is space again").hasSize(17);
  }

  private static int number(PendingRequest ask) {
    return Objects.requireNonNull(ask.answer()).readInt();
  }

  @Test
  void requestContinuesWhenAGoneMemberReturns() {
    start();
    PendingRequest ask =
        messaging.startRequest(
            b, new ManualMessage(MessageKind.PULL, out -> {}), in -> {}, new Signal());
    network.showView(a, a, c);
    network.showView(a, a, b, c);
    clock.advance(2 * MessagingService.GONE_GRACE_NANOS);
    assertThat(ask.isDone()).isFalse();
    network.showView(a, a, c);
    assertThat(ask.isDone()).as("it was sent long ago").isTrue();
  }

  @Test
  void requestToAGoneMemberEndsSoon() {
    start();
    network.showView(a, a);
    Signal signal = new Signal();
    PendingRequest ask =
        messaging.startRequest(b, new ManualMessage(MessageKind.PULL, out -> {}), in -> {}, signal);
    assertThat(ask.isDone()).isFalse();
    clock.advance(MessagingService.GONE_GRACE_NANOS);
    assertThat(ask.isDone()).isTrue();
    assertThat(ask.answer()).isNull();
    assertThat(signal.await(clock, 1)).isTrue();
  }
}
