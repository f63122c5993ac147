package io.cantle.core.container;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.Arrays;

/**
 * A place between two entries of a segment: what is left of a scan when it pauses. It names the
 * last key that was consumed and not an object, so it holds good on another node and after any
 * change.
 *
 * <p><b>Threading:</b> immutable; the array is not to be changed.
 *
 * @param hash the hash of the last key consumed; 0 at the start and the end
 * @param key the last key consumed; empty at the start and the end
 * @param kind whether the place is before all entries, after one of them, or after all
 */
@SuppressWarnings("ArrayRecordComponent") // Equality is defined below, by content.
public record SegmentCursor(long hash, byte[] key, Kind kind) {

  /** Before the first entry. */
  public static final SegmentCursor START = new SegmentCursor(0, new byte[0], Kind.START);

  /** After the last entry. */
  public static final SegmentCursor END = new SegmentCursor(0, new byte[0], Kind.END);

  private static final int START_FORM = 0;
  private static final int AFTER_FORM = 1;
  private static final int END_FORM = 2;

  /** Where a cursor stands. */
  public enum Kind {
    /** Before the first entry of the segment. */
    START,
    /** After a key, whether that is still there or not. */
    AFTER,
    /** After the last entry: nothing is left to scan. */
    END
  }

  /** The place right after an entry, and before another key of the same hash. */
  public static SegmentCursor after(Entry entry) {
    return new SegmentCursor(
        entry.hash(), Arrays.copyOf(entry.bytes(), entry.keyLength()), Kind.AFTER);
  }

  /** The one of two places in a segment that comes first: more is left behind it. */
  public static SegmentCursor earlier(SegmentCursor one, SegmentCursor other) {
    return compare(one, other) <= 0 ? one : other;
  }

  private static int compare(SegmentCursor one, SegmentCursor other) {
    int order = one.kind.compareTo(other.kind);
    if (order == 0) {
      order = Long.compareUnsigned(one.hash, other.hash);
    }
    return order != 0 ? order : Arrays.compareUnsigned(one.key, other.key);
  }

  /** Writes the cursor: one byte for the start and the end. */
  public void write(Output out) {
    switch (kind) {
      case START -> out.writeByte(START_FORM);
      case AFTER -> {
        out.writeByte(AFTER_FORM);
        out.writeLong(hash);
        out.writeBlob(key);
      }
      case END -> out.writeByte(END_FORM);
    }
  }

  /** Writes the place right after an entry, as {@link #after} and {@link #write} would. */
  public static void writeAfter(Entry entry, Output out) {
    out.writeByte(AFTER_FORM);
    out.writeLong(entry.hash());
    out.writeBlob(entry.bytes(), 0, entry.keyLength());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are no cursor
   */
  public static SegmentCursor read(Input in) {
    int form = in.readByte();
    return switch (form) {
      case START_FORM -> START;
      case AFTER_FORM -> new SegmentCursor(in.readLong(), in.readBlob(), Kind.AFTER);
      case END_FORM -> END;
      default -> throw new MalformedException("a cursor has no form " + form);
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SegmentCursor cursor
        && kind == cursor.kind
        && hash == cursor.hash
        && Arrays.equals(key, cursor.key);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(hash) + Arrays.hashCode(key);
  }

  @Override
  public String toString() {
    return kind == Kind.AFTER
        ? "after " + Long.toHexString(hash) + " with a key of " + key.length + " bytes"
        : kind.toString();
  }
}
