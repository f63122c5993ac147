package io.cantle.core.segment;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * A set of segment numbers.
 *
 * <p>It is encoded in the shorter of two forms. The runs take a few bytes for a range, however
 * long. The bits take an eighth of a byte per segment, which suits an irregular set.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class SegmentSet {
  private static final int RUN_FORM = 0;
  private static final int BIT_FORM = 1;

  /** Never modified after construction, and never passed out. */
  private final BitSet bits;

  private final int size;

  private SegmentSet(BitSet bits) {
    this.bits = bits;
    this.size = bits.cardinality();
  }

  /**
   * Returns the set of these segments; duplicates are harmless.
   *
   * @throws IllegalArgumentException if one is not within 0..{@link KeyHash#MAX_SEGMENT_COUNT} - 1
   */
  public static SegmentSet of(int... segments) {
    BitSet bits = new BitSet();
    for (int segment : segments) {
      bits.set(checkSegment(segment));
    }
    return new SegmentSet(bits);
  }

  /** Returns the set of the segments whose bits are set, which must be in the same range. */
  public static SegmentSet of(BitSet segments) {
    if (!segments.isEmpty()) {
      checkSegment(segments.length() - 1);
    }
    return new SegmentSet((BitSet) segments.clone());
  }

  /**
   * Returns the set of all segments of a range.
   *
   * @throws IllegalArgumentException if the range is not within 0..{@link
   *     KeyHash#MAX_SEGMENT_COUNT}
   */
  public static SegmentSet range(int fromInclusive, int toExclusive) {
    if (fromInclusive < 0
        || toExclusive < fromInclusive
        || toExclusive > KeyHash.MAX_SEGMENT_COUNT) {
      throw new IllegalArgumentException(
          "segments "
              + fromInclusive
              + " to "
              + toExclusive
              + " are not a range within 0.."
              + KeyHash.MAX_SEGMENT_COUNT);
    }
    BitSet bits = new BitSet(toExclusive);
    bits.set(fromInclusive, toExclusive);
    return new SegmentSet(bits);
  }

  /** Whether a segment is in the set; false for a number that is not a segment. */
  public boolean contains(int segment) {
    return segment >= 0 && bits.get(segment);
  }

  /** The number of segments in the set. */
  public int size() {
    return size;
  }

  /** Returns this set with one segment removed. */
  public SegmentSet without(int segment) {
    if (!contains(segment)) {
      return this;
    }
    BitSet changed = (BitSet) bits.clone();
    changed.clear(segment);
    return new SegmentSet(changed);
  }

  /** Returns this set with those of another removed. */
  public SegmentSet without(SegmentSet others) {
    BitSet changed = (BitSet) bits.clone();
    changed.andNot(others.bits);
    return new SegmentSet(changed);
  }

  /** Returns the segments that are in both sets. */
  public SegmentSet intersection(SegmentSet other) {
    BitSet changed = (BitSet) bits.clone();
    changed.and(other.bits);
    return new SegmentSet(changed);
  }

  /** Returns the smallest segment of the set that is {@code from} or larger, or -1. */
  public int next(int from) {
    return bits.nextSetBit(Math.max(from, 0));
  }

  /** Returns the segments in ascending order. */
  public IntStream stream() {
    return bits.stream();
  }

  /** Writes the set; equal sets are written as the same bytes. */
  public void write(Output out) {
    int start = out.position();
    out.writeByte(RUN_FORM);
    int end = 0;
    for (int first = next(0); first >= 0; first = next(end)) {
      // The gap before the first run may be 0, later ones may not; one rule for all is simpler.
      out.writeVarint(first - end + 1L);
      end = bits.nextClearBit(first);
      out.writeVarint(end - first);
    }
    out.writeVarint(0);
    byte[] asBits = bits.toByteArray();
    if (out.position() - start > 3 + asBits.length) {
      out.truncate(start);
      out.writeByte(BIT_FORM);
      out.writeBlob(asBits);
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param segmentCountLimit every segment must be smaller than this
   * @throws MalformedException if one is not, or the bytes are not a set
   */
  public static SegmentSet read(Input in, int segmentCountLimit) {
    int limit = Math.min(segmentCountLimit, KeyHash.MAX_SEGMENT_COUNT);
    int form = in.readByte();
    BitSet bits =
        switch (form) {
          case RUN_FORM -> readRuns(in, limit);
          case BIT_FORM -> readBits(in, limit);
          default -> throw new MalformedException("unknown form of a segment set: " + form);
        };
    return new SegmentSet(bits);
  }

  private static BitSet readRuns(Input in, int limit) {
    BitSet bits = new BitSet();
    int end = 0;
    for (int gap = in.readCount(limit + 1); gap > 0; gap = in.readCount(limit + 1)) {
      int first = end + gap - 1;
      int length = in.readCount(limit);
      if (length == 0 || first > limit - length) {
        throw new MalformedException(
            "a run of " + length + " segments from " + first + " does not fit into " + limit);
      }
      end = first + length;
      bits.set(first, end);
    }
    return bits;
  }

  private static BitSet readBits(Input in, int limit) {
    int length = in.readCount(Math.min(in.remaining(), (limit + 7) / 8));
    BitSet bits = BitSet.valueOf(in.readBytes(length));
    if (bits.length() > limit) {
      throw new MalformedException(
          "segment " + (bits.length() - 1) + " does not fit into " + limit);
    }
    return bits;
  }

  private static int checkSegment(int segment) {
    if (segment < 0 || segment >= KeyHash.MAX_SEGMENT_COUNT) {
      throw new IllegalArgumentException(
          "segment " + segment + " is not within 0.." + (KeyHash.MAX_SEGMENT_COUNT - 1));
    }
    return segment;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SegmentSet set && bits.equals(set.bits);
  }

  @Override
  public int hashCode() {
    return bits.hashCode();
  }

  /** Shows the runs of the set, as in {@code {0-3, 7}}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    int end = 0;
    for (int first = next(0); first >= 0; first = next(end)) {
      end = bits.nextClearBit(first);
      text.append(text.length() > 1 ? ", " : "").append(first);
      if (end - first > 1) {
        text.append('-').append(end - 1);
      }
    }
    return text.append('}').toString();
  }
}
