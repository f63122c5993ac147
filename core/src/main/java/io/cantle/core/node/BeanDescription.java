package io.cantle.core.node;

import io.cantle.CacheStatistics;
import io.cantle.HeapFigures;
import io.cantle.LatencyFigures;
import io.cantle.MergeLosses;
import io.cantle.ScanFigures;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.function.Function;

/**
 * What the JMX beans of a node and of its caches show. The page docs/operating/statistics.md lists
 * the attributes.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BeanDescription {
  private BeanDescription() {}

  /** What a node shows of one moment. */
  private record NodeFigures(
      Topology topology, ScanFigures scans, HeapFigures heap, MergeLosses losses) {}

  static AttributeBean<?> beanOf(Node node) {
    NodeGrid grid = node.grid();
    Member self = node.messaging.self();
    return new AttributeBean<>(
            "A node of a grid",
            () ->
                new NodeFigures(
                    node.topologyDriver.current(),
                    grid.scanFigures(),
                    grid.heapFigures(),
                    grid.mergeLosses()))
        .with("Version", String.class, "the version of Cantle", _ -> ProductVersion.TEXT)
        .with(
            "Address",
            String.class,
            "where the node listens, as host:port; empty without a network",
            _ -> node.messaging.addressOf(self))
        .with(
            "Members",
            String[].class,
            "the names of the members, the longest-standing first",
            now -> now.topology().members().stream().map(Member::name).toArray(String[]::new))
        .with(
            "Voters",
            String[].class,
            "the names of the members whose majority decides",
            now ->
                now.topology().membership().voters().stream()
                    .map(Member::name)
                    .toArray(String[]::new))
        .with(
            "Leading",
            Boolean.class,
            "whether this node leads the voters",
            _ -> node.topologyDriver.isLeading())
        .with(
            "ReachesMajority",
            Boolean.class,
            "whether a majority has just heard of this node, so that it may answer",
            _ -> node.topologyDriver.lease().isHeld())
        .with(
            "Settled",
            Boolean.class,
            "whether the grid is whole, as Grid.settled says",
            _ -> grid.settled())
        .with(
            "Topology",
            Long.class,
            "the number of the topology that this node knows",
            now -> now.topology().number())
        .with(
            "LostSegments",
            Long.class,
            "how many segments of all caches no present node holds",
            now -> now.topology().segments().filter(SegmentOwnership::isLost).count())
        .with(
            "ScanElementsWaiting",
            Long.class,
            "elements that arrived for scans of this node and wait for their reader",
            now -> now.scans().elementsWaiting())
        .with(
            "ScanBytesWaiting", Long.class, "the bytes of these", now -> now.scans().bytesWaiting())
        .with(
            "ScanPullsOpen",
            Long.class,
            "requests of scans that owners have not answered yet",
            now -> now.scans().pullsOpen())
        .with(
            "ScansRunning",
            Long.class,
            "requests of scans that this node works on as an owner",
            now -> now.scans().running())
        .with(
            "HeapUsedBytes",
            Long.class,
            "what entries and the rest of the program have in use of the heap",
            now -> now.heap().usedBytes())
        .with(
            "HeapEntryBytes",
            Long.class,
            "how many of these are entries",
            now -> now.heap().entryBytes())
        .with(
            "HeapLimitBytes",
            Long.class,
            "how many may be in use until writes are refused",
            now -> now.heap().limitBytes())
        .with(
            "HeapFull",
            Boolean.class,
            "whether writes that need memory here are refused",
            now -> now.heap().isFull())
        .with(
            "HeapFullMembers",
            String[].class,
            "the names of the other members whose heaps are full",
            now -> now.heap().fullMembers().toArray(String[]::new))
        .with(
            "HeapRefusedWrites",
            Long.class,
            "how many writes were refused because a heap was full",
            now -> now.heap().refusedWrites())
        .with(
            "OffHeapBytes",
            Long.class,
            "memory off the heap that caches have taken, local ones too",
            _ -> node.offHeapMemory.reservedBytes())
        .with(
            "OffHeapLimitBytes",
            Long.class,
            "how much of it they may take; GridConfig.offHeapMemory",
            _ -> node.offHeapMemory.limitBytes())
        .with(
            "MergeOverwritten",
            Long.class,
            "values that lost to a value of another side of a partition",
            now -> now.losses().overwritten())
        .with(
            "MergeRemoved",
            Long.class,
            "values that lost to a removal of another side",
            now -> now.losses().removed())
        .with(
            "MergeBroughtBack",
            Long.class,
            "removals that lost to a value of another side",
            now -> now.losses().broughtBack())
        .with(
            "MergeBegunEmpty",
            Long.class,
            "how many times a segment began empty on this node's side",
            now -> now.losses().begunEmpty())
        .with(
            "MergeDestroyed",
            Long.class,
            "values of another side whose cache this side had destroyed",
            now -> now.losses().destroyed());
  }

  static AttributeBean<?> beanOf(CacheMetrics metrics) {
    AttributeBean<CacheStatistics> bean =
        new AttributeBean<>(
                "A cache, by the calls made at this node and what this node owns of it",
                metrics::statistics)
            .with("Hits", Long.class, "reads that found an entry", CacheStatistics::hits)
            .with("Misses", Long.class, "reads that found none", CacheStatistics::misses)
            .with(
                "HitRate",
                Double.class,
                "the part of the reads that found an entry; 1 without reads",
                CacheStatistics::hitRate)
            .with("Puts", Long.class, "writes of a value to a key", CacheStatistics::puts)
            .with("Removes", Long.class, "removals of a key", CacheStatistics::removes)
            .with(
                "Evictions",
                Long.class,
                "entries that this node, as their primary, evicted to keep a bound",
                CacheStatistics::evictions)
            .with(
                "OwnedEntries",
                Long.class,
                "entries that this node holds as an owner",
                CacheStatistics::ownedEntries)
            .with(
                "PrimaryEntries",
                Long.class,
                "entries that this node is the primary of",
                CacheStatistics::primaryEntries)
            .with(
                "OwnedBytes",
                Long.class,
                "the memory of the owned entries",
                CacheStatistics::ownedBytes)
            .with(
                "PrimaryBytes",
                Long.class,
                "the memory of those it is the primary of",
                CacheStatistics::primaryBytes);
    addLatency(bean, "Read", CacheStatistics::readLatency);
    addLatency(bean, "Put", CacheStatistics::putLatency);
    addLatency(bean, "Remove", CacheStatistics::removeLatency);
    return bean;
  }

  private static void addLatency(
      AttributeBean<CacheStatistics> bean,
      String call,
      Function<CacheStatistics, LatencyFigures> latency) {
    bean.with(
            call + "Measured",
            Long.class,
            "how many such calls were measured",
            now -> latency.apply(now).count())
        .with(
            call + "MeanNanos",
            Long.class,
            "their mean duration in nanoseconds",
            now -> latency.apply(now).meanNanos())
        .with(
            call + "P50Nanos",
            Long.class,
            "half of them were as fast as this",
            now -> latency.apply(now).p50Nanos())
        .with(
            call + "P90Nanos",
            Long.class,
            "90 % of them were as fast as this",
            now -> latency.apply(now).p90Nanos())
        .with(
            call + "P99Nanos",
            Long.class,
            "99 % of them were as fast as this",
            now -> latency.apply(now).p99Nanos())
        .with(
            call + "P999Nanos",
            Long.class,
            "99.9 % of them were as fast as this",
            now -> latency.apply(now).p999Nanos())
        .with(
            call + "MaxNanos",
            Long.class,
            "the slowest of them",
            now -> latency.apply(now).maxNanos());
  }
}
