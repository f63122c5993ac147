package io.cantle.core.node;

import io.cantle.CacheMode;
import io.cantle.CacheStatistics;
import io.cantle.core.base.Clock;
import io.cantle.core.operation.Operation;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.CompareVersionAndSet;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the calls that are made at this node to one cache, and measures how long they take.
 * Counting takes no lock and allocates nothing.
 *
 * <p>A read that is answered here takes little longer than reading the clock once more. So one in
 * 16 is measured. The moment at which a read begins decides which one, by the last digits of the
 * clock.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheMetrics {
  /** One read in so many is measured; a power of two. */
  private static final int READS_PER_SAMPLE = 16;

  private final String cacheName;
  private final CacheMode mode;
  private final Member self;
  private final TopologyDriver topologyDriver;
  private final ReplicaTable replicas;
  private final Clock clock;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder puts = new LongAdder();
  private final LongAdder removes = new LongAdder();
  private final DurationHistogram readLatency = new DurationHistogram();
  private final DurationHistogram putLatency = new DurationHistogram();
  private final DurationHistogram removeLatency = new DurationHistogram();

  CacheMetrics(
      CacheDefinition cache,
      Member self,
      TopologyDriver topologyDriver,
      ReplicaTable replicas,
      Clock clock) {
    this.cacheName = cache.name();
    this.mode = cache.config().mode();
    this.self = self;
    this.topologyDriver = topologyDriver;
    this.replicas = replicas;
    this.clock = clock;
  }

  String cacheName() {
    return cacheName;
  }

  CacheMode mode() {
    return mode;
  }

  /**
   * Counts a read.
   *
   * @param beganNanos when it began, by a reading of the clock
   */
  void onRead(boolean found, long beganNanos) {
    (found ? hits : misses).increment();
    if ((beganNanos & (READS_PER_SAMPLE - 1)) == 0) {
      readLatency.record(clock.nanoTime() - beganNanos);
    }
  }

  /** Counts reads that were made together. */
  void onBulkRead(List<OperationResult> found) {
    long present = found.stream().filter(OperationResult::isPresent).count();
    hits.add(present);
    misses.add(found.size() - present);
  }

  /**
   * Counts a write of one key.
   *
   * @param beganNanos when it began, by a reading of the clock
   */
  void onWrite(Operation operation, long beganNanos) {
    onWrite(isRemoval(operation), beganNanos);
  }

  /** As the other {@code onWrite}, for a call that may have taken several operations. */
  void onWrite(boolean isRemoval, long beganNanos) {
    (isRemoval ? removes : puts).increment();
    (isRemoval ? removeLatency : putLatency).record(clock.nanoTime() - beganNanos);
  }

  /** Counts writes that were made together. */
  void onBulkWrite(boolean isRemoval, long count) {
    (isRemoval ? removes : puts).add(count);
  }

  private static boolean isRemoval(Operation operation) {
    return switch (operation.unwrap()) {
      case RemoveEntry _ -> true;
      case CompareAndSet swap -> swap.value() == null;
      case CompareVersionAndSet swap -> swap.value() == null;
      default -> false;
    };
  }

  /** The figures of now. */
  CacheStatistics statistics() {
    long ownedEntries = 0;
    long primaryEntries = 0;
    long ownedBytes = 0;
    long primaryBytes = 0;
    long evictions = 0;
    Topology topology = topologyDriver.current();
    int cache = topology.cacheIndex(cacheName);
    List<SegmentOwnership> segments =
        cache < 0 ? List.of() : topology.caches().get(cache).segments();
    for (int segment = 0; segment < segments.size(); segment++) {
      List<Member> owners = segments.get(segment).owners();
      Replica replica = replicas.find(cache, segment);
      evictions += replica == null ? 0 : replica.eviction().evictedCount();
      if (replica != null && owners.contains(self)) {
        long entries = replica.entries().liveCount();
        long bytes = replica.entries().sizeBytes();
        ownedEntries += entries;
        ownedBytes += bytes;
        if (owners.getFirst().equals(self)) {
          primaryEntries += entries;
          primaryBytes += bytes;
        }
      }
    }
    return new CacheStatistics(
        hits.sum(),
        misses.sum(),
        puts.sum(),
        removes.sum(),
        evictions,
        readLatency.figures(),
        putLatency.figures(),
        removeLatency.figures(),
        ownedEntries,
        primaryEntries,
        ownedBytes,
        primaryBytes);
  }
}
