package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Descent;
import io.cantle.core.topology.Ownership;
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
 * @param grid the grid it was a copy of
 * @param descent of which grids that one was a fork
 * @param owners who held the same; the first of them that is there merges it
 * @param reach how much of what was acknowledged there it holds
 * @param last how far it had come when that grid was left
 * @param partings how far it had come when earlier grids were left
 * @param entries everything, tombstones too
 * @param time the time of the segment when it was left, by which entries end
 */
public record OrphanedCopy(
    CacheDefinition cache,
    int segment,
    UUID grid,
    Descent descent,
    List<Member> owners,
    Reach reach,
    Parting last,
    Map<UUID, Parting> partings,
    List<Entry> entries,
    SegmentTime time) {

  /** Copies what may change. */
  public OrphanedCopy {
    owners = List.copyOf(owners);
    partings = Map.copyOf(partings);
    entries = List.copyOf(entries);
  }

  /**
   * What of a copy the grid that goes on may lack.
   *
   * @param parting how far it had come when the sides parted
   * @param all whether that grid may lack what was there before as well. Removed keys count: of
   *     several copies another one may have come no further than to what was removed later
   * @param own whether this is a copy of that very grid: all of it was there before
   */
  public record Part(Parting parting, boolean all, boolean own) {
    /**
     * How far the grid that goes on had come together with the copy. Who leads a segment that has
     * begun empty may never have heard of the stamps there were before.
     */
    public Parting together() {
      return all ? parting.unstamped() : parting;
    }

    /** Whether an entry is to be told to the others. */
    public boolean contains(Entry entry) {
      return all || parting.isBefore(entry);
    }

    /** Whether an entry was there before the sides parted. */
    public boolean isOld(Entry entry) {
      return own || !parting.isBefore(entry);
    }
  }

  /**
   * What of it the grid of this topology, in which the cache has this place, may lack; null if it
   * holds everything that was acknowledged.
   */
  public @Nullable Part part(Topology into, int place) {
    UUID common = Descent.common(grid, descent, into.gridId(), into.charter().descent());
    boolean another = !into.caches().get(place).definition().config().equals(cache.config());
    // Each side has opened a cache of this name: of this one the other never held anything.
    if (another || common == null || into.charter().descent().begunAnewSince(common)) {
      return new Part(Parting.NEVER_TOGETHER, true, false);
    }
    boolean own = common.equals(grid);
    Parting parting = own ? last : partings.getOrDefault(common, Parting.NEVER_TOGETHER);
    Ownership ownership = into.ownership(place, segment);
    boolean begunEmpty =
        parting.equals(Parting.NEVER_TOGETHER) || ownership.born() > parting.entered();
    return own && !begunEmpty ? null : new Part(parting, begunEmpty, own);
  }
}
