package io.cantle.core.ownership;

import io.cantle.core.ownership.Topology.CacheOwnership;
import java.util.UUID;

/**
 * Which cache is meant, also in grids that descend from the one in which it was seen. A name does
 * not say that: the cache may have been destroyed, and another one created under it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param gridId the grid in which it was seen
 * @param lineage the grids that this grid was forked from
 * @param index its index there
 * @param createdNumber the number of the topology that created it
 */
public record CacheIdentity(UUID gridId, GridLineage lineage, int index, long createdNumber) {
  /** What a topology knows of the cache. */
  public enum CacheFate {
    /** It has the cache, at the same index. */
    PRESENT,
    /** The cache was destroyed. */
    DESTROYED,
    /** Its grid never had the cache, or does not have it yet. */
    UNKNOWN
  }

  /** The identity of a cache of a topology. */
  public static CacheIdentity of(Topology topology, CacheOwnership cache) {
    return new CacheIdentity(
        topology.gridId(),
        topology.gridDefinition().lineage(),
        cache.index(),
        cache.createdNumber());
  }

  /** What became of the cache in a topology. */
  public CacheFate fateIn(Topology topology) {
    long sharedNumber = lastSharedNumber(topology);
    if (sharedNumber < createdNumber || topology.number() < createdNumber) {
      return CacheFate.UNKNOWN;
    }
    return topology.caches().find(index) == null ? CacheFate.DESTROYED : CacheFate.PRESENT;
  }

  /**
   * The number of the last topology that both grids have in common; -1 if they have none. Whatever
   * was created up to it has the same index in both.
   */
  private long lastSharedNumber(Topology topology) {
    UUID other = topology.gridId();
    if (other.equals(gridId)) {
      return Long.MAX_VALUE;
    }
    GridLineage theirs = topology.gridDefinition().lineage();
    UUID common = GridLineage.commonGrid(gridId, lineage, other, theirs);
    // A grid that was founded anew since then has caches, indexes and numbers of its own.
    if (common == null || theirs.hasRestartedSince(common) || lineage.hasRestartedSince(common)) {
      return -1;
    }
    long left = common.equals(gridId) ? Long.MAX_VALUE : lineage.stepFrom(common).topologyNumber();
    return common.equals(other) ? left : Math.min(left, theirs.stepFrom(common).topologyNumber());
  }
}
