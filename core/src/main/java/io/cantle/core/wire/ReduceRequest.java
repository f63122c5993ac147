package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request for partial results over the next entries of some segments. The answer says for each
 * segment how far the results go.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the index of the cache in the topology
 * @param task what to make of the entries, or null to count them
 * @param parallel whether several threads may work on it, each on a result of its own
 * @param keepsAfterMove whether a result counts although the owner lost a segment meanwhile
 * @param maxEntryBytes the most bytes of entries in one result; a single entry may be larger
 * @param targets the segments, with the cursor to continue from in each
 */
public record ReduceRequest(
    int cache,
    byte @Nullable [] task,
    boolean parallel,
    boolean keepsAfterMove,
    long maxEntryBytes,
    List<ScanTarget> targets)
    implements ScanMessage.EntryRequest {

  @Override
  public void write(Output out) {
    out.writeVarint(cache);
    out.writeOptional(task, out::writeBlob);
    out.writeBoolean(parallel);
    out.writeBoolean(keepsAfterMove);
    out.writeVarint(maxEntryBytes);
    out.writeList(targets, target -> target.write(out));
  }

  static ReduceRequest read(Input in) {
    return new ReduceRequest(
        in.readCount(),
        in.readOptional(Input::readBlob),
        in.readBoolean(),
        in.readBoolean(),
        in.readVarint(),
        in.readList(ScanTarget::read));
  }
}
