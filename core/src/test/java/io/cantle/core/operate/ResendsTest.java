package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.HandReplica;
import io.cantle.core.replica.Peek;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.Seat;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.HandNetwork.Sent;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes, acknowledgements and notices that are lost on their way between two owners. */
final class ResendsTest {
  private final HandClock clock = new HandClock();
  private final HandNetwork network = new HandNetwork();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final Side primary = new Side("primary");
  private final Side backup = new Side("backup");
  private final Resends resends =
      new Resends(primary.requests, primary.keeper, world, primary.replicas);
  private long sequence;

  /** An owner of two segments. */
  private final class Side implements Requests.Handler {
    final Member self;
    final Requests requests;
    final TopologyKeeper keeper;
    final Codec codec = new Codec(AllowList.of(List.of()), ResendsTest.class.getClassLoader());
    final Replicas replicas =
        new Replicas(
            new Decoded(codec, 1 << 20), new io.cantle.core.base.HybridClock(clock), clock);
    final CommitNotices notices;
    final Acks acks;
    final Followers followers;

    Side(String name) {
      self = HandNetwork.member(name);
      requests = new Requests(network.transport(self), world, this);
      keeper =
          new TopologyKeeper(
              requests,
              world,
              new TopologyKeeper.Founding(
                  1, io.cantle.WhenCut.stop(), Seat.USUAL, Duration.ofSeconds(15)),
              topology -> replicas.adopt(topology, Topology.NONE, self),
              () -> {});
      notices = new CommitNotices(requests, keeper, world, replicas);
      acks = new Acks(requests, world, replicas, notices);
      followers = new Followers(requests, keeper, replicas, acks);
      requests.start();
    }

    void adopt(Topology topology) {
      Output out = new Output(64);
      topology.write(out);
      keeper.came(Kind.TOPOLOGY, self, out.toInput());
    }

    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      switch (kind) {
        case REPLICATE -> followers.came(from, body);
        case ACK -> acks.came(from, body);
        case COMMITTED -> notices.came(body);
        case COMMITTED_WANTED -> notices.asked(from, body);
        default -> {
          // What keepers say to each other is not what this is about.
        }
      }
    }

    @Override
    public void members(List<Member> members) {}

