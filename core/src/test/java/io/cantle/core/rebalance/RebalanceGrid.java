package io.cantle.core.rebalance;

import io.cantle.CacheConfig;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Cursor;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentEntries.Visit;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.replica.Attempt;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.replica.Taken;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.segment.Seat;
import io.cantle.core.store.HandStore;
import io.cantle.core.store.Store;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Nodes with everything that moves segments and nothing above, on one network and one clock. */
final class RebalanceGrid {
  static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(4));

  final HandClock clock = new HandClock();
  final HandNetwork network = new HandNetwork();
  final ArrayDeque<Runnable> threads = new ArrayDeque<>();
  final World world = new World(clock, threads::add, new Random(5));
  final Map<String, Node> nodes = new TreeMap<>();

  /** What is written for each key. */
  String value = "";

  /** What gets lost on its way. */
  Predicate<HandNetwork.Sent> lost = sent -> false;

  private long sequence;
  private int parkedSteps;

  /** Nothing ends here. */
  private static final class Unending implements Expiring {
    @Override
    public void settle(Replica replica) {}

    @Override
    public void watch() {}
  }

  /** A node that enters epochs, opens and fetches. */
  final class Node implements Requests.Handler {
    final Member self;
    final Requests requests;
    final TopologyKeeper keeper;
    final Replicas replicas;
    final CommitNotices notices;
    final Openings openings;
    final Transfers transfers;
    private Topology before = Topology.NONE;

    Node(Member self, Store store) {
      this.self = self;
      replicas =
          new Replicas(
              new Decoded(new Codec(AllowList.of(List.of()), Node.class.getClassLoader()), 1 << 20),
              new io.cantle.core.base.HybridClock(clock),
              clock,
              store);
      requests = new Requests(network.transport(self), world, this);
      keeper =
          new TopologyKeeper(
              requests,
              world,
              new TopologyKeeper.Founding(
                  1, io.cantle.WhenCut.stop(), Seat.USUAL, Duration.ofSeconds(15)),
              this::adopt,
              () -> {});
      notices = new CommitNotices(requests, keeper, world, replicas);
      openings = new Openings(requests, keeper, world, replicas, notices, new Unending());
      transfers =
          new Transfers(
              requests, keeper, world, replicas, new Unending(), new MemoryAccount(64 << 20));
      requests.start();
      nodes.put(self.name(), this);
    }

    private void adopt(Topology topology) {
      List<Replicas.Changed> changed = replicas.adopt(topology, before, self);
      before = topology;
      openings.begin(topology, changed);
      transfers.begin(changed);
    }

    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      switch (kind) {
        case ENTER -> openings.asked(from, body);
        case ENTERED -> openings.told(from, body);
        case OPEN -> openings.filled(from, body);
        case OPENED -> openings.opened(from, body);
        case TRANSFER -> transfers.asked(from, request, body);
        case COMMITTED -> notices.came(body);
        default -> keeper.came(kind, from, body);
      }
    }

    @Override
    public void members(List<Member> members) {
      keeper.members(members);
    }

    Replica replica(int segment) {
      Replica replica = replicas.find(0, segment);
      if (replica == null) {
        throw new AssertionError("no segment " + segment + " at " + self);
      }
      return replica;
    }

    Ownership ownership(int segment) {
      return keeper.current().ownership(0, segment);
    }

    /** What is held of a segment, sorted, removed keys left out. */
    List<String> contents(int segment) {
      List<String> contents = new ArrayList<>();
      replica(segment)
          .entries()
          .scan(
              Cursor.START,
              entry -> {
                if (!entry.tombstone()) {
                  contents.add(
                      new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8));
                }
                return Visit.NEXT;
              });
      contents.sort(null);
      return contents;
    }
  }

  Node start(String name, HandStore store) {
    UUID id = HandNetwork.member(name).id();
    return new Node(new Member(id, new UUID(1, id.getLeastSignificantBits()), name), store);
  }

  Node start(String name) {
    return new Node(HandNetwork.member(name), Store.NONE);
  }

  void view(Node... present) {
    Member[] members = new Member[present.length];
    for (int i = 0; i < present.length; i++) {
      members[i] = present[i].self;
    }
    network.viewToAll(members);
  }

  void crash(Node node) {
    network.crash(node.self);
    node.keeper.close();
    node.transfers.close();
    nodes.values().remove(node);
  }

  /** Runs one task that a thread of its own would run; false if there is none. */
  boolean runOne() {
    Runnable task = threads.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Lets everything happen that is to happen within a third of a second. */
  void settle() {
    pass(300);
  }

  /** Lets everything happen until those that are silent are excluded and what they had is moved. */
  void exclude() {
    pass(2_500);
  }

  /**
   * Lets time pass. A transfer waits for its answers: while it is parked, messages and other tasks
   * go on.
   */
  private void pass(int millis) {
    for (int passed = 0, steps = 0; passed < millis; steps++) {
      if (steps > 100_000) {
        throw new IllegalStateException("tasks cause tasks without end");
      }
      deliverAll();
      Runnable task = threads.poll();
      if (task != null) {
        clock.whileParked.add(this::goOn);
        task.run();
        clock.whileParked.clear();
      } else {
        clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
        passed++;
      }
    }
  }

  private void deliverAll() {
    network.underWay.removeIf(lost);
    for (int i = 0; network.deliver(); i++) {
      if (i > 100_000) {
        throw new IllegalStateException("messages cause messages without end");
      }
      network.underWay.removeIf(lost);
    }
  }

  private void goOn() {
    clock.whileParked.add(this::goOn);
    if (parkedSteps++ > 1_000_000) {
      throw new IllegalStateException("a transfer never ends");
    }
    network.underWay.removeIf(lost);
    if (network.deliver()) {
      return;
    }
    // Answers to transfers are short tasks; a second transfer inside the first works as well.
    Runnable task = threads.poll();
    if (task != null) {
      task.run();
    } else {
      clock.advance(TimeUnit.MICROSECONDS.toNanos(500));
    }
  }

  /** Writes a key at the primary of a segment and at those of the others that are named. */
  void write(Node primary, int segment, String key, Node... reached) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    byte[] both = (key + value).getBytes(StandardCharsets.UTF_8);
    sequence++;
    Replica replica = primary.replica(segment);
    int epoch = replica.state().epoch();
    long hashSeed = primary.keeper.current().hashSeed();
    long life = primary.keeper.current().membership().admission(primary.self);
    Attempt outcome =
        replica.execute(
            () -> true,
            epoch,
            new Command(new SessionId(primary.self.id(), life), sequence, sequence, 1, 1),
            KeyHash.hash(hashSeed, bytes, 0, bytes.length),
            bytes,
            0,
            bytes.length,
            found -> Effect.put(both, Result.TRUE, false));
    if (!(outcome instanceof Outcome.Written written)) {
      throw new AssertionError(outcome + " at " + primary.self);
    }
    for (Node node : reached) {
      Entry entry = written.item().entry();
      Entry copy =
          new Entry(entry.hash(), entry.bytes(), entry.keyLength(), epoch, entry.index(), false);
      Item item = new Item.Write(copy, written.item().command(), Result.TRUE);
      Taken taken =
          node.replica(segment)
              .replicated(
                  epoch,
                  written.committed(),
                  List.of(new Item.Read(item, false, Item.Notice.NONE)));
      if (taken != null) {
        replica.acked(node.self, epoch, taken.applied());
      }
    }
  }
}
