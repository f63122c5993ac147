package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.discovery.DiscoveryEffect.ForeignGridReport;
import io.cantle.core.discovery.JoinSettings;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Topology drivers under random faults, all from one seed. Messages are lost, duplicated, late and
 * out of order. Some links are cut, nodes freeze, clocks run up to 5 % too fast or too slow, and no
 * node's view is right. After each event two things are checked: topologies with the same number
 * are equal, and no excluded node holds a lease.
 */
final class DriverStorm {
  private record Event(long at, long order, Runnable what) {}

  /** The link from one member to another, in one direction. */
  private record Link(Member from, Member to) {}

  final Random random;
  final Map<String, Node> nodes = new TreeMap<>();
  final Map<UUID, TreeMap<Long, Topology>> decided = new HashMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final Set<Link> cutLinks = new HashSet<>();
  private long now;
  private long order;

  /** How many of a hundred messages are lost, and how many arrive twice. */
  int lossPercent;

  int doublePercent;

  /** The longest time that a message takes, in milliseconds. */
  int maxDelayMillis = 5;

  /** The disk, which outlives a process; a write to it takes some time. */
  final class Disk {
    private final Map<String, byte[]> kept = new HashMap<>();

    StableStore mount(Node node) {
      return new StableStore() {
        private long due;

        @Override
        public byte @Nullable [] find(String name) {
          return kept.get(name);
        }

        @Override
        public void save(String name, byte[] bytes, Runnable then) {
          byte[] copy = bytes.clone();
          long takes =
              TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextInt(9) > 0 ? 20 : 400));
          due = Math.max(due, now + takes);
          events.add(
              new Event(
                  due,
                  order++,
                  () -> {
                    if (node.running) {
                      kept.put(name, copy);
                      then.run();
                    }
                  }));
        }
      };
    }
  }

  DriverStorm(long seed) {
    random = new Random(seed);
  }

  /** A topology driver with a clock of its own. */
  final class Node implements MessagingService.Handler, TopologyListener, Clock, Transport {
    final Member self;
    final @Nullable Disk disk;
    final TopologyDriver driver;
    final List<Topology> adopted = new ArrayList<>();
    private final MessagingService messaging;
    private final double speed = 0.95 + random.nextDouble() * 0.1;
    private final long offset = random.nextLong();
    private long frozenUntil;
    private Receiver receiver = new NoReceiver();
    boolean running = true;
    int foreign;

    Node(String name, int initialMembers, boolean oldestDecides) {
      this(ManualNetwork.member(name), null, initialMembers, oldestDecides);
    }

    /** Creates another incarnation of a node with a store; each incarnation has a unique name. */
    Node(Member self, @Nullable Disk disk, int initialMembers, boolean oldestDecides) {
      this.self = self;
      this.disk = disk;
      Environment environment = TestEnvironment.of(this, Runnable::run, random);
      messaging = new MessagingService(this, environment, this);
      driver =
          new TopologyDriver(
              messaging,
              environment,
              new JoinSettings(
                  initialMembers,
                  oldestDecides ? io.cantle.WhenCut.oldestDecides() : io.cantle.WhenCut.stop(),
                  MemberCapacity.DEFAULT,
                  Duration.ofSeconds(15)),
              this,
              disk == null ? NodeStore.NONE : disk.mount(this));
      messaging.start();
      nodes.put(self.name(), this);
    }

    Topology current() {
      return driver.current();
    }

    void view(List<Node> present) {
      at(
          now,
          this,
          () -> messaging.onMembersChanged(present.stream().map(node -> node.self).toList()));
    }

    void freeze(long millis) {
      frozenUntil = Math.max(frozenUntil, now + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void crash() {
      running = false;
      driver.close();
    }

    @Override
    public void onForeignGrid(ForeignGridReport report) {
      foreign++;
    }

    @Override
    public void adopt(Topology topology) {
      adopted.add(topology);
      if (topology.isFounded()) {
        Topology other =
            decided
                .computeIfAbsent(topology.gridId(), grid -> new TreeMap<>())
                .putIfAbsent(topology.number(), topology);
        if (other != null && !other.equals(topology)) {
          throw new AssertionError(
              "two topologies " + topology.number() + ":\n" + topology + "\n" + other);
        }
      }
    }

    private void checkLease() {
      Topology topology = current();
      if (!driver.lease().isHeld()) {
        return;
      }
      if (!topology.members().contains(self)) {
        throw new AssertionError(self + ", no member, holds a lease: " + topology);
      }
      for (Topology later :
          decided
              .getOrDefault(topology.gridId(), new TreeMap<>())
              .tailMap(topology.number())
              .values()) {
        if (!later.members().contains(self)) {
          throw new AssertionError(
              self + " holds a lease in " + topology + "\nand was excluded by " + later);
        }
      }
    }

    // The node's interface to the rest of the world.

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      driver.onMessage(kind, from, body);
    }

    @Override
    public void onMembersChanged(List<Member> members) {
      driver.onViewChange(members);
    }

    @Override
    public long nanoTime() {
      return offset + (long) (now * speed);
    }

    @Override
    public long wallMillis() {
      return nanoTime() / 1_000_000;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      throw new AssertionError("a keeper never waits");
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      boolean[] cancelled = new boolean[1];
      long due = now + (long) (Math.max(0, delayNanos) / speed) + 1;
      at(
          due,
          this,
          () -> {
            if (!cancelled[0]) {
              task.run();
            }
          });
      return () -> cancelled[0] = true;
    }

    @Override
    public void start(Receiver itsReceiver) {
      receiver = itsReceiver;
    }

    @Override
    public Member self() {
      return self;
    }

    @Override
    public void send(Member to, Output message) {
      byte[] bytes = message.toByteArray();
      if (random.nextInt(100) >= lossPercent) {
        carry(to, bytes);
      }
      if (random.nextInt(100) < doublePercent) {
        carry(to, bytes);
      }
    }

    private void carry(Member to, byte[] bytes) {
      Node receiving = nodes.get(to.name());
      if (receiving == null || cutLinks.contains(new Link(self, to))) {
        return;
      }
      long delay = TimeUnit.MICROSECONDS.toNanos(50 + random.nextInt(maxDelayMillis * 1_000));
      at(
          now + delay,
          receiving,
          () -> {
            if (!cutLinks.contains(new Link(self, to))) {
              receiving.receiver.receive(self, new Input(bytes));
            }
          });
    }

    @Override
    public void close() {
      running = false;
    }
  }

  /** Receives nothing, before a node has started. */
  private static final class NoReceiver implements Transport.Receiver {
    @Override
    public void receive(Member from, Input message) {}

    @Override
    public void onMembersChanged(List<Member> members) {}
  }

  /** Schedules an action of a node, which runs later if the node is frozen then. */
  private void at(long time, Node node, Runnable what) {
    Runnable happens =
        () -> {
          if (!node.running) {
            return;
          }
          if (node.frozenUntil > now) {
            at(node.frozenUntil, node, what);
          } else {
            what.run();
          }
        };
    events.add(new Event(time, order++, happens));
  }

  /** Lets time pass, and checks after every event that all is well. */
  void advanceTime(long millis) {
    long until = now + TimeUnit.MILLISECONDS.toNanos(millis);
    for (Event next; (next = events.peek()) != null && next.at <= until; ) {
      events.poll();
      now = Math.max(now, next.at);
      next.what.run();
      nodes.values().stream().filter(node -> node.running).forEach(Node::checkLease);
    }
    now = until;
  }

  Node start(String name) {
    return new Node(name, 1, false);
  }

  List<Node> up() {
    return nodes.values().stream().filter(node -> node.running).toList();
  }

  void viewToAll(List<Node> present) {
    present.forEach(node -> node.view(present));
  }

  /** Cuts the link in this direction. */
  void cut(Node from, Node to) {
    cutLinks.add(new Link(from.self, to.self));
  }

  /** Cuts all links between two groups. */
  void cut(List<Node> some, List<Node> others) {
    for (Node one : some) {
      for (Node other : others) {
        cut(one, other);
        cut(other, one);
      }
    }
  }

  /** Restores all links. */
  void heal() {
    cutLinks.clear();
  }

  /** The latest topology of a grid that any node has adopted. */
  Topology latest(UUID grid) {
    return decided.getOrDefault(grid, new TreeMap<>()).lastEntry().getValue();
  }
}
