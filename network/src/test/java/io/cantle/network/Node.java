package io.cantle.network;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * A transport with a receiver that records the lists of members and passes messages on.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Node implements Transport.Receiver, AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;

  final NettyTransport transport;
  private final BiConsumer<Member, Input> onMessage;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<List<Member>> views = new ArrayList<>();

  Node(TransportSettings settings, BiConsumer<Member, Input> onMessage) {
    this.transport = new NettyTransport(settings);
    this.onMessage = onMessage;
  }

  /** Settings of a node on any free port that looks for others where {@code seeds} listen. */
  static TransportSettings settings(String grid, String name, Node... seeds) {
    return settings(
        grid, name, List.of(seeds).stream().map(seed -> seed.transport.port()).toList());
  }

  static TransportSettings settings(String grid, String name, List<Integer> seedPorts) {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    return new TransportSettings(
        grid,
        name,
        loopback,
        0,
        0,
        seedPorts.stream().map(port -> new InetSocketAddress(loopback, port)).toList(),
        Duration.ofSeconds(3),
        null);
  }

  Node start() {
    transport.start(this);
    return this;
  }

  Member self() {
    return transport.self();
  }

  void send(Node to, byte[] bytes) {
    send(to.self(), bytes);
  }

  void send(Member to, byte[] bytes) {
    Output output = new Output(bytes.length + 1);
    output.write(bytes);
    transport.send(to, output);
  }

  List<Member> awaitSize(int size) throws InterruptedException {
    return awaitMembers(members -> members.size() == size);
  }

  List<Member> awaitMembers(Predicate<List<Member>> wanted) throws InterruptedException {
    long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    lock.lock();
    try {
      while (views.isEmpty() || !wanted.test(views.getLast())) {
        if (left <= 0) {
          throw new AssertionError("members of " + self() + " are still " + views);
        }
        left = changed.awaitNanos(left);
      }
      return views.getLast();
    } finally {
      lock.unlock();
    }
  }

  List<List<Member>> views() {
    lock.lock();
    try {
      return List.copyOf(views);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void receive(Member from, Input message) {
    onMessage.accept(from, message);
  }

  @Override
  public void onMembersChanged(List<Member> members) {
    lock.lock();
    try {
      views.add(members);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    transport.close();
  }
}
