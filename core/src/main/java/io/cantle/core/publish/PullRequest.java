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
 * @param cache the index of the cache in the topology
 * @param part which part of an entry is an element, where there is no task
 * @param task what to make of an entry instead, or null
 * @param maxBytes how long the answer may be; an element that does not fit is left for another pull
 * @param acceptsOversized whether the first entry of the answer may be longer than that
 * @param maxElements the number of elements after which the answer ends
 * @param keepsAfterMove whether what was read counts although the owner lost the segment meanwhile
 * @param targets the segments, with the cursor to continue from in each
 */
record PullRequest(
    int cache,
    CacheScanner.Part part,
    byte @Nullable [] task,
    int maxBytes,
    boolean acceptsOversized,
    int maxElements,
    boolean keepsAfterMove,
    List<ScanTarget> targets) {
  private static final CacheScanner.Part[] PARTS = CacheScanner.Part.values();
  private static final int MAX_BYTES = 16 << 20;
  private static final int MAX_ELEMENTS = 1 << 20;

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  void write(Output out) {
    out.writeVarint(cache);
    out.writeByte(part.ordinal());
    out.writeBoolean(task != null);
    if (task != null) {
      out.writeBlob(task);
    }
    out.writeVarint(maxBytes);
    out.writeBoolean(acceptsOversized);
    out.writeVarint(maxElements);
    out.writeBoolean(keepsAfterMove);
    ScanTarget.writeAll(targets, out);
  }

  static PullRequest read(Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    int partCode = in.readByte();
    if (partCode >= PARTS.length) {
      throw new MalformedException("part " + partCode + " of an entry is unknown");
    }
    byte[] task = in.readBoolean() ? in.readBlob() : null;
    int budgetBytes = in.readCount(MAX_BYTES);
    boolean takesLong = in.readBoolean();
    int budgetElements = in.readCount(MAX_ELEMENTS);
    boolean keepsRefused = in.readBoolean();
    return new PullRequest(
        cache,
        PARTS[partCode],
        task,
        budgetBytes,
        takesLong,
        budgetElements,
        keepsRefused,
        ScanTarget.readAll(in));
  }
}
