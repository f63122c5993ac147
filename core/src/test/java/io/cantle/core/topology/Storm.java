package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Notes;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
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
 * Keepers in bad weather, all of it from one seed: messages are lost, doubled, late and out of
 * order, some ways are cut, nodes freeze, clocks go up to 5 % too fast or too slow, and nobody's
 * view is right. After everything that happens two things are looked at: topologies with the same
 * number are the same, and whoever has been excluded holds no lease.
 */
final class Storm {
  private record Event(long at, long order, Runnable what) {}

  /** One way between two members. */
  private record Way(Member from, Member to) {}

  final Random random;
  final Map<String, Node> nodes = new TreeMap<>();
  final Map<UUID, TreeMap<Long, Topology>> decided = new HashMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final Set<Way> cut = new HashSet<>();
  private long now;
  private long order;

  /** Of a hundred messages, how many are lost and how many come twice. */
  int lossPercent;

  int doublePercent;

  /** The longest a message takes, in milliseconds. */
  int longestMillis = 5;

  /** What outlives a process; what is written takes some time. */
  final class Disk {
    private final Map<String, byte[]> kept = new HashMap<>();

    Notes mount(Node node) {
      return new Notes() {
        private long due;

        @Override
        public byte @Nullable [] find(String name) {
          return kept.get(name);
        }

        @Override
        public void keep(String name, byte[] bytes, Runnable then) {
          byte[] copy = bytes.clone();
          long takes =
              TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextInt(9) > 0 ? 20 : 400));
          due = Math.max(due, now + takes);
          events.add(
              new Event(
                  due,
                  order++,
                  () -> {
                    if (node.up) {
                      kept.put(name, copy);
                      then.run();
                    }
                  }));
        }
      };
    }
  }

  Storm(long seed) {
    random = new Random(seed);
  }

  /** A keeper with a clock of its own. */
  final class Node implements Requests.Handler, Clock, Transport {
    final Member self;
    final @Nullable Disk disk;
    final TopologyKeeper keeper;
    final List<Topology> adopted = new ArrayList<>();
    private final Requests requests;
    private final double speed = 0.95 + random.nextDouble() * 0.1;
    private final long offset = random.nextLong();
    private long frozenUntil;
    private Receiver receiver = new NoReceiver();
    boolean up = true;
    int foreign;

    Node(String name, int initialMembers, boolean oldestDecides) {
      this(HandNetwork.member(name), null, initialMembers, oldestDecides);
    }

    /** Another life of a node with a store, whose name is like no other life's. */
    Node(Member self, @Nullable Disk disk, int initialMembers, boolean oldestDecides) {
      this.self = self;
      this.disk = disk;
      World world = new World(this, Runnable::run, random);
      requests = new Requests(this, world, this);
      keeper =
          new TopologyKeeper(
              requests,
              world,
              new TopologyKeeper.Founding(
                  initialMembers,
                  oldestDecides ? io.cantle.WhenCut.oldestDecides() : io.cantle.WhenCut.stop(),
                  Seat.USUAL,
                  Duration.ofSeconds(15)),
              this::adopt,
              () -> foreign++,
              disk == null ? Notes.NONE : disk.mount(this));
      requests.start();
      nodes.put(self.name(), this);
    }

    Topology current() {
      return keeper.current();
    }

    void view(List<Node> present) {
      at(now, this, () -> requests.members(present.stream().map(node -> node.self).toList()));
    }

    void freeze(long millis) {
      frozenUntil = Math.max(frozenUntil, now + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void crash() {
      up = false;
      keeper.close();
    }

    private void adopt(Topology topology) {
      adopted.add(topology);
      if (topology.founded()) {
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
      if (!keeper.lease().held()) {
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

    // What a node sees of the world.

    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      keeper.came(kind, from, body);
    }

    @Override
    public void members(List<Member> members) {
      keeper.members(members);
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
      if (receiving == null || cut.contains(new Way(self, to))) {
        return;
      }
      long delay = TimeUnit.MICROSECONDS.toNanos(50 + random.nextInt(longestMillis * 1_000));
      at(
          now + delay,
          receiving,
          () -> {
            if (!cut.contains(new Way(self, to))) {
              receiving.receiver.receive(self, new Input(bytes));
            }
          });
    }

    @Override
    public void close() {
      up = false;
    }
  }

  /** Before a node has started. */
  private static final class NoReceiver implements Transport.Receiver {
    @Override
    public void receive(Member from, Input message) {}

    @Override
    public void members(List<Member> members) {}
  }

  /** Has something happen at a node, later if it is frozen then. */
  private void at(long time, Node node, Runnable what) {
    Runnable happens =
        () -> {
          if (!node.up) {
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

  /** Lets time pass, looking after every event whether all is well. */
  void pass(long millis) {
    long until = now + TimeUnit.MILLISECONDS.toNanos(millis);
    for (Event next; (next = events.peek()) != null && next.at <= until; ) {
      events.poll();
      now = Math.max(now, next.at);
      next.what.run();
      nodes.values().stream().filter(node -> node.up).forEach(Node::checkLease);
    }
    now = until;
  }

  Node start(String name) {
    return new Node(name, 1, false);
  }

  List<Node> up() {
    return nodes.values().stream().filter(node -> node.up).toList();
  }

  void viewToAll(List<Node> present) {
    present.forEach(node -> node.view(present));
  }

  /** Cuts one way. */
  void cut(Node from, Node to) {
    cut.add(new Way(from.self, to.self));
  }

  /** Cuts all ways between two groups. */
  void cut(List<Node> some, List<Node> others) {
    for (Node one : some) {
      for (Node other : others) {
        cut(one, other);
        cut(other, one);
      }
    }
  }

  /** All ways are open again. */
  void heal() {
    cut.clear();
  }

  /** The latest topology anybody of a grid has adopted. */
  Topology latest(UUID grid) {
    return decided.getOrDefault(grid, new TreeMap<>()).lastEntry().getValue();
  }
}
