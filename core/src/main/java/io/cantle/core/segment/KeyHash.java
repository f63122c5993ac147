package io.cantle.core.segment;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a key and the segment it belongs to. The function is XXH3 with 64 bits and the seed
 * of the grid. It is frozen: stored entries, cursors and topologies of other versions depend on it.
 *
 * <p>The two halves of a hash serve two purposes. The low 32 bits choose the segment, the high bits
 * the position inside it, so that the keys of one segment still spread over its whole table.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class KeyHash {

  /** The most segments a cache can have. */
  public static final int MAX_SEGMENT_COUNT = 65_536;

  /**
   * Cached hashers, since making one takes longer than hashing a short key. A grid has one seed, so
   * a few slots serve a process, and a simulation of several grids. Races are harmless: a slot
   * holds an immutable object, and a lost one is only made again.
   */
  private static final @Nullable SeededHasher[] HASHERS = new @Nullable SeededHasher[16];

  private KeyHash() {}

  /** Returns the 64-bit hash of a range of an array that holds the canonical bytes of a key. */
  public static long hash(long seed, byte[] key, int offset, int length) {
    return withSeed(seed).hash(key, offset, length);
  }

  /**
   * Returns the segment of a hash, at least 0 and less than {@code segmentCount}. Any count works,
   * not only a power of two: the low half of the hash is taken as a fraction and multiplied by it.
   *
   * @throws IllegalArgumentException if the count is not within 1..{@link #MAX_SEGMENT_COUNT}
   */
  public static int segment(long hash, int segmentCount) {
    if (segmentCount < 1 || segmentCount > MAX_SEGMENT_COUNT) {
      throw new IllegalArgumentException(
          "segment count "
              + segmentCount
              + " is not within 1.."
              + MAX_SEGMENT_COUNT
              + "; choose another segment count for the cache");
    }
    return (int) (((hash & 0xFFFF_FFFFL) * segmentCount) >>> 32);
  }

  /** Returns the hash function of a grid, for callers that use it often. */
  public static SeededHasher withSeed(long seed) {
    int slot = (int) (seed ^ (seed >>> 32)) & (HASHERS.length - 1);
    SeededHasher seeded = HASHERS[slot];
    if (seeded == null || seeded.seed != seed) {
      seeded = new SeededHasher(seed, Hashing.xxh3_64(seed));
      HASHERS[slot] = seeded;
    }
    return seeded;
  }

  /**
   * The hash function of a grid.
   *
   * <p><b>Threading:</b> any thread.
   */
  public static final class SeededHasher {
    private final long seed;
    private final Hasher64 hasher;

    private SeededHasher(long seed, Hasher64 hasher) {
      this.seed = seed;
      this.hasher = hasher;
    }

    /** Returns the hash of a range of an array, as {@link KeyHash#hash}. */
    public long hash(byte[] key, int offset, int length) {
      return hasher.hashBytesToLong(key, offset, length);
    }
  }
}
