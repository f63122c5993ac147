package io.cantle.core.partition;

import io.cantle.core.container.Entry;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.CacheIdentity.CacheFate;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.segment.SegmentTime;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What this node held of a segment on the losing side of a partition: when that side ended, when
 * the others continued without any owner of the segment, or when this node was excluded. It is
 * merged into the grid that continues, once that grid is known to lack it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the name and configuration of the cache
 * @param identity which cache it is, in the grid that the replica belonged to
 * @param segment the segment of the cache
 * @param topologyNumber the number of the last topology of that grid in which it was held
 * @param owners the owners that held the same; the first of them that is present merges it
 * @param progress how much of what was acknowledged there the replica holds
 * @param lastDivergence how far the replica had come when it left that grid
 * @param divergences how far the replica had come when it left earlier grids
 * @param entries all entries, including tombstones
 * @param segmentTime the time of the segment when the grid was left, by which entries expire
 */
public record LosingReplica(
    CacheDefinition cache,
    CacheIdentity identity,
    int segment,
    long topologyNumber,
    List<Member> owners,
    ReplicaProgress progress,
    DivergencePoint lastDivergence,
    Map<UUID, DivergencePoint> divergences,
    List<Entry> entries,
    SegmentTime segmentTime) {

  /**
   * What a replica held when it ended.
   *
   * @param isWhole whether it took part in all writes of its epoch
   */
  public record FinalContents(
      boolean isWhole,
      DivergencePoint lastDivergence,
      Map<UUID, DivergencePoint> divergences,
      List<Entry> entries,
      SegmentTime segmentTime) {}

  /** Copies the collections, which may change. */
  public LosingReplica {
    owners = List.copyOf(owners);
    divergences = Map.copyOf(divergences);
    entries = List.copyOf(entries);
  }

  /** What a replica held when this node left a grid, of which this is the last topology. */
  public static LosingReplica of(Topology left, int place, int segment, FinalContents held) {
    SegmentOwnership ownership = left.ownership(place, segment);
    CacheOwnership cache = left.caches().get(place);
    return new LosingReplica(
        cache.definition(),
        CacheIdentity.of(left, cache),
        segment,
        left.number(),
        ownership.owners(),
        new ReplicaProgress(
            ownership.birthEpoch(), held.lastDivergence().enteredEpoch(), held.isWhole()),
        held.lastDivergence(),
        held.divergences(),
        held.entries(),
        held.segmentTime());
  }

  /** The grid that the replica belonged to. */
  public UUID gridId() {
    return identity.gridId();
  }

  private GridLineage lineage() {
    return identity.lineage();
  }

  /**
   * The part of a replica that the continuing grid may lack.
   *
   * @param divergence how far the replica had come when the sides diverged
   * @param isEverything whether that grid may also lack what was there before. Tombstones count: of
   *     several replicas, another one may have come only as far as something that was removed later
   * @param isOwnGrid whether the replica belongs to that same grid, so that all of it was there
   *     before
   * @param isByStampOnly whether nothing is known of which writes the two had in common, so that
   *     whatever the policy the later of two writes stays
   */
  public record MergeScope(
      DivergencePoint divergence, boolean isEverything, boolean isOwnGrid, boolean isByStampOnly) {
    /** Nothing in common: what differs was written on two sides. */
    static final MergeScope SEPARATE =
        new MergeScope(DivergencePoint.NOTHING_IN_COMMON, true, false, false);

    /** Nothing known of what is in common: it may be older or later than what is there. */
    static final MergeScope UNORDERED =
        new MergeScope(DivergencePoint.NOTHING_IN_COMMON, true, false, true);

    /**
     * The point up to which the continuing grid and the replica had the same writes. The primary of
     * a segment that began empty may never have seen the earlier stamps.
     */
    public DivergencePoint commonPoint() {
      return isEverything ? divergence.withoutStamp() : divergence;
    }

    /** Whether an entry is to be sent to the continuing grid. */
    public boolean contains(Entry entry) {
      return isEverything || divergence.precedes(entry);
    }

    /** Whether an entry was there before the sides diverged. */
    public boolean isFromBeforeDivergence(Entry entry) {
      return isOwnGrid || !divergence.precedes(entry);
    }
  }

  /**
   * Returns the last grid this replica has in common with that of a topology, if that grid left it
   * at an earlier topology than the replica did; otherwise null. The epochs that each side entered
   * after that have the same numbers and mean different writes. So what they have in common is
   * known only together with the segment's primary there, which knows how far it had come: {@link
   * #mergeScope(SegmentOwnership, UUID, DivergencePoint)}.
   */
  public @Nullable UUID gridLeftEarlierBy(Topology into, int place) {
    UUID common = commonGrid(into, place);
    if (common == null || common.equals(into.gridId())) {
      return null;
    }
    long left =
        common.equals(gridId()) ? topologyNumber : lineage().stepFrom(common).topologyNumber();
    GridLineage theirs = into.gridDefinition().lineage();
    return theirs.stepFrom(common).topologyNumber() < left ? common : null;
  }

  /**
   * Returns what of this replica the grid of a topology may lack; null if that grid holds
   * everything that was acknowledged. {@code place} is the place of the cache in the topology.
   */
  public @Nullable MergeScope mergeScope(Topology into, int place) {
    UUID common = commonGrid(into, place);
    if (common == null) {
      return MergeScope.SEPARATE;
    }
    boolean own = common.equals(gridId());
    DivergencePoint divergence = divergenceFrom(common);
    boolean beganEmpty = hasBegunEmptySince(divergence, into.ownership(place, segment));
    return own && !beganEmpty ? null : new MergeScope(divergence, beganEmpty, own, false);
  }

  /**
   * Returns what of this replica a grid may lack that left their common grid earlier. Where the
   * segment has begun empty since, there or in the common grid, nothing says which writes that grid
   * had: it may have lost some and made others later.
   *
   * @param ownership the segment there
   * @param common the grid they have in common
   * @param reached how far the segment's primary there had come when it left the common grid; null
   *     if the segment has begun empty since
   */
  public MergeScope mergeScope(
      SegmentOwnership ownership, UUID common, @Nullable DivergencePoint reached) {
    DivergencePoint divergence = divergenceFrom(common);
    if (divergence.equals(DivergencePoint.NOTHING_IN_COMMON)) {
      return MergeScope.SEPARATE;
    }
    if (reached == null || progress.birthEpoch() > reached.enteredEpoch()) {
      return MergeScope.UNORDERED;
    }
    boolean beganEmpty = hasBegunEmptySince(divergence, ownership);
    boolean isBehind = reached.enteredEpoch() < divergence.enteredEpoch();
    return new MergeScope(isBehind ? reached : divergence, beganEmpty, false, false);
  }

  /**
   * How many values of this replica were never in the grid of a topology, which has destroyed the
   * cache. It may have left their common grid earlier than it is known here; then there are more.
   */
  public int valuesLackedBy(Topology into) {
    UUID common =
        GridLineage.commonGrid(gridId(), lineage(), into.gridId(), into.gridDefinition().lineage());
    if (common == null || gridId().equals(into.gridId())) {
      // What was acknowledged in that grid itself was destroyed with the cache.
      return 0;
    }
    DivergencePoint divergence = divergenceFrom(common);
    return (int)
        entries.stream()
            .filter(entry -> !entry.isTombstone() && divergence.precedes(entry))
            .count();
  }

  private DivergencePoint divergenceFrom(UUID common) {
    return common.equals(gridId())
        ? lastDivergence
        : divergences.getOrDefault(common, DivergencePoint.NOTHING_IN_COMMON);
  }

  private static boolean hasBegunEmptySince(
      DivergencePoint divergence, SegmentOwnership ownership) {
    return divergence.equals(DivergencePoint.NOTHING_IN_COMMON)
        || ownership.birthEpoch() > divergence.enteredEpoch();
  }

  /** The last grid whose writes both may hold; null if there is none. */
  private @Nullable UUID commonGrid(Topology into, int place) {
    GridLineage theirs = into.gridDefinition().lineage();
    UUID common = GridLineage.commonGrid(gridId(), lineage(), into.gridId(), theirs);
    boolean isOtherCache = place != identity.index() || identity.fateIn(into) != CacheFate.PRESENT;
    // Each side has created a cache of this name: the other side never held anything of this one.
    return isOtherCache || common == null || theirs.hasRestartedSince(common) ? null : common;
  }
}
