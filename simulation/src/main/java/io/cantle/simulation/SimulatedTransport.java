package io.cantle.simulation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One host's end of the simulated network. It holds its user to the contract: what was sent is
 * overwritten behind the sender's back, a long message sent from a receiving thread fails the seed.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedTransport implements Transport {
  private static final byte POISON = (byte) 0xDB;
  private static final long NANOS_PER_BYTE = 10;

  private final Network network;
  private final Host host;
  private final int index;
  private final Member member;
  private final ArrayDeque<List<Member>> views = new ArrayDeque<>();
  private boolean showing;
  private long[] sent = new long[8];
  private long[] received = new long[8];
  private final IdentityHashMap<SimulatedTransport, Long> linkNanos = new IdentityHashMap<>();
  private @Nullable Receiver receiver;
  private boolean closed;
  private double fading;

  SimulatedTransport(Network network, Host host, int index, Member member) {
    this.network = network;
    this.host = host;
    this.index = index;
    this.member = member;
  }

  Host host() {
    return host;
  }

  Member member() {
    return member;
  }

  /** Whether every view published was shown. */
  boolean upToDate() {
    return views.isEmpty() && !showing;
  }

  /** From now on what this host has sent arrives only by chance. */
  void fade(SplittableRandom random) {
    fading = random.nextInt(3) / 2.0;
  }

  @Override
  public void start(Receiver newReceiver) {
    if (receiver != null || closed) {
      throw new IllegalStateException("the transport of " + member + " was started before");
    }
    host.clock().parkNanos(this, network.weather().viewNanos(network.random()));
    receiver = newReceiver;
    network.join(this);
    host.clock().parkNanos(this, network.weather().viewNanos(network.random()));
  }

  @Override
  public Member self() {
    if (receiver == null) {
      throw new IllegalStateException("the transport was not started");
    }
    return member;
  }

  @Override
  public void send(Member to, Output message) {
    byte[] bytes = message.toByteArray();
    Arrays.fill(message.array(), POISON);
    if (to.equals(member) || bytes.length > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(bytes.length + " bytes from " + member + " to " + to);
    }
    if (bytes.length > SMALL_MESSAGE_BYTES) {
      waitForNetwork(bytes.length);
    }
    SimulatedTransport target = network.link(to);
    if (target != null && receiver != null && !closed) {
      long number = ++sent(target.index)[target.index];
      travel(target, number, bytes);
    }
  }

  /** A long message is sent piece by piece, so its sender waits; a receiving thread must not. */
  private void waitForNetwork(int length) {
    SimulatedThread sender = network.scheduler().current();
    if (sender != null && sender.role() == Role.RECEIVE) {
      network.scheduler().fail(length + " bytes sent from within receive: " + sender.describe());
    }
    host.clock().parkNanos(this, length * NANOS_PER_BYTE);
  }

  private void travel(SimulatedTransport target, long number, byte[] bytes) {
    Weather weather = network.weather();
    long delay = weather.delayNanos(network.random());
    boolean late = delay > weather.usualNanos();
    delay += linkNanos(target);
    while (weather.loses(network.random())) {
      delay += weather.resendNanos(network.random());
      network.log().record(EventKind.LOST, host, number, () -> "to " + target.member);
    }
    if (late) {
      network.log().record(EventKind.DELAYED, host, number, () -> "to " + target.member);
    }
    network.scheduler().at(delay, null, () -> arrive(target, number, bytes));
  }

  /** Drawn when the first message goes that way. */
  private long linkNanos(SimulatedTransport target) {
    Long known = linkNanos.get(target);
    if (known == null) {
      known = network.weather().linkNanos(network.random());
      linkNanos.put(target, known);
    }
    return known;
  }

  private void arrive(SimulatedTransport target, long number, byte[] bytes) {
    Receiver reader = target.receiver;
    if (!target.host.alive()
        || target.closed
        || reader == null
        || (fading > 0 && network.random().nextDouble() < fading)) {
      network.log().record(EventKind.VANISHED, target.host, number, () -> "from " + member);
      return;
    }
    long[] latest = target.received(index);
    if (number < latest[index]) {
      network.log().record(EventKind.OVERTAKEN, target.host, number, () -> "from " + member);
    } else {
      latest[index] = number;
    }
    network
        .log()
        .record(
            EventKind.MESSAGE,
            target.host,
            bytes,
            () -> "from " + member + ": #" + number + " " + network.describe(bytes));
    target.host.start(Role.RECEIVE, () -> target.receive(reader, member, bytes));
  }

  private void receive(Receiver reader, Member from, byte[] bytes) {
    if (!closed) {
      reader.receive(from, new Input(bytes));
    }
  }

  /** Queues a view; this host hears of it a while later, and of one after the other. */
  void show(List<Member> view) {
    views.add(view);
    if (!showing) {
      showing = true;
      showNext();
    }
  }

  private void showNext() {
    network
        .scheduler()
        .at(
            network.weather().viewNanos(network.random()),
            host,
            () -> host.start(Role.VIEW, this::showFirst));
  }

  private void showFirst() {
    List<Member> view = views.remove();
    Receiver reader = receiver;
    if (reader != null && !closed) {
      network.log().record(EventKind.VIEW, host, view.size(), view::toString);
      reader.members(view);
    }
    if (views.isEmpty()) {
      showing = false;
    } else {
      showNext();
    }
  }

  @Override
  public void close() {
    if (!closed && receiver != null) {
      // What it has sent is flushed or not, as the operating system pleases.
      host.clock().parkNanos(this, network.weather().delayNanos(network.random()));
      closed = true;
      fade(network.random());
      network.remove(this);
    }
  }

  private long[] sent(int to) {
    sent = to < sent.length ? sent : Arrays.copyOf(sent, to * 2);
    return sent;
  }

  private long[] received(int from) {
    received = from < received.length ? received : Arrays.copyOf(received, from * 2);
    return received;
  }
}
