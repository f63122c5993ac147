package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.transport.Member;
import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.SimulationScheduler.Limits;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests which views nodes see, and which messages arrive, when the network is cut. */
final class UnreliableViewsTest {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final NetworkConditions LOSSY_CONDITIONS =
      new NetworkConditions(5_000_000, 0, 0, 0.2, 0.2, 0);

  private final SimulationScheduler scheduler =
      new SimulationScheduler(new SplittableRandom(1), new Limits(1_000_000, 1_000 * SECOND_NANOS));
  private final EventLog log = new EventLog(scheduler, null);
  private final SimulatedNetwork network =
      new SimulatedNetwork(
          scheduler, log, LOSSY_CONDITIONS, true, new SplittableRandom(2), bytes -> "message");
  private final List<RecordingReceiver> receivers = new ArrayList<>();

  private void grid(int nodes) {
    for (int i = 0; i < nodes; i++) {
      receivers.add(new RecordingReceiver(scheduler, network, i));
    }
    advanceTime(20);
    assertThat(receivers).allSatisfy(receiver -> assertThat(receiver.view()).hasSize(nodes));
  }

  private void advanceTime(long seconds) {
    scheduler.schedule(seconds * SECOND_NANOS, null, scheduler::stop);
    scheduler.runUntilDone();
    assertThat(scheduler.failure()).isNull();
  }

  private NetworkCut cut(SimulatedFault shape) {
    NetworkCut cut =
        NetworkCut.drawCut(
            shape, receivers.stream().map(e -> e.transport.nodeIndex()).toList(), scheduling());
    network.cut(cut);
    return cut;
  }

  private static SplittableRandom scheduling() {
    return new SplittableRandom(9);
  }

  @Test
  void sidesOfACutEventuallySeeOnlyThemselves() {
    grid(5);
    NetworkCut cut = cut(SimulatedFault.HALVES);
    advanceTime(20);
    for (RecordingReceiver receiver : receivers) {
      List<Member> heard =
          receivers.stream()
              .filter(
                  other -> !cut.isCut(other.transport.nodeIndex(), receiver.transport.nodeIndex()))
              .map(other -> other.transport.member())
              .toList();
      assertThat(receiver.view()).containsExactlyInAnyOrderElementsOf(heard);
    }
  }

  @Test
  void bridgeSeesMoreThanTheOthers() {
    grid(5);
    cut(SimulatedFault.BRIDGE);
    advanceTime(20);
    assertThat(receivers.stream().map(receiver -> receiver.view().size()).toList())
        .containsExactlyInAnyOrder(5, 3, 3, 3, 3);
  }

  @Test
  void viewsAgreeOnceFaultsEnd() {
    grid(5);
    network.cut(NetworkCut.drawCut(SimulatedFault.SHARDS, List.of(0, 1, 2, 3, 4), scheduling()));
    advanceTime(8);
    network.views().injectSuspicion(receivers.getFirst().transport);
    network.endDisturbances();
    advanceTime(20);
    assertThat(new HashSet<>(receivers.stream().map(receiver -> receiver.view()).toList()))
        .hasSize(1);
    assertThat(receivers.getFirst().view()).hasSize(5);
    assertThat(network.views().isSettled()).isTrue();
    assertThat(log.count(EventKind.BACK)).isPositive();
  }

  @Test
  void pausedMemberLeavesViewsAndReturns() {
    grid(3);
    RecordingReceiver paused = receivers.get(1);
    paused.transport.host().pause(15 * SECOND_NANOS);
    network.views().onReachChange();
    scheduler.schedule(15 * SECOND_NANOS, null, network.views()::onReachChange);
    advanceTime(10);
    assertThat(receivers.getFirst().view()).doesNotContain(paused.transport.member());
    advanceTime(30);
    assertThat(receivers.getFirst().view()).contains(paused.transport.member());
  }

  private static void sendNumbers(RecordingReceiver from, RecordingReceiver to, int count) {
    from.transport
        .host()
        .start(Role.TASK, () -> IntStream.range(0, count).forEach(i -> from.send(to, i)));
  }

  @Test
  void messagesAreLostAndDuplicated() {
    grid(2);
    RecordingReceiver one = receivers.getFirst();
    RecordingReceiver two = receivers.getLast();
    sendNumbers(one, two, 500);
    advanceTime(10);
    assertThat(new HashSet<>(two.numbers)).hasSizeBetween(300, 450);
    assertThat(two.numbers.size()).isGreaterThan(new HashSet<>(two.numbers).size());
    assertThat(log.count(EventKind.LOST) + new HashSet<>(two.numbers).size()).isEqualTo(500);
  }

  @Test
  void fewMessagesSurviveACut() {
    grid(2);
    RecordingReceiver one = receivers.getFirst();
    RecordingReceiver two = receivers.getLast();
    NetworkCut cut = cut(SimulatedFault.HALVES);
    sendNumbers(one, two, 300);
    advanceTime(5);
    assertThat(two.numbers).isEmpty();
    network.heal(cut);
    advanceTime(5);
    assertThat(two.numbers).hasSizeBetween(1, 60);
    assertThat(log.count(EventKind.KEPT)).isEqualTo(two.numbers.size());
  }
}
