package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for the next elements of some segments. The answer says for each segment how far it
 * goes.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the place of the cache in the topology
 * @param part what of an entry is wanted
 * @param task what is made of an entry instead, or null
 * @param budgetBytes after how many bytes the answer ends
 * @param budgetElements after how many elements the answer ends
 * @param wants which segments, and from where on
 */
record Pull(
    int cache,
    Scans.Part part,
    byte @Nullable [] task,
    int budgetBytes,
    int budgetElements,
    List<Want> wants) {
  private static final Scans.Part[] PARTS = Scans.Part.values();
  private static final int MAX_BUDGET_BYTES = 16 << 20;
  private static final int MAX_BUDGET_ELEMENTS = 1 << 20;

  /** A segment and where to go on in it. */
  record Want(int segment, Cursor cursor) {}

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  void write(Output out) {
    out.writeVarint(cache);
    out.writeByte(part.ordinal());
    out.writeBoolean(task != null);
    if (task != null) {
      out.writeBlob(task);
    }
    out.writeVarint(budgetBytes);
    out.writeVarint(budgetElements);
    out.writeVarint(wants.size());
    for (Want want : wants) {
      out.writeVarint(want.segment());
      want.cursor().write(out);
    }
  }

  static Pull read(Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    int part = in.readByte();
    if (part >= PARTS.length) {
      throw new MalformedException("part " + part + " of an entry is unknown");
    }
    byte[] task = in.readBoolean() ? in.readBlob() : null;
    int budgetBytes = in.readCount(MAX_BUDGET_BYTES);
    int budgetElements = in.readCount(MAX_BUDGET_ELEMENTS);
    int count = in.readCount(in.remaining());
    List<Want> wants = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      wants.add(new Want(in.readCount(Integer.MAX_VALUE), Cursor.read(in)));
    }
    return new Pull(cache, PARTS[part], task, budgetBytes, budgetElements, wants);
  }
}
