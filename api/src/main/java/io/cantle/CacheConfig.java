package io.cantle;

/**
 * What a cache is. Every node opens a cache with the same configuration.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param mode where entries live. Default: {@link CacheMode#DISTRIBUTED}
 * @param owners how many nodes hold each entry when there are that many, 1 to 7; not used by the
 *     other modes. Default: 2, which survives the crash of any one node
 * @param segments into how many parts the keys are divided, 1 to 4,096: the unit that is owned,
 *     moved and scanned; at least some ten times the number of nodes. Default: 256
 */
public record CacheConfig(CacheMode mode, int owners, int segments) {

  /** The most copies of an entry. */
  public static final int MAX_OWNERS = 7;

  /** The most segments of a cache. */
  public static final int MAX_SEGMENTS = 4_096;

  /** Checks every setting. */
  public CacheConfig {
    if (owners < 1 || owners > MAX_OWNERS) {
      throw new IllegalArgumentException("owners " + owners + " is not within 1 to " + MAX_OWNERS);
    }
    if (segments < 1 || segments > MAX_SEGMENTS) {
      throw new IllegalArgumentException(
          "segments " + segments + " is not within 1 to " + MAX_SEGMENTS);
    }
  }

  /** Distributed over the grid with two owners and 256 segments. */
  public static CacheConfig distributed() {
    return new CacheConfig(CacheMode.DISTRIBUTED, 2, 256);
  }

  /** A copy of everything on every node. */
  public static CacheConfig replicated() {
    return new CacheConfig(CacheMode.REPLICATED, 1, 256);
  }

  /** Only on the node that opens it. */
  public static CacheConfig local() {
    return new CacheConfig(CacheMode.LOCAL, 1, 256);
  }

  /** The same with another number of {@link #owners}. */
  public CacheConfig owners(int value) {
    return new CacheConfig(mode, value, segments);
  }

  /** The same with another number of {@link #segments}. */
  public CacheConfig segments(int value) {
    return new CacheConfig(mode, owners, value);
  }
}
