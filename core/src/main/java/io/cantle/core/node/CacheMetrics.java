package io.cantle.core.node;

import io.cantle.CacheMode;
import io.cantle.CacheStatistics;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
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

/**
 * Counts the calls that are made at this node to one cache, and measures how long they take.
 * Counting takes no lock and allocates nothing.
 *
 * <p>A call that is answered here takes little longer than reading the clock twice. So one read in
 * 64 is measured, and one in 64 of the writes that this node executes alone, by what the calling
 * thread has counted so far. Of writes to other nodes each one is.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CacheMetrics {
  /** What a call that is not measured has instead of the moment when it began. */
  static final long NOT_MEASURED = Long.MIN_VALUE;

  /** One call in so many is measured; a power of two. */
  private static final int CALLS_PER_SAMPLE = 64;

  private static final int READS = 0;
  private static final int MISSES = 1;
  private static final int PUTS = 2;
  private static final int REMOVES = 3;

  private final String cacheName;
  private final CacheMode mode;
  private final Member self;
  private final TopologyDriver topologyDriver;
  private final ReplicaTable replicas;
  private final Clock clock;
  private final StripedCounters counters;
  private final DurationHistogram readLatency = new DurationHistogram();
  private final DurationHistogram putLatency = new DurationHistogram();
  private final DurationHistogram removeLatency = new DurationHistogram();

  CacheMetrics(
      CacheDefinition cache,
      Member self,
      TopologyDriver topologyDriver,
      ReplicaTable replicas,
      Environment environment) {
    this.cacheName = cache.name();
    this.mode = cache.config().mode();
    this.self = self;
    this.topologyDriver = topologyDriver;
    this.replicas = replicas;
    this.clock = environment.clock();
    this.counters = new StripedCounters(environment.processors());
  }

  String cacheName() {
    return cacheName;
  }

  CacheMode mode() {
    return mode;
  }

  /** Whether the next read of the calling thread is measured. */
  boolean isReadMeasured() {
    return (counters.countHere(READS) & (CALLS_PER_SAMPLE - 1)) == 0;
  }

  /** When a read that begins now began: {@link #NOT_MEASURED}, or a reading of the clock. */
  long beginRead() {
    return isReadMeasured() ? clock.nanoTime() : NOT_MEASURED;
  }

  /**
   * Counts a read.
   *
   * @param beganNanos when it began, by a reading of the clock; or {@link #NOT_MEASURED}
   */
  void onRead(boolean found, long beganNanos) {
    counters.increment(READS);
    if (!found) {
      counters.increment(MISSES);
    }
    if (beganNanos != NOT_MEASURED) {
      readLatency.record(clock.nanoTime() - beganNanos);
    }
  }

  /** Counts reads that were made together. */
  void onBulkRead(List<OperationResult> found) {
    long present = found.stream().filter(OperationResult::isPresent).count();
    counters.add(READS, found.size());
    counters.add(MISSES, found.size() - present);
  }

  /** As {@link #beginRead}, of a write that this node may execute alone. */
  long beginWrite() {
    long writes = counters.countHere(PUTS) + counters.countHere(REMOVES);
    return (writes & (CALLS_PER_SAMPLE - 1)) == 0 ? clock.nanoTime() : NOT_MEASURED;
  }

  /**
   * Counts a write of one key.
   *
   * @param beganNanos when it began, by a reading of the clock; or {@link #NOT_MEASURED}
   */
  void onWrite(Operation operation, long beganNanos) {
    onWrite(isRemoval(operation), beganNanos);
  }

  /** As the other {@code onWrite}, for a call that may have taken several operations. */
  void onWrite(boolean isRemoval, long beganNanos) {
    counters.increment(isRemoval ? REMOVES : PUTS);
    if (beganNanos != NOT_MEASURED) {
      (isRemoval ? removeLatency : putLatency).record(clock.nanoTime() - beganNanos);
    }
  }

  /** Counts writes that were made together. */
  void onBulkWrite(boolean isRemoval, long count) {
    counters.add(isRemoval ? REMOVES : PUTS, count);
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
      boolean isHeld = owners.contains(self) || segments.get(segment).findHolder(self) != null;
      if (replica != null && isHeld) {
        long entries = replica.entries().liveCount();
        long bytes = replica.entries().sizeBytes();
        ownedEntries += entries;
        ownedBytes += bytes;
        if (!owners.isEmpty() && owners.getFirst().equals(self)) {
          primaryEntries += entries;
          primaryBytes += bytes;
        }
      }
    }
    // Each read is counted before its miss.
    long misses = counters.sum(MISSES);
    return new CacheStatistics(
        counters.sum(READS) - misses,
        misses,
        counters.sum(PUTS),
        counters.sum(REMOVES),
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
