package io.cantle.core.base;

/**
 * How a write reached this side of a partition, in grids whose sides merge afterwards. It is
 * encoded in the two highest bits of an entry's timestamp, which times of day do not use for the
 * next two thousand years.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum WriteProvenance {
  /** The write was made on this side. */
  LOCAL(0),
  /** The write was made on another side after the two diverged, and was merged. */
  MERGED(1L << 62),
  /** The write is older than an empty start of the segment, and came back with a replica. */
  RESTORED(1L << 63);

  private static final long STAMP_MASK = (1L << 62) - 1;

  private final long bits;

  WriteProvenance(long bits) {
    this.bits = bits;
  }

  /** Returns the timestamp with this provenance encoded in it. */
  public long markStamp(long stamp) {
    return (stamp & STAMP_MASK) | bits;
  }

  /** Returns the provenance that a marked timestamp carries. */
  public static WriteProvenance of(long marked) {
    return marked < 0 ? RESTORED : (marked & MERGED.bits) != 0 ? MERGED : LOCAL;
  }

  /** Returns the timestamp without the provenance. */
  public static long unmarkStamp(long marked) {
    return marked & STAMP_MASK;
  }
}
