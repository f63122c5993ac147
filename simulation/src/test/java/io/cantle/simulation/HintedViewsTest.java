package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.Scheduler.Limits;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What nodes are told, and what arrives, when the network is cut. */
final class HintedViewsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Weather LOSSY = new Weather(5_000_000, 0, 0, 0.2, 0.2, 0);

  private final Scheduler scheduler =
      new Scheduler(new SplittableRandom(1), new Limits(1_000_000, 1_000 * SECOND));
  private final EventLog log = new EventLog(scheduler, null);
  private final Network network =
      new Network(scheduler, log, LOSSY, true, new SplittableRandom(2), bytes -> "message");
  private final List<Ear> ears = new ArrayList<>();

  /** A node that writes down what it is told. */
  private final class Ear implements Transport.Receiver {
    private final SimulatedTransport transport;
    private final List<Integer> numbers = new ArrayList<>();
    private List<Member> view = List.of();

    Ear(int number) {
      Host host = new Host(scheduler, number, "n" + number, new SplittableRandom(number));
      transport = network.attach(host);
      host.start(Role.TASK, () -> transport.start(this));
    }

    @Override
    public void receive(Member from, Input message) {
      numbers.add(message.readInt());
    }

    @Override
    public void members(List<Member> members) {
      view = members;
    }

    void send(Ear to, int number) {
      Output message = new Output(4);
      message.writeInt(number);
      transport.send(to.transport.member(), message);
    }
  }

  private void grid(int nodes) {
    for (int i = 0; i < nodes; i++) {
      ears.add(new Ear(i));
    }
    pass(20);
    assertThat(ears).allSatisfy(ear -> assertThat(ear.view).hasSize(nodes));
  }

  private void pass(long seconds) {
    scheduler.at(seconds * SECOND, null, scheduler::stop);
    scheduler.run();
    assertThat(scheduler.failure()).isNull();
  }

  private Cut cut(Fault shape) {
    Cut cut = Cut.draw(shape, ears.stream().map(e -> e.transport.place()).toList(), scheduling());
    network.cut(cut);
    return cut;
  }

  private static SplittableRandom scheduling() {
    return new SplittableRandom(9);
  }

  @Test
  void sidesOfACutSeeOnlyThemselvesAfterAWhile() {
    grid(5);
    Cut cut = cut(Fault.HALVES);
    pass(20);
    for (Ear ear : ears) {
      List<Member> heard =
          ears.stream()
              .filter(other -> !cut.stops(other.transport.place(), ear.transport.place()))
              .map(other -> other.transport.member())
              .toList();
      assertThat(ear.view).containsExactlyInAnyOrderElementsOf(heard);
    }
  }

  @Test
  void bridgeSeesMoreThanTheOthers() {
    grid(5);
    cut(Fault.BRIDGE);
    pass(20);
    assertThat(ears.stream().map(ear -> ear.view.size()).toList())
        .containsExactlyInAnyOrder(5, 3, 3, 3, 3);
  }

  @Test
  void allSeeTheSameOnceAllIsCalm() {
    grid(5);
    network.cut(Cut.draw(Fault.SHARDS, List.of(0, 1, 2, 3, 4), scheduling()));
    pass(8);
    network.views().suspect(ears.getFirst().transport);
    network.calm();
    pass(20);
    assertThat(new HashSet<>(ears.stream().map(ear -> ear.view).toList())).hasSize(1);
    assertThat(ears.getFirst().view).hasSize(5);
    assertThat(network.views().settled()).isTrue();
    assertThat(log.count(EventKind.BACK)).isPositive();
  }

  @Test
  void memberThatStandsStillLeavesViewsAndComesBack() {
    grid(3);
    Ear paused = ears.get(1);
    paused.transport.host().pause(15 * SECOND);
    network.views().reachChanged();
    scheduler.at(15 * SECOND, null, network.views()::reachChanged);
    pass(10);
    assertThat(ears.getFirst().view).doesNotContain(paused.transport.member());
    pass(30);
    assertThat(ears.getFirst().view).contains(paused.transport.member());
  }

  @Test
  void messagesAreLostForGoodAndDoubled() {
    grid(2);
    Ear one = ears.getFirst();
    Ear two = ears.getLast();
    one.transport
        .host()
        .start(
            Role.TASK,
            () -> {
              for (int i = 0; i < 500; i++) {
                one.send(two, i);
              }
            });
    pass(10);
    assertThat(new HashSet<>(two.numbers)).hasSizeBetween(300, 450);
    assertThat(two.numbers.size()).isGreaterThan(new HashSet<>(two.numbers).size());
    assertThat(log.count(EventKind.LOST) + new HashSet<>(two.numbers).size()).isEqualTo(500);
  }

  @Test
  void fewMessagesSurviveACut() {
    grid(2);
    Ear one = ears.getFirst();
    Ear two = ears.getLast();
    Cut cut = cut(Fault.HALVES);
    one.transport
        .host()
        .start(
            Role.TASK,
            () -> {
              for (int i = 0; i < 300; i++) {
                one.send(two, i);
              }
            });
    pass(5);
    assertThat(two.numbers).isEmpty();
    network.heal(cut);
    pass(5);
    assertThat(two.numbers).hasSizeBetween(1, 60);
    assertThat(log.count(EventKind.KEPT)).isEqualTo(two.numbers.size());
  }
}
