package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.ManualClock;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.replica.SessionId;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.wire.ScanTarget;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests scans by keys whose values are only on disk. */
final class SegmentScanTest {
  private static final long SEED = 42;
  private static final int VALUE_BYTES = 200_000;

  private final Member self = ManualNetwork.member("self");
  private final ManualClock clock = new ManualClock();
  private final ManualNodeStore disk = new ManualNodeStore();

  private Replica replica() {
    disk.maxMemoryBytes = 0;
    ReplicaTable replicas =
        new ReplicaTable(
            new DecodedObjectCache(
                new Codec(ClassAllowList.of(List.of()), getClass().getClassLoader()),
                new MemoryAccount(1 << 20)),
            new HybridLogicalClock(clock),
            clock,
            disk,
            kind -> new HeapContainer());
    CacheDefinition one =
        new CacheDefinition(
            "one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));
    replicas.adopt(
        TopologyFixture.of(
            1,
            SEED,
            List.of(self),
            List.of(new CacheOwnership(0, 0, one, List.of(TopologyFixture.owned(1, self))))),
        Topology.NONE,
        self);
    Replica replica = Objects.requireNonNull(replicas.find(0, 0));
    replica.serveEpoch(1);
    return replica;
  }

  private void put(Replica replica, byte[] key, long sequence) {
    byte[] both = Arrays.copyOf(key, key.length + VALUE_BYTES);
    CommandId command = new CommandId(new SessionId(self.id(), 1), sequence, 1, 1, 1);
    CommandOutcome written =
        (CommandOutcome)
            replica.execute(
                () -> true,
                1,
                command,
                KeyHash.hash(SEED, key, 0, key.length),
                key,
                0,
                key.length,
                found -> CommandEffect.put(both, OperationResult.ABSENT, false));
    assertThat(written).isInstanceOf(CommandOutcome.Written.class);
  }

  @Test
  void longValuesAreLoadedInSmallBatches() {
    Replica replica = replica();
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      keys.add(("k" + i).getBytes(StandardCharsets.UTF_8));
    }
    keys.sort(
        Comparator.comparingLong(key -> KeyHash.hash(SEED, key, 0, key.length) + Long.MIN_VALUE));
    for (int i = 0; i < keys.size(); i++) {
      put(replica, keys.get(i), i + 1);
    }
    for (int i = 0; i < 10; i++) {
      disk.flushPending();
      clock.advance(1);
    }
    SegmentScan segmentScan =
        new SegmentScan(
            replica,
            replica.state(),
            new ScanTarget(0, SegmentCursor.START, keys),
            SEED,
            entry -> {
              throw new AssertionError("all is committed, also " + entry);
            });
    List<Long> seen = new ArrayList<>();
    segmentScan.advance(
        false,
        needed -> true,
        entry -> {
          seen.add(entry.index());
          return seen.size() == 2 ? VisitResult.STOP_AFTER : VisitResult.CONTINUE;
        });
    assertThat(disk.readCount).isBetween(2, 6);
    segmentScan.advance(
        false,
        needed -> true,
        entry -> {
          entry.requireValue();
          seen.add(entry.index());
          return VisitResult.CONTINUE;
        });
    assertThat(seen).hasSize(50).isSorted();
  }
}
