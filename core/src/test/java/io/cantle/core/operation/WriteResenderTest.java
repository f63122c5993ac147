package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.TestEnvironment;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ProgressExchange;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.ManualNetwork.SentMessage;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.Acknowledgement;
import io.cantle.core.wire.ReplicationMessage.CommitNotice;
import io.cantle.core.wire.ReplicationMessage.CommitQuery;
import io.cantle.core.wire.WireMessage;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests writes, acknowledgements and commit notices that are lost between two owners. */
final class WriteResenderTest {
  private final ManualClock clock = new ManualClock();
  private final ManualNetwork network = new ManualNetwork();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final Side primary = new Side("primary");
  private final Side backup = new Side("backup");
  private final WriteResender resender = new WriteResender(primary.context);
  private long sequence;

  /** An owner of two segments. */
  private final class Side implements MessagingService.Handler {
    final Member self;
    final MessagingService messaging;
    final TopologyDriver driver;
    final Codec codec =
        new Codec(ClassAllowList.of(List.of()), WriteResenderTest.class.getClassLoader());
    final ReplicaTable replicas =
        new ReplicaTable(
            new DecodedObjectCache(codec, new MemoryAccount(1 << 20)),
            new io.cantle.core.base.HybridLogicalClock(clock),
            clock,
            NodeStore.NONE,
            kind -> new HeapContainer());
    final ProgressExchange progressExchange;
    final ReplicaContext context;
    final ReplicationHandler replicationHandler;

    Side(String name) {
      self = ManualNetwork.member(name);
      messaging = new MessagingService(network.transport(self), environment, this);
      driver =
          DriverFixture.driver(
              messaging, environment, 1, topology -> replicas.adopt(topology, Topology.NONE, self));
      progressExchange = new ProgressExchange(messaging, driver, environment, replicas);
      context = new ReplicaContext(messaging, driver, environment, replicas, progressExchange);
      replicationHandler = new ReplicationHandler(context);
      messaging.start();
    }

    void adopt(Topology topology) {
      Output out = new Output(64);
      topology.write(out);
      driver.onMessage(MessageKind.TOPOLOGY, self, out.toInput());
    }

    @Override
    public void handle(MessageKind kind, Member from, long request, Input body) {
      switch (kind) {
        case REPLICATE -> replicationHandler.onReplicate(from, body, false);
        case ACK -> progressExchange.onAck(from, (Acknowledgement) WireMessage.read(kind, body));
        case COMMITTED ->
            progressExchange.onCommitNotice((CommitNotice) WireMessage.read(kind, body));
        case COMMITTED_REQUEST ->
            progressExchange.onCommitQuery(from, (CommitQuery) WireMessage.read(kind, body));
        default -> {
          // Messages between topology drivers do not matter in this test.
        }
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
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(2));
    Topology topology =
        TopologyFixture.of(
            1,
            ManualReplica.SEED,
            owners,
            List.of(
                new CacheOwnership(
                    0,
                    0,
                    one,
                    List.of(TopologyFixture.owned(1, owners), TopologyFixture.owned(1, owners)))));
    primary.adopt(topology);
    backup.adopt(topology);
    assertThat(primary.replica(0).serveEpoch(1) && primary.replica(1).serveEpoch(1)).isTrue();
    network.inFlight.clear();
  }

  /** Makes a write whose message to the backup is lost. */
  private void write(int segment, int valueLength) {
    byte[] key = ManualReplica.bytes("k" + sequence % 10);
    byte[] entry = java.util.Arrays.copyOf(key, key.length + valueLength);
    sequence++;
    primary
        .replica(segment)
        .execute(
            () -> true,
            1,
            new CommandId(new SessionId(primary.self.id(), 1), sequence, sequence, 1, 1),
            ManualReplica.hash("k" + (sequence - 1) % 10),
            key,
            0,
            key.length,
            found -> CommandEffect.put(entry, OperationResult.TRUE, false));
    resender.scheduleResend();
  }

  /** Whether the backup may answer a read of the first key written. */
  private LocalRead.Status statusAtBackup() {
    byte[] key = ManualReplica.bytes("k0");
    return backup.replica(0).readLocally(ManualReplica.hash("k0"), key, 0, key.length).status();
  }

  private List<SentMessage> sent(MessageKind kind) {
    return network.inFlight.stream().filter(one -> one.kind() == kind).toList();
  }

  private void millis(long count) {
    clock.advance(TimeUnit.MILLISECONDS.toNanos(count));
  }

  @Test
  void unacknowledgedWriteIsResent() {
    write(0, 3);
    write(1, 3);
    millis(200);
    assertThat(sent(MessageKind.REPLICATE)).as("the acknowledgement may still arrive").isEmpty();
    millis(200);
    assertThat(sent(MessageKind.REPLICATE)).hasSize(2);
    network.deliverAll();
    assertThat(
            primary.replica(0).progress().hasUnacknowledgedWrites()
                || primary.replica(1).progress().hasUnacknowledgedWrites())
        .isFalse();
    assertThat(backup.replica(0).summarizeLog(0, 0).applied()).isEqualTo(1);
    millis(1_000);
    assertThat(sent(MessageKind.REPLICATE)).isEmpty();
  }

