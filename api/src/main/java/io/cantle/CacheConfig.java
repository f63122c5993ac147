package io.cantle;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * The configuration of a cache. Every node must open a cache with the same one, except for {@link
 * #scanDefaults}, which each node chooses for itself.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param mode where entries live. Default: {@link CacheMode#DISTRIBUTED}
 * @param owners how many nodes hold each entry, if there are that many, 1 to 7; other modes ignore
 *     it. Default: 2, which survives the crash of any one node
 * @param segments how many segments the keys are divided into, 1 to 4,096. A segment is the unit
 *     that is owned, moved and scanned; have at least some ten times as many as nodes. Default: 256
 * @param lifespan how long an entry lives if it is written without a lifespan of its own, {@link
 *     #SHORTEST} to {@link #LONGEST} or {@link #FOREVER}; see {@link Cache#lifespan}. Default: for
 *     ever
 * @param maxIdle how long such an entry may go without being read, in the same range; see {@link
 *     Cache#maxIdle}. Default: for ever
 * @param durability whether and when entries are also written to disk. If they are, every node that
 *     owns entries needs a {@link GridConfig#store}. Default: {@link Durability#NONE}
 * @param scanDefaults how iterators, streams and publishers of the {@link Cache} that is opened
 *     with this configuration read entries, unless they say otherwise. The cache in the grid does
 *     not know it. Default: {@link ScanDefaults#STANDARD}
 */
public record CacheConfig(
    CacheMode mode,
    int owners,
    int segments,
    Duration lifespan,
    Duration maxIdle,
    Durability durability,
    ScanDefaults scanDefaults) {

  /** A lifespan or idle time without end. */
  public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** The shortest lifespan or idle time: 1 ms. */
  public static final Duration SHORTEST = Duration.ofMillis(1);

  /** The longest lifespan or idle time with an end: 100 years of 365 days. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

  /** The most owners of an entry. */
  public static final int MAX_OWNERS = 7;

  /** The most segments of a cache. */
  public static final int MAX_SEGMENTS = 4_096;

  /** Checks that every setting is in its range. */
  public CacheConfig {
    GridConfig.checkRange("owners", owners, 1, MAX_OWNERS);
    GridConfig.checkRange("segments", segments, 1, MAX_SEGMENTS);
    lifespan = checkRange("lifespan", lifespan);
    maxIdle = checkRange("maxIdle", maxIdle);
  }

  /** A cache in memory whose entries live for ever. */
  public CacheConfig(CacheMode mode, int owners, int segments) {
    this(mode, owners, segments, FOREVER, FOREVER, Durability.NONE, ScanDefaults.STANDARD);
  }

  private static Duration checkRange(String setting, Duration time) {
    boolean within = time.compareTo(SHORTEST) >= 0 && time.compareTo(LONGEST) <= 0;
    if (!within && !time.equals(FOREVER)) {
      throw new IllegalArgumentException(
          "%s %s is not within 1 ms to 100 years (%s), nor CacheConfig.FOREVER"
              .formatted(setting, text(time), LONGEST));
    }
    // Rounds up to a full millisecond, so that nothing expires early.
    return within ? Duration.ofMillis(time.plusNanos(999_999).toMillis()) : time;
  }

  /**
   * The settings by name; {@link #FOREVER} is shown as such, and {@link #scanDefaults} only if they
   * are not the usual ones.
   */
  @Override
  public String toString() {
    String shared =
        "CacheConfig[mode=%s, owners=%s, segments=%s, lifespan=%s, maxIdle=%s, durability=%s"
            .formatted(mode, owners, segments, text(lifespan), text(maxIdle), durability);
    return scanDefaults.equals(ScanDefaults.STANDARD)
        ? shared + "]"
        : shared + ", scanDefaults=" + scanDefaults + "]";
  }

  private static String text(Duration time) {
    return time.equals(FOREVER) ? "forever" : time.toString();
  }

  /** A cache distributed over the grid, with two owners and 256 segments. */
  public static CacheConfig distributed() {
    return new CacheConfig(CacheMode.DISTRIBUTED, 2, 256);
  }

  /** A cache with a replica of everything on every node. */
  public static CacheConfig replicated() {
    return new CacheConfig(CacheMode.REPLICATED, 1, 256);
  }

  /** A cache that exists only on the node that opens it. */
  public static CacheConfig local() {
    return new CacheConfig(CacheMode.LOCAL, 1, 256);
  }

  /** A copy of this configuration with another number of {@link #owners}. */
  public CacheConfig owners(int value) {
    return new CacheConfig(mode, value, segments, lifespan, maxIdle, durability, scanDefaults);
  }

  /** A copy of this configuration with another number of {@link #segments}. */
  public CacheConfig segments(int value) {
    return new CacheConfig(mode, owners, value, lifespan, maxIdle, durability, scanDefaults);
  }

  /** A copy of this configuration with another {@link #lifespan}. */
  public CacheConfig lifespan(Duration value) {
    return new CacheConfig(mode, owners, segments, value, maxIdle, durability, scanDefaults);
  }

  /** A copy of this configuration with another {@link #maxIdle}. */
  public CacheConfig maxIdle(Duration value) {
    return new CacheConfig(mode, owners, segments, lifespan, value, durability, scanDefaults);
  }

  /** A copy of this configuration with another {@link #durability}. */
  public CacheConfig durability(Durability value) {
    return new CacheConfig(mode, owners, segments, lifespan, maxIdle, value, scanDefaults);
  }

  /** A copy of this configuration with other {@link #scanDefaults}. */
  public CacheConfig scanDefaults(ScanDefaults value) {
    return new CacheConfig(mode, owners, segments, lifespan, maxIdle, durability, value);
  }
}
