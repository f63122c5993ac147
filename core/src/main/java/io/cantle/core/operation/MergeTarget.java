package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.LosingReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CacheResolver;
import io.cantle.core.topology.PartitionHandling;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Where the entries of a copy go: the cache of that name as the grid has it that goes on. If each
 * side opened one of its own while they were apart it may be cut into other segments than the copy
 * was; entries need none of its definition.
 *
 * <p><b>Threading:</b> that of its caller.
 *
 * @param topology one that has the cache
 * @param cache the place of the cache there
 */
record MergeTarget(CacheResolver cacheResolver, Topology topology, int cache) {
  /** Where the cache is, as soon as it is there. */
  static MergeTarget awaitCache(CacheResolver cacheResolver, long deadlineNanos) {
    Topology topology = cacheResolver.awaitCreated(deadlineNanos);
    return new MergeTarget(cacheResolver, topology, cacheResolver.indexIn(topology));
  }

  /** In which epochs the segments began that take the entries of a copy. */
  List<Integer> birthEpochs(LosingReplica losingReplica) {
    List<SegmentOwnership> segments = topology.caches().get(cache).segments();
    return segments.size() == losingReplica.cache().config().segments()
        ? List.of(segments.get(losingReplica.segment()).birthEpoch())
        : segments.stream().map(SegmentOwnership::birthEpoch).toList();
  }

  /**
   * Brings an entry in.
   *
   * @param nowMillis the time of the segment it comes from
   */
  OperationResult mergeEntry(
      OperationClient client,
      PartitionHandling mode,
      LosingReplica.MergeScope part,
      Entry entry,
      long nowMillis) {
    ExpiryTime expiryTime = entry.expiryTime();
    Lifetime remaining =
        expiryTime == null ? Lifetime.UNLIMITED : expiryTime.remainingLifetime(nowMillis);
    // What has lived its time comes as ended: it has replaced what was there before.
    ByteSlice value =
        entry.isTombstone() || remaining == null
            ? null
            : new ByteSlice(entry.bytes(), entry.valueOffset(), entry.valueLength());
    ConflictMerge merge =
        new ConflictMerge(
            topology.gridId(),
            birthEpochOf(segmentOf(entry)),
            mode,
            part.isFromBeforeDivergence(entry),
            part.commonPoint(),
            entry.stamp(),
            value);
    Operation limited =
        value == null || remaining == null ? merge : ExpiringWrite.of(merge, remaining);
    return client.write(cacheResolver, keyOf(entry), limited, client.deadlineFromNow());
  }

  /**
   * Whether somebody serves what a copy was compared with. All owners may have gone to a fork and
   * this grid not know it yet: then the segment begins empty, and everything is to be told.
   */
  boolean isServed(OperationClient client, LosingReplica losingReplica) {
    BitSet checkedSegments = new BitSet();
    for (Entry entry : losingReplica.entries()) {
      int segment = segmentOf(entry);
      if (!checkedSegments.get(segment)) {
        checkedSegments.set(segment);
        ConflictMerge question =
            ConflictMerge.probe(
                topology.gridId(),
                birthEpochOf(segment),
                topology.gridDefinition().partitionHandling());
        if (!client
            .write(cacheResolver, keyOf(entry), question, client.deadlineFromNow())
            .hasValue()) {
          return false;
        }
      }
    }
    return true;
  }

  private int birthEpochOf(int segment) {
    return topology.ownership(cache, segment).birthEpoch();
  }

  private int segmentOf(Entry entry) {
    long hash = KeyHash.hash(topology.hashSeed(), entry.bytes(), 0, entry.keyLength());
    return KeyHash.segment(hash, topology.caches().get(cache).definition().config().segments());
  }

  private static byte[] keyOf(Entry entry) {
    return Arrays.copyOf(entry.bytes(), entry.keyLength());
  }
}
