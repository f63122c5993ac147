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
import io.cantle.core.wire.ReplicationMessage.CommitNotice;
import io.cantle.core.wire.WireMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests all replicas of a node: entering the epochs of a topology, and commit notices. */
final class ReplicaTableTest {
  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ReplicaTable replicas =
      new ReplicaTable(
          new DecodedObjectCache(
              new Codec(ClassAllowList.of(List.of()), ReplicaTableTest.class.getClassLoader()),
              new MemoryAccount(1 << 20)),
          new io.cantle.core.base.HybridLogicalClock(new io.cantle.core.base.ManualClock()),
          new io.cantle.core.base.ManualClock(),
          NodeStore.NONE,
          kind -> new HeapContainer());

  private Topology topology(long number, int[] epochs, Member... owners) {
    List<SegmentOwnership> segments = new ArrayList<>();
    for (int epoch : epochs) {
      segments.add(TopologyFixture.owned(epoch, owners));
    }
    CacheDefinition one =
        new CacheDefinition("one", CacheConfig.distributed().segments(epochs.length));
    return TopologyFixture.of(
        number,
        ManualReplica.SEED,
        List.of(a.self, b.self),
        List.of(new CacheOwnership(0, 0, one, segments)));
  }

  @Test
  void onlyReplicasWithANewEpochChange() {
    assertThat(replicas.find(0, 0)).isNull();
    Topology first = topology(1, new int[] {1, 1, 1}, a.self, b.self);
    assertThat(replicas.adopt(first, Topology.NONE, a.self)).hasSize(3);
    Topology second = topology(2, new int[] {1, 2, 1}, a.self);
    assertThat(replicas.adopt(second, first, a.self))
        .singleElement()
        .satisfies(
            changed -> {
              assertThat(changed.replica()).isSameAs(replicas.find(0, 1));
              assertThat(changed.ownership()).isEqualTo(second.ownership(0, 1));
            });
    assertThat(replicas.find(0, 3)).isNull();
    assertThat(replicas.find(1, 0)).isNull();
    replicas.leaveGrid(first);
    assertThat(replicas.find(0, 0)).isNull();
  }

