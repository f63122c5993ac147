package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.Lifetime;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ExecuteResult;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ProgressExchange;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.transport.ResponseHandler;
import io.cantle.core.wire.CallMessage.ReadRequest;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one node, "self", that its operations need. Only the topology driver handles
 * messages that arrive; a read that arrives is never answered.
 *
 * <p><b>Threading:</b> as the test says.
 */
final class OperationFixture {
  final ManualClock clock = new ManualClock();
  final Member self = ManualNetwork.member("self");
  final ManualNetwork network = new ManualNetwork();
  final Codec codec =
      new Codec(ClassAllowList.of(List.of()), OperationFixture.class.getClassLoader());
  final Environment environment;
  final MessagingService messaging;
  final TopologyDriver driver;
  final ReplicaTable replicas;
  final ReplicaContext context;
  private final EntryExpirer entryExpirer;
  private final EntryEvictor entryEvictor;

  OperationFixture(Executor threads, int initialMembers, NodeStore store) {
    this(threads, initialMembers, store, HeapContainer::new);
  }

  OperationFixture(
      Executor threads, int initialMembers, NodeStore store, Supplier<Container> containers) {
    environment = TestEnvironment.of(clock, threads, new Random(1));
    messaging =
        new MessagingService(
            network.transport(self),
            environment,
            (MessageOnlyHandler) (kind, from, request, body) -> onMessage(kind, from, body));
    driver = DriverFixture.driver(messaging, environment, initialMembers);
    replicas =
        new ReplicaTable(
            new DecodedObjectCache(codec, new MemoryAccount(1 << 20)),
            new HybridLogicalClock(clock),
            clock,
            store,
            kind -> containers.get());
    context =
        new ReplicaContext(
            messaging,
            driver,
            environment,
            replicas,
            new ProgressExchange(messaging, driver, environment, replicas));
    entryExpirer = new EntryExpirer(context);
    entryEvictor = new EntryEvictor(context, entryExpirer);
  }

  private void onMessage(MessageKind kind, Member from, Input body) {
    if (kind != MessageKind.READ) {
      driver.onMessage(kind, from, body);
    }
  }

  WriteHandler writeHandler(ConflictResolver conflictResolver) {
    return new WriteHandler(context, entryExpirer, entryEvictor, codec, conflictResolver);
  }

  BulkWriteHandler bulkWriteHandler(WriteHandler writeHandler) {
    return new BulkWriteHandler(context, writeHandler, entryEvictor);
  }

  ReadHandler readHandler() {
    return new ReadHandler(context, entryExpirer);
  }

  /** Forms a grid of this node alone, which then holds its lease. */
  void formGrid() {
    messaging.start();
    messaging.onMembersChanged(List.of(self));
    driver.onViewChange(List.of(self));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(10));
  }

  /** Forms a grid whose only cache has one segment of these owners, and serves that segment. */
  void formGrid(CacheDefinition cache, Member... owners) {
    formGrid();
    Topology founded = driver.current();
    Topology next =
        TopologyFixture.written(
            new Topology(
                founded.number() + 1,
                founded.gridDefinition(),
                founded.membership(),
                CacheCatalog.of(
                    List.of(
                        new CacheOwnership(
                            0, 0, cache, List.of(TopologyFixture.owned(1, owners)))))));
    Output out = new Output(64);
    next.write(out);
    driver.onMessage(MessageKind.TOPOLOGY, self, out.toInput());
    replicas.adopt(driver.current(), Topology.NONE, self);
    replica().serveEpoch(1);
  }

  /** Brings the only segment into another epoch, with these owners, and serves it. */
  void formNext(CacheDefinition cache, int epoch, Member... owners) {
    Topology before = driver.current();
    Topology next =
        new Topology(
            before.number() + 1,
            before.gridDefinition(),
            before.membership(),
            CacheCatalog.of(
                List.of(
                    new CacheOwnership(
                        0, 0, cache, List.of(TopologyFixture.owned(epoch, owners))))));
    Output out = new Output(64);
    next.write(out);
    driver.onMessage(MessageKind.TOPOLOGY, self, out.toInput());
    replicas.adopt(driver.current(), before, self);
    replica().serveEpoch(epoch);
  }

  /** The replica of the only segment. */
  Replica replica() {
    return Objects.requireNonNull(replicas.find(0, 0));
  }

  long hash(byte[] key) {
    return KeyHash.hash(driver.current().hashSeed(), key, 0, key.length);
  }

  /**
   * Writes an entry, with the next command of a session; the value follows the key in its bytes.
   */
  void write(SessionId session, long sequence, String key, String value, Lifetime lifetime) {
    byte[] bytes = ManualReplica.bytes(key);
    CommandEffect put =
        CommandEffect.put(ManualReplica.bytes(key + value), OperationResult.TRUE, false)
            .withLifetime(lifetime);
    ExecuteResult result =
        replica()
            .execute(
                () -> true,
                replica().state().epoch(),
                new CommandId(session, sequence, sequence, 1, 1),
                hash(bytes),
                bytes,
                0,
                bytes.length,
                found -> put);
    assertThat(result).isInstanceOf(CommandOutcome.Written.class);
  }

  /** Waits until the values of these keys are on disk only. */
  void evict(ManualNodeStore disk, String... keys) {
    flush(disk);
    for (String key : keys) {
      byte[] bytes = ManualReplica.bytes(key);
      assertThat(replica().readLocally(hash(bytes), bytes, 0, bytes.length).evictedEntry())
          .isNotNull();
    }
  }

  /** Lets a disk write what is pending, and the node do what follows. */
  void flush(ManualNodeStore disk) {
    for (int i = 0; i < 5; i++) {
      disk.flushPending();
      clock.advance(1);
    }
  }

  /** Asks this node for the entry of a key; the handler is given null if the read is refused. */
  void read(
      ReadHandler readHandler,
      String key,
      boolean wantsValue,
      Consumer<@Nullable OperationResult> onResult) {
    readHandler.onRead(
        self,
        messaging.register(readResponse(onResult)),
        new ReadRequest(
            driver.current().number(), 0, 0, wantsValue, ByteSlice.of(ManualReplica.bytes(key))));
  }

  private static ResponseHandler readResponse(Consumer<@Nullable OperationResult> onResult) {
    return new ResponseHandler() {
      @Override
      public void onResponse(Member from, Input body) {
        if (body.readByte() == OperationReply.REFUSED) {
          onResult.accept(null);
          return;
        }
        body.readVarint();
        body.readVarint();
        onResult.accept(OperationResult.read(body));
      }

      @Override
      public void wake() {}
    };
  }
}
