package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A segment to read in a scan, and the position in it from which to continue.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param segment the segment
 * @param cursor where to continue: the entries after it are wanted
 * @param keys the only keys wanted, in the order of the segment, or null for all
 */
public record ScanTarget(int segment, SegmentCursor cursor, @Nullable List<byte[]> keys) {

  /** All entries of a segment after a cursor. */
  public ScanTarget(int segment, SegmentCursor cursor) {
    this(segment, cursor, null);
  }

  void write(Output out) {
    out.writeVarint(segment);
    cursor.write(out);
    out.writeOptional(keys, wanted -> out.writeList(wanted, out::writeBlob));
  }

  static ScanTarget read(Input in) {
    return new ScanTarget(
        in.readCount(),
        SegmentCursor.read(in),
        in.readOptional(wanted -> wanted.readList(Input::readBlob)));
  }
}
