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
 * One host's end of the simulated network. It holds its user to the contract of a transport. What
 * was sent is overwritten afterwards, and a long message sent from a receiving thread fails the
 * seed.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class SimulatedTransport implements Transport {
  private static final byte POISON = (byte) 0xDB;
  private static final long NANOS_PER_BYTE = 10;
  private static final int RETAINED_ONE_IN = 20;
  private static final int MAX_RETAINED = 100;

  private final SimulatedNetwork network;
  private final SimulatedHost host;
  private final int nodeIndex;
  private final Member member;
  private final ArrayDeque<List<Member>> views = new ArrayDeque<>();
  private boolean showing;
  private long[] sent = new long[8];
  private long[] received = new long[8];
  private final IdentityHashMap<SimulatedTransport, Long> linkNanos = new IdentityHashMap<>();
  private @Nullable Receiver receiver;
  private final List<Envelope> retained = new ArrayList<>();
  private boolean closed;
  private double losingMessages;
  private int sendsLeft;
  private Runnable afterSends = () -> {};

  /** A message in transit. */
  private record Envelope(SimulatedTransport target, long number, byte[] bytes, boolean isResent) {}

  SimulatedTransport(SimulatedNetwork network, SimulatedHost host, int nodeIndex, Member member) {
    this.network = network;
    this.host = host;
    this.nodeIndex = nodeIndex;
    this.member = member;
  }

  SimulatedHost host() {
    return host;
  }

  Member member() {
    return member;
  }

  /** Returns its index among all transports of the network. */
  int nodeIndex() {
    return nodeIndex;
  }

  /** Runs an action right after this many more messages were sent. */
  void runAfterSends(int sends, Runnable action) {
    sendsLeft = sends;
    afterSends = action;
  }

  /** Returns whether every published view has been delivered. */
  boolean isUpToDate() {
    return views.isEmpty() && !showing;
  }

  /** From now on, what this host has sent arrives only by chance. */
  void loseMessages(SplittableRandom random) {
    losingMessages = network.conditions().exact() ? 0 : random.nextInt(3) / 2.0;
  }

  @Override
  public void start(Receiver newReceiver) {
    if (receiver != null || closed) {
      throw new IllegalStateException("the transport of " + member + " was started before");
    }
    host.clock().parkNanos(this, network.conditions().drawViewNanos(network.random()));
    receiver = newReceiver;
    network.views().onJoin(this);
    host.clock().parkNanos(this, network.conditions().drawViewNanos(network.random()));
  }

  @Override
  public Member self() {
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
    // A thread goes on for a while after its host has died, but none of its messages may arrive.
    if (target != null && receiver != null && !closed && host.isAlive()) {
      network.log().count(EventKind.NEXT_VERSION, MessageVersions.isNext(bytes));
      long number = ++sentCount(target.nodeIndex)[target.nodeIndex];
      scheduleArrival(new Envelope(target, number, bytes, false));
      if (sendsLeft > 0 && --sendsLeft == 0) {
        afterSends.run();
      }
    }
  }

  /**
   * Makes the sender of a long message wait, since it is sent piece by piece. A receiving thread
   * must not wait.
   */
  private void waitForNetwork(int length) {
    SimulatedThread sender = network.scheduler().current();
    if (sender != null && sender.role() == Role.RECEIVE) {
      network.scheduler().fail(length + " bytes sent from within receive: " + sender.describe());
    }
    host.clock().parkNanos(this, length * NANOS_PER_BYTE);
  }

  private void scheduleArrival(Envelope letter) {
    NetworkConditions conditions = network.conditions();
    if (conditions.drawLoss(network.random())) {
      record(EventKind.LOST, letter);
      return;
    }
    long delay = conditions.drawDelayNanos(network.random());
    boolean late = delay > conditions.usualNanos();
    delay += linkNanos(letter.target);
    while (conditions.drawResend(network.random())) {
      delay += conditions.drawResendNanos(network.random());
      record(EventKind.RESENT, letter);
    }
    if (late) {
      record(EventKind.DELAYED, letter);
    }
    network.scheduler().schedule(delay, null, () -> deliver(letter));
    if (conditions.drawDuplicate(network.random())) {
      Envelope copy = new Envelope(letter.target, letter.number, letter.bytes, true);
      long more = conditions.drawResendNanos(network.random());
      network.scheduler().schedule(delay + more, null, () -> deliver(copy));
    }
  }

  private void record(EventKind kind, Envelope letter) {
    network.log().record(kind, host, letter.number, () -> "to " + letter.target.member);
  }

  /** Drops a message in a cut. A few messages are retained until the cut is healed. */
  private void dropEnvelope(Envelope letter) {
    if (!network.conditions().exact()
        && !letter.isResent
        && retained.size() < MAX_RETAINED
        && network.random().nextInt(RETAINED_ONE_IN) == 0) {
      retained.add(letter);
    } else {
      record(EventKind.CUT, letter);
    }
  }

  /** Sends the retained messages whose link is open again. */
  void releaseRetained() {
    for (Envelope letter : List.copyOf(retained)) {
      if (!network.isCut(nodeIndex, letter.target.nodeIndex)) {
        retained.remove(letter);
        record(EventKind.KEPT, letter);
        long delay = network.conditions().drawResendNanos(network.random());
        network.scheduler().schedule(delay, null, () -> deliver(letter));
      }
    }
  }

  /** Returns the extra delay of a link, which is drawn when the first message is sent over it. */
  private long linkNanos(SimulatedTransport target) {
    if (!network.isDisturbed()) {
      return 0;
    }
    Long known = linkNanos.get(target);
    if (known == null) {
      known = network.conditions().drawLinkNanos(network.random());
      linkNanos.put(target, known);
    }
    return known;
  }

  private void deliver(Envelope letter) {
    SimulatedTransport target = letter.target;
    long number = letter.number;
    if (network.isCut(nodeIndex, target.nodeIndex)) {
      dropEnvelope(letter);
      return;
    }
    Receiver reader = target.receiver;
    if (!target.host.isAlive()
        || target.closed
        || reader == null
        || (losingMessages > 0 && network.random().nextDouble() < losingMessages)) {
      network.log().record(EventKind.VANISHED, target.host, number, () -> "from " + member);
      return;
    }
    long[] latest = target.receivedCount(nodeIndex);
    if (letter.isResent) {
      network.log().record(EventKind.DUPLICATED, target.host, number, () -> "from " + member);
    } else if (number < latest[nodeIndex]) {
      network.log().record(EventKind.OVERTAKEN, target.host, number, () -> "from " + member);
    } else {
      latest[nodeIndex] = number;
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

  /** Queues a view. This host receives its views a while later, one after the other. */
  void showView(List<Member> view) {
    views.add(view);
    if (!showing) {
      showing = true;
      showNext();
    }
  }

  private void showNext() {
    network
        .scheduler()
        .schedule(
            network.conditions().drawViewNanos(network.random()),
            host,
            () -> host.start(Role.VIEW, this::showFirst));
  }

  private void showFirst() {
    List<Member> view = views.remove();
    Receiver reader = receiver;
    if (reader != null && !closed) {
      network.log().record(EventKind.VIEW, host, view.size(), view::toString);
      reader.onMembersChanged(view);
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
      // What it has sent is flushed or not, as the operating system decides.
      host.clock().parkNanos(this, network.conditions().drawDelayNanos(network.random()));
      closed = true;
      loseMessages(network.random());
      network.views().onRemove(this);
    }
  }

  private long[] sentCount(int to) {
    sent = to < sent.length ? sent : Arrays.copyOf(sent, to * 2);
    return sent;
  }

  private long[] receivedCount(int from) {
    received = from < received.length ? received : Arrays.copyOf(received, from * 2);
    return received;
  }

  @Override
  public String toString() {
    return member.toString();
  }
}
