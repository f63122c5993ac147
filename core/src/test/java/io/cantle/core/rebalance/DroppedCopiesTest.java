package io.cantle.core.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.replica.HandReplica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.store.HandStore;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A node that should hold what it has dropped tells those that decide. */
final class DroppedCopiesTest {
  private static final CacheDefinition KEPT =
      new CacheDefinition(
          "kept", CacheConfig.distributed().segments(1).durability(Durability.SYNC));

  private final HandClock clock = new HandClock();
  private final World world = new World(clock, Runnable::run, new Random(1));
  private final Member self = new Member(new UUID(1, 1), new UUID(1, 0), "self");
  private final Member other = HandNetwork.member("other");
  private final HandNetwork network = new HandNetwork();
  private final Requests requests =
      new Requests(
          network.transport(self), world, (MessagesOnly) (kind, from, request, body) -> {});
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 9);
  private final HandStore disk = new HandStore();
  private final Replicas replicas =
      new Replicas(
          new Decoded(
              new Codec(AllowList.of(List.of()), DroppedCopiesTest.class.getClassLoader()),
              1 << 20),
          new HybridClock(clock),
          clock,
          disk);
  private final DroppedCopies dropped = new DroppedCopies(keeper, clock);
  private Topology topology = Topology.NONE;

  private void adopt(Ownership segment) {
    Topology next =
        HandTopology.of(
            topology.number() + 1,
            HandReplica.SEED,
            List.of(other, self),
            List.of(new CacheOwnership(KEPT, List.of(segment))));
    Output out = new Output(64);
    next.write(out);
    keeper.came(Kind.TOPOLOGY, other, out.toInput());
    List<Replicas.Changed> changed = replicas.adopt(next, topology, self);
    topology = next;
    network.underWay.clear();
    dropped.begin(changed);
  }

  private long told() {
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    long count =
        network.underWay.stream()
            .filter(sent -> sent.kind() == Kind.REPORT && sent.to().equals(other))
            .count();
    network.underWay.clear();
    return count;
  }

  @Test
  void itTellsAgainAndAgainUntilTheEpochIsOver() {
    requests.start();
    adopt(HandTopology.owned(1, self));
    assertThat(told()).isZero();
    adopt(HandTopology.owned(2, other));
    assertThat(told()).isZero();
    adopt(HandTopology.owned(3, self));
    assertThat(told()).isEqualTo(1);
    assertThat(told()).as("not all the time").isZero();
    clock.advance(TimeUnit.SECONDS.toNanos(1));
    assertThat(told()).isPositive();
    adopt(HandTopology.owned(4, other));
    clock.advance(TimeUnit.SECONDS.toNanos(2));
    assertThat(told()).isZero();
    adopt(HandTopology.owned(5, self));
    dropped.close();
    clock.advance(TimeUnit.SECONDS.toNanos(2));
    network.underWay.clear();
    clock.advance(TimeUnit.SECONDS.toNanos(2));
    assertThat(told()).isZero();
  }
}
