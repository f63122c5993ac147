package io.cantle;

/**
 * The figures of one cache on one node. Calls are counted where they are made, since this node has
 * opened the cache; all of them count, also those of functions and of views of the cache. The sums
 * over all nodes are those of the grid. Entries and bytes are those of this moment.
 *
 * <p>A call that fails counts neither as a hit nor as anything else; of a bulk write that fails,
 * what it has written counts. A call counts once, however many attempts it takes. Of reads one in
 * 16 is measured, and of writes that a node executes alone, such as those to local caches; of other
 * writes each one.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param hits reads of a key that found an entry: {@code get}, {@code containsKey}, each key of
 *     {@code getAll}, and that by which {@code computeIfAbsent} looks first
 * @param misses such reads that found none
 * @param puts writes of a value to a key, conditional ones even if their condition did not hold:
 *     {@code put}, {@code replace}, {@code compute}, {@code merge}, and each entry of {@code
 *     putAll} and {@code replaceAll}
 * @param removes removals of a key, whether there was an entry or not: {@link Cache#remove}, and
 *     each key of {@code removeAll} and {@code clear}
 * @param evictions entries that this node, as their primary, has evicted to keep a bound of the
 *     cache ({@link CacheConfig#isBounded}), since it holds segments of the cache
 * @param readLatency how long reads took, other than those of {@code getAll}; one read in 64 is
 *     measured, so its count is about a sixteenth of theirs
 * @param putLatency how long puts took, other than those of {@code putAll}; of a local cache one
 *     put in 64 is measured
 * @param removeLatency how long removes took, other than those of {@code removeAll} and {@code
 *     clear}
 * @param ownedEntries how many entries this node holds as an owner
 * @param primaryEntries how many of these it is the primary of; over all nodes each entry is
 *     counted once
 * @param ownedBytes the memory that the owned entries take: keys, values and some 60 bytes for
 *     each; those removed lately count as well, and of a cache on disk only what is in memory
 * @param primaryBytes the part of that which belongs to segments it is the primary of
 */
public record CacheStatistics(
    long hits,
    long misses,
    long puts,
    long removes,
    long evictions,
    LatencyFigures readLatency,
    LatencyFigures putLatency,
    LatencyFigures removeLatency,
    long ownedEntries,
    long primaryEntries,
    long ownedBytes,
    long primaryBytes) {

  /** The part of the reads that found an entry, from 0 to 1; 1 if there were none. */
  public double hitRate() {
    long reads = hits + misses;
    return reads == 0 ? 1 : (double) hits / reads;
  }
}
