package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.SimulationScheduler.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SimulatedNetworkTest {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final NetworkConditions BAD_CONDITIONS =
      new NetworkConditions(5_000_000, 0.1, 0.1, 0, 0, 0);

  private final SimulationScheduler scheduler =
      new SimulationScheduler(new SplittableRandom(1), new Limits(1_000_000, 1_000 * SECOND_NANOS));
  private final EventLog log = new EventLog(scheduler, null);
  private final SimulatedNetwork network =
      new SimulatedNetwork(
          scheduler, log, BAD_CONDITIONS, false, new SplittableRandom(2), bytes -> "message");

  private void runFor(long nanos) {
    scheduler.schedule(nanos, null, scheduler::stop);
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).isNull();
  }

  /** Runs an action on a thread of a host once all have joined, and lets a minute pass. */
  private void runAction(RecordingReceiver receiver, Runnable action) {
    scheduler.schedule(
        5 * SECOND_NANOS, null, () -> receiver.transport.host().start(Role.TASK, action));
    runFor(60 * SECOND_NANOS);
  }

  @Test
  void everyMessageBetweenLiveHostsArrivesOnce() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    RecordingReceiver two = new RecordingReceiver(scheduler, network, 2);
    runAction(
        one,
        () -> {
          for (int i = 0; i < 500; i++) {
            one.send(two, i);
          }
        });
    assertThat(two.numbers).hasSize(500).doesNotHaveDuplicates().isNotEqualTo(sorted(two.numbers));
    assertThat(log.count(EventKind.RESENT)).isPositive();
    assertThat(log.count(EventKind.DELAYED)).isPositive();
    assertThat(log.count(EventKind.OVERTAKEN)).isPositive();
  }

  @Test
  void everyMemberSeesTheSameViewsInTheSameOrder() {
    List<RecordingReceiver> receivers = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      receivers.add(new RecordingReceiver(scheduler, network, i));
    }
    runAction(
        receivers.get(2),
        () -> {
          network.crash(receivers.get(4).transport);
          receivers.get(2).transport.close();
        });
    List<RecordingReceiver> survivors =
        List.of(receivers.get(0), receivers.get(1), receivers.get(3));
    List<List<Member>> longest =
        survivors.stream()
            .map(receiver -> receiver.views)
            .max((a, b) -> a.size() - b.size())
            .orElseThrow();
    assertThat(longest).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(5);
    for (RecordingReceiver receiver : survivors) {
      int missed = longest.size() - receiver.views.size();
      assertThat(receiver.views).isEqualTo(longest.subList(missed, longest.size()));
      assertThat(receiver.views.getLast()).hasSize(3);
    }
    assertThat(network.views().isSettled()).isTrue();
  }

  @Test
  void membershipIsUnsettledWhileItContainsADeadMember() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    RecordingReceiver two = new RecordingReceiver(scheduler, network, 2);
    boolean[] settled = new boolean[1];
    runAction(
        one,
        () -> {
          settled[0] = network.views().isSettled();
          network.crash(two.transport);
          assertThat(network.views().isSettled()).isFalse();
        });
    assertThat(settled[0]).isTrue();
    assertThat(network.views().isSettled()).isTrue();
  }

  @Test
  void deadHostReceivesNothing() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    RecordingReceiver two = new RecordingReceiver(scheduler, network, 2);
    runAction(
        one,
        () -> {
          network.crash(two.transport);
          one.send(two, 1);
        });
    assertThat(two.numbers).isEmpty();
    assertThat(log.count(EventKind.VANISHED)).isEqualTo(1);
  }

  @Test
  void closedTransportNeitherReceivesNorSends() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    RecordingReceiver two = new RecordingReceiver(scheduler, network, 2);
    runAction(
        one,
        () -> {
          one.transport.close();
          one.send(two, 1);
          two.send(one, 2);
        });
    assertThat(one.numbers).isEmpty();
    assertThat(two.numbers).isEmpty();
  }

  @Test
  void sentBufferIsOverwritten() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    RecordingReceiver two = new RecordingReceiver(scheduler, network, 2);
    Output message = new Output(4);
    message.writeInt(7);
    runAction(one, () -> one.transport.send(two.transport.member(), message));
    assertThat(two.numbers).containsExactly(7);
    assertThat(message.toInput().readInt()).isEqualTo(0xDBDBDBDB);
  }

  @Test
  void longMessageFromAReceivingThreadFailsTheSeed() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    RecordingReceiver two = new RecordingReceiver(scheduler, network, 2);
    Output message = new Output(Transport.SMALL_MESSAGE_BYTES + 1);
    message.write(new byte[Transport.SMALL_MESSAGE_BYTES + 1]);
    scheduler.schedule(
        5 * SECOND_NANOS,
        null,
        () ->
            one.transport
                .host()
                .start(Role.RECEIVE, () -> one.transport.send(two.transport.member(), message)));
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).contains("sent from within receive");
  }

  @Test
  void messageToItselfIsRefused() {
    RecordingReceiver one = new RecordingReceiver(scheduler, network, 1);
    runAction(
        one,
        () ->
            assertThatThrownBy(() -> one.transport.send(one.transport.self(), new Output(1)))
                .isInstanceOf(IllegalArgumentException.class));
  }

  private static List<Integer> sorted(List<Integer> numbers) {
    return numbers.stream().sorted().toList();
  }
}
