package io.cantle.simulation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A node that sends numbers, and records the numbers and views it receives. */
final class RecordingReceiver implements Transport.Receiver {
  final SimulatedTransport transport;
  final List<Integer> numbers = new ArrayList<>();
  final List<List<Member>> views = new ArrayList<>();

  RecordingReceiver(SimulationScheduler scheduler, SimulatedNetwork network, int number) {
    SimulatedHost host =
        new SimulatedHost(scheduler, number, "n" + number, new SplittableRandom(number));
    transport = network.attachTransport(host);
    host.start(Role.TASK, () -> transport.start(this));
  }

  @Override
  public void receive(Member from, Input message) {
    numbers.add(message.readInt());
  }

  @Override
  public void onMembersChanged(List<Member> members) {
    views.add(members);
  }

  /** The latest view. */
  List<Member> view() {
    return views.getLast();
  }

  void send(RecordingReceiver to, int number) {
    Output message = new Output(4);
    message.writeInt(number);
    transport.send(to.transport.member(), message);
  }
}
