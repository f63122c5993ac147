package io.cantle.core.scan;

import io.cantle.CacheConfig;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Response;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request to count.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param entryCount the number of entries
 * @param counted the segments that were counted, or null for all that were asked for
 */
record CountReply(long entryCount, @Nullable SegmentSet counted) implements Response {
  @Override
  public void write(Output out) {
    out.writeByte(ScanStatus.OK);
    out.writeVarint(entryCount);
    out.writeBoolean(counted == null);
    if (counted != null) {
      counted.write(out);
    }
  }

  /** Reads what {@link #write} wrote after the status. */
  static CountReply read(Input in) {
    return in.requireEndAfter(
        new CountReply(
            in.readVarint(),
            in.readBoolean() ? null : SegmentSet.read(in, CacheConfig.MAX_SEGMENTS)));
  }
}
