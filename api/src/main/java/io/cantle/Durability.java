package io.cantle;

import java.time.Duration;

/**
 * What of a cache survives when every node stops or loses its power. See {@link
 * CacheConfig#durability}. A grid of {@link WhenCut#available} keeps nothing on disk: it refuses to
 * open a cache with another durability than {@link #NONE}.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param kind when a write goes to disk
 * @param period for {@link Kind#PERIODIC}, how much time may pass until a write is safe on disk,
 *     {@link #SHORTEST} to {@link #LONGEST}; otherwise zero
 */
public record Durability(Kind kind, Duration period) {

  /** When a write goes to disk. */
  public enum Kind {
    /** Never: entries are in memory only. */
    NONE,
    /** Soon after it was acknowledged. */
    PERIODIC,
    /** Before it is acknowledged. */
    SYNC
  }

  /** The shortest period: 10 ms. */
  public static final Duration SHORTEST = Duration.ofMillis(10);

  /** The longest period: 1 hour. */
  public static final Duration LONGEST = Duration.ofHours(1);

  /** Entries are in memory only. */
  public static final Durability NONE = new Durability(Kind.NONE, Duration.ZERO);

  /**
   * A write is acknowledged when every owner has it on disk, so all owners may lose their power at
   * once.
   */
  public static final Durability SYNC = new Durability(Kind.SYNC, Duration.ZERO);

  /** Checks the period. */
  public Durability {
    boolean within = period.compareTo(SHORTEST) >= 0 && period.compareTo(LONGEST) <= 0;
    if (kind == Kind.PERIODIC ? !within : !period.isZero()) {
      throw new IllegalArgumentException(
          kind == Kind.PERIODIC
              ? "period " + period + " is not within " + SHORTEST + " to " + LONGEST
              : "durability " + kind + " takes no period, but was given " + period);
    }
    period = Duration.ofMillis(period.toMillis());
  }

  /**
   * A write is acknowledged when every owner has it in memory, and should be on disk within this
   * period. If all owners of an entry lose their power, what was written in the last moments before
   * may be lost. Nodes write as soon as their disks allow, mostly much sooner than the period.
   * While a disk takes longer than the period for something, writes wait for it as with {@link
   * #SYNC}. So never more is at risk than what was acknowledged within one period.
   */
  public static Durability periodic(Duration period) {
    return new Durability(Kind.PERIODIC, period);
  }

  /** Whether entries are kept on disk at all. */
  public boolean keeps() {
    return kind != Kind.NONE;
  }
}
