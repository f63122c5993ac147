package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.GridLineage;
import io.cantle.core.topology.SegmentOwnership;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What this node held of a segment when its side of a partition ended, when the others had gone on
 * without any of its owners, or when it was excluded. It is merged into the grid that goes on, once
 * that is known to lack it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the cache
 * @param segment which of its segments
 * @param gridId the grid it was a copy of
 * @param lineage of which grids that one was a fork
 * @param owners who held the same; the first of them that is there merges it
 * @param progress how much of what was acknowledged there it holds
 * @param lastDivergence how far it had come when that grid was left
 * @param divergences how far it had come when earlier grids were left
 * @param entries everything, tombstones too
 * @param segmentTime the time of the segment when it was left, by which entries end
 */
public record LosingReplica(
    CacheDefinition cache,
    int segment,
    UUID gridId,
    GridLineage lineage,
    List<Member> owners,
    ReplicaProgress progress,
    DivergencePoint lastDivergence,
    Map<UUID, DivergencePoint> divergences,
    List<Entry> entries,
    SegmentTime segmentTime) {

  /** Copies what may change. */
  public LosingReplica {
    owners = List.copyOf(owners);
    divergences = Map.copyOf(divergences);
    entries = List.copyOf(entries);
  }

  /**
   * What of a copy the grid that goes on may lack.
   *
   * @param divergence how far it had come when the sides parted
   * @param isEverything whether that grid may lack what was there before as well. Removed keys
   *     count: of several copies another one may have come no further than to what was removed
   *     later
   * @param isOwnGrid whether this is a copy of that very grid: all of it was there before
   */
  public record MergeScope(DivergencePoint divergence, boolean isEverything, boolean isOwnGrid) {
    /**
     * How far the grid that goes on had come together with the copy. Who leads a segment that has
     * begun empty may never have heard of the stamps there were before.
     */
    public DivergencePoint commonPoint() {
      return isEverything ? divergence.withoutStamp() : divergence;
    }

    /** Whether an entry is to be told to the others. */
    public boolean contains(Entry entry) {
      return isEverything || divergence.precedes(entry);
    }

    /** Whether an entry was there before the sides parted. */
    public boolean isFromBeforeDivergence(Entry entry) {
      return isOwnGrid || !divergence.precedes(entry);
    }
  }

  /**
   * What of it the grid of this topology, in which the cache has this place, may lack; null if it
   * holds everything that was acknowledged.
   */
  public @Nullable MergeScope mergeScope(Topology into, int place) {
    UUID common =
        GridLineage.commonGrid(gridId, lineage, into.gridId(), into.gridDefinition().lineage());
    boolean another = !into.caches().get(place).definition().config().equals(cache.config());
    // Each side has opened a cache of this name: of this one the other never held anything.
    if (another || common == null || into.gridDefinition().lineage().hasRestartedSince(common)) {
      return new MergeScope(DivergencePoint.NOTHING_IN_COMMON, true, false);
    }
    boolean own = common.equals(gridId);
    DivergencePoint divergence =
        own ? lastDivergence : divergences.getOrDefault(common, DivergencePoint.NOTHING_IN_COMMON);
    SegmentOwnership ownership = into.ownership(place, segment);
    boolean begunEmpty =
        divergence.equals(DivergencePoint.NOTHING_IN_COMMON)
            || ownership.birthEpoch() > divergence.enteredEpoch();
    return own && !begunEmpty ? null : new MergeScope(divergence, begunEmpty, own);
  }
}
