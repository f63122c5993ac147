package io.cantle.simulation;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
  private static final int KEPT_ONE_IN = 20;
  private static final int MOST_KEPT = 100;

  private final Network network;
  private final Host host;
  private final int place;
  private final Member member;
  private final ArrayDeque<List<Member>> views = new ArrayDeque<>();
  private boolean showing;
  private long[] sent = new long[8];
  private long[] received = new long[8];
  private final IdentityHashMap<SimulatedTransport, Long> linkNanos = new IdentityHashMap<>();
  private @Nullable Receiver receiver;
  private final List<Letter> kept = new ArrayList<>();
  private boolean closed;
  private double fading;
  private int sendsLeft;
  private Runnable afterSends = () -> {};

  /** A message on its way. */
  private record Letter(SimulatedTransport target, long number, byte[] bytes, boolean again) {}

  SimulatedTransport(Network network, Host host, int place, Member member) {
    this.network = network;
    this.host = host;
    this.place = place;
    this.member = member;
  }

  Host host() {
    return host;
  }

  Member member() {
    return member;
  }

  /** Its place among all transports of the network. */
  int place() {
    return place;
  }

  /** Lets something happen right after so many more messages were sent. */
  void after(int sends, Runnable action) {
    sendsLeft = sends;
    afterSends = action;
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
    network.views().join(this);
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
    Arrays.fill(message.array(), 0, bytes.length, POISON);
    if (to.equals(member) || bytes.length > MAX_MESSAGE_BYTES) {
      throw new IllegalArgumentException(bytes.length + " bytes from " + member + " to " + to);
    }
    if (bytes.length > SMALL_MESSAGE_BYTES) {
      waitForNetwork(bytes.length);
    }
    SimulatedTransport target = network.link(to);
    // A thread goes on for a while after its host has died; nobody hears of it.
    if (target != null && receiver != null && !closed && host.alive()) {
      long number = ++sent(target.place)[target.place];
      travel(new Letter(target, number, bytes, false));
      if (sendsLeft > 0 && --sendsLeft == 0) {
        afterSends.run();
      }
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

  private void travel(Letter letter) {
    Weather weather = network.weather();
    if (weather.loses(network.random())) {
      record(EventKind.LOST, letter);
      return;
    }
    long delay = weather.delayNanos(network.random());
    boolean late = delay > weather.usualNanos();
    delay += linkNanos(letter.target);
    while (weather.resends(network.random())) {
      delay += weather.resendNanos(network.random());
      record(EventKind.RESENT, letter);
    }
    if (late) {
      record(EventKind.DELAYED, letter);
    }
    network.scheduler().at(delay, null, () -> arrive(letter));
    if (weather.duplicates(network.random())) {
      Letter copy = new Letter(letter.target, letter.number, letter.bytes, true);
      long more = weather.resendNanos(network.random());
      network.scheduler().at(delay + more, null, () -> arrive(copy));
    }
  }

  private void record(EventKind kind, Letter letter) {
    network.log().record(kind, host, letter.number, () -> "to " + letter.target.member);
  }

  /** Lost in a cut, but for a few that are kept until it is healed. */
  private void stop(Letter letter) {
    if (!letter.again && kept.size() < MOST_KEPT && network.random().nextInt(KEPT_ONE_IN) == 0) {
      kept.add(letter);
    } else {
      record(EventKind.CUT, letter);
    }
  }

  /** Sends what was kept where the way is open again. */
  void release() {
    for (Letter letter : List.copyOf(kept)) {
      if (!network.cut(place, letter.target.place)) {
        kept.remove(letter);
        record(EventKind.KEPT, letter);
        long delay = network.weather().resendNanos(network.random());
        network.scheduler().at(delay, null, () -> arrive(letter));
      }
    }
  }

  /** Drawn when the first message goes that way. */
  private long linkNanos(SimulatedTransport target) {
    if (!network.disturbed()) {
      return 0;
    }
    Long known = linkNanos.get(target);
    if (known == null) {
      known = network.weather().linkNanos(network.random());
      linkNanos.put(target, known);
    }
    return known;
  }

  private void arrive(Letter letter) {
    SimulatedTransport target = letter.target;
    long number = letter.number;
    if (network.cut(place, target.place)) {
      stop(letter);
      return;
    }
    Receiver reader = target.receiver;
    if (!target.host.alive()
        || target.closed
        || reader == null
        || (fading > 0 && network.random().nextDouble() < fading)) {
      network.log().record(EventKind.VANISHED, target.host, number, () -> "from " + member);
      return;
    }
    long[] latest = target.received(place);
    if (letter.again) {
      network.log().record(EventKind.DUPLICATED, target.host, number, () -> "from " + member);
    } else if (number < latest[place]) {
      network.log().record(EventKind.OVERTAKEN, target.host, number, () -> "from " + member);
    } else {
      latest[place] = number;
    }
    network
        .log()
        .record(
            EventKind.MESSAGE,
            target.host,
            letter.bytes,
            () -> "from " + member + ": #" + number + " " + network.describe(letter.bytes));
    target.host.receive(() -> target.receive(reader, member, letter.bytes));
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
      network.views().remove(this);
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

  @Override
  public String toString() {
    return member.toString();
  }
}
