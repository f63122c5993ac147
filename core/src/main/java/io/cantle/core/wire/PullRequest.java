package io.cantle.core.wire;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
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
public record PullRequest(
    int cache,
    EntryPart part,
    byte @Nullable [] task,
    int maxBytes,
    boolean acceptsOversized,
    int maxElements,
    boolean keepsAfterMove,
    List<ScanTarget> targets)
    implements ScanMessage.EntryRequest {

  /** The part of an entry that a scan delivers. */
  public enum EntryPart {
    /** The key blob and the value blob. */
    ENTRY,
    /** The key blob. */
    KEY,
    /** The value blob. */
    VALUE;

    /** Writes this part of an entry. */
    public void write(Entry entry, Output out) {
      // These may be made now.
      byte[] bytes = this == KEY ? entry.keyBytes() : entry.bytes();
      int keyLength = entry.keyLength();
      if (this != VALUE) {
        out.writeBlob(bytes, 0, keyLength);
      }
      if (this != KEY) {
        out.writeBlob(bytes, keyLength, bytes.length - keyLength);
      }
    }
  }

  private static final EntryPart[] PARTS = EntryPart.values();
  private static final int MAX_BYTES = 16 << 20;
  private static final int MAX_ELEMENTS = 1 << 20;

  @Override
  public void write(Output out) {
    out.writeVarint(cache);
    out.writeEnum(part);
    out.writeOptional(task, out::writeBlob);
    out.writeVarint(maxBytes);
    out.writeBoolean(acceptsOversized);
    out.writeVarint(maxElements);
    out.writeBoolean(keepsAfterMove);
    out.writeList(targets, target -> target.write(out));
  }

  /** The same request for other segments. */
  public PullRequest withTargets(List<ScanTarget> others) {
    return new PullRequest(
        cache, part, task, maxBytes, acceptsOversized, maxElements, keepsAfterMove, others);
  }

  static PullRequest read(Input in) {
    return new PullRequest(
        in.readCount(),
        in.readEnum(PARTS),
        in.readOptional(Input::readBlob),
        in.readCount(MAX_BYTES),
        in.readBoolean(),
        in.readCount(MAX_ELEMENTS),
        in.readBoolean(),
        in.readList(ScanTarget::read));
  }
}
