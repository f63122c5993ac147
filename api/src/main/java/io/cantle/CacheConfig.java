package io.cantle;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

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
 * @param lifespan how long entries live that are written without a lifespan of their own, {@link
 *     #SHORTEST} to {@link #LONGEST} or {@link #FOREVER}; see {@link Cache#lifespan}. Default: for
 *     ever
 * @param maxIdle how long they may go without being read, likewise; see {@link Cache#maxIdle}.
 *     Default: for ever
 * @param durability whether entries are kept on disk as well, and when. Those that own entries then
 *     have a {@link GridConfig#store}. Default: {@link Durability#NONE}
 */
public record CacheConfig(
    CacheMode mode,
    int owners,
    int segments,
    Duration lifespan,
    Duration maxIdle,
    Durability durability) {

  /** No end, of a lifespan or an idle time. */
  public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** The shortest lifespan or idle time: a millisecond. */
  public static final Duration SHORTEST = Duration.ofMillis(1);

  /** The longest lifespan or idle time that ends: a hundred years of 365 days. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

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
    lifespan = checkRange("lifespan", lifespan);
    maxIdle = checkRange("maxIdle", maxIdle);
  }

  /** A cache whose entries live for ever, in memory. */
  public CacheConfig(CacheMode mode, int owners, int segments) {
    this(mode, owners, segments, FOREVER, FOREVER, Durability.NONE);
  }

  private static Duration checkRange(String setting, Duration time) {
    boolean within = time.compareTo(SHORTEST) >= 0 && time.compareTo(LONGEST) <= 0;
    if (!within && !time.equals(FOREVER)) {
      throw new IllegalArgumentException(
          setting
              + " "
              + time
              + " is not within 1 ms to 100 years ("
              + LONGEST
              + "), nor CacheConfig.FOREVER");
    }
    // A millisecond that has begun counts: nothing ends early.
    return within ? Duration.ofMillis(time.plusNanos(999_999).toMillis()) : time;
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
    return new CacheConfig(mode, value, segments, lifespan, maxIdle, durability);
  }

  /** The same with another number of {@link #segments}. */
  public CacheConfig segments(int value) {
    return new CacheConfig(mode, owners, value, lifespan, maxIdle, durability);
  }

  /** The same with another {@link #lifespan}. */
  public CacheConfig lifespan(Duration value) {
    return new CacheConfig(mode, owners, segments, value, maxIdle, durability);
  }

  /** The same with another {@link #maxIdle}. */
  public CacheConfig maxIdle(Duration value) {
    return new CacheConfig(mode, owners, segments, lifespan, value, durability);
  }

  /** The same with another {@link #durability}. */
  public CacheConfig durability(Durability value) {
    return new CacheConfig(mode, owners, segments, lifespan, maxIdle, value);
  }
}