  @Test
  void lostAcknowledgementIsRecoveredByResending() {
    write(0, 3);
    millis(400);
    SentMessage again =
        Objects.requireNonNull(network.takeFirst(one -> one.kind() == MessageKind.REPLICATE));
    network.deliver(again);
    network.inFlight.clear();
    assertThat(primary.replica(0).progress().hasUnacknowledgedWrites()).isTrue();
    millis(400);
    network.deliverAll();
    assertThat(primary.replica(0).progress().hasUnacknowledgedWrites()).isFalse();
    assertThat(backup.replica(0).summarizeLog(0, 0).applied()).as("taken once").isEqualTo(1);
  }

  @Test
  void resendingContinuesUntilAcknowledged() {
    write(0, 3);
    for (int i = 0; i < 20; i++) {
      millis(200);
      network.inFlight.clear();
    }
    assertThat(primary.replica(0).progress().hasUnacknowledgedWrites()).isTrue();
    millis(400);
    network.deliverAll();
    assertThat(primary.replica(0).progress().hasUnacknowledgedWrites()).isFalse();
  }

  @Test
  void manyWritesAreSplitIntoSmallMessages() {
    for (int i = 0; i < 100; i++) {
      write(0, 1_000);
    }
    millis(400);
    List<SentMessage> again = sent(MessageKind.REPLICATE);
    assertThat(again).hasSizeGreaterThan(5);
    assertThat(again)
        .allSatisfy(one -> assertThat(one.bytes().length).isLessThanOrEqualTo(16 << 10));
    network.deliverAll();
    assertThat(backup.replica(0).summarizeLog(0, 0).applied()).isEqualTo(100);
    assertThat(primary.replica(0).progress().hasUnacknowledgedWrites()).isFalse();
  }

  @Test
  void resentWritesAreLimitedPerRound() {
    for (int i = 0; i < 1_000; i++) {
      write(0, 10);
    }
    millis(400);
    network.deliverAll();
    long first = backup.replica(0).summarizeLog(0, 0).applied();
    assertThat(first).isPositive().isLessThan(1_000);
    for (int i = 0; i < 20; i++) {
      millis(200);
      network.deliverAll();
    }
    assertThat(backup.replica(0).summarizeLog(0, 0).applied()).isEqualTo(1_000);
  }

  @Test
  void resendingCommitsNothing() {
    write(0, 3);
    write(0, 3);
    millis(400);
    SentMessage again =
        Objects.requireNonNull(network.takeFirst(one -> one.kind() == MessageKind.REPLICATE));
    network.deliver(again);
    assertThat(statusAtBackup()).isEqualTo(LocalRead.Status.DIRTY);
  }

  // ------------------------------------------------------------------ commit queries

  @Test
  void backupQueriesTheCommitIndex() {
    write(0, 3);
    millis(400);
    network.deliverAll();
    network.inFlight.clear();
    assertThat(statusAtBackup()).isEqualTo(LocalRead.Status.DIRTY);
    backup.progressExchange.startQuerying();
    millis(500);
    assertThat(sent(MessageKind.COMMITTED_REQUEST))
        .as("one query for both segments: it does not know either whether the other is served")
        .hasSize(1);
    network.deliverAll();
    assertThat(statusAtBackup()).isEqualTo(LocalRead.Status.CLEAN);
    assertThat(backup.replica(1).state().isServing()).isTrue();
    millis(2_000);
    assertThat(sent(MessageKind.COMMITTED_REQUEST)).isEmpty();
  }

  @Test
  void lostCommitQueryIsRepeated() {
    backup.progressExchange.startQuerying();
    for (int i = 0; i < 5; i++) {
      millis(500);
      assertThat(sent(MessageKind.COMMITTED_REQUEST)).hasSize(1);
      network.inFlight.clear();
    }
    millis(500);
    network.deliverAll();
    assertThat(backup.replica(0).state().isServing()).isTrue();
  }

  @Test
  void onlyTheActivePrimaryAnswersCommitQueries() {
    primary.progressExchange.onCommitQuery(
        backup.self,
        new CommitQuery(List.of(new SegmentEpoch(0, 0, 2), new SegmentEpoch(0, 9, 1))));
    assertThat(sent(MessageKind.COMMITTED)).isEmpty();
  }

  @Test
  void closedNodeSendsNoQueries() {
    backup.progressExchange.startQuerying();
    backup.progressExchange.close();
    millis(2_000);
    assertThat(sent(MessageKind.COMMITTED_REQUEST)).isEmpty();
  }
}
