package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.partition.LosingReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.segment.KeyHash;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The destination for the entries of a losing replica: the cache of the same name in the grid that
 * continues. If each side created its own cache while they were apart, it may have other segments
 * than the replica had. The entries need nothing of its definition.
 *
 * <p><b>Threading:</b> the caller's thread.
 *
 * @param client writes to the cache
 * @param topology a topology that contains the cache
 * @param cache the place of the cache in that topology
 */
record MergeTarget(
    OperationClient client, CacheResolver cacheResolver, Topology topology, int cache) {
  /** Waits until the cache is created, and returns it as a target. */
  static MergeTarget awaitCache(OperationClient client, CacheResolver cacheResolver) {
    Topology topology = cacheResolver.awaitCreated(client.deadlineFromNow());
    return new MergeTarget(client, cacheResolver, topology, cacheResolver.indexIn(topology));
  }

  /** The birth epochs of the segments that receive the entries of a losing replica. */
  List<Integer> birthEpochs(LosingReplica losingReplica) {
    return topology
        .caches()
        .get(cache)
        .birthEpochs(losingReplica.segment(), losingReplica.cache().config().segments());
  }

  /**
   * Merges an entry into the cache.
   *
   * @param nowMillis the present time of the segment it comes from
   */
  OperationResult mergeEntry(
      PartitionHandling mode, LosingReplica.MergeScope scope, Entry entry, long nowMillis) {
    ExpiryTime expiryTime = entry.expiryTime();
    Lifetime remaining =
        expiryTime == null ? Lifetime.UNLIMITED : expiryTime.remainingLifetime(nowMillis);
    // An expired entry is sent as a removal, since it has replaced what was there before.
    ByteSlice value =
        entry.isTombstone() || remaining == null
            ? null
            : new ByteSlice(entry.bytes(), entry.valueOffset(), entry.valueLength());
    ConflictMerge merge =
        new ConflictMerge(
            topology.gridId(),
            birthEpochOf(segmentOf(entry)),
            mode,
            scope.isFromBeforeDivergence(entry),
            scope.commonPoint(),
            entry.stamp(),
            value);
    Operation limited =
        value == null || remaining == null ? merge : Operation.ExpiringWrite.of(merge, remaining);
    return write(entry, limited);
  }

  /**
   * Whether the segments that the replica was compared with are served and have not begun empty
   * since. All owners may have moved to a fork, and this grid may not know it yet. The segment then
   * begins empty, and every entry must be merged.
   */
  boolean isServed(LosingReplica losingReplica) {
    Set<Integer> checkedSegments = new HashSet<>();
    return losingReplica.entries().stream()
        .filter(entry -> checkedSegments.add(segmentOf(entry)))
        .allMatch(entry -> probe(entry, losingReplica.gridId()).hasValue());
  }

  /**
   * Asks the primary what of a losing replica this grid may lack, which left their common grid
   * earlier. Returns null if the segment is not served or has begun empty again.
   */
  LosingReplica.@Nullable MergeScope askScope(LosingReplica losingReplica, UUID common) {
    Entry any = losingReplica.entries().getFirst();
    OperationResult result = probe(any, common);
    return result.hasValue()
        ? losingReplica.mergeScope(
            topology.ownership(cache, segmentOf(any)), common, DivergenceProbe.reachedIn(result))
        : null;
  }

  private OperationResult probe(Entry entry, UUID leftGrid) {
    int birthEpoch = birthEpochOf(segmentOf(entry));
    return write(entry, new DivergenceProbe(topology.gridId(), birthEpoch, leftGrid));
  }

  private OperationResult write(Entry entry, Operation operation) {
    byte[] key = Arrays.copyOf(entry.bytes(), entry.keyLength());
    return client.write(cacheResolver, key, operation, client.deadlineFromNow());
  }

  private int birthEpochOf(int segment) {
    return topology.ownership(cache, segment).birthEpoch();
  }

  private int segmentOf(Entry entry) {
    long hash = KeyHash.hash(topology.hashSeed(), entry.bytes(), 0, entry.keyLength());
    return OperationClient.segmentOf(topology, cache, hash);
  }
}
