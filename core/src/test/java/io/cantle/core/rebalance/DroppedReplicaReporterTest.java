package io.cantle.core.rebalance;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.Environment;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
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
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.DriverFixture;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that a node that has dropped a replica it should hold reports this to the voters. */
final class DroppedReplicaReporterTest {
  private static final CacheDefinition DURABLE =
      new CacheDefinition(
          "kept", CacheConfig.distributed().segments(1).durability(Durability.SYNC));

  private final ManualClock clock = new ManualClock();
  private final Environment environment = TestEnvironment.of(clock, Runnable::run, new Random(1));
  private final Member self = new Member(new UUID(1, 1), new UUID(1, 0), "self");
  private final Member other = ManualNetwork.member("other");
  private final ManualNetwork network = new ManualNetwork();
  private final MessagingService messaging =
      new MessagingService(
          network.transport(self),
          environment,
          (MessageOnlyHandler) (kind, from, request, body) -> {});
  private final TopologyDriver driver = DriverFixture.driver(messaging, environment, 9);
  private final ManualNodeStore disk = new ManualNodeStore();
  private final ReplicaTable replicas =
      new ReplicaTable(
          new DecodedObjectCache(
              new Codec(
                  ClassAllowList.of(List.of()), DroppedReplicaReporterTest.class.getClassLoader()),
              new MemoryAccount(1 << 20)),
          new HybridLogicalClock(clock),
          clock,
          disk,
          kind -> new HeapContainer());
  private final DroppedReplicaReporter droppedReplicas = new DroppedReplicaReporter(driver, clock);
  private Topology topology = Topology.NONE;

  private void adopt(SegmentOwnership segment) {
    Topology next =
        TopologyFixture.of(
            topology.number() + 1,
            ManualReplica.SEED,
            List.of(other, self),
            List.of(new CacheOwnership(0, 0, DURABLE, List.of(segment))));
    Output out = new Output(64);
    next.write(out);
    driver.onMessage(MessageKind.TOPOLOGY, other, out.toInput());
    List<ReplicaTable.ReplicaChange> changed = replicas.adopt(next, topology, self);
    topology = next;
    network.inFlight.clear();
    droppedReplicas.onEpochsEntered(changed);
  }

  private long reports() {
    clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
    long count =
        network.inFlight.stream()
            .filter(sent -> sent.kind() == MessageKind.REPORT && sent.to().equals(other))
            .count();
    network.inFlight.clear();
    return count;
  }

  @Test
  void reportsRepeatedlyUntilEpochEnds() {
    messaging.start();
    adopt(TopologyFixture.owned(1, self));
    assertThat(reports()).isZero();
    adopt(TopologyFixture.owned(2, other));
    assertThat(reports()).isZero();
    adopt(TopologyFixture.owned(3, self));
    assertThat(reports()).isEqualTo(1);
    assertThat(reports()).as("the report is not sent all the time").isZero();
    clock.advance(TimeUnit.SECONDS.toNanos(1));
    assertThat(reports()).isPositive();
    adopt(TopologyFixture.owned(4, other));
    clock.advance(TimeUnit.SECONDS.toNanos(2));
    assertThat(reports()).isZero();
    adopt(TopologyFixture.owned(5, self));
    droppedReplicas.close();
    clock.advance(TimeUnit.SECONDS.toNanos(2));
    network.inFlight.clear();
    clock.advance(TimeUnit.SECONDS.toNanos(2));
    assertThat(reports()).isZero();
  }
}