  @Test
  void sessionsOfFormerMembersAreDropped() {
    Topology first = topology(1, new int[] {1}, a.self);
    replicas.adopt(first, Topology.NONE, a.self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serveEpoch(1);
    CommandId command = new CommandId(new SessionId(b.self.id(), 1), 1, 1, 1, 1);
    byte[] key = ManualReplica.bytes("k");
    replica.execute(
        () -> true,
        1,
        command,
        5,
        key,
        0,
        1,
        found -> CommandEffect.put(key.clone(), OperationResult.TRUE, false));
    Topology same = TopologyFixture.next(first, a.self, b.self);
    replicas.adopt(same, first, a.self);
    assertThat(
            replica.execute(
                () -> true,
                1,
                command,
                5,
                key,
                0,
                1,
                found -> CommandEffect.none(OperationResult.FALSE)))
        .isEqualTo(new CommandOutcome.ResultOnly(1, 1, OperationResult.TRUE));
    Topology gone = TopologyFixture.next(same, a.self);
    replicas.adopt(gone, same, a.self);
    assertThat(
            replica.execute(
                () -> true,
                1,
                command,
                5,
                key,
                0,
                1,
                found -> CommandEffect.none(OperationResult.FALSE)))
        .as("its result is dropped, so it must not be executed again")
        .isEqualTo(new CommandOutcome.Forgotten());
    Topology back = TopologyFixture.next(gone, a.self, b.self);
    replicas.adopt(back, gone, a.self);
    assertThat(
            replica.execute(
                () -> true,
                1,
                command,
                5,
                key,
                0,
                1,
                found -> CommandEffect.none(OperationResult.FALSE)))
        .as("the session of another incarnation")
        .isEqualTo(new CommandOutcome.Forgotten());
    long life = back.membership().admissionNumber(b.self);
    assertThat(execute(replica, new SessionId(b.self.id(), life)))
        .isEqualTo(new CommandOutcome.ResultOnly(1, 1, OperationResult.FALSE));
  }

  @Test
  void commandsOfNonMembersAreRefused() {
    Topology first = topology(1, new int[] {1}, a.self);
    replicas.adopt(first, Topology.NONE, a.self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serveEpoch(1);
    Member stranger = ManualNetwork.member("stranger");
    for (SessionId none :
        List.of(
            new SessionId(stranger.id(), 0),
            new SessionId(b.self.id(), 0),
            new SessionId(b.self.id(), 2))) {
      assertThat(execute(replica, none)).isEqualTo(new CommandOutcome.Forgotten());
    }
    assertThat(execute(replica, new SessionId(stranger.id(), 1)))
        .isEqualTo(new CommandOutcome.Forgotten());
    assertThat(execute(replica, new SessionId(b.self.id(), 1)))
        .isEqualTo(new CommandOutcome.ResultOnly(1, 0, OperationResult.FALSE));
  }

  private static CommandOutcome execute(Replica replica, SessionId session) {
    CommandId command = new CommandId(session, 1, 1, 1, 1);
    byte[] key = ManualReplica.bytes("k");
    return (CommandOutcome)
        replica.execute(
            () -> true,
            1,
            command,
            5,
            key,
            0,
            1,
            found -> CommandEffect.none(OperationResult.FALSE));
  }

  @Test
  void oneCommitNoticeCoversAllSegments() {
    ManualClock clock = new ManualClock();
    ManualNetwork network = new ManualNetwork();
    Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
    ReplicaTable others =
        new ReplicaTable(
            new DecodedObjectCache(
                new Codec(ClassAllowList.of(List.of()), ReplicaTableTest.class.getClassLoader()),
                new MemoryAccount(1 << 20)),
            new io.cantle.core.base.HybridLogicalClock(new io.cantle.core.base.ManualClock()),
            new io.cantle.core.base.ManualClock(),
            NodeStore.NONE,
            kind -> new HeapContainer());
    MessagingService messaging =
        new MessagingService(
            network.transport(a.self), environment, new Nothing(CommitNotice::committed));
    ProgressExchange progressExchange =
        new ProgressExchange(messaging, keeper(messaging, environment), environment, replicas);
    ProgressExchange atBackup =
        new ProgressExchange(messaging, keeper(messaging, environment), environment, others);
    MessagingService backup =
        new MessagingService(
            network.transport(b.self), environment, new Nothing(atBackup::onCommitNotice));
    messaging.start();
    backup.start();
    Topology topology = topology(1, new int[] {1, 1, 1}, a.self, b.self);
    replicas.adopt(topology, Topology.NONE, a.self);
    others.adopt(topology, Topology.NONE, b.self);
    for (int segment = 0; segment < 3; segment++) {
      Replica replica = Objects.requireNonNull(replicas.find(0, segment));
      replica.serveEpoch(1);
    }
    progressExchange.notifySoon();
    progressExchange.notifySoon();
    assertThat(clock.pendingTimers()).isEqualTo(1);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(network.inFlight)
        .singleElement()
        .extracting(ManualNetwork.SentMessage::kind)
        .isEqualTo(MessageKind.COMMITTED);
    network.deliverAll();
    for (int segment = 0; segment < 3; segment++) {
      Replica replica = Objects.requireNonNull(others.find(0, segment));
      assertThat(replica.state().isServing()).isTrue();
    }
    progressExchange.notifySoon();
    clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(network.inFlight).as("there is no new commit index to send").isEmpty();
    progressExchange.notifySoon();
    progressExchange.close();
    clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(network.inFlight).isEmpty();
  }

  private static TopologyDriver keeper(MessagingService messaging, Environment environment) {
    return DriverFixture.driver(messaging, environment, 1);
  }

  private record Nothing(java.util.function.Consumer<CommitNotice> committed)
      implements MessagingService.Handler {
    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      assertThat(kind).isEqualTo(MessageKind.COMMITTED);
      committed.accept((CommitNotice) WireMessage.read(kind, body));
    }

    @Override
    public void onMembersChanged(List<Member> members) {}
  }
}
