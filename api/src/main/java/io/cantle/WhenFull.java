package io.cantle;

/**
 * What a cache with a bound does when a write finds no room: {@link CacheConfig#maxEntries(long)},
 * {@link CacheConfig#maxBytes(long)}.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum WhenFull {
  /**
   * Other entries are evicted: those that were not read lately, and of these the ones that were
   * never read first. An evicted entry is gone as if it had been removed, on all nodes at once, so
   * the caller must be able to do without it. A bulk load or an iteration does not push out what is
   * read often. Reads that another owner than the primary answers are not noticed. The default.
   */
  EVICT,

  /**
   * The write is refused with a {@link CacheFullException}, and nothing is lost. Removals and
   * values that are no longer than those they replace are always written.
   */
  REFUSE
}
