package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.Acknowledgement;
import io.cantle.core.wire.ReplicationMessage.AcknowledgementRequest;
import io.cantle.core.wire.WireMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how a primary learns a backup's progress: soon, or at once if a caller waits. */
final class ProgressExchangeTest {
  private final ManualClock clock = new ManualClock();
  private final ManualNetwork network = new ManualNetwork();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final List<String> events = new ArrayList<>();
  private final Side primary = new Side("primary");
  private final Side backup = new Side("backup");
  private long sequence;

  private final class Side implements MessagingService.Handler {
    final Member self;
    final ReplicaTable replicas =
        new ReplicaTable(
            new DecodedObjectCache(
                new Codec(
                    ClassAllowList.of(List.of()), ProgressExchangeTest.class.getClassLoader()),
                new MemoryAccount(1 << 20)),
            new io.cantle.core.base.HybridLogicalClock(clock),
            clock,
            NodeStore.NONE,
            kind -> new HeapContainer());
    final MessagingService messaging;
    final ProgressExchange progressExchange;

    Side(String name) {
      self = ManualNetwork.member(name);
      messaging = new MessagingService(network.transport(self), environment, this);
      TopologyDriver driver = DriverFixture.driver(messaging, environment, 1);
      progressExchange = new ProgressExchange(messaging, driver, environment, replicas);
      messaging.start();
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      switch (WireMessage.read(kind, body)) {
        case Acknowledgement acknowledgement -> progressExchange.onAck(from, acknowledgement);
        case AcknowledgementRequest asked -> progressExchange.onAckRequest(from, asked);
        default -> throw new AssertionError(kind);
      }
    }

    @Override
    public void onMembersChanged(List<Member> members) {}

    Replica replica(int segment) {
      return Objects.requireNonNull(replicas.find(0, segment));
    }
  }

  @BeforeEach
  void open() {
    List<Member> owners = List.of(primary.self, backup.self);
    SegmentOwnership ownership = TopologyFixture.owned(1, owners);
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(2));
    Topology topology =
        TopologyFixture.of(
            1,
            ManualReplica.SEED,
            owners,
            List.of(new CacheOwnership(0, 0, one, List.of(ownership, ownership))));
    primary.replicas.adopt(topology, Topology.NONE, primary.self);
    backup.replicas.adopt(topology, Topology.NONE, backup.self);
    assertThat(primary.replica(0).serveEpoch(1) && primary.replica(1).serveEpoch(1)).isTrue();
  }

  /** Writes at the primary and at the backup; returns how far the backup has come. */
  private long write(int segment) {
    byte[] key = ManualReplica.bytes("k");
    sequence++;
    ExecuteResult outcome =
        primary
            .replica(segment)
            .execute(
                () -> true,
                1,
                new CommandId(new SessionId(backup.self.id(), 1), sequence, sequence, 1, 1),
                7,
                key,
                0,
                1,
                found -> CommandEffect.put(key.clone(), OperationResult.TRUE, false));
    OrderedWrite write = ((CommandOutcome.Written) outcome).write();
    OrderedWrite read = ManualReplica.throughTheWire(List.of(write)).getFirst();
    Replica to = backup.replica(segment);
    return Objects.requireNonNull(to.applyReplicated(to.segmentWrite(0, read, null))).applied();
  }

  private void await(int segment, long index) {
    primary.progressExchange.notifyOnceCommitted(
        primary.replica(segment),
        1,
        index,
        isCommitted -> events.add(isCommitted ? "committed " + index : "refused"));
  }

  @Test
  void acknowledgementOfAGridThatWasLeftIsDropped() {
    long left = backup.messaging.gridTag();
    backup.progressExchange.acknowledgeSoon(left, primary.self, backup.replica(0), 1, write(0));
    backup.messaging.enterGrid(new UUID(1, 2), false, List.of());
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(network.inFlight).as("the grid was left before it was sent").isEmpty();
    long present = backup.messaging.gridTag();
    backup.progressExchange.acknowledgeSoon(present, primary.self, backup.replica(1), 1, write(1));
    backup.progressExchange.acknowledgeSoon(left, primary.self, backup.replica(0), 1, write(0));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    primary.messaging.enterGrid(new UUID(1, 2), false, List.of());
    network.deliverAll();
    assertThat(primary.replica(1).progress().hasUnacknowledgedWrites()).isFalse();
    assertThat(primary.replica(0).progress().hasUnacknowledgedWrites()).isTrue();
  }

  @Test
  void acknowledgementsAreBatched() {
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, write(0));
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, write(0));
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(1), 1, write(1));
    assertThat(network.inFlight).isEmpty();
    assertThat(clock.pendingTimers()).isEqualTo(1);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(network.inFlight)
        .singleElement()
        .extracting(ManualNetwork.SentMessage::kind)
        .isEqualTo(MessageKind.ACK);
    network.deliverAll();
    await(0, 2);
    await(1, 1);
    assertThat(events).containsExactly("committed 2", "committed 1");
    assertThat(network.inFlight).as("no acknowledgement has to be requested").isEmpty();
  }

  /** There may be an epoch of that number in both grids, with other writes. */
  @Test
  void acknowledgementIsNotCountedInAnotherGrid() {
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, write(0));
    UUID next = new UUID(5, 6);
    primary.messaging.enterGrid(next, false, List.of());
    backup.messaging.enterGrid(next, false, List.of());
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    network.deliverAll();
    await(0, 1);
    assertThat(events).isEmpty();
  }

  @Test
  void waitingReaderRequestsAcknowledgementsAtOnce() {
    long index = write(0);
    await(0, index);
    assertThat(events).isEmpty();
    network.deliverAll();
    assertThat(events).containsExactly("committed 1");
  }

  @Test
  void pastEpochIsNotAcknowledged() {
    long index = write(0);
    await(0, index);
    List<Member> owners = List.of(backup.self);
    SegmentOwnership next = TopologyFixture.owned(2, owners);
    assertThat(
            backup.replica(0).enterEpoch(next, backup.self, Topology.NONE.gridDefinition(), true))
        .isTrue();
    network.deliverAll();
    assertThat(events).isEmpty();
    assertThat(
            primary.replica(0).enterEpoch(next, primary.self, Topology.NONE.gridDefinition(), true))
        .isTrue();
    primary.replica(0).performEffects();
    assertThat(events).containsExactly("refused");
  }

  @Test
  void nextAcknowledgementIsScheduledAfterEachBatch() {
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, write(0));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, write(0));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(network.inFlight).hasSize(2);
    network.deliverAll();
    await(0, 2);
    assertThat(events).containsExactly("committed 2");
  }

  @Test
  void olderAcknowledgementDoesNotReplaceNewer() {
    long first = write(0);
    long second = write(0);
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, second);
    backup.progressExchange.acknowledgeSoon(0, primary.self, backup.replica(0), 1, first);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    network.deliverAll();
    await(0, second);
    assertThat(events).containsExactly("committed 2");
  }
}
