package io.cantle.core.base;

/**
 * How a write came to where it is, in grids whose sides merge after a partition. It is told by the
 * two uppermost bits of the stamp an entry carries, which no time of day needs for two thousand
 * years.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum WriteOrigin {
  /** It was written here. */
  LOCAL(0),
  /** It was written on another side since the two parted, and was merged. */
  MERGED(1L << 62),
  /** It is from before the segment began empty, and came back with a copy. */
  RESTORED(1L << 63);

  private static final long STAMP_MASK = (1L << 62) - 1;

  private final long bits;

  WriteOrigin(long bits) {
    this.bits = bits;
  }

  /** A stamp that says so. */
  public long markStamp(long stamp) {
    return (stamp & STAMP_MASK) | bits;
  }

  /** What a stamp says. */
  public static WriteOrigin of(long marked) {
    return marked < 0 ? RESTORED : (marked & MERGED.bits) != 0 ? MERGED : LOCAL;
  }

  /** The stamp without that. */
  public static long unmarkStamp(long marked) {
    return marked & STAMP_MASK;
  }
}
