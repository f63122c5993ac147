package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** All replicas of a node: entering what a topology says, and telling backups how far all are. */
final class ReplicasTest {
  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final Replicas replicas =
      new Replicas(
          new Decoded(
              new Codec(AllowList.of(List.of()), ReplicasTest.class.getClassLoader()), 1 << 20),
          new io.cantle.core.base.HybridClock(new io.cantle.core.base.HandClock()),
          new io.cantle.core.base.HandClock());

  private Topology topology(long number, int[] epochs, Member... owners) {
    List<Ownership> segments = new ArrayList<>();
    for (int epoch : epochs) {
      segments.add(HandTopology.owned(epoch, owners));
    }
    CacheDefinition one =
        new CacheDefinition("one", CacheConfig.distributed().segments(epochs.length));
    return HandTopology.of(
        number,
        HandReplica.SEED,
        List.of(a.self, b.self),
        List.of(new CacheOwnership(one, segments)));
  }

  @Test
  void onlyThoseWhoseEpochIsNewChange() {
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
    replicas.forget(first);
    assertThat(replicas.find(0, 0)).isNull();
  }

  @Test
  void sessionsOfMembersThatAreGoneAreDropped() {
    Topology first = topology(1, new int[] {1}, a.self);
    replicas.adopt(first, Topology.NONE, a.self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serve(1);
    Command command = new Command(new SessionId(b.self.id(), 1), 1, 1, 1, 1);
    byte[] key = HandReplica.bytes("k");
    replica.execute(
        () -> true, 1, command, 5, key, 0, 1, found -> Effect.put(key.clone(), Result.TRUE, false));
    Topology same = HandTopology.next(first, a.self, b.self);
    replicas.adopt(same, first, a.self);
    assertThat(
            replica.execute(
                () -> true, 1, command, 5, key, 0, 1, found -> Effect.none(Result.FALSE)))
        .isEqualTo(new Outcome.Answer(1, 1, Result.TRUE));
    Topology gone = HandTopology.next(same, a.self);
    replicas.adopt(gone, same, a.self);
    assertThat(
            replica.execute(
                () -> true, 1, command, 5, key, 0, 1, found -> Effect.none(Result.FALSE)))
        .as("what it did is forgotten: it must not do it again")
        .isEqualTo(new Outcome.Forgotten());
    Topology back = HandTopology.next(gone, a.self, b.self);
    replicas.adopt(back, gone, a.self);
    assertThat(
            replica.execute(
                () -> true, 1, command, 5, key, 0, 1, found -> Effect.none(Result.FALSE)))
        .as("in another life")
        .isEqualTo(new Outcome.Forgotten());
    long life = back.membership().admission(b.self);
    assertThat(execute(replica, new SessionId(b.self.id(), life)))
        .isEqualTo(new Outcome.Answer(1, 1, Result.FALSE));
  }

  @Test
  void onlySessionsOfMembersAreServed() {
    Topology first = topology(1, new int[] {1}, a.self);
    replicas.adopt(first, Topology.NONE, a.self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serve(1);
    Member stranger = HandNetwork.member("stranger");
    for (SessionId none :
        List.of(
            new SessionId(stranger.id(), 0),
            new SessionId(b.self.id(), 0),
            new SessionId(b.self.id(), 2))) {
      assertThat(execute(replica, none)).isEqualTo(new Outcome.Forgotten());
    }
    assertThat(execute(replica, new SessionId(stranger.id(), 1)))
        .isEqualTo(new Outcome.Forgotten());
    assertThat(execute(replica, new SessionId(b.self.id(), 1)))
        .isEqualTo(new Outcome.Answer(1, 0, Result.FALSE));
  }

  private static Outcome execute(Replica replica, SessionId session) {
    Command command = new Command(session, 1, 1, 1, 1);
    byte[] key = HandReplica.bytes("k");
    return (Outcome)
        replica.execute(() -> true, 1, command, 5, key, 0, 1, found -> Effect.none(Result.FALSE));
  }

  @Test
  void oneNoticeTellsABackupOfAllSegments() {
    HandClock clock = new HandClock();
    HandNetwork network = new HandNetwork();
    World world = new World(clock, Runnable::run, new Random(1));
    Replicas others =
        new Replicas(
            new Decoded(
                new Codec(AllowList.of(List.of()), ReplicasTest.class.getClassLoader()), 1 << 20),
            new io.cantle.core.base.HybridClock(new io.cantle.core.base.HandClock()),
            new io.cantle.core.base.HandClock());
    Requests requests =
        new Requests(network.transport(a.self), world, new Nothing(Input::remaining));
    CommitNotices notices = new CommitNotices(requests, keeper(requests, world), world, replicas);
    CommitNotices atBackup = new CommitNotices(requests, keeper(requests, world), world, others);
    Requests backup = new Requests(network.transport(b.self), world, new Nothing(atBackup::came));
    requests.start();
    backup.start();
    Topology topology = topology(1, new int[] {1, 1, 1}, a.self, b.self);
    replicas.adopt(topology, Topology.NONE, a.self);
    others.adopt(topology, Topology.NONE, b.self);
    for (int segment = 0; segment < 3; segment++) {
      Replica replica = Objects.requireNonNull(replicas.find(0, segment));
      replica.serve(1);
    }
    notices.due();
    notices.due();
    assertThat(clock.timers()).isEqualTo(1);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(network.underWay)
        .singleElement()
        .extracting(HandNetwork.Sent::kind)
        .isEqualTo(Kind.COMMITTED);
    network.deliverAll();
    for (int segment = 0; segment < 3; segment++) {
      Replica replica = Objects.requireNonNull(others.find(0, segment));
      assertThat(replica.state().serving()).isTrue();
    }
    notices.due();
    clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(network.underWay).as("there is nothing new to tell").isEmpty();
    notices.due();
    notices.close();
    clock.advance(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(network.underWay).isEmpty();
  }

  private static TopologyKeeper keeper(Requests requests, World world) {
    return HandTopology.keeper(requests, world, 1);
  }

  private record Nothing(java.util.function.Consumer<Input> committed) implements Requests.Handler {
    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      assertThat(kind).isEqualTo(Kind.COMMITTED);
      committed.accept(body);
    }

    @Override
    public void members(List<Member> members) {}
  }
}
