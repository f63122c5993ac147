package io.cantle.core.rebalance;

import io.cantle.CacheConfig;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ApplyResult;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.OrderedWrite;
import io.cantle.core.replica.ProgressExchange;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.scan.ScanMetrics;
import io.cantle.core.scan.ScanServer;
import io.cantle.core.scan.TaskInterpreter;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.RebalanceMessage.CatchUpNotice;
import io.cantle.core.wire.RebalanceMessage.EpochEntryRequest;
import io.cantle.core.wire.ReplicationMessage.CommitNotice;
import io.cantle.core.wire.WireMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Nodes with everything that moves segments and nothing above it, on one network and one clock. */
final class RebalanceGrid {
  static final CacheDefinition USERS =
      new CacheDefinition("users", CacheConfig.distributed().segments(4));

  final ManualClock clock = new ManualClock();
  final ManualNetwork network = new ManualNetwork();
  final ArrayDeque<Runnable> threads = new ArrayDeque<>();
  final Environment environment = TestEnvironment.of(clock, threads::add, new Random(5));
  final Map<String, Node> nodes = new TreeMap<>();

  /** The value written for each key. */
  String value = "";

  /** Which messages are lost. */
  Predicate<ManualNetwork.SentMessage> lost = sent -> false;

  /** The memory for transfers, of each node that starts from now on. */
  long transferBytes = 64 << 20;

  private long sequence;
  private int parkedSteps;

  /** Transfers have no tasks. */
  private static final class NoTasks implements TaskInterpreter {
    @Override
    public Reduction readReduction(byte[] task) {
      throw new AssertionError("no task is sent");
    }

    @Override
    public Transformation readTransformation(byte[] task) {
      throw new AssertionError("no task is sent");
    }
  }

  /** A node that enters epochs, recovers them and fetches entries. */
  final class Node implements MessagingService.Handler {
    final Member self;
    final MessagingService messaging;
    final TopologyDriver driver;
    final ReplicaTable replicas;
    final ProgressExchange progressExchange;
    final CopyExchange copyExchange;
    final EpochRecovery recoveries;
    final StateTransfer stateTransfer;
    final ScanServer scanServer;
    final MemoryAccount transferMemory = new MemoryAccount(transferBytes);
    private Topology before = Topology.NONE;

    Node(Member self, NodeStore store) {
      this.self = self;
      replicas =
          new ReplicaTable(
              new DecodedObjectCache(
                  new Codec(ClassAllowList.of(List.of()), Node.class.getClassLoader()),
                  new MemoryAccount(1 << 20)),
              new io.cantle.core.base.HybridLogicalClock(clock),
              clock,
              store,
              kind -> new HeapContainer());
      messaging = new MessagingService(network.transport(self), environment, this);
      driver = DriverFixture.driver(messaging, environment, 1, this::adopt);
      progressExchange = new ProgressExchange(messaging, driver, environment, replicas);
      ReplicaContext context =
          new ReplicaContext(messaging, driver, environment, replicas, progressExchange);
      copyExchange = new CopyExchange(context);
      recoveries = new EpochRecovery(context, copyExchange);
      stateTransfer = new StateTransfer(context);
      scanServer =
          new ScanServer(
              context,
              replica -> {},
              new NoTasks(),
              TransferProjection::new,
              new ScanMetrics(),
              new MemoryAccount(0),
              transferMemory);
      messaging.start();
      nodes.put(self.name(), this);
    }

    private void adopt(Topology topology) {
      List<ReplicaTable.ReplicaChange> changed = replicas.adopt(topology, before, self);
      before = topology;
      copyExchange.onTopologyAdopted(topology);
      recoveries.onEpochsEntered(topology, changed);
      stateTransfer.onEpochsEntered(changed);
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      switch (kind) {
        case EPOCH_ENTERED -> recoveries.onEntered(from, body);
        case CATCH_UP -> recoveries.onCatchUp(from, body);
        case COLLECT, COLLECTED, UPDATE_COPIES, COPIES_UPDATED ->
            copyExchange.onMessage(kind, from, body);
        case TRANSFER -> scanServer.onRequest(kind, from, request, body);
        case ENTER_EPOCH, CAUGHT_UP, COMMITTED -> handle(WireMessage.read(kind, body), from);
        default -> driver.onMessage(kind, from, body);
      }
    }

    private void handle(WireMessage message, Member from) {
      switch (message) {
        case EpochEntryRequest entry -> recoveries.onEnter(from, entry);
        case CatchUpNotice notice -> recoveries.onCaughtUp(from, notice);
        case CommitNotice notice -> progressExchange.onCommitNotice(notice);
        default -> throw new AssertionError(message);
      }
    }

    @Override
    public void onMembersChanged(List<Member> members) {
      driver.onViewChange(members);
    }

    Replica replica(int segment) {
      Replica replica = replicas.find(0, segment);
      if (replica == null) {
        throw new AssertionError("no segment " + segment + " at " + self);
      }
      return replica;
    }

