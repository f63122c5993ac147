package io.cantle.core.container;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.Arrays;

/**
 * The position of a paused scan, between two entries of a segment. It names the last key consumed
 * rather than an object, so it stays valid on another node and after any change.
 *
 * <p><b>Threading:</b> immutable; the array must not be modified.
 *
 * @param hash the hash of the last key consumed; 0 at the start and the end
 * @param key the last key consumed; empty at the start and the end
 * @param kind whether the position is before all entries, after one of them, or after all
 */
@SuppressWarnings("ArrayRecordComponent") // Equality is defined below, by content.
public record SegmentCursor(long hash, byte[] key, CursorKind kind)
    implements Comparable<SegmentCursor> {

  /** Before the first entry. */
  public static final SegmentCursor START = new SegmentCursor(0, new byte[0], CursorKind.START);

  /** After the last entry. */
  public static final SegmentCursor END = new SegmentCursor(0, new byte[0], CursorKind.END);

  private static final CursorKind[] KINDS = CursorKind.values();

  /** The kinds of position. */
  public enum CursorKind {
    /** Before the first entry of the segment. */
    START,
    /** After a key, whether it is still present or not. */
    AFTER,
    /** After the last entry; nothing is left to scan. */
    END
  }

  /** Returns the position right after an entry, and before the next key of the same hash. */
  public static SegmentCursor after(Entry entry) {
    return after(entry.hash(), Arrays.copyOf(entry.keyBytes(), entry.keyLength()));
  }

  /** Returns the position right after a key, whether it is present or not. */
  public static SegmentCursor after(long hash, byte[] key) {
    return new SegmentCursor(hash, key, CursorKind.AFTER);
  }

  /** Returns the earlier of two positions in a segment, which leaves more to scan. */
  public static SegmentCursor earlier(SegmentCursor one, SegmentCursor other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /** Orders positions as a scan comes to them. */
  @Override
  public int compareTo(SegmentCursor other) {
    int order = kind.compareTo(other.kind);
    if (order == 0) {
      order = Long.compareUnsigned(hash, other.hash);
    }
    return order != 0 ? order : Arrays.compareUnsigned(key, other.key);
  }

  /** Writes the cursor; the start and the end take one byte. */
  public void write(Output out) {
    out.writeEnum(kind);
    if (kind == CursorKind.AFTER) {
      out.writeLong(hash);
      out.writeBlob(key);
    }
  }

  /** Writes the position right after an entry, as {@link #after} and {@link #write} would. */
  public static void writeAfter(Entry entry, Output out) {
    out.writeEnum(CursorKind.AFTER);
    out.writeLong(entry.hash());
    out.writeBlob(entry.keyBytes(), 0, entry.keyLength());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are not a cursor
   */
  public static SegmentCursor read(Input in) {
    return switch (in.readEnum(KINDS)) {
      case START -> START;
      case AFTER -> after(in.readLong(), in.readBlob());
      case END -> END;
    };
  }

  /**
   * Skips what {@link #write} wrote.
   *
   * @throws MalformedException if the bytes are not a cursor
   */
  public static void skip(Input in) {
    if (in.readEnum(KINDS) == CursorKind.AFTER) {
      in.skip(Long.BYTES);
      in.skip(in.readBlobLength());
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SegmentCursor cursor && compareTo(cursor) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(hash) + Arrays.hashCode(key);
  }

  @Override
  public String toString() {
    return kind == CursorKind.AFTER
        ? "after " + Long.toHexString(hash) + " with a key of " + key.length + " bytes"
        : kind.toString();
  }
}
