package io.cantle.core.publish;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
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
 * @param budgetBytes how long the answer may be; what does not fit is put back
 * @param takesLong whether its first entry may be longer
 * @param budgetElements after how many elements the answer ends
 * @param keepsRefused whether what was read counts though the owner lost the segment meanwhile
 * @param wants which segments, and from where on
 */
record Pull(
    int cache,
    Scans.Part part,
    byte @Nullable [] task,
    int budgetBytes,
    boolean takesLong,
    int budgetElements,
    boolean keepsRefused,
    List<Want> wants) {
  private static final Scans.Part[] PARTS = Scans.Part.values();
  private static final int MAX_BUDGET_BYTES = 16 << 20;
  private static final int MAX_BUDGET_ELEMENTS = 1 << 20;

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  void write(Output out) {
    out.writeVarint(cache);
    out.writeByte(part.ordinal());
    out.writeBoolean(task != null);
    if (task != null) {
      out.writeBlob(task);
    }
    out.writeVarint(budgetBytes);
    out.writeBoolean(takesLong);
    out.writeVarint(budgetElements);
    out.writeBoolean(keepsRefused);
    Want.write(wants, out);
  }

  static Pull read(Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    int part = in.readByte();
    if (part >= PARTS.length) {
      throw new MalformedException("part " + part + " of an entry is unknown");
    }
    byte[] task = in.readBoolean() ? in.readBlob() : null;
    int budgetBytes = in.readCount(MAX_BUDGET_BYTES);
    boolean takesLong = in.readBoolean();
    int budgetElements = in.readCount(MAX_BUDGET_ELEMENTS);
    boolean keepsRefused = in.readBoolean();
    return new Pull(
        cache,
        PARTS[part],
        task,
        budgetBytes,
        takesLong,
        budgetElements,
        keepsRefused,
        Want.read(in));
  }
}
