package io.cantle;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Consumer;

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
 * @param maxEntries how many entries of the cache a node may hold, at least as many as {@link
 *     #segments}, or {@link #UNBOUNDED}; see {@link #maxEntries(long)}. Default: unbounded
 * @param maxBytes how many bytes the entries of the cache may take on a node, at least {@value
 *     #MIN_SEGMENT_BYTES} for each segment, or {@link #UNBOUNDED}; see {@link #maxBytes(long)}.
 *     Default: unbounded
 * @param whenFull what becomes of a write for which there is no room. Default: {@link
 *     WhenFull#EVICT}
 * @param memoryBudget what the cache shares with others that name the same, or {@link
 *     MemoryBudget#NONE}; see {@link #memoryBudget(MemoryBudget)}. Default: none
 * @param container where a node keeps the entries that it has in memory. Default: {@link
 *     ContainerKind#HEAP}
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
    long maxEntries,
    long maxBytes,
    WhenFull whenFull,
    MemoryBudget memoryBudget,
    ContainerKind container,
    ScanDefaults scanDefaults) {

  /** A lifespan or idle time without end. */
  public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /** The shortest lifespan or idle time: 1 ms. */
  public static final Duration SHORTEST = Duration.ofMillis(1);

  /** The longest lifespan or idle time with an end: 100 years of 365 days. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

  /** A bound that is never reached. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /** The least that {@link #maxBytes} must leave to a segment. */
  public static final int MIN_SEGMENT_BYTES = 1_024;

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
    checkBound("maxEntries", maxEntries);
    checkBound("maxBytes", maxBytes);
    Objects.requireNonNull(whenFull, "whenFull");
    Objects.requireNonNull(memoryBudget, "memoryBudget");
    Objects.requireNonNull(container, "container");
  }

  /** A cache on the heap whose entries live for ever. */
  public CacheConfig(CacheMode mode, int owners, int segments) {
    this(
        mode,
        owners,
        segments,
        FOREVER,
        FOREVER,
        Durability.NONE,
        UNBOUNDED,
        UNBOUNDED,
        WhenFull.EVICT,
        MemoryBudget.NONE,
        ContainerKind.HEAP,
        ScanDefaults.STANDARD);
  }

  private static void checkBound(String setting, long bound) {
    if (bound < 1) {
      throw new IllegalArgumentException(
          "%s %s is not within 1 to CacheConfig.UNBOUNDED".formatted(setting, bound));
    }
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

  /** Whether there is a bound: of entries, of bytes, or that of a memory budget. */
  public boolean isBounded() {
    return maxEntries != UNBOUNDED
        || maxBytes != UNBOUNDED
        || !memoryBudget.equals(MemoryBudget.NONE);
  }

  /**
   * The settings by name; {@link #FOREVER} is shown as such, bounds are shown if there are any, and
   * {@link #container} and {@link #scanDefaults} only if they are not the usual ones.
   */
  @Override
  public String toString() {
    String shared =
        "CacheConfig[mode=%s, owners=%s, segments=%s, lifespan=%s, maxIdle=%s, durability=%s%s"
            .formatted(
                mode, owners, segments, text(lifespan), text(maxIdle), durability, boundsText());
    return shared
        + (container == ContainerKind.HEAP ? "" : ", container=" + container)
        + (scanDefaults.equals(ScanDefaults.STANDARD) ? "" : ", scanDefaults=" + scanDefaults)
        + "]";
  }

  private String boundsText() {
    return (maxEntries == UNBOUNDED ? "" : ", maxEntries=" + maxEntries)
        + (maxBytes == UNBOUNDED ? "" : ", maxBytes=" + maxBytes)
        + (memoryBudget.equals(MemoryBudget.NONE) ? "" : ", memoryBudget=" + memoryBudget)
        + (isBounded() || whenFull != WhenFull.EVICT ? ", whenFull=" + whenFull : "");
  }

  private static String text(Duration time) {
    return time.equals(FOREVER) ? "forever" : time.toString();
  }

  /** A cache distributed over the grid, with two owners and 256 segments. */
  public static CacheConfig distributed() {
    return new CacheConfig(CacheMode.DISTRIBUTED, 2, 256);
  }

  /**
   * A cache distributed over the grid whose second copies lie where they were written from, with
   * 256 segments. It has no durability and no bound, and not in a grid with {@link
   * WhenCut#available}.
   */
  public static CacheConfig scattered() {
    return new CacheConfig(CacheMode.SCATTERED, 2, 256);
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
    return with(draft -> draft.owners = value);
  }

  /** A copy of this configuration with another number of {@link #segments}. */
  public CacheConfig segments(int value) {
    return with(draft -> draft.segments = value);
  }

  /** A copy of this configuration with another {@link #lifespan}. */
  public CacheConfig lifespan(Duration value) {
    return with(draft -> draft.lifespan = value);
  }

  /** A copy of this configuration with another {@link #maxIdle}. */
  public CacheConfig maxIdle(Duration value) {
    return with(draft -> draft.maxIdle = value);
  }

  /** A copy of this configuration with another {@link #durability}. */
  public CacheConfig durability(Durability value) {
    return with(draft -> draft.durability = value);
  }

  /**
   * A copy of this configuration with a bound on the entries that each node holds of the cache. All
   * of them count, whether the node is their primary, a backup, or on its way to become one. So a
   * grid of n nodes holds up to n times as many, divided by the number of owners.
   *
   * <p>Each segment has its share: the bound divided by the number of segments that the node holds.
   * Where the owners of a segment have different shares, the smallest counts. When a node leaves,
   * the others hold more segments, and shares get smaller.
   *
   * <p>A cache with a {@link #durability} has no bound: {@link GridConfig#storeMemory} limits what
   * it has in memory.
   */
  public CacheConfig maxEntries(long value) {
    return with(draft -> draft.maxEntries = value);
  }

  /**
   * A copy of this configuration with a bound on the bytes that the entries of the cache take on
   * each node, divided into shares as {@link #maxEntries(long)} is. Counted is what {@link
   * CacheStatistics#ownedBytes} counts of an entry with a value: key and value in their encoded
   * form, rounded up to 8 bytes, and some 60 bytes for each, off the heap some 40; for an entry
   * that expires, 70 more. In a cache that evicts, 8 to 24 bytes for each entry count too, to know
   * which one goes first. Not counted are the records of keys that were removed, and decoded
   * objects, which have a limit of their own.
   *
   * <p>A single entry that takes more than the share of its segment is refused with a {@link
   * CacheFullException}. So for large values have few segments.
   */
  public CacheConfig maxBytes(long value) {
    return with(draft -> draft.maxBytes = value);
  }

  /** A copy of this configuration with another answer to a write that finds no room. */
  public CacheConfig whenFull(WhenFull value) {
    return with(draft -> draft.whenFull = value);
  }

  /**
   * A copy of this configuration that shares a memory budget with all caches of the grid that name
   * the same one: their entries together take no more bytes on a node than it says. Bytes are
   * counted as for {@link #maxBytes(long)}.
   *
   * <p>Each segment of these caches has the same share: the budget divided by the number of their
   * segments that the node holds. So a cache with more segments may take more of it. When another
   * cache that shares the budget is opened, shares get smaller, and entries may be evicted. A cache
   * may also have bounds of its own; then the smaller one counts.
   *
   * <p>Caches of {@link CacheMode#LOCAL} share a budget with local caches of their node only.
   */
  public CacheConfig memoryBudget(MemoryBudget value) {
    return with(draft -> draft.memoryBudget = value);
  }

  /** A copy of this configuration with another {@link #container}. */
  public CacheConfig container(ContainerKind value) {
    return with(draft -> draft.container = value);
  }

  /** A copy of this configuration with other {@link #scanDefaults}. */
  public CacheConfig scanDefaults(ScanDefaults value) {
    return with(draft -> draft.scanDefaults = value);
  }

  private CacheConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.finish();
  }

  /** The settings of a copy while one of them is changed. */
  private static final class Draft {
    CacheMode mode;
    int owners;
    int segments;
    Duration lifespan;
    Duration maxIdle;
    Durability durability;
    long maxEntries;
    long maxBytes;
    WhenFull whenFull;
    MemoryBudget memoryBudget;
    ContainerKind container;
    ScanDefaults scanDefaults;

    Draft(CacheConfig original) {
      mode = original.mode;
      owners = original.owners;
      segments = original.segments;
      lifespan = original.lifespan;
      maxIdle = original.maxIdle;
      durability = original.durability;
      maxEntries = original.maxEntries;
      maxBytes = original.maxBytes;
      whenFull = original.whenFull;
      memoryBudget = original.memoryBudget;
      container = original.container;
      scanDefaults = original.scanDefaults;
    }

    CacheConfig finish() {
      return new CacheConfig(
          mode,
          owners,
          segments,
          lifespan,
          maxIdle,
          durability,
          maxEntries,
          maxBytes,
          whenFull,
          memoryBudget,
          container,
          scanDefaults);
    }
  }
}
