package io.cantle.core.node;

import io.cantle.CacheStatistics;
import io.cantle.LatencyFigures;
import io.cantle.MergeLosses;
import io.cantle.ScanFigures;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the JMX beans of a node and of its caches show. The page docs/operating/statistics.md lists
 * the attributes.
 *
 * <p><b>Threading:</b> any thread.
 */
final class BeanDescription {
  private BeanDescription() {}

  static AttributeBean beanOf(Node node) {
    NodeGrid grid = node.grid();
    Supplier<Topology> topology = node.topologyDriver::current;
    Supplier<ScanFigures> scans = grid::scanFigures;
    Supplier<MergeLosses> losses = grid::mergeLosses;
    Member self = node.messaging.self();
    return new AttributeBean("A node of a grid")
        .with("Version", String.class, "the version of Cantle", () -> ProductVersion.TEXT)
        .with(
            "Address",
            String.class,
            "where the node listens, as host:port; empty without a network",
            () -> node.messaging.addressOf(self))
        .with(
            "Members",
            String[].class,
            "the names of the members, the longest-standing first",
            () -> grid.members().toArray(String[]::new))
        .with(
            "Voters",
            String[].class,
            "the names of the members whose majority decides",
            () ->
                topology.get().membership().voters().stream()
                    .map(Member::name)
                    .toArray(String[]::new))
        .with(
            "Leading",
            Boolean.class,
            "whether this node leads the voters",
            node.topologyDriver::isLeading)
        .with(
            "ReachesMajority",
            Boolean.class,
            "whether a majority has just heard of this node, so that it may answer",
            () -> node.topologyDriver.lease().isHeld())
        .with(
            "Settled",
            Boolean.class,
            "whether the grid is whole, as Grid.settled says",
            grid::settled)
        .with(
            "Topology",
            Long.class,
            "the number of the topology that this node knows",
            () -> topology.get().number())
        .with(
            "LostSegments",
            Long.class,
            "how many segments of all caches no present node holds",
            () -> topology.get().segments().filter(SegmentOwnership::isLost).count())
        .with(
            "ScanElementsWaiting",
            Long.class,
            "elements that arrived for scans of this node and wait for their reader",
            () -> scans.get().elementsWaiting())
        .with(
            "ScanBytesWaiting", Long.class, "the bytes of these", () -> scans.get().bytesWaiting())
        .with(
            "ScanPullsOpen",
            Long.class,
            "requests of scans that owners have not answered yet",
            () -> scans.get().pullsOpen())
        .with(
            "ScansRunning",
            Long.class,
            "requests of scans that this node works on as an owner",
            () -> scans.get().running())
        .with(
            "MergeOverwritten",
            Long.class,
            "values that lost to a value of another side of a partition",
            () -> losses.get().overwritten())
        .with(
            "MergeRemoved",
            Long.class,
            "values that lost to a removal of another side",
            () -> losses.get().removed())
        .with(
            "MergeBroughtBack",
            Long.class,
            "removals that lost to a value of another side",
            () -> losses.get().broughtBack())
        .with(
            "MergeBegunEmpty",
            Long.class,
            "how many times a segment began empty on this node's side",
            () -> losses.get().begunEmpty());
  }

  static AttributeBean beanOf(CacheMetrics metrics) {
    Supplier<CacheStatistics> now = metrics::statistics;
    AttributeBean bean =
        new AttributeBean("A cache, by the calls made at this node and what this node owns of it")
            .with("Hits", Long.class, "reads that found an entry", () -> now.get().hits())
            .with("Misses", Long.class, "reads that found none", () -> now.get().misses())
            .with(
                "HitRate",
                Double.class,
                "the part of the reads that found an entry; 1 without reads",
                () -> now.get().hitRate())
            .with("Puts", Long.class, "writes of a value to a key", () -> now.get().puts())
            .with("Removes", Long.class, "removals of a key", () -> now.get().removes())
            .with(
                "OwnedEntries",
                Long.class,
                "entries that this node holds as an owner",
                () -> now.get().ownedEntries())
            .with(
                "PrimaryEntries",
                Long.class,
                "entries that this node is the primary of",
                () -> now.get().primaryEntries())
            .with(
                "OwnedBytes",
                Long.class,
                "the memory of the owned entries",
                () -> now.get().ownedBytes())
            .with(
                "PrimaryBytes",
                Long.class,
                "the memory of those it is the primary of",
                () -> now.get().primaryBytes());
    addLatency(bean, "Read", now, CacheStatistics::readLatency);
    addLatency(bean, "Put", now, CacheStatistics::putLatency);
    addLatency(bean, "Remove", now, CacheStatistics::removeLatency);
    return bean;
  }

  private static void addLatency(
      AttributeBean bean,
      String call,
      Supplier<CacheStatistics> now,
      Function<CacheStatistics, LatencyFigures> latency) {
    bean.with(
            call + "Measured",
            Long.class,
            "how many such calls were measured",
            () -> latency.apply(now.get()).count())
        .with(
            call + "MeanNanos",
            Long.class,
            "their mean duration in nanoseconds",
            () -> latency.apply(now.get()).meanNanos())
        .with(
            call + "P50Nanos",
            Long.class,
            "half of them were as fast as this",
            () -> latency.apply(now.get()).p50Nanos())
        .with(
            call + "P90Nanos",
            Long.class,
            "90 % of them were as fast as this",
            () -> latency.apply(now.get()).p90Nanos())
        .with(
            call + "P99Nanos",
            Long.class,
            "99 % of them were as fast as this",
            () -> latency.apply(now.get()).p99Nanos())
        .with(
            call + "P999Nanos",
            Long.class,
            "99.9 % of them were as fast as this",
            () -> latency.apply(now.get()).p999Nanos())
        .with(
            call + "MaxNanos",
            Long.class,
            "the slowest of them",
            () -> latency.apply(now.get()).maxNanos());
  }
}
