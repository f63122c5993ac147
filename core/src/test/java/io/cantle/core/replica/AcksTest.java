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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a primary learns how far its backup has come: soon, or at once where somebody waits. */
final class AcksTest {
  private final HandClock clock = new HandClock();
  private final HandNetwork network = new HandNetwork();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final List<String> events = new ArrayList<>();
  private final Side primary = new Side("primary");
  private final Side backup = new Side("backup");
  private long sequence;

  private final class Side implements Requests.Handler {
    final Member self;
    final Replicas replicas =
        new Replicas(
            new Decoded(
                new Codec(AllowList.of(List.of()), AcksTest.class.getClassLoader()), 1 << 20),
            new io.cantle.core.base.HybridClock(clock),
            clock);
    final Acks acks;

    Side(String name) {
      self = HandNetwork.member(name);
      Requests requests = new Requests(network.transport(self), world, this);
      TopologyKeeper keeper = HandTopology.keeper(requests, world, 1);
      CommitNotices notices = new CommitNotices(requests, keeper, world, replicas);
      acks = new Acks(requests, world, replicas, notices);
      requests.start();
    }

    @Override
    public void handle(Kind kind, Member from, long request, Input body) {
      if (kind == Kind.ACK) {
        acks.came(from, body);
      } else {
        assertThat(kind).isEqualTo(Kind.ACK_WANTED);
        acks.asked(from, body);
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
    Ownership ownership = HandTopology.owned(1, owners);
    CacheDefinition one = new CacheDefinition("one", CacheConfig.distributed().segments(2));
    Topology topology =
        HandTopology.of(
            1,
            HandReplica.SEED,
            owners,
            List.of(new CacheOwnership(one, List.of(ownership, ownership))));
    primary.replicas.adopt(topology, Topology.NONE, primary.self);
    backup.replicas.adopt(topology, Topology.NONE, backup.self);
    assertThat(primary.replica(0).serve(1) && primary.replica(1).serve(1)).isTrue();
  }

  /** Writes at the primary and at the backup; answers how far that has come. */
  private long write(int segment) {
    byte[] key = HandReplica.bytes("k");
    sequence++;
    Attempt outcome =
        primary
            .replica(segment)
            .execute(
                () -> true,
                1,
                new Command(new SessionId(backup.self.id(), 1), sequence, sequence, 1, 1),
                7,
                key,
                0,
                1,
                found -> Effect.put(key.clone(), Result.TRUE, false));
    Item item = ((Outcome.Written) outcome).item();
    Item.Read read =
        new Item.Read(HandReplica.carried(List.of(item)).getFirst(), false, Item.Notice.NONE);
    return Objects.requireNonNull(backup.replica(segment).replicated(1, 0, List.of(read)))
        .applied();
  }

  private void await(int segment, long index) {
    primary.acks.whenCommitted(
        primary.replica(segment),
        1,
        index,
        () -> events.add("committed " + index),
        () -> events.add("refused"));
  }

  @Test
  void acknowledgementsOfAMomentGoTogether() {
    backup.acks.soon(primary.self, backup.replica(0), 1, write(0));
    backup.acks.soon(primary.self, backup.replica(0), 1, write(0));
    backup.acks.soon(primary.self, backup.replica(1), 1, write(1));
    assertThat(network.underWay).isEmpty();
    assertThat(clock.timers()).isEqualTo(1);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(network.underWay)
        .singleElement()
        .extracting(HandNetwork.Sent::kind)
        .isEqualTo(Kind.ACK);
    network.deliverAll();
    await(0, 2);
    await(1, 1);
    assertThat(events).containsExactly("committed 2", "committed 1");
    assertThat(network.underWay).as("nobody has to be asked").isEmpty();
  }

  @Test
  void whoCannotWaitHasTheOthersAsked() {
    long index = write(0);
    await(0, index);
    assertThat(events).isEmpty();
    network.deliverAll();
    assertThat(events).containsExactly("committed 1");
  }

  @Test
  void anEpochThatIsOverIsNotAnsweredFor() {
    long index = write(0);
    await(0, index);
    List<Member> owners = List.of(backup.self);
    Ownership next = HandTopology.owned(2, owners);
    assertThat(backup.replica(0).enter(next, backup.self, Topology.NONE.charter())).isTrue();
    network.deliverAll();
    assertThat(events).isEmpty();
    assertThat(primary.replica(0).enter(next, primary.self, Topology.NONE.charter())).isTrue();
    assertThat(events).containsExactly("refused");
  }

  @Test
  void afterOneTellingTheNextIsDueAgain() {
    backup.acks.soon(primary.self, backup.replica(0), 1, write(0));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    backup.acks.soon(primary.self, backup.replica(0), 1, write(0));
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(network.underWay).hasSize(2);
    network.deliverAll();
    await(0, 2);
    assertThat(events).containsExactly("committed 2");
  }

  @Test
  void anEarlierAcknowledgementDoesNotTakeTheLaterOnesPlace() {
    long first = write(0);
    long second = write(0);
    backup.acks.soon(primary.self, backup.replica(0), 1, second);
    backup.acks.soon(primary.self, backup.replica(0), 1, first);
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    network.deliverAll();
    await(0, second);
    assertThat(events).containsExactly("committed 2");
  }
}