    Replica replica(int segment) {
      return Objects.requireNonNull(replicas.find(0, segment));
    }
  }

  @BeforeEach
  void open() {
    List<Member> owners = List.of(primary.self, backup.self);
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(2));
    Topology topology =
        HandTopology.of(
            1,
            HandReplica.SEED,
            owners,
            List.of(
                new CacheOwnership(
                    one, List.of(HandTopology.owned(1, owners), HandTopology.owned(1, owners)))));
    primary.adopt(topology);
    backup.adopt(topology);
    assertThat(primary.replica(0).serve(1) && primary.replica(1).serve(1)).isTrue();
    network.underWay.clear();
  }

  /** A write that is lost on its way to the backup. */
  private void write(int segment, int valueLength) {
    byte[] key = HandReplica.bytes("k" + sequence % 10);
    byte[] entry = java.util.Arrays.copyOf(key, key.length + valueLength);
    sequence++;
    primary
        .replica(segment)
        .execute(
            () -> true,
            1,
            new Command(new SessionId(primary.self.id(), 1), sequence, sequence, 1, 1),
            HandReplica.hash("k" + (sequence - 1) % 10),
            key,
            0,
            key.length,
            found -> Effect.put(entry, Result.TRUE, false));
    resends.due();
  }

  /** Whether the backup may answer from the first key written. */
  private Peek.Status statusAtBackup() {
    byte[] key = HandReplica.bytes("k0");
    return backup.replica(0).peek(HandReplica.hash("k0"), key, 0, key.length).status();
  }

  private List<Sent> sent(Kind kind) {
    return network.underWay.stream().filter(one -> one.kind() == kind).toList();
  }

  private void millis(long count) {
    clock.advance(TimeUnit.MILLISECONDS.toNanos(count));
  }

  @Test
  void whatIsNotAcknowledgedAfterAWhileIsSentAgain() {
    write(0, 3);
    write(1, 3);
    millis(200);
    assertThat(sent(Kind.REPLICATE)).as("it may still come").isEmpty();
    millis(200);
    assertThat(sent(Kind.REPLICATE)).hasSize(2);
    network.deliverAll();
    assertThat(primary.replica(0).waits() || primary.replica(1).waits()).isFalse();
    assertThat(backup.replica(0).log(0, 0).applied()).isEqualTo(1);
    millis(1_000);
    assertThat(sent(Kind.REPLICATE)).isEmpty();
  }

  @Test
  void aLostAcknowledgementIsMadeUpForTheSameWay() {
    write(0, 3);
    millis(400);
    Sent again = Objects.requireNonNull(network.take(one -> one.kind() == Kind.REPLICATE));
    network.deliver(again);
    network.underWay.clear();
    assertThat(primary.replica(0).waits()).isTrue();
    millis(400);
    network.deliverAll();
    assertThat(primary.replica(0).waits()).isFalse();
    assertThat(backup.replica(0).log(0, 0).applied()).as("taken once").isEqualTo(1);
  }

  @Test
  void itGoesOnUntilItHasArrived() {
    write(0, 3);
    for (int i = 0; i < 20; i++) {
      millis(200);
      network.underWay.clear();
    }
    assertThat(primary.replica(0).waits()).isTrue();
    millis(400);
    network.deliverAll();
    assertThat(primary.replica(0).waits()).isFalse();
  }

  @Test
  void manyWritesGoInMessagesAnyThreadMaySend() {
    for (int i = 0; i < 100; i++) {
      write(0, 1_000);
    }
    millis(400);
    List<Sent> again = sent(Kind.REPLICATE);
    assertThat(again).hasSizeGreaterThan(5);
    assertThat(again)
        .allSatisfy(one -> assertThat(one.bytes().length).isLessThanOrEqualTo(16 << 10));
    network.deliverAll();
    assertThat(backup.replica(0).log(0, 0).applied()).isEqualTo(100);
    assertThat(primary.replica(0).waits()).isFalse();
  }

  @Test
  void ofVeryManyOnlySomeAreSentAtOnceAndTheRestLater() {
    for (int i = 0; i < 1_000; i++) {
      write(0, 10);
    }
    millis(400);
    network.deliverAll();
    long first = backup.replica(0).log(0, 0).applied();
    assertThat(first).isPositive().isLessThan(1_000);
    for (int i = 0; i < 20; i++) {
      millis(200);
      network.deliverAll();
    }
    assertThat(backup.replica(0).log(0, 0).applied()).isEqualTo(1_000);
  }

  @Test
  void nothingIsCalledCommittedByBeingSentAgain() {
    write(0, 3);
    write(0, 3);
    millis(400);
    Sent again = Objects.requireNonNull(network.take(one -> one.kind() == Kind.REPLICATE));
    network.deliver(again);
    assertThat(statusAtBackup()).isEqualTo(Peek.Status.DIRTY);
  }

  // ------------------------------------------------------------------ how writes have ended

  @Test
  void aBackupThatIsNotToldHowWritesEndedAsks() {
    write(0, 3);
    millis(400);
    network.deliverAll();
    network.underWay.clear();
    assertThat(statusAtBackup()).isEqualTo(Peek.Status.DIRTY);
    backup.notices.watch();
    millis(500);
    assertThat(sent(Kind.COMMITTED_WANTED))
        .as("about both segments at once: whether the other is served it does not know either")
        .hasSize(1);
    network.deliverAll();
    assertThat(statusAtBackup()).isEqualTo(Peek.Status.CLEAN);
    assertThat(backup.replica(1).state().serving()).isTrue();
    millis(2_000);
    assertThat(sent(Kind.COMMITTED_WANTED)).isEmpty();
  }

  @Test
  void aQuestionThatIsLostIsAskedAgain() {
    backup.notices.watch();
    for (int i = 0; i < 5; i++) {
      millis(500);
      assertThat(sent(Kind.COMMITTED_WANTED)).hasSize(1);
      network.underWay.clear();
    }
    millis(500);
    network.deliverAll();
    assertThat(backup.replica(0).state().serving()).isTrue();
  }

  @Test
  void whoIsNotThePrimaryAtWorkAnswersNothing() {
    Output out = new Output(16);
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeVarint(2);
    out.writeVarint(0);
    out.writeVarint(9);
    out.writeVarint(1);
    primary.notices.asked(backup.self, out.toInput());
    assertThat(sent(Kind.COMMITTED)).isEmpty();
  }

  @Test
  void aClosedNodeAsksNothing() {
    backup.notices.watch();
    backup.notices.close();
    millis(2_000);
    assertThat(sent(Kind.COMMITTED_WANTED)).isEmpty();
  }
}