    SegmentOwnership ownership(int segment) {
      return driver.current().ownership(0, segment);
    }

    /** The live entries of a segment, sorted. */
    List<String> contents(int segment) {
      List<String> contents = new ArrayList<>();
      replica(segment)
          .entries()
          .scan(
              SegmentCursor.START,
              entry -> {
                if (!entry.isTombstone()) {
                  contents.add(
                      new String(entry.bytes(), 0, entry.keyLength(), StandardCharsets.UTF_8));
                }
                return VisitResult.CONTINUE;
              });
      contents.sort(null);
      return contents;
    }
  }

  Node start(String name, ManualNodeStore store) {
    UUID id = ManualNetwork.member(name).id();
    return new Node(new Member(id, new UUID(1, id.getLeastSignificantBits()), name), store);
  }

  Node start(String name) {
    return new Node(ManualNetwork.member(name), NodeStore.NONE);
  }

  void view(Node... present) {
    Member[] members = new Member[present.length];
    for (int i = 0; i < present.length; i++) {
      members[i] = present[i].self;
    }
    network.showViewToAll(members);
  }

  void crash(Node node) {
    network.crash(node.self);
    node.driver.close();
    node.stateTransfer.close();
    nodes.values().remove(node);
  }

  /** Runs one task that would run on a thread of its own; returns false if there is none. */
  boolean runOne() {
    Runnable task = threads.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Lets everything happen that is due within a third of a second. */
  void settle() {
    advanceTime(300);
  }

  /** Lets time pass until silent nodes are excluded and their segments have moved. */
  void exclude() {
    advanceTime(2_500);
  }

  /**
   * Lets time pass. A transfer waits for its answers; while it is parked, messages and other tasks
   * are processed.
   */
  private void advanceTime(int millis) {
    for (int passed = 0, steps = 0; passed < millis; steps++) {
      if (steps > 100_000) {
        throw new IllegalStateException("tasks start new tasks without end");
      }
      deliverAll();
      Runnable task = threads.poll();
      if (task != null) {
        clock.whileParked.add(this::advanceToNextEvent);
        task.run();
        clock.whileParked.clear();
      } else {
        clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
        passed++;
      }
    }
  }

  private void deliverAll() {
    network.inFlight.removeIf(lost);
    for (int i = 0; network.deliver(); i++) {
      if (i > 100_000) {
        throw new IllegalStateException("messages cause messages without end");
      }
      network.inFlight.removeIf(lost);
    }
  }

  private void advanceToNextEvent() {
    clock.whileParked.add(this::advanceToNextEvent);
    if (parkedSteps++ > 1_000_000) {
      throw new IllegalStateException("a transfer does not end");
    }
    network.inFlight.removeIf(lost);
    if (network.deliver()) {
      return;
    }
    // Answers to transfers are short tasks; a second transfer may run inside the first one too.
    Runnable task = threads.poll();
    if (task != null) {
      task.run();
    } else {
      clock.advance(TimeUnit.MICROSECONDS.toNanos(500));
    }
  }

  /** Writes a key at the primary of a segment and at the named other writers. */
  void write(Node primary, int segment, String key, Node... reached) {
    write(primary, primary, segment, key, reached);
  }

  /** Writes a key of a scattered segment from a node, which then holds its second copy. */
  void scatter(Node primary, int segment, String key, Node origin) {
    write(primary, origin, segment, key, origin);
  }

  private void write(Node primary, Node origin, int segment, String key, Node... reached) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    byte[] both = (key + value).getBytes(StandardCharsets.UTF_8);
    sequence++;
    Replica replica = primary.replica(segment);
    int epoch = replica.state().epoch();
    long hashSeed = primary.driver.current().hashSeed();
    long life = primary.driver.current().membership().admissionNumber(origin.self);
    ExecuteResult outcome =
        replica.execute(
            () -> true,
            epoch,
            new CommandId(new SessionId(origin.self.id(), life), sequence, sequence, 1, 1),
            KeyHash.hash(hashSeed, bytes, 0, bytes.length),
            bytes,
            0,
            bytes.length,
            found -> CommandEffect.put(both, OperationResult.TRUE, false));
    if (!(outcome instanceof CommandOutcome.Written written)) {
      throw new AssertionError(outcome + " at " + primary.self);
    }
    for (Node node : reached) {
      Entry entry = written.write().entry();
      Entry copy =
          Entry.of(
              entry.hash(), entry.bytes(), entry.keyLength(), epoch, entry.index(), false, 0, null);
      OrderedWrite write =
          new OrderedWrite.CommandWrite(copy, written.write().command(), OperationResult.TRUE);
      Replica receiver = node.replica(segment);
      ApplyResult taken =
          receiver.applyReplicated(
              receiver.segmentWrite(written.committed(), write, written.route().chain()));
      if (taken != null) {
        replica.onAck(node.self, epoch, taken.applied());
      }
    }
  }
}
