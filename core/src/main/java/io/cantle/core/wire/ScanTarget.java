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

  static void writeAll(List<ScanTarget> targets, Output out) {
    out.writeVarint(targets.size());
    for (ScanTarget target : targets) {
      out.writeVarint(target.segment);
      target.cursor.write(out);
      List<byte[]> keys = target.keys;
      out.writeBoolean(keys != null);
      if (keys != null) {
        out.writeVarint(keys.size());
        keys.forEach(out::writeBlob);
      }
    }
  }

  static List<ScanTarget> readAll(Input in) {
    return MessageList.readCounted(
        in,
        target ->
            new ScanTarget(
                target.readCount(Integer.MAX_VALUE),
                SegmentCursor.read(target),
                target.readBoolean() ? MessageList.readCounted(target, Input::readBlob) : null));
  }
}
