package io.cantle.core.base;

/**
 * How a write came to where it is, in grids whose sides merge after a partition. It is told by the
 * two uppermost bits of the stamp an entry carries, which no time of day needs for two thousand
 * years.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum Origin {
  /** It was written here. */
  HERE(0),
  /** It was written on another side since the two parted, and was merged. */
  MERGED(1L << 62),
  /** It is from before the segment began empty, and came back with a copy. */
  FILLED(1L << 63);

  private static final long STAMP = (1L << 62) - 1;

  private final long mark;

  Origin(long mark) {
    this.mark = mark;
  }

  /** A stamp that says so. */
  public long mark(long stamp) {
    return (stamp & STAMP) | mark;
  }

  /** What a stamp says. */
  public static Origin of(long marked) {
    return marked < 0 ? FILLED : (marked & MERGED.mark) != 0 ? MERGED : HERE;
  }

  /** The stamp without that. */
  public static long stamp(long marked) {
    return marked & STAMP;
  }
}
