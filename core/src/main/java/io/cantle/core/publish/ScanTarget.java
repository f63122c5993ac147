package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import java.util.ArrayList;
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
record ScanTarget(int segment, SegmentCursor cursor, @Nullable List<byte[]> keys) {

  ScanTarget(int segment, SegmentCursor cursor) {
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
    int count = in.readCount(in.remaining());
    List<ScanTarget> targets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int segment = in.readCount(Integer.MAX_VALUE);
      SegmentCursor cursor = SegmentCursor.read(in);
      targets.add(new ScanTarget(segment, cursor, in.readBoolean() ? readKeys(in) : null));
    }
    return targets;
  }

  private static List<byte[]> readKeys(Input in) {
    int count = in.readCount(in.remaining());
    List<byte[]> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(in.readBlob());
    }
    return keys;
  }
}
