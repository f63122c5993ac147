package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A segment somebody wants entries of, and where to go on in it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param segment which segment
 * @param cursor the entries behind it are wanted
 * @param keys the only keys wanted, in the order of the segment, or null for all
 */
record Want(int segment, Cursor cursor, @Nullable List<byte[]> keys) {

  Want(int segment, Cursor cursor) {
    this(segment, cursor, null);
  }

  static void write(List<Want> wants, Output out) {
    out.writeVarint(wants.size());
    for (Want want : wants) {
      out.writeVarint(want.segment);
      want.cursor.write(out);
      List<byte[]> keys = want.keys;
      out.writeBoolean(keys != null);
      if (keys != null) {
        out.writeVarint(keys.size());
        keys.forEach(out::writeBlob);
      }
    }
  }

  static List<Want> read(Input in) {
    int count = in.readCount(in.remaining());
    List<Want> wants = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int segment = in.readCount(Integer.MAX_VALUE);
      Cursor cursor = Cursor.read(in);
      wants.add(new Want(segment, cursor, in.readBoolean() ? readKeys(in) : null));
    }
    return wants;
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
