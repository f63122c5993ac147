package io.cantle.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.GridException;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Signal;
import io.cantle.core.base.World;
import io.cantle.core.transport.HandNetwork.Sent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and answers over a network on which the test moves every message. */
final class RequestsTest {
  private final HandClock clock = new HandClock();
  private final List<Runnable> threads = new ArrayList<>();
  private final World world = new World(clock, threads::add, new Random(1));
  private final HandNetwork network = new HandNetwork();
  private final Member a = HandNetwork.member("a");
  private final Member b = HandNetwork.member("b");
  private final Member c = HandNetwork.member("c");
  private final List<String> events = new ArrayList<>();
  private final Requests requests = new Requests(network.transport(a), world, new Recorder(events));
  private final Requests other = new Requests(network.transport(b), world, new Echo());

  /** Answers each request with its number of body bytes. */
  private final class Echo implements Requests.Handler {
    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      Output out = other.answer(request, 4);
      out.writeInt(body.remaining());
      other.send(from, out);
    }

    @Override
    public void members(List<Member> members) {}
  }

  @BeforeEach
  void startTheOther() {
    other.start();
    network.view(b, a, b);
  }

  private void start() {
    requests.start();
    network.view(a, a, b);
    events.clear();
  }

  @Test
  void aMessageCarriesItsKindItsNumberAndItsBody() {
    start();
    Output out = other.message(Kind.WRITE, 300, 8);
    out.writeInt(42);
    other.send(a, out);
    network.deliverAll();
    assertThat(events).containsExactly("WRITE from b #300 of 4");
  }

  @Test
  void aMessageToItselfNeedsNoNetwork() {
    start();
    requests.send(a, requests.message(Kind.REPORT));
    requests.post(a, requests.message(Kind.ENTERED, 0, Transport.SMALL_MESSAGE_BYTES * 2));
    assertThat(events).containsExactly("REPORT from a #0 of 0", "ENTERED from a #0 of 0");
    assertThat(network.underWay).isEmpty();
  }

  @Test
  void otherVersionsAndUnknownKindsAreDropped() {
    start();
    byte[] ofAnotherVersion = HandNetwork.bytes(Kind.READ, 0);
    ofAnotherVersion[0] = 1;
    network.deliver(new Sent(b, a, ofAnotherVersion));
    byte[] unknown = HandNetwork.bytes(Kind.READ, 0);
    unknown[1] = (byte) Kind.values().length;
    network.deliver(new Sent(b, a, unknown));
    unknown[1] = (byte) 0xFF;
    network.deliver(new Sent(b, a, unknown));
    network.deliver(new Sent(b, a, new byte[] {}));
    network.deliver(new Sent(b, a, new byte[] {Requests.VERSION, (byte) Kind.TOPOLOGY.code()}));
    network.deliver(new Sent(b, a, HandNetwork.bytes(Kind.READ)));
    assertThat(events).isEmpty();
    network.deliver(new Sent(b, a, HandNetwork.bytes(Kind.READ, 0)));
    assertThat(events).containsExactly("READ from b #0 of 0");
  }

  /** With and without a stamp, which is said in the same byte. */
  @Test
  void whoSpeaksAnotherVersionIsNamed() {
    start();
    byte[] older = HandNetwork.bytes(Kind.HELLO, 0);
    network.deliver(new Sent(b, a, older));
    assertThat(requests.unheard()).isNull();

    for (int stamped : new int[] {0, 0x80}) {
      older[0] = (byte) (stamped | (Requests.VERSION - 1));
      network.deliver(new Sent(b, a, older));
      assertThat(requests.unheard())
          .isEqualTo(
              "b speaks message version "
                  + (Requests.VERSION - 1)
                  + ", this node "
                  + Requests.VERSION);
    }
  }

  @Test
  void aMalformedBodyIsDroppedAndTheNextMessageHandled() {
    Requests strict =
        new Requests(
            network.transport(c),
            world,
            (MessagesOnly)
                (kind, from, request, body) -> {
                  events.add("long " + body.readLong());
                });
    strict.start();
    network.deliver(new Sent(b, c, HandNetwork.bytes(Kind.READ, 0, 1)));
    network.deliver(new Sent(b, c, HandNetwork.bytes(Kind.READ, 0, 0, 0, 0, 0, 0, 0, 0, 9)));
    assertThat(events).containsExactly("long 9");
  }

  @Test
  void aCallReturnsTheAnswer() {
    start();
    clock.whileParked.add(network::deliver);
    clock.whileParked.add(network::deliver);
    Input answer = requests.call(b, Kind.READ, out -> out.writeLong(1), clock.nanoTime() + 1_000);
    assertThat(Objects.requireNonNull(answer).readInt()).isEqualTo(Long.BYTES);
  }

  @Test
  void aCallEndsAtItsDeadlineAndALateAnswerIsDropped() {
    start();
    long deadline = clock.nanoTime() + 1_000;
    assertThat(requests.call(b, Kind.READ, out -> {}, deadline)).isNull();
    assertThat(clock.nanoTime()).isEqualTo(deadline);
    network.deliverAll();
    assertThat(events).isEmpty();
  }

  @Test
  void aCallEndsSoonAfterTheMemberGoes() {
    start();
    long before = clock.nanoTime();
    clock.whileParked.add(() -> network.view(a, a));
    long deadline = before + 10 * Requests.GONE_NANOS;
    assertThat(requests.call(b, Kind.READ, out -> {}, deadline)).isNull();
    assertThat(clock.nanoTime() - before).isEqualTo(Requests.GONE_NANOS);
  }

  @Test
  void aCallToSomebodyTheTransportDoesNotShowIsAnswered() {
    start();
    network.view(a, a);
    clock.whileParked.add(network::deliver);
    clock.whileParked.add(network::deliver);
    long deadline = clock.nanoTime() + Requests.GONE_NANOS;
    assertThat(requests.call(b, Kind.READ, out -> out.writeLong(1), deadline)).isNotNull();
  }

  @Test
  void aCallToSomebodyWhoIsGoneEndsByItsDeadline() {
    start();
    network.view(a, a);
    long deadline = clock.nanoTime() + Requests.GONE_NANOS / 2;
    assertThat(requests.call(b, Kind.READ, out -> {}, deadline)).isNull();
    assertThat(clock.nanoTime()).isEqualTo(deadline);
  }

  @Test
  void whoWasNotHeardOfYetIsNotGone() {
    start();
    assertThat(requests.present(c)).isTrue();
    network.view(a, a, b, c);
    assertThat(requests.present(c)).isTrue();
    network.view(a, a, b);
    assertThat(requests.present(c)).isFalse();
    assertThat(requests.present(b)).isTrue();
  }

  @Test
  void anAnswerOfSomebodyElseIsNoAnswer() {
    start();
    Signal signal = new Signal();
    Ask ask = requests.ask(b, Kind.READ, 8, out -> {}, in -> {}, signal);
    Sent request = network.take(sent -> sent.kind() == Kind.READ);
    // What follows the version, the kind and the grid is the number of the request.
    byte[] answer = {
      Requests.VERSION, (byte) Kind.ANSWER.code(), Objects.requireNonNull(request).bytes()[10]
    };
    network.deliver(new Sent(c, a, answer));
    assertThat(ask.done()).isFalse();
    network.deliver(new Sent(b, a, answer));
    assertThat(ask.done()).isTrue();
  }

  @Test
  void anInterruptedCallEndsWithAnErrorAndTheFlagSet() {
    start();
    clock.whileParked.add(() -> Thread.currentThread().interrupt());
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> requests.call(b, Kind.READ, out -> {}, clock.nanoTime() + 1_000))
        .withMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void severalAsksShareASignal() {
    start();
    Signal signal = new Signal();
    Ask first = requests.ask(b, Kind.PULL, 8, out -> out.writeInt(1), in -> {}, signal);
    Ask second = requests.ask(b, Kind.PULL, 8, out -> out.writeLong(1), in -> {}, signal);
    assertThat(first.done() || second.done()).isFalse();
    assertThat(first.to()).isEqualTo(b);

    network.deliverAll();

    assertThat(signal.await(clock, 0)).isTrue();
    assertThat(number(first)).isEqualTo(Integer.BYTES);
    assertThat(number(second)).isEqualTo(Long.BYTES);
  }

  @Test
  void anAskIsDoneWithoutAnswerWhenTheMemberGoes() {
    start();
    Signal signal = new Signal();
    Ask ask = requests.ask(b, Kind.PULL, 8, out -> {}, in -> {}, signal);
    network.view(a, a, b, c);
    assertThat(ask.done()).isFalse();
    network.view(a, a, c);
    assertThat(ask.done()).as("the transport may be wrong").isFalse();
    clock.advance(Requests.GONE_NANOS);
    assertThat(ask.done()).isTrue();
    assertThat(ask.answer()).isNull();
    network.deliverAll();
    assertThat(ask.answer()).isNull();
  }

  @Test
  void anAskThatWasForgottenTakesNoAnswer() {
    start();
    Ask ask = requests.ask(b, Kind.PULL, 8, out -> {}, in -> {}, new Signal());
    ask.forget();
    network.deliverAll();
    assertThat(ask.done()).isFalse();
  }

  @Test
  void anAskThatNobodyMissesEnds() {
    start();
    Ask missed = requests.ask(b, Kind.PULL, 8, out -> {}, in -> {}, new Signal());
    Ask unmissed = requests.ask(b, Kind.PULL, 8, out -> {}, in -> {}, new Signal());
    network.underWay.clear();
    clock.advance(Requests.UNMISSED_NANOS - 1);
    requests.sweep();
    assertThat(requests.waiting()).isEqualTo(2);

    requests.again(missed, Kind.PULL, 8, out -> {});
    clock.advance(1);
    requests.sweep();

    assertThat(unmissed.done()).isTrue();
    assertThat(unmissed.answer()).isNull();
    assertThat(missed.done()).isFalse();
    assertThat(requests.waiting()).isEqualTo(1);
    network.deliverAll();
    assertThat(missed.answer()).isNotNull();
  }

  @Test
  void aLongMessageIsPostedByAnotherThread() {
    start();
    Consumer<Integer> post =
        length -> {
          Output out = requests.message(Kind.ENTERED);
          out.write(new byte[length]);
          requests.post(b, out);
        };
    post.accept(100);
    assertThat(threads).isEmpty();
    assertThat(network.underWay).hasSize(1);
    post.accept(Transport.SMALL_MESSAGE_BYTES);
    assertThat(threads).hasSize(1);
    assertThat(network.underWay).hasSize(1);
    threads.getFirst().run();
    assertThat(network.underWay).hasSize(2);
  }

  @Test
  void moreThanTheBoundTooEarlyIsRefused() {
    Requests[] holder = new Requests[1];
    holder[0] = new Requests(network.transport(c), world, new Recorder(events));
    Input message = new Input(HandNetwork.bytes(Kind.READ, 0));
    for (int i = 0; i < 10_000; i++) {
      holder[0].receive(b, message);
    }
    assertThatIllegalStateException()
        .isThrownBy(() -> holder[0].receive(b, message))
        .withMessageContaining("10000");
  }

  private void sendRead(int body) {
    Output out = other.message(Kind.READ);
    out.write(new byte[body]);
    other.send(a, out);
    network.deliverAll();
  }

  @Test
  void aMessageOfAnotherGridIsDropped() {
    start();
    requests.grid(new UUID(1, 1L << 40), false);
    other.grid(new UUID(1, 1L << 41), false);
    sendRead(1);
    requests.replay();
    assertThat(events).isEmpty();
    other.grid(new UUID(1, 1L << 40), false);
    sendRead(2);
    assertThat(events).containsExactly("READ from b #0 of 2");
  }

  @Test
  void aMessageOfNoGridReachesWhoHasOne() {
    start();
    requests.grid(new UUID(7, 9), false);
    for (Kind kind : List.of(Kind.HELLO, Kind.JOIN, Kind.TOPOLOGY, Kind.PREPARE)) {
      other.send(a, other.message(kind));
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
  void whatCameForTheGridBeforeThisNodeWasInItIsHandledThen() {
    start();
    other.grid(new UUID(1, 5), false);
    sendRead(1);
    other.grid(new UUID(1, 6), false);
    sendRead(2);
    other.grid(new UUID(1, 5), false);
    sendRead(3);
    assertThat(events).isEmpty();

    requests.grid(new UUID(1, 5), false);
    requests.replay();

    assertThat(events).containsExactly("READ from b #0 of 1", "READ from b #0 of 3");
    requests.replay();
    assertThat(events).as("once").hasSize(2);
  }

  @Test
  void noMoreThanTheBoundWaitForAGrid() {
    start();
    other.grid(new UUID(1, 5), false);
    for (int i = 0; i < 10_010; i++) {
      sendRead(1);
    }
    requests.grid(new UUID(1, 5), false);
    requests.replay();
    assertThat(events).hasSize(10_000);
  }

  private static int number(Ask ask) {
    return Objects.requireNonNull(ask.answer()).readInt();
  }

  @Test
  void anAskOfSomebodyWhoWasCalledGoneAndIsBackGoesOn() {
    start();
    Ask ask = requests.ask(b, Kind.PULL, 8, out -> {}, in -> {}, new Signal());
    network.view(a, a, c);
    network.view(a, a, b, c);
    clock.advance(2 * Requests.GONE_NANOS);
    assertThat(ask.done()).isFalse();
    network.view(a, a, c);
    assertThat(ask.done()).as("it was asked long ago").isTrue();
  }

  @Test
  void anAskOfSomebodyWhoIsAlreadyGoneIsDoneSoon() {
    start();
    network.view(a, a);
    Signal signal = new Signal();
    Ask ask = requests.ask(b, Kind.PULL, 8, out -> {}, in -> {}, signal);
    assertThat(ask.done()).isFalse();
    clock.advance(Requests.GONE_NANOS);
    assertThat(ask.done()).isTrue();
    assertThat(ask.answer()).isNull();
    assertThat(signal.await(clock, 1)).isTrue();
  }

  @Test
  void aCallWaitsForTheNetworkNoLongerThanForItsAnswer() {
    List<Long> patience = new ArrayList<>();
    Transport inner = network.transport(c);
    Requests third =
        new Requests(
            new Transport() {
              @Override
              public void start(Receiver receiver) {
                inner.start(receiver);
              }

              @Override
              public Member self() {
                return c;
              }

              @Override
              public void send(Member to, Output message) {
                throw new AssertionError("without an end");
              }

              @Override
              public void send(Member to, Output message, long mostNanos) {
                patience.add(mostNanos);
                clock.advance(mostNanos);
              }

              @Override
              public void close() {}
            },
            world,
            new Recorder(events));
    third.start();
    long deadline = clock.nanoTime() + 700;
    assertThat(third.call(b, Kind.READ, out -> {}, deadline)).isNull();
    third.send(b, third.message(Kind.WRITE), deadline - 1);
    assertThat(patience).containsExactly(700L, 0L);
    assertThat(clock.nanoTime()).isEqualTo(deadline);
  }
}
