package io.cantle.core.ownership;

import io.cantle.CacheConfig;
import io.cantle.MemoryBudget;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What each segment may hold, so that no node exceeds the bound of a cache, or the memory budget
 * that caches share. A node divides a bound by the number of segments that it holds or fetches: of
 * the cache, or of all caches that share the budget. Of the owners of a segment, the one with the
 * smallest part counts.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ShareTable {
  /** How many segments each member holds of all caches with a budget, by its name. */
  private final Map<String, Map<Member, Integer>> countsByBudget = new HashMap<>();

  /** Creates the table of the shares of these caches. */
  public ShareTable(CacheCatalog caches) {
    for (CacheOwnership cache : caches) {
      MemoryBudget budget = cache.definition().config().memoryBudget();
      if (!budget.equals(MemoryBudget.NONE)) {
        count(cache, countsByBudget.computeIfAbsent(budget.name(), name -> new HashMap<>()));
      }
    }
  }

  private static void count(CacheOwnership cache, Map<Member, Integer> counts) {
    for (SegmentOwnership segment : cache.segments()) {
      segment.writers().forEach(writer -> counts.merge(writer, 1, Integer::sum));
    }
  }

  /** The shares of the segments of one of these caches. */
  public List<SegmentShare> sharesOf(CacheOwnership cache) {
    CacheConfig config = cache.definition().config();
    if (!config.isBounded()) {
      return Collections.nCopies(cache.segments().size(), SegmentShare.UNBOUNDED);
    }
    Map<Member, Integer> counts = new HashMap<>();
    count(cache, counts);
    Map<Member, Integer> budgetCounts =
        countsByBudget.getOrDefault(config.memoryBudget().name(), Map.of());
    List<SegmentShare> shares = new ArrayList<>(cache.segments().size());
    for (SegmentOwnership segment : cache.segments()) {
      shares.add(SegmentShare.of(config, mostOf(segment, counts), mostOf(segment, budgetCounts)));
    }
    return shares;
  }

  /** The most segments that one of the writers of a segment holds. */
  private static int mostOf(SegmentOwnership segment, Map<Member, Integer> counts) {
    int most = 1;
    for (Member writer : segment.writers()) {
      most = Math.max(most, counts.getOrDefault(writer, 1));
    }
    return most;
  }
}
