package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.ManualClock;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EvictionCandidate;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * The segments of a durable cache at a node alone, whose memory has room for all keys and for some
 * of the values. Whatever is due has been done when a call returns.
 */
final class DurableCache implements EvictionCandidate {
  private static final int VALUE_BYTES = 1_000;

  private final ManualClock clock = new ManualClock();
  private final int segmentCount;
  private final PaddedValueStore disk;
  private final ReplicaTable replicas;

  DurableCache(int segmentCount, int keyCount, int valueCount) {
    this.segmentCount = segmentCount;
    long evictedBytes = entry(keyBytes(0)).withoutValue().sizeBytes();
    disk = new PaddedValueStore(keyCount * evictedBytes + (long) valueCount * VALUE_BYTES);
    replicas =
        new ReplicaTable(
            new DecodedObjectCache(
                new Codec(ClassAllowList.of(List.of()), DurableCache.class.getClassLoader()),
                new MemoryAccount(1 << 20)),
            new HybridLogicalClock(clock),
            clock,
            disk,
            kind -> new HeapContainer());
    Member self = ManualNetwork.member("self");
    CacheDefinition cache =
        new CacheDefinition(
            "one",
            CacheConfig.distributed()
                .segments(segmentCount)
                .durability(Durability.periodic(Duration.ofSeconds(1))));
    Topology topology =
        TopologyFixture.of(
            1,
            ManualReplica.SEED,
            List.of(self),
            List.of(
                new Topology.CacheOwnership(
                    0,
                    0,
                    cache,
                    Collections.nCopies(segmentCount, TopologyFixture.owned(1, self)))));
    replicas.adopt(topology, Topology.NONE, self);
    replicas.all().forEach(replica -> replica.serveEpoch(1));
  }

  private static byte[] keyBytes(long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }

  private static long hash(byte[] key) {
    return KeyHash.hash(ManualReplica.SEED, key, 0, key.length);
  }

  private static Entry entry(byte[] key) {
    byte[] both = Arrays.copyOf(key, key.length + VALUE_BYTES);
    return Entry.of(hash(key), both, key.length, 1, 1, false, 0, null);
  }

  /** The segment of a key. */
  int segmentOf(long key) {
    return KeyHash.segment(hash(keyBytes(key)), segmentCount);
  }

  private Replica replicaOf(long key) {
    return Objects.requireNonNull(replicas.find(0, segmentOf(key)));
  }

  /** How many values of a segment are in memory. */
  int inMemoryCount(int segment) {
    return (int)
        Objects.requireNonNull(replicas.find(0, segment)).entries().toList().stream()
            .filter(entry -> !entry.isEvicted())
            .count();
  }

  void write(long key) {
    byte[] bytes = keyBytes(key);
    byte[] both = entry(bytes).bytes();
    Replica replica = replicaOf(key);
    assertThat(
            replica
                .directExecution()
                .execute(
                    () -> true,
                    hash(bytes),
                    bytes,
                    0,
                    bytes.length,
                    found -> CommandEffect.put(both, OperationResult.TRUE, false)))
        .isNotNull();
    replica.performEffects();
    runAll();
  }

  /** Runs what is due: sweeps, and what waits for the disk. */
  private void runAll() {
    while (clock.pendingTimers() > 0 || disk.hasPending()) {
      clock.advance(1);
      disk.flushPending();
    }
  }

  /** Reads a key as a caller does. Returns whether its value was in memory. */
  @Override
  public boolean read(long key) {
    byte[] bytes = keyBytes(key);
    long hash = hash(bytes);
    Replica replica = replicaOf(key);
    LocalRead found = replica.readLocally(hash, bytes, 0, bytes.length);
    Entry evicted = found.evictedEntry();
    if (evicted == null) {
      assertThat(found.entry()).isNotNull();
      return true;
    }
    replica
        .valueResidency()
        .load(
            evicted,
            loaded ->
                assertThat(replica.readLocally(hash, bytes, 0, bytes.length, loaded).entry())
                    .isNotNull());
    runAll();
    return false;
  }
}
