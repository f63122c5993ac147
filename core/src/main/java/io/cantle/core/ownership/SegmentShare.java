package io.cantle.core.ownership;

import io.cantle.CacheConfig;

/**
 * What one segment may hold of the bound of its cache.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param maxEntries the most entries, at least 1
 * @param maxBytes the most bytes that they take in memory
 */
public record SegmentShare(long maxEntries, long maxBytes) {
  /** Of a cache without a bound. */
  public static final SegmentShare UNBOUNDED =
      new SegmentShare(CacheConfig.UNBOUNDED, CacheConfig.UNBOUNDED);

  /**
   * The share of each segment on a node.
   *
   * @param segmentCount how many segments of the cache it holds
   * @param budgetSegmentCount how many it holds of all caches that share the memory budget
   */
  static SegmentShare of(CacheConfig config, int segmentCount, int budgetSegmentCount) {
    return new SegmentShare(
        part(config.maxEntries(), segmentCount),
        Math.min(
            part(config.maxBytes(), segmentCount),
            part(config.memoryBudget().maxBytes(), budgetSegmentCount)));
  }

  private static long part(long bound, int segmentCount) {
    return bound == CacheConfig.UNBOUNDED ? bound : Math.max(1, bound / segmentCount);
  }
}
